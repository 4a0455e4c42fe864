"""Cuts a long exchange into parts for one model call each, at the ends of sentences, and leaves nothing out.

Each later part of a message begins with the end of the part before, so that what a cut would tear apart can be read
whole in one of them; what lies in that overlap alone was found before and is not taken twice.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from webapp.capture.reading import fold
from webapp.capture.types import Evidence, Message
from webapp.memory.content import MAX_MARKS

PART_WIDTH = 16_000
"""What one model call is given of an exchange, in display width: about 4,000 tokens of English."""
OVERLAP_WIDTH = 400

_END = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’)\]]*(?=\s)\s*"  # Latin and its relatives: only before white space, so that 3.5 stays whole.
    r"|[。！？｡．]+[」』”’）]*\s*"
    r"|[।॥؟۔።։၊။]+\s*"
    r"|\n+"
)
_SPACE = re.compile(r"\s+")


def parts(messages: Sequence[Message], width: int = PART_WIDTH) -> list[tuple[Message, ...]]:
    """Return the exchange in parts of at most ``width``, one for a short one; every user's word is in one of them.

    Parts without a word of the user's are left out: nothing is ever taken from what the assistant says.
    ``width`` is at least twice the overlap.
    """
    packed: list[list[Message]] = [[]]
    room = width
    for message in messages:
        for piece in _pieces(message, width - OVERLAP_WIDTH):
            needed = _width(piece.text)
            if needed > room and packed[-1]:
                packed.append([])
                room = width
            packed[-1].append(piece)
            room -= needed
    return [tuple(part) for part in packed if any(one.role == "user" and one.text.strip() for one in part)]


def is_repeat(evidence: Evidence | None, part: Sequence[Message]) -> bool:
    """Whether a candidate's evidence lies wholly in what the part before had already: it was found there."""
    if evidence is None:
        return False
    quote = fold(evidence.quote)
    for message in part:
        if message.index == evidence.message_index and message.overlap:
            return quote in fold(message.text[: message.overlap]) and quote not in fold(message.text[message.overlap :])
    return False


def _width(text: str) -> int:
    # As display_width, but without normalising: only whole pieces are ever compared, and a cut may fall anywhere.
    return len(text) + sum(unicodedata.east_asian_width(character) in "WF" for character in text)


def _pieces(message: Message, width: int) -> Iterator[Message]:
    text = message.text
    if _width(text) <= width:
        yield message
        return
    start = 0
    for end in _cuts(text, width):
        begin = _overlap_start(text, start)
        yield replace(message, text=text[begin:end], overlap=start - begin)
        start = end


def _cuts(text: str, width: int) -> Iterator[int]:
    """Where the pieces of a text end: as late as the width allows, at the best border there is."""
    start = used = 0
    for end in _borders(text, width):
        needed = _width(text[start:end])
        if used and used + needed > width:
            yield start
            used = 0
        used += needed
        start = end
    if text[start - 1 :] or used:
        yield len(text)


def _borders(text: str, width: int) -> Iterator[int]:
    """The ends of sentences; within a sentence longer than the width, of words; within such a word, of characters."""
    start = 0
    for end in [*(match.end() for match in _END.finditer(text)), len(text)]:
        while _width(text[start:end]) > width:
            start = _within(text, start, width)
            yield start
        if end > start:
            yield end
            start = end


def _within(text: str, start: int, width: int) -> int:
    """The last place to cut after ``start`` that keeps within the width: after white space, else between characters."""
    end = start + width
    while _width(text[start:end]) > width:
        end = start + (end - start) * 3 // 4
    spaces = list(_SPACE.finditer(text, start + 1, end))
    if spaces:
        return spaces[-1].end()
    return next((place for place in range(end, max(start, end - MAX_MARKS), -1) if not _clings(text[place])), end)


def _clings(character: str) -> bool:
    """Whether a character belongs to the one before it: a combining mark, a joiner, a variation selector."""
    return unicodedata.category(character) in {"Mn", "Mc", "Me", "Cf", "Sk"}


def _overlap_start(text: str, start: int) -> int:
    """Where the overlap before a cut begins: at a sentence's start within reach, else as far back as it may."""
    begin = max(0, start - OVERLAP_WIDTH)
    while _width(text[begin:start]) > OVERLAP_WIDTH:
        begin += (start - begin) // 4 + 1
    ends = [match.end() for match in _END.finditer(text, begin, start) if match.end() < start]
    return ends[0] if ends else begin
