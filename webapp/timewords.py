"""The times that a text speaks of: "on 7 May", "in May 2023", "last week", "3 days ago". Pure.

English words, and dates written in figures in any language (2023-05-07, 7.5.2023). Relative words are resolved
against the time at which the text was written. A time is a calendar day, week, month or year, so that "the
same time" is one equal key, which a term index can look up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum


class Unit(StrEnum):
    """How long a period is."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Period:
    """One calendar day, ISO week, month or year; ``first`` is its first day."""

    unit: Unit
    first: date

    @property
    def key(self) -> str:
        """A text that two periods share exactly when they are equal, such as ``month:2023-05-01``."""
        return f"{self.unit}:{self.first.isoformat()}"


def period(unit: Unit, day: date) -> Period:
    """Return the calendar period of that length around ``day``; weeks start on Monday."""
    match unit:
        case Unit.DAY:
            return Period(unit, day)
        case Unit.WEEK:
            return Period(unit, day - timedelta(days=day.weekday()))
        case Unit.MONTH:
            return Period(unit, day.replace(day=1))
        case Unit.YEAR:
            return Period(unit, day.replace(month=1, day=1))


def periods_around(day: date) -> list[Period]:
    """Return the day, the week, the month and the year that ``day`` lies in."""
    return [period(unit, day) for unit in Unit]


@dataclass(frozen=True, slots=True)
class Times:
    """What a text says about time: the periods it names, and the text without the ones that are certain.

    A day or month without a year may be meant otherwise than it is resolved, so its words stay in ``rest``.
    """

    periods: tuple[Period, ...]
    rest: str


def read_times(text: str, written_on: date) -> Times:
    """Return the times that ``text`` names, each once; ``rest`` comes back case-folded.

    A month or a day without a year is the last one that had begun when the text was written.
    """
    found: dict[Period, None] = {}
    unread = rest = text.casefold()
    if not _HINT.search(unread):
        return Times((), rest)
    for pattern, rule in _RULES:
        for match in pattern.finditer(unread):
            periods = _applied(rule, match, written_on)
            found.update(dict.fromkeys(periods))
            if periods and _is_certain(match):
                rest = rest.replace(match[0], " ", 1)
        unread = pattern.sub(" ", unread)
    return Times(tuple(found), rest)


def _applied(rule: _Rule, match: re.Match[str], written_on: date) -> list[Period]:
    try:
        return list(rule(match, written_on))
    except OverflowError:  # before the year 1
        return []


def _is_certain(match: re.Match[str]) -> bool:
    parts = match.groupdict()
    return "month" not in parts or bool(parts.get("year"))


_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "a few": 3, "four": 4, "five": 5}
_NUMBERS |= {"six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}

_MONTH = rf"(?P<month>{'|'.join(_MONTHS)}|{'|'.join(month[:3] for month in _MONTHS)}|sept)\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"


def _month_number(word: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(word[:3]))


def _calendar_day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _days(match: re.Match[str], written_on: date) -> Iterator[Period]:
    """A day with its month, in figures or words, with or without a year."""
    parts = match.groupdict()
    month = int(parts["month"]) if parts["month"].isdigit() else _month_number(parts["month"])
    year = int(parts["year"]) if parts.get("year") else None
    for candidate in [year] if year else [written_on.year, written_on.year - 1]:
        day = _calendar_day(candidate, month, int(parts["day"]))
        if day and (year or day <= written_on):
            yield Period(Unit.DAY, day)
            return


def _months(match: re.Match[str], written_on: date) -> Iterator[Period]:
    parts = match.groupdict()
    month = int(parts["month"]) if parts["month"].isdigit() else _month_number(parts["month"])
    begun = month <= written_on.month
    year = int(parts["year"]) if parts.get("year") else written_on.year - (not begun)
    if first := _calendar_day(year, month, 1):
        yield Period(Unit.MONTH, first)


def _years(match: re.Match[str], _written_on: date) -> Iterator[Period]:
    yield Period(Unit.YEAR, date(int(match["year"]), 1, 1))


def _near_days(match: re.Match[str], written_on: date) -> Iterator[Period]:
    ago = {"today": 0, "tonight": 0, "this morning": 0, "yesterday": 1, "last night": 1, "day before yesterday": 2}
    yield Period(Unit.DAY, written_on - timedelta(days=ago[match["word"]]))


def _weekdays(match: re.Match[str], written_on: date) -> Iterator[Period]:
    back = (written_on.weekday() - _WEEKDAYS.index(match["weekday"]) - 1) % 7 + 1
    yield Period(Unit.DAY, written_on - timedelta(days=back))


def _weekends(match: re.Match[str], written_on: date) -> Iterator[Period]:
    saturday = written_on - timedelta(days=(written_on.weekday() - 5) % 7)
    if match["which"] != "this" and saturday + timedelta(days=1) >= written_on:
        saturday -= timedelta(days=7)
    yield Period(Unit.DAY, saturday)
    yield Period(Unit.DAY, saturday + timedelta(days=1))


def _back(unit: Unit, count: int, day: date) -> Period:
    """The period of that length, ``count`` of them before the one around ``day``."""
    if unit in (Unit.DAY, Unit.WEEK):
        return period(unit, day - timedelta(days=count * (7 if unit is Unit.WEEK else 1)))
    months = day.year * 12 + day.month - 1 - count * (12 if unit is Unit.YEAR else 1)
    return period(unit, date(max(months // 12, 1), months % 12 + 1, 1))


def _named(match: re.Match[str], written_on: date) -> Iterator[Period]:
    yield _back(Unit(match["unit"]), 0 if match["which"] == "this" else 1, written_on)


def _ago(match: re.Match[str], written_on: date) -> Iterator[Period]:
    count = int(match["count"]) if match["count"].isdigit() else _NUMBERS[match["count"]]
    if count < 1000:
        yield _back(Unit(match["unit"]), count, written_on)


# Nearly every text is without any of these, and is then read once instead of once per rule.
_HINT = re.compile(rf"\d|yesterday|today|tonight|last|past|previous|this|ago\b|on\s+(?:{'|'.join(_WEEKDAYS)})|{_MONTH}")

_Rule = Callable[[re.Match[str], date], Iterator[Period]]
_WHICH = r"\b(?P<which>last|past|previous|this)\s+"
# In this order, since what one rule has read is taken out before the next one looks.
_RULES: list[tuple[re.Pattern[str], _Rule]] = [
    (re.compile(pattern), rule)
    for pattern, rule in (
        (r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?!\d)", _days),
        (r"\b(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})\b", _days),
        (rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?", _days),
        (rf"\b{_MONTH}\s+{_DAY}\b(?:,?\s+{_YEAR})?", _days),
        (rf"\b{_MONTH}(?:,|\s+of)?\s+{_YEAR}", _months),
        (rf"\b(?:in|last|this|during|since|early|late|mid)[\s-]+{_MONTH}", _months),
        (rf"\b(?:in|of|during|since|summer|winter|spring|autumn|fall)\s+{_YEAR}", _years),
        (r"\b(?P<word>day before yesterday|yesterday|today|tonight|last night|this morning)\b", _near_days),
        (rf"{_WHICH}weekend\b", _weekends),
        (rf"\b(?:last|past|on)\s+(?P<weekday>{'|'.join(_WEEKDAYS)})\b", _weekdays),
        (rf"{_WHICH}(?P<unit>week|month|year)\b", _named),
        (rf"\b(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})\s+(?P<unit>day|week|month|year)s?\s+ago\b", _ago),
    )
]
