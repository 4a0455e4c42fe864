"""Whether two near texts say the same, by their letters. Pure; the vectors only nominate."""

from __future__ import annotations

import re

from webapp.terms import terms


def says_the_same(one: str, other: str) -> bool:
    """Whether two near texts differ in no number, name or negation, nor in the order of the same words.

    The vectors cannot tell: "tea over coffee" and "coffee over tea" are 0.004 apart (cosine distance).
    """
    if _marks(one) != _marks(other) or _unnamed(one, other) or _unnamed(other, one):
        return False
    first, second = terms(one), terms(other)
    return first == second or sorted(first) != sorted(second)


def _marks(text: str) -> tuple[list[str], bool]:
    folded = text.casefold()
    numbers = (word for word in _WORD.findall(folded) if word[0].isdigit())
    return sorted(numbers), _NEGATION.search(folded) is not None


def _unnamed(text: str, other: str) -> set[str]:
    """The names in ``text``, capitals inside it, that do not stand in ``other``."""
    names = {word.casefold() for word in _WORD.findall(text)[1:] if word[0].isupper()}
    return names.difference(_WORD.findall(other.casefold()))


_WORD = re.compile(r"\w+")
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|without|cannot|t|nobody|nothing|kein|keine|nicht|"
    r"nie|ohne|ne|pas|jamais|sans|nunca|sin|non|mai|senza|não|sem|geen|niet|nooit|zonder|не|нет|никогда|без)\b"
)
