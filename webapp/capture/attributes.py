"""What a memory says of whom: the attribute that a newer fact may replace, and the wording of a change."""

from __future__ import annotations

import re
from dataclasses import dataclass

from webapp.capture import reading
from webapp.capture.differences import subject
from webapp.capture.tense import Time, canonical, time_class
from webapp.capture.vocabulary import groups, lines, words


@dataclass(frozen=True, slots=True)
class Change:
    """A change that a text tells of: of which attribute, from what, to what; None where it does not say."""

    attribute: str
    old: str | None
    new: str | None


# Verbs of liking, wishing and having: two facts that share only these are about different things.
_IDLE = words(
    """likes like loves love enjoys prefers prefer wants want hopes uses use has have works work lives live knows know speaks
    speak needs need learning learn studies study struggles hates dislikes goal plays goes went got gets now moved started
    stopped formerly longer wishes plans user said year years time day days"""
)
_HELD = frozenset({Time.PRESENT, Time.LEARNING})
_OLD = r"(?P<old>[^.;,]+?)"
_NEW = r"(?P<new>[^.;,]+)"
_CHANGES = tuple(
    (attribute, re.compile(rf"^the user (?:has |just |recently |finally )*{pattern}"))
    for attribute, pattern in (
        ("place", rf"(?:moved|relocated)(?: back| out| away)? from {_OLD} to {_NEW}"),
        ("place", rf"(?:moved|relocated)(?: back| over)? to {_NEW}"),
        (
            "place",
            rf"(?:now (?:lives|is living|resides|is based)|is now (?:living|based|residing)) (?:in|near|at) {_NEW}",
        ),
        (
            "place",
            r"(?:no longer lives|does not live|doesn't live)(?: any ?more)? (?:in|near|at|with) (?P<old>[^.;,]+)",
        ),
        ("work", rf"(?:switched|changed|moved)(?: jobs?)? from {_OLD} to {_NEW}"),
        ("work", rf"now (?:works|freelances|teaches) (?:at|for|as|in|with)? ?{_NEW}"),
        ("work", rf"is now (?:an? |the |working (?:at|for|as|in) |employed (?:at|by) ){_NEW}"),
        ("work", r"no longer (?:works|teaches|freelances) (?:at|for|as|in|with) (?P<old>[^.;,]+)"),
        ("work", rf"started (?:a new job|working|a new role|a new position) (?:at|for|as|in|with) {_NEW}"),
        ("work", r"(?:left|quit|resigned from)(?: their job)?(?: at)? (?P<old>[^.;,]+)"),
        ("study", rf"(?:switched|changed)(?: their)? majors? from {_OLD} to {_NEW}"),
        ("study", rf"transferred from {_OLD} to {_NEW}"),
        (
            "study",
            rf"(?:now studies|is now (?:studying|majoring in)|transferred to|switched(?: their)? major to) {_NEW}",
        ),
        ("study", r"(?:no longer studies|dropped out of) (?P<old>[^.;,]+)"),
    )
)


def attributes(text: str) -> frozenset[str]:
    """The single-valued attributes that a text speaks of ("place", "work", …); empty where it names none."""
    tokens = [token for token in reading.tokens(text) if not reading.is_unspaced(token)]
    runs = "".join(token for token in reading.tokens(text) if reading.is_unspaced(token))
    return frozenset(
        name for name, starts in _listed().items() if any(_begins(start, tokens, runs) for start in starts)
    )


def _begins(start: str, tokens: list[str], runs: str) -> bool:
    if reading.is_unspaced(start):
        return start in runs
    return any(token.startswith(start[:-1]) if start.endswith("-") else token == start for token in tokens)


def _listed() -> dict[str, tuple[str, ...]]:
    split = (line.split(":", 1) for line in lines("attributes.txt"))
    return {name: tuple(words.split()) for name, words in split}


def change(text: str) -> Change | None:
    """The change of work, place or study that an English sentence about the user tells of in plain words."""
    folded = reading.fold(text)
    for attribute, pattern in _CHANGES:
        if match := pattern.match(folded):
            found = match.groupdict()
            return Change(attribute, found.get("old"), found.get("new"))
    return None


def replaced_by(changed: Change, existing: str) -> bool:
    """Whether an existing memory is what a change did away with: same attribute, still held, and the old value if said."""
    if (
        subject(existing)
        or time_class(canonical(existing)) not in _HELD
        or changed.attribute not in attributes(existing)
    ):
        return False
    known = reading.tokens(existing)
    if changed.old:
        return all(reading.holds(known, word) for word in reading.content(changed.old))
    # "Now works at Klarna" ends the job before; a place or a field of study is had once at a time.
    return changed.new is not None and not any(reading.holds(known, word) for word in reading.content(changed.new))


def same_thing(one: str, other: str) -> bool:
    """Whether two memories speak of the same attribute of the same subject, so that the newer may replace the older.

    Where both name single-valued attributes, one must be common to them; else they share a word of content, or name
    two members of one group (single, married).
    """
    if subject(one) != subject(other):
        return False
    first, second = attributes(one), attributes(other)
    if first and second:
        return bool(first & second)
    return _share_content(one, other) or _share_group(one, other)


def _share_content(one: str, other: str) -> bool:
    words = [word for word in reading.content(other) if word not in _IDLE]
    return any(word not in _IDLE and reading.holds(words, word) for word in reading.content(one))


def _share_group(one: str, other: str) -> bool:
    table = groups("exclusive.txt")
    first = {number for word in reading.tokens(one) for number in table.get(word, ())}
    return any(first & table.get(word, frozenset()) for word in reading.tokens(other))
