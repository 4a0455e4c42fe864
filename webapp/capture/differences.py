"""The lexical guard: what makes two memories different facts, however near their vectors lie.

Near vectors do not tell "tea over coffee" from "coffee over tea", or two children from three. These rules do, by
the words alone, in any language that shows its words; where a script hides its names they err towards "different".
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from enum import StrEnum

from webapp.capture import reading
from webapp.capture.language import likely_language
from webapp.capture.tense import canonical, time_class
from webapp.capture.vocabulary import by_language, groups


class Difference(StrEnum):
    """What two texts differ in."""

    NUMBER = "number"
    DATE = "date"
    NEGATION = "negation"
    NAME = "name"
    SUBJECT = "subject"
    TENSE = "tense"
    OPPOSITE = "opposite"
    ORDER = "order"
    VALUE = "value"


_UNSPACED_LANGUAGES = frozenset({"chinese", "japanese", "korean", "thai"})
_PUNCTUATION = re.compile(r"[^\w]+")
_POSSESSED = re.compile(r"(?:the user's|user's|their|his|her) (?P<owned>\w+(?: \w+)?)")


def differs(one: str, other: str) -> Difference | None:
    """Return what two memories differ in, or None where no rule finds a difference. Symmetric.

    Looks at numbers, dates and times, negation, names, whose fact it is, tense and intention, opposites, the order
    of named things, and in scripts without spaces at a single part that was put for another.
    """
    one, other = canonical(one), canonical(other)
    if reading.fold(one) == reading.fold(other):
        return None
    # One order for both ways round, since a rule that aligns words may see more from one side.
    one, other = sorted((one, other))
    for rule, difference in _RULES:
        if rule(one, other):
            return difference
    return _opposites(one, other)


def _numbers(one: str, other: str) -> bool:
    return reading.numbers(one) != reading.numbers(other)


def _negation(one: str, other: str) -> bool:
    return _negations(one) != _negations(other)


def _negations(text: str) -> int:
    language = likely_language(text)
    lists = by_language("negations.txt")
    if language in _UNSPACED_LANGUAGES:
        return sum(reading.fold(text).count(sign) for sign in _negating_signs())
    words = lists["english"] | lists.get(language, frozenset())
    found = reading.tokens(text)
    return sum(token in words or token.endswith("n't") for token in found)


def _negating_signs() -> list[str]:
    return sorted(by_language("negations.txt")["unspaced"])


def _names(one: str, other: str) -> bool:
    return _lacks_name(one, other) or _lacks_name(other, one)


def _lacks_name(one: str, other: str) -> bool:
    """Whether the first names what the second does not."""
    words = {part for token in reading.tokens(other) for part in (token, *re.split(r"[\-/&.]", token))}
    run = reading.fold(other)
    return any(name not in words and not (reading.is_unspaced(name) and name in run) for name in reading.names(one))


def _subjects(one: str, other: str) -> bool:
    return subject(one) != subject(other)


def subject(text: str) -> frozenset[str]:
    """The people or animals other than the user whose fact it is: "the user's brother", "il fratello dell'utente"."""
    language = likely_language(text)
    lists = by_language("relatives.txt")
    if language in _UNSPACED_LANGUAGES:
        return frozenset(word for word in lists["unspaced"] if len(word) > 1 and word in reading.fold(text))
    words = reading.tokens(text)
    if language == "english":
        match = _POSSESSED.match(reading.fold(text))
        return frozenset((match["owned"] if match else "").split()) & lists["english"]
    return frozenset(words[:3]) & lists.get(language, frozenset())


def _tense(one: str, other: str) -> bool:
    return time_class(one) != time_class(other)


def _opposites(one: str, other: str) -> Difference | None:
    """Members of one group, each in only one of the texts: days, months, brother and sister, like and hate."""
    table = groups("exclusive.txt")
    first, second = _members(one), _members(other)
    only_first, only_second = first - second, second - first
    for word in sorted(only_first):
        for opposite in sorted(only_second):
            shared = table[word] & table[opposite]
            if shared:
                return Difference.DATE if min(shared) <= _LAST_DATE_GROUP else Difference.OPPOSITE
    return None


# Months, weekdays, relative days, parts of the day and seasons are the first five groups of the list.
_LAST_DATE_GROUP = 4


def _members(text: str) -> frozenset[str]:
    table = groups("exclusive.txt")
    if likely_language(text) in _UNSPACED_LANGUAGES:
        run = reading.fold(text)
        return frozenset(word for word in table if reading.is_unspaced(word) and word in run)
    found = set()
    for token in reading.tokens(text):
        if token in table:
            found.add(token)
        else:
            found.update(word for word in table if len(word) > 2 and _is_form(token, word))
    return frozenset(found)


def _is_form(token: str, word: str) -> bool:
    """An inflected form: "stopped" of stop, "hates" of hate; not "started" of "star"."""
    rest = token.removeprefix(word.rstrip("e"))
    return (token != rest and bool(re.fullmatch(r"(?:e?s|e?d|e?r|ing|(.)(?:ed|ing)|t)?", rest))) or token == word[
        :-1
    ] + "ies"


def _order(one: str, other: str) -> bool:
    """The same words otherwise arranged, where arrangement means something."""
    first, second = _arranged(one), _arranged(other)
    if first == second:
        return False
    if sorted(first) == sorted(second):
        return _set_apart(one) or _set_apart(other) or _is_unspaced(one)
    return _compared(one, other) or bool(_PASSIVE.search(one)) != bool(_PASSIVE.search(other))


def _arranged(text: str) -> list[str]:
    """The words in order; two joined by "and" in the order of the alphabet, since theirs says nothing."""
    if _is_unspaced(text):
        return list(_PUNCTUATION.sub("", reading.fold(text)))
    words = [word for word in reading.tokens(text) if word not in _ARTICLES]
    for place in range(1, len(words) - 1):
        if words[place] in _AND:
            words[place - 1], words[place + 1] = sorted((words[place - 1], words[place + 1]))
    return [reading.stem(word) for word in words]


_ARTICLES = frozenset({"the", "a", "an"})
_AND = frozenset({"and", "or", "y", "e", "et", "ou", "und", "oder", "o", "en", "och", "и", "или", "ve", "i"})
_ARRANGING = re.compile(
    r"\b(?:over|than|to|from|before|after|instead|rather|into|by|for|because|not|but|more|most|que|plutôt|als|statt|lieber|"
    r"antes|desde|hasta|mejor|meglio|piuttosto|чем|из|в|daha|från|van|naar|z|do)\b|n't\b"
)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|being) \w+(?:ed|en|ght|wn|ne)\b.*\bby\b", re.IGNORECASE)
_COMPARISON = re.compile(r"\b(?:prefers?|rather|likes? more)\b.*?\b(?P<by>over|to|than|instead of|rather than)\b")


def _set_apart(text: str) -> bool:
    return bool(_ARRANGING.search(reading.fold(text))) or _subject_is_named(text)


def _subject_is_named(text: str) -> bool:
    """Whether somebody else opens the sentence: who did what to whom then depends on the order."""
    return not reading.fold(text).startswith(("the user", "user"))


def _compared(one: str, other: str) -> bool:
    """What is preferred in the one is what it is preferred to in the other."""
    first, second = _sides(one), _sides(other)
    if not first or not second:
        return False
    return bool(first[0] & second[1]) and bool(first[1] & second[0]) and not first[0] & second[0]


def _sides(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    folded = reading.fold(text)
    match = _COMPARISON.search(folded)
    if not match:
        return None
    return frozenset(reading.content(folded[: match.start("by")])), frozenset(
        reading.content(folded[match.end("by") :])
    )


def _is_unspaced(text: str) -> bool:
    return likely_language(text) in _UNSPACED_LANGUAGES


def _swapped_part(one: str, other: str) -> bool:
    """In scripts that do not show their names: one short part stands where another stood, the rest is the same."""
    if not (_is_unspaced(one) and _is_unspaced(other)):
        return False
    first, second = ("".join(_PUNCTUATION.sub("", reading.fold(text))) for text in (one, other))
    changes = [
        change for change in SequenceMatcher(None, first, second, autojunk=False).get_opcodes() if change[0] != "equal"
    ]
    swaps = [change for change in changes if change[0] == "replace"]
    return len(swaps) == 1 and len(changes) <= 2 and max(swaps[0][2] - swaps[0][1], swaps[0][4] - swaps[0][3]) <= 6


_RULES = (
    (_numbers, Difference.NUMBER),
    (_negation, Difference.NEGATION),
    (_names, Difference.NAME),
    (_subjects, Difference.SUBJECT),
    (_tense, Difference.TENSE),
    (_order, Difference.ORDER),
    (_swapped_part, Difference.VALUE),
)
