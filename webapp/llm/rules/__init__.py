"""The built-in extractor: English first-person statements, found by rules, where no language model is set.

Small and honest: it knows nine kinds of statement, says each as a sentence about "The user" with names and
figures as they were typed, and stays silent where it is not sure. Its measured precision and recall stand in
docs/capture.md.
"""

from __future__ import annotations

from webapp.llm.rules.pattern import Kind
from webapp.llm.rules.statements import Statement, extract

__all__ = ["Kind", "Statement", "extract"]
