"""When a statement says that it holds: "since 2019", "moved last week", "until May 2021". Pure.

English words and dates in figures, resolved against the time at which the statement was made, in UTC.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from webapp.timewords import Period, Unit, read_times

_UNTIL = re.compile(r"\b(?:until|till|through)\s+(?P<time>[^,;.]{3,40})", re.IGNORECASE)
_FROM_TO = re.compile(
    r"\b(?:from|between)\s+(?P<start>[^,;.]{3,30}?)\s+(?:to|and|until|till|through|–|-)\s+(?P<end>[^,;.]{3,30})",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:since|as of|starting|beginning)\s+(?P<time>[^,;.]{3,40})", re.IGNORECASE)
_FOR = re.compile(
    r"\b(?:have|has|had|['’]ve|been)\b.{0,60}?\bfor (?:the (?:last|past) |about |over |almost |nearly )?(?P<count>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten) "
    r"(?P<unit>day|week|month|year)s?\b",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\b(?:used to|no longer|not \w+ any ?more|formerly|previously)\b|\bany ?more\b|\bis (?:not|n['’]t) .* any ?more\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:will|going to|gonna|plans? to|planning|next (?:day|week|month|year|spring|summer|autumn|fall|winter|\w+day)|tomorrow|upcoming|scheduled|intends? to|wants? to|hopes? to|['’]ll)\b",
    re.IGNORECASE,
)
_ISO = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{2}))?")
_COUNTS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}


@dataclass(frozen=True, slots=True)
class Held:
    """From when on, and until when; None: since an unknown time, or not said to have ended."""

    start: datetime | None
    end: datetime | None


def held(sentence: str, said_at: datetime) -> Held:
    """Return the interval that a sentence gives what it says; without a word about it, from the time it was said on.

    A period that contains that time ("today", "this year") says nothing that the time itself does not say better.
    What is still to come is known from the time it was said. ``said_at`` is aware.
    """
    said_at = said_at.astimezone(UTC)
    day = said_at.date()
    if span := _FROM_TO.search(sentence):
        start, end = _begin(span["start"], day), _begin(span["end"], day)
        if start and end and start < end:
            return Held(start, end)
    end = _until(sentence, day)
    if _OVER.search(sentence):
        ended = end or _named(_SINCE.sub("", sentence), said_at) or said_at
        return Held(None, ended)
    start = _since(sentence, said_at)
    if start is None and not _AHEAD.search(sentence):
        start = _named(_UNTIL.sub("", sentence), said_at)
    if start is None and end is not None and end <= said_at:
        return Held(None, end)
    start = start or said_at
    return Held(start, end if end and end > start else None)


def moment(given: str) -> datetime | None:
    """Return an ISO 8601 date or time as a model writes it: a year, a month, a day or a time, UTC unless it says else.

    None for anything else, and for a time outside the calendar.
    """
    text = given.strip()
    if whole := _ISO.fullmatch(text):
        text = f"{whole['year']}-{whole['month'] or '01'}-01"
    try:
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _until(sentence: str, day: date) -> datetime | None:
    """The beginning of what is named: who says "until 2020" leaves 2020 out."""
    match = _UNTIL.search(sentence)
    return _begin(match["time"], day) if match else None


def _since(sentence: str, said_at: datetime) -> datetime | None:
    day = said_at.date()
    if match := _SINCE.search(sentence):
        return _begin(match["time"], day)
    if match := _FOR.search(sentence):
        count = int(match["count"]) if match["count"].isdigit() else _COUNTS[match["count"].lower()]
        return _midnight(day - timedelta(days=count * _DAYS[match["unit"].lower()]))
    return None


def _named(sentence: str, said_at: datetime) -> datetime | None:
    """The beginning of the first period that is over or begun, unless it contains the time of saying."""
    for period in read_times(sentence, said_at.date()).periods:
        start, end = _bounds(period)
        if start <= said_at:
            return said_at if said_at < end else start
    return None


def _begin(words: str, day: date) -> datetime | None:
    period = _period(words, day)
    return _bounds(period)[0] if period else None


def _period(words: str, day: date) -> Period | None:
    """A year or month may stand alone after "since"; the reader of times wants a preposition before it."""
    periods = read_times(words, day).periods or read_times(f"in {words}", day).periods
    return periods[0] if periods else None


def _bounds(period: Period) -> tuple[datetime, datetime]:
    first = period.first
    if period.unit is Unit.DAY:
        last = first + timedelta(days=1)
    elif period.unit is Unit.WEEK:
        last = first + timedelta(days=7)
    elif period.unit is Unit.MONTH:
        last = (first.replace(day=28) + timedelta(days=4)).replace(day=1)
    else:
        last = first.replace(year=first.year + 1) if first.year < 9999 else first.replace(month=12, day=31)
    return _midnight(first), _midnight(last)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)
