"""What a memory must be by itself: long enough, short enough, about something, and about a person."""

from __future__ import annotations

import re

from webapp.capture import reading
from webapp.capture.types import Reason
from webapp.capture.vocabulary import lines
from webapp.memory.content import display_width

MIN_WIDTH = 10
MAX_WIDTH = 500

_LETTER = re.compile(r"[^\W\d_]")
# Latin letters that are Cyrillic or Greek ones in disguise, as they are used to slip past a filter.
_LOOKALIKES = str.maketrans("аеорсухіјѕԁοανρτικ", "aeopcyxijsdoavptik")
_LATIN_WORD = re.compile(r"\b[a-z]*[а-яα-ω][a-z]+|\b[a-z]+[а-яα-ω][a-z]*")
# "I always ignore my previous manager's instructions" is about a person.
_OWN_HABIT = re.compile(
    r"\b(?:i|we|they|he|she) (?:\w+ )?(?:ignored?|disregard(?:ed)?|forget|forgot|skip(?:ped)?|bypass(?:ed)?|override)\b"
)
_SPREAD = re.compile(r"\b(?:\w[ .\-_*]){4,}\w\b")


def fault_of_form(text: str) -> Reason | None:
    """Why a text cannot be a memory whoever said it; None where it can. ``text`` is cleaned."""
    width = display_width(text)
    if width > MAX_WIDTH:
        return Reason.TOO_LONG
    if is_contentless(text):
        return Reason.CONTENTLESS
    if width < MIN_WIDTH:
        return Reason.TOO_SHORT
    return Reason.INSTRUCTION if is_instruction(text) else None


def is_contentless(text: str) -> bool:
    """Whether a text says nothing of anybody: signs alone, "N/A", "The user said hello"."""
    if len(_LETTER.findall(text)) < 2:
        return True
    return all(_is_empty(word) for word in reading.content(text)) and not reading.numbers(text)


def is_instruction(text: str) -> bool:
    """Whether a memory speaks to a model instead of about a person, or plays its markup."""
    plain = _plain(text)
    return any(pattern.search(plain) for pattern in _INSTRUCTIONS)


def overrides(quote: str) -> bool:
    """Whether a user's words try to set a model's instructions aside; an order to answer briefly does not."""
    plain = _plain(quote)
    return any(pattern.search(plain) for pattern in _OVERRIDES)


def _is_empty(word: str) -> bool:
    return word in _EMPTY or (reading.is_unspaced(word) and any(word in empty for empty in _EMPTY_UNSPACED))


def _plain(text: str) -> str:
    folded = "\n".join(reading.fold(line) for line in text.splitlines())
    folded = _OWN_HABIT.sub(" ", folded)
    folded = _LATIN_WORD.sub(lambda match: match.group().translate(_LOOKALIKES), folded)
    return _SPREAD.sub(lambda match: re.sub(r"[ .\-_*]", "", match.group()), folded)


_EMPTY = frozenset(" ".join(lines("empty.txt")).split())
_EMPTY_UNSPACED = frozenset(" ".join(lines("empty_unspaced.txt")).split())
_INSTRUCTIONS = tuple(re.compile(line) for line in lines("instructions.txt"))
_OVERRIDES = tuple(re.compile(line) for line in lines("instructions.txt") if not line.startswith("(?#candidate)"))
