"""From what a model answered to the object that was asked for, whatever it is dressed in. Nothing is taken on trust."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

Object = dict[str, object]
MAX_STARTS = 64
_LISTS = ("entities", "facts", "ended")
_THINKING = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>", re.IGNORECASE | re.DOTALL)
_UNCLOSED = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+")|,(?=\s*[}\]])', re.DOTALL)


class Unreadable(Exception):
    """There is no answer in it. The message never holds what was answered."""


def parse(text: str) -> Object:
    """Return the answer object: its lists that are lists. Raises Unreadable where a text holds none.

    Thinking is not read: it holds drafts. Of several objects the last one counts. An answer that is cut short is
    unreadable as a whole; nothing is made of its beginning.
    """
    stripped = text.strip()
    if not stripped.startswith(("{", "[", "```")):
        stripped = _THINKING.sub("", stripped)
        if _UNCLOSED.search(stripped):
            raise Unreadable
    answers = [value for value in _objects(stripped) if any(isinstance(value.get(name), list) for name in _LISTS)]
    if not answers or "properties" in answers[-1]:
        raise Unreadable
    return answers[-1]


def items(answer: Object, name: str) -> Iterator[Object]:
    """The objects in one of the answer's lists; anything else in it is passed over."""
    listed = answer.get(name)
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, dict):
            yield one
        elif isinstance(one, str) and name == "entities":
            yield {"name": one}


def text_of(item: Object, name: str) -> str:
    """A text in an item, on one line; "" for anything else."""
    value = item.get(name)
    return " ".join(value.split()) if isinstance(value, str) else ""


def number_of(value: object) -> int | None:
    """A whole number as models write it: 3, "3"; None for anything else."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _objects(text: str) -> Iterator[Object]:
    position = 0
    for _ in range(MAX_STARTS):
        start = text.find("{", position)
        if start < 0:
            return
        value, position = _read(text, start)
        if isinstance(value, dict):
            yield value
        elif text[start:].startswith('{"entities"'):
            # What begins like the answer and cannot be read holds debris only.
            return


def _read(text: str, start: int) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        pass
    fixed = _TRAILING_COMMA.sub(lambda match: match.group(1) or "", text[start:])
    try:
        value, end = _DECODER.raw_decode(fixed)
    except (ValueError, RecursionError):
        return None, start + 1
    return value, len(text) - (len(fixed) - end)


_DECODER = json.JSONDecoder(strict=False)
