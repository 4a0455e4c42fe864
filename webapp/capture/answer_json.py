"""Finds JSON in a text that may hold anything else, at a cost bounded by the text's length."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

Object = dict[str, object]

# Places at which a value may begin. Prose rarely has more braces than this before the answer.
MAX_STARTS = 64
MAX_LENIENT = 4
# No answer is nested so deep.
MAX_DEPTH = 50
_START = re.compile(r"[{\[]")
_ANSWER_START = re.compile(r'\{\s*"(?:has_memories|global_memories|mentor_memories|agent_memories)"')
_SIGN = re.compile(r'"(?:[^"\\]|\\.)*+"|"|[{}\[\]]', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+")|,(?=\s*[}\]])', re.DOTALL)


class Ambiguous:
    """Stands for the value of a key that was given twice with different values."""


def values(text: str) -> Iterator[object]:
    """Yield the objects and lists in a text, outermost only, in order.

    What begins like an answer and cannot be read is not searched for smaller values: they would be debris.
    """
    position = 0
    for attempt in range(MAX_STARTS):
        start = _START.search(text, position)
        if not start:
            return
        found = _read(text, start.start(), lenient=attempt < MAX_LENIENT)
        if found is not None:
            value, position = found
            yield value
        elif not _ANSWER_START.match(text, start.start()):
            position = start.end()
        elif (end := _end(text, start.start())) is not None:
            position = end
        else:
            return


def _read(text: str, start: int, *, lenient: bool) -> tuple[object, int] | None:
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return _without_trailing_commas(text, start) if lenient else None


def whole(text: str) -> object | None:
    """The value that all of a text is, else None."""
    try:
        value, end = _DECODER.raw_decode(text.strip())
    except (ValueError, RecursionError):
        return None
    return value if end == len(text.strip()) else None


def is_whole(text: str) -> bool:
    """Whether all of a text is one object or list."""
    return isinstance(whole(text), dict | list)


def is_cut_off(text: str) -> bool:
    """Whether a text begins an object or list at its start, or after a line of prose, and ends before it is closed."""
    start = _START.search(text)
    if not start:
        return text.startswith('"') and not text.rstrip().endswith('"')
    depth = 0
    for sign in _SIGN.finditer(text, start.start()):
        if sign.group() == '"':
            return True
        if sign.group() in "{[":
            depth += 1
            if depth > MAX_DEPTH:
                return False
        elif sign.group() in "}]":
            depth -= 1
            if depth <= 0:
                return False
    return depth > 0


def _without_trailing_commas(text: str, start: int) -> tuple[object, int] | None:
    """The value at a place when commas before closing brackets are left out, which models like to write."""
    end = _end(text, start)
    if end is None:
        return None
    fixed = _TRAILING_COMMA.sub(lambda match: match.group(1) or "", text[start:end])
    if len(fixed) == end - start:
        return None
    try:
        return _DECODER.decode(fixed), end
    except (ValueError, RecursionError):
        return None


def _end(text: str, start: int) -> int | None:
    depth = 0
    for sign in _SIGN.finditer(text, start):
        if sign.group() in ("{", "["):
            depth += 1
            if depth > MAX_DEPTH:
                return None
        elif sign.group() in ("}", "]"):
            depth -= 1
            if depth == 0:
                return sign.end()
    return None


def _object(pairs: list[tuple[str, object]]) -> Object:
    """An object whose repeated keys are put together where they are lists or objects, else marked as ambiguous."""
    found: Object = {}
    for key, value in pairs:
        found[key] = _together(found[key], value) if key in found else value
    return found


def _together(first: object, second: object) -> object:
    # In place: an answer may repeat a key a hundred thousand times.
    if isinstance(first, list) and isinstance(second, list):
        first.extend(second)
        return first
    if isinstance(first, dict) and isinstance(second, dict):
        for key, value in second.items():
            first[key] = _together(first[key], value) if key in first else value
        return first
    return first if first == second else Ambiguous()


def _nothing(_constant: str) -> None:
    """NaN and the infinities, which are no JSON."""


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_nothing, strict=False)
