"""Times that are only understood on the day they are said: "last Friday" gets its date, "next Friday" goes."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNTS = {name: place for place, name in enumerate(_NUMBERS, 1)} | {"a": 1, "an": 1, "a couple of": 2}
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
_UNIT = r"(?P<unit>day|week|month|year)s?"
# "My last year of school" and "the next day" are reckoned from something else.
_ALONE = r"(?<!\bmy )(?<!\bthe )(?<!\bour )(?<!\btheir )(?<!\bhis )(?<!\bher )(?<!\bof )(?<!\bfor )\b"
_STEPS = {"last": -1, "this past": -1, "this": 0, "this coming": 1, "next": 1}
_DAYS = {
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "tomorrow": 1,
}


def _day(match: re.Match[str], said_on: date) -> str:
    words = match["day"].casefold()
    return (said_on + timedelta(days=next(step for name, step in _DAYS.items() if words.startswith(name)))).isoformat()


def _weekday(match: re.Match[str], said_on: date) -> str:
    back = (said_on.weekday() - _WEEKDAYS.index(match["weekday"].casefold()) - 1) % 7 + 1
    return (said_on - timedelta(days=back)).isoformat()


def _weekend(_match: re.Match[str], said_on: date) -> str:
    # The weekend that is now belongs to "this", not to "last".
    saturday = said_on - timedelta(days=(said_on.weekday() - 5) % 7)
    gone = saturday + timedelta(days=1) < said_on
    return (saturday if gone else saturday - timedelta(days=7)).isoformat()


def _period(match: re.Match[str], said_on: date) -> str:
    return _shifted(said_on, match["unit"].casefold(), _STEPS[match["which"].casefold()])


def _ago(match: re.Match[str], said_on: date) -> str:
    return _shifted(said_on, match["unit"].casefold(), -_count(match))


def _ahead(match: re.Match[str], said_on: date) -> str:
    return _shifted(said_on, match["unit"].casefold(), _count(match))


def _count(match: re.Match[str]) -> int:
    words = match["count"].casefold()
    return int(words) if words.isdigit() else _COUNTS[words]


def _shifted(said_on: date, unit: str, steps: int) -> str:
    """The day, the Monday of the week, the month or the year that lies so many of its kind away."""
    if unit == "day":
        return (said_on + timedelta(days=steps)).isoformat()
    if unit == "week":
        return (said_on + timedelta(days=7 * steps - said_on.weekday())).isoformat()
    months = said_on.year * 12 + said_on.month - 1 + steps * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return f"{date(year, 1, 1).year:04d}" if unit == "year" else f"{year:04d}-{month + 1:02d}"


def _rule(words: str) -> re.Pattern[str]:
    return re.compile(rf"{_ALONE}{words}\b(?!['’]s| old\b| of\b)", re.IGNORECASE)


_RESOLVED: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], str]], ...] = (
    (_rule(r"(?P<day>yesterday(?: (?:morning|afternoon|evening|night))?|last night|today|tonight|"
           r"this (?:morning|afternoon|evening)|tomorrow(?: (?:morning|afternoon|evening|night))?)"), _day),
    (_rule(rf"(?:last|this past) (?P<weekday>{'|'.join(_WEEKDAYS)})"), _weekday),
    (_rule(r"(?:last|this past) weekend"), _weekend),
    (_rule(r"(?P<which>last|this past|this|this coming|next) (?P<unit>week|month|year)"), _period),
    (_rule(rf"{_COUNT} {_UNIT} ago"), _ago),
)  # fmt: skip
_AHEAD = _rule(rf"in {_COUNT} {_UNIT}(?: from now)?")
_SEASONS = r"spring|summer|autumn|fall|winter|semester|term|season|holidays?"
# Of anything else "in two weeks" may also say how long it takes.
_DUE = re.compile(
    r"\b(?:exams?|tests?|finals|interview|audition|presentation|marathon|race|wedding|married|due|moving|starting|"
    r"leaving|retiring)\b",
    re.IGNORECASE,
)
# Which one is meant cannot be told from the words: "next Friday" is in two days to some and in nine to others.
_UNRESOLVED = re.compile(
    rf",?\s+(?:(?:since|until|till|by|for|from|before|after|in|on|over|during|at)\s+)?{_ALONE}(?:"
    rf"(?:next|this|this coming|on)\s+(?:{'|'.join(_WEEKDAYS)})(?:\s+(?:morning|afternoon|evening|night)\b)?"
    rf"|(?:next|this|this coming)\s+weekend|(?:last|next|this|this past|this coming)\s+(?:{_SEASONS})"
    r"|(?:the )?other (?:day|week)|a few (?:days|weeks|months|years) ago)\b(?!['’]s| of\b| \w+(?:nings|noons|nights)\b)",
    re.IGNORECASE,
)  # fmt: skip


def dated(sentence: str, said_on: date) -> str:
    """The sentence with the date behind each relative time, in brackets: "last Friday (2023-05-19)".

    A week is told by its Monday, a weekend by its Saturday. Relative times that have no certain date are left out.
    """
    sentence = _UNRESOLVED.sub("", sentence)
    ahead = [(_AHEAD, _ahead)] if _DUE.search(sentence) else []
    for words, resolve in (*_RESOLVED, *ahead):
        sentence = words.sub(lambda match, resolve=resolve: _bracketed(match, resolve, said_on), sentence)  # type: ignore[misc]
    return sentence


def _bracketed(match: re.Match[str], resolve: Callable[[re.Match[str], date], str], said_on: date) -> str:
    try:
        return f"{match[0]} ({resolve(match, said_on)})"
    except (ValueError, OverflowError):
        return match[0]
