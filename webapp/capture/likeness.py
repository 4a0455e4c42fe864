"""Whether two memories say the same in other words, judged by the words alone.

Where no model has judged, a near vector is not enough: "backend systems" and "embedded systems" lie as near as
"engineer" and "developer". Two texts restate each other only if each word of content has its counterpart.
"""

from __future__ import annotations

from functools import lru_cache

from webapp.capture import reading
from webapp.capture.language import likely_language
from webapp.capture.tense import canonical
from webapp.capture.vocabulary import groups, words

# Said for emphasis or to round a sentence; their absence changes nothing.
_ROUNDING = words(
    """really quite often currently presently actually generally usually mainly mostly particularly especially personally kind sort lot
    frequently someone person thing things way one using use uses used getting gets get having have finds being topic
    topics concept concepts based located situated named called well good best tends tend that's regularly overall new"""
)


def restates(one: str, other: str) -> bool:
    """Whether every word of content in each text is in the other, as the same word or as a synonym. Symmetric."""
    first, second = _words(one), _words(other)
    if not first or not second:
        return reading.fold(one) == reading.fold(other)
    if likely_language(one) in {"chinese", "japanese", "korean", "thai"}:
        return set(first) == set(second)
    return _covered(first, second) and _covered(second, first)


def _words(text: str) -> tuple[str, ...]:
    words = reading.content(canonical(text))
    return tuple(word for word in words if word not in _ROUNDING) or words


def _covered(words: tuple[str, ...], by: tuple[str, ...]) -> bool:
    return all(any(means(word, one) for one in by) for word in words)


def means(one: str, other: str) -> bool:
    """Whether two words are forms of one word or stand in one group of synonyms."""
    return reading.akin(one, other) or bool(_groups(one) & _groups(other))


@lru_cache(maxsize=20_000)
def _groups(word: str) -> frozenset[int]:
    table = groups("synonyms.txt")
    if word in table:
        return table[word]
    bare = word.rstrip("s")
    return table.get(bare, table.get(bare + "e", frozenset()))
