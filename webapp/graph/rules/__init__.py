"""The built-in graph extractor: names and figures of English sentences, found by rules, where no model is set.

Small and honest: it links the speaker and the names of a statement by a fact that holds the sentence itself, and
knows a handful of relations of which one holds at a time. Questions, conditionals, jokes, code and quotations are
left out. Its measured precision and recall: docs/graph.md.
"""

from __future__ import annotations

from webapp.graph.rules.extract import MODEL, extract

__all__ = ["MODEL", "extract"]
