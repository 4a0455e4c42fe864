"""Time words: each rule as a case, resolved against the day on which the text was written."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.timewords import Unit, period, periods_around, read_times

WEDNESDAY = date(2023, 5, 10)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("on 7 May 2023", ["day:2023-05-07"]),
        ("on the 7th of May, 2023", ["day:2023-05-07"]),
        ("May 7th, 2023", ["day:2023-05-07"]),
        ("Sept. 3 2022", ["day:2022-09-03"]),
        ("on 2023-05-07", ["day:2023-05-07"]),
        ("am 7.5.2023", ["day:2023-05-07"]),
        ("on 7 May", ["day:2023-05-07"]),
        ("on 7 June", ["day:2022-06-07"]),
        ("on 29 February", []),
        ("on 31 April 2023", []),
        ("in May 2023", ["month:2023-05-01"]),
        ("in May", ["month:2023-05-01"]),
        ("in December", ["month:2022-12-01"]),
        ("mid-August 2022", ["month:2022-08-01"]),
        ("between May 3 and May 5, 2023", ["day:2023-05-03", "day:2023-05-05"]),
        ("in 2021", ["year:2021-01-01"]),
        ("today", ["day:2023-05-10"]),
        ("yesterday", ["day:2023-05-09"]),
        ("the day before yesterday", ["day:2023-05-08"]),
        ("last night", ["day:2023-05-09"]),
        ("last week", ["week:2023-05-01"]),
        ("this week", ["week:2023-05-08"]),
        ("last weekend", ["day:2023-05-06", "day:2023-05-07"]),
        ("this weekend", ["day:2023-05-06", "day:2023-05-07"]),
        ("last month", ["month:2023-04-01"]),
        ("last year", ["year:2022-01-01"]),
        ("last Monday", ["day:2023-05-08"]),
        ("on Wednesday", ["day:2023-05-03"]),
        ("3 days ago", ["day:2023-05-07"]),
        ("two weeks ago", ["week:2023-04-24"]),
        ("a month ago", ["month:2023-04-01"]),
        ("six months ago", ["month:2022-11-01"]),
        ("ten years ago", ["year:2013-01-01"]),
        ("999 years ago", ["year:1024-01-01"]),
        ("I may go; March on!", []),
        ("at 7 past, room 2021", []),
        ("nothing of the kind", []),
    ],
)
def test_a_text_names_these_times(text: str, keys: list[str]) -> None:
    assert [one.key for one in read_times(text, WEDNESDAY).periods] == keys


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("tea on 7 May 2023 again", "tea on again"),
        ("tea last week", "tea"),
        ("tea on 7 May", "tea on 7 may"),
        ("tea on 31 April 2023", "tea on 31 april 2023"),
    ],
)
def test_only_a_certain_time_is_taken_out_of_the_text(text: str, rest: str) -> None:
    assert " ".join(read_times(text, WEDNESDAY).rest.split()) == rest


def test_a_time_named_twice_is_found_once() -> None:
    assert len(read_times("in May 2023 and in May 2023", WEDNESDAY).periods) == 1


@given(st.dates())
def test_every_day_lies_in_its_periods(day: date) -> None:
    starts = {one.unit: one.first for one in periods_around(day)}
    assert starts[Unit.DAY] == day
    assert starts[Unit.WEEK].weekday() == 0
    assert (day - starts[Unit.WEEK]).days < 7
    assert starts[Unit.MONTH] == day.replace(day=1)
    assert starts[Unit.YEAR] == date(day.year, 1, 1)


@given(st.dates(min_value=date(1, 1, 8)), st.sampled_from(list(Unit)))
def test_equal_periods_have_equal_keys(day: date, unit: Unit) -> None:
    assert period(unit, period(unit, day).first).key == period(unit, day).key


@given(st.text(max_size=200), st.dates())
def test_any_text_can_be_read(text: str, written_on: date) -> None:
    read_times(text, written_on)


@given(st.integers(0, 999), st.sampled_from(["day", "week", "month", "year"]), st.dates())
def test_the_distant_past_can_be_named(count: int, unit: str, written_on: date) -> None:
    for one in read_times(f"{count} {unit}s ago", written_on).periods:
        assert one.first <= written_on
