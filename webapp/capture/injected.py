"""Takes the block of memories that we ourselves hand out back out of an exchange, so that recall is not captured again."""

from __future__ import annotations

import re
from collections.abc import Iterable

from webapp.capture.reading import fold

HEADINGS = ("## Agent Knowledge", "## User Information", "## Relevant Context from Previous Conversations")
"""The headings of the block, as ``webapp.recall.context`` writes them."""

_FOLDED_HEADINGS = frozenset(fold(heading) for heading in HEADINGS)
_ITEM = re.compile(r"^\s{0,3}[-*•]\s+\S")
_DRESSING = re.compile(r"^\s*(?:[-*•]\s+)?(?:\[[^\]]{1,80}\]\s+)?")


def strip_injected(text: str, rendered_memories: Iterable[str] = ()) -> str:
    """Return a message's text without our own block, whoever put it there.

    Left out are the block's headings with the list items under them, whatever those say (they may since have been
    edited or deleted), and single lines that repeat one of ``rendered_memories``. A text without either is unchanged.
    """
    rendered = {fold(_DRESSING.sub("", memory, count=1)) for memory in rendered_memories}
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if fold(line) in _FOLDED_HEADINGS:
            inside = True
        elif inside and _ITEM.match(line):
            continue
        elif inside and not line.strip():
            # A blank line ends a section; what follows is another heading, or the user's own words.
            inside = False
        else:
            inside = False
            if fold(_DRESSING.sub("", line, count=1)) not in rendered or not line.strip():
                kept.append(line)
    stripped = "".join(kept)
    return stripped if stripped == text else stripped.strip()
