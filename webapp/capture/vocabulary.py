"""The word lists beside this file (``words/``): read once, looked up by name."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_WORDS = Path(__file__).parent / "words"


def words(text: str) -> frozenset[str]:
    """The words of a short list that stands in the code."""
    return frozenset(text.split())


@cache
def lines(name: str) -> tuple[str, ...]:
    """The lines of a list that are not comments."""
    text = (_WORDS / name).read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


@cache
def by_language(name: str) -> dict[str, frozenset[str]]:
    """A list of lines ``language: word word``."""
    split = (line.split(":", 1) for line in lines(name))
    return {language: frozenset(words.split()) for language, words in split}


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A list of regular expressions, one a line, as one."""
    return re.compile("|".join(lines(name)))


@cache
def groups(name: str) -> dict[str, frozenset[int]]:
    """A list of groups, one a line: each word with the numbers of its groups. Underscores stand for spaces."""
    found: dict[str, set[int]] = {}
    for number, line in enumerate(lines(name)):
        for word in line.split():
            found.setdefault(word.replace("_", " ").casefold(), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}
