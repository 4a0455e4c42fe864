"""What changed between two texts, word by word, for a reader."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

# Above this many words a comparison would take noticeably long; the two texts are then shown without marks.
MOST_WORDS = 2_000


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of text that is the `same` in both, or was `removed` from the first, or `added` in the second."""

    text: str
    kind: Literal["same", "added", "removed"]


def segments(before: str, after: str) -> tuple[list[Segment], list[Segment]]:
    """Return both texts cut into segments; joined, the segments of each side are that text unchanged.

    Words and single characters of scripts without spaces are compared, white space stays with what precedes it.
    """
    old, new = _pieces(before), _pieces(after)
    if len(old) + len(new) > MOST_WORDS:
        return _run(old, "removed"), _run(new, "added")
    left: list[Segment] = []
    right: list[Segment] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        left += _run(old[i1:i2], "same" if tag == "equal" else "removed")
        right += _run(new[j1:j2], "same" if tag == "equal" else "added")
        if tag == "replace":
            _free_the_blank(left, right)
    return left, right


def _free_the_blank(left: list[Segment], right: list[Segment]) -> None:
    """Where a word takes another's place, the white space after both is not what changed."""
    removed, added = left[-1].text, right[-1].text
    blank = removed[len(removed.rstrip()) :]
    if not blank or added[len(added.rstrip()) :] != blank or blank in (removed, added):
        return
    left[-1:] = [Segment(removed[: -len(blank)], "removed"), Segment(blank, "same")]
    right[-1:] = [Segment(added[: -len(blank)], "added"), Segment(blank, "same")]


def _pieces(text: str) -> list[str]:
    return re.findall(r"[\u2e80-\u9fff\uac00-\ud7af]\s*|[^\s\u2e80-\u9fff\uac00-\ud7af]+\s*|\s+", text)


def _run(pieces: list[str], kind: Literal["same", "added", "removed"]) -> list[Segment]:
    return [Segment("".join(pieces), kind)] if pieces else []
