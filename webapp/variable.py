"""How one environment variable becomes a typed value, and back.

Each parser raises ValueError with a sentence that says what it expected; the caller adds the variable's name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

SHORTEST_SECRET = 16


@dataclass(frozen=True, slots=True)
class Variable:
    """How one setting is read: its environment name, parser, default text and description; `show` undoes `parse`."""

    name: str
    parse: Callable[[str], Any]
    default: str
    about: str
    secret: bool = False
    show: Callable[[Any], str] = str


def text(raw: str) -> str:
    """Any text."""
    return raw


def folder(raw: str) -> Path:
    """A folder; `~` is the home of the caller."""
    return Path(raw).expanduser()


def boolean(raw: str) -> bool:
    """A yes or a no, as people write them in environment files."""
    lowered = raw.lower()
    if lowered in {"1", "true", "yes", "on"}:
        return True
    if lowered in {"0", "false", "no", "off"}:
        return False
    raise ValueError("expected true or false")


def whole(low: int, high: int) -> Callable[[str], int]:
    """A whole number within bounds, both included."""

    def parse(raw: str) -> int:
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", raw) or not low <= int(raw) <= high:
            raise ValueError(f"expected a whole number from {low} to {high}")
        return int(raw)

    return parse


def number(low: float, high: float) -> Callable[[str], float]:
    """A decimal number within bounds, both included."""

    def parse(raw: str) -> float:
        if not re.fullmatch(r"[+-]?[0-9]*\.?[0-9]+", raw) or not low <= float(raw) <= high:
            raise ValueError(f"expected a number from {low:g} to {high:g}")
        return float(raw)

    return parse


def optional_number(low: float, high: float) -> Callable[[str], float | None]:
    """A decimal number within bounds, or None when nothing is given."""
    parse = number(low, high)
    return lambda raw: parse(raw) if raw else None


def choice(*allowed: str) -> Callable[[str], str]:
    """One of a few words."""

    def parse(raw: str) -> str:
        if raw not in allowed:
            raise ValueError("expected one of " + ", ".join(allowed))
        return raw

    return parse


def url(*schemes: str) -> Callable[[str], str]:
    """An address with one of these schemes, or nothing."""

    def parse(raw: str) -> str:
        if raw and urlsplit(raw).scheme not in schemes:
            raise ValueError("expected a URL starting with " + " or ".join(f"{scheme}://" for scheme in schemes))
        return raw

    return parse


def postgres(raw: str) -> str:
    """A PostgreSQL URL in any spelling, with the one driver that is installed; or nothing."""
    scheme, separator, rest = raw.partition("://")
    if raw and not (separator and scheme.split("+")[0] in {"postgresql", "postgres"}):
        raise ValueError("expected a URL starting with postgresql://")
    return f"postgresql+psycopg://{rest}" if raw else ""


def secret_key(raw: str) -> str:
    """A key that is too long to guess, or nothing."""
    if raw and len(raw) < SHORTEST_SECRET:
        raise ValueError(f"expected at least {SHORTEST_SECRET} characters")
    return raw


def rate(raw: str) -> str:
    """A number of requests per time, or an empty text for `none`."""
    if raw.lower() == "none":
        return ""
    if not re.fullmatch(r"[1-9][0-9]{0,8}/(second|minute|hour|day)", raw):
        raise ValueError("expected a rate such as 600/minute, or none")
    return raw


def show_rate(value: str) -> str:
    """Undo `rate`."""
    return value or "none"


def must_be(wanted: bool, sentence: str) -> Callable[[str], bool]:
    """A switch that has one position; `sentence` says why."""

    def parse(raw: str) -> bool:
        if boolean(raw) is not wanted:
            raise ValueError(sentence)
        return wanted

    return parse


def show_optional(value: float | None) -> str:
    """Undo `optional_number`."""
    return "" if value is None else str(value)
