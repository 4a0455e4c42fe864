"""The interval rules: each sentence of the rules as a case, and their independence of order as a property."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from webapp.graph.temporal import Claim, holds, plan, timeline

DAY_0 = datetime(2023, 1, 1, tzinfo=UTC)
Intervals = dict[str, list[tuple[int | None, int | None]]]


def day(number: int | None) -> datetime | None:
    return None if number is None else DAY_0 + timedelta(days=number)


def claim(
    id: int, statement: str, start: int | None, end: int | None = None, *, value: str = "", asserts: bool = True
) -> Claim:
    return Claim(id, statement, value or statement, day(start), day(end), asserts)


def intervals(claims: Iterable[Claim]) -> Intervals:
    found: Intervals = {}
    for span in timeline(claims):
        pair = tuple(None if moment is None else (moment - DAY_0).days for moment in (span.start, span.end))
        found.setdefault(span.statement, []).append(pair)  # type: ignore[arg-type]
    return found


class Book:
    """Facts as the store keeps them: claims arrive one by one, and `plan` says what becomes of the rows."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []
        self.facts: dict[int, tuple[str, datetime | None, datetime | None]] = {}
        self._ids = itertools.count(1)

    def add(self, new: Claim) -> None:
        self.claims.append(new)
        self.settle()

    def take_away(self, claim_id: int) -> None:
        self.claims = [one for one in self.claims if one.id != claim_id]
        self.settle()

    def settle(self) -> None:
        decided = plan(self.facts, self.claims)
        for gone in decided.unsupported:
            del self.facts[gone]
        for placement in decided.placements:
            span = placement.span
            fact_id = placement.fact_id or next(self._ids)
            # Rows are written one by one under a unique key of statement and start: no step may break it.
            others = [row[:2] for id, row in self.facts.items() if id != fact_id]
            assert (span.statement, span.start) not in others
            self.facts[fact_id] = (span.statement, span.start, span.end)
            supports = {one.id for one in span.claims}
            self.claims = [replace(one, fact_id=fact_id) if one.id in supports else one for one in self.claims]

    def intervals(self) -> list[tuple[str, datetime | None, datetime | None]]:
        return sorted(self.facts.values(), key=str)


def test_a_later_value_closes_the_earlier_one_at_its_start() -> None:
    assert intervals([claim(1, "Paris", 0), claim(2, "Rome", 10)]) == {"Paris": [(0, 10)], "Rome": [(10, None)]}


def test_old_news_that_arrives_late_is_stored_closed() -> None:
    book = Book()
    book.add(claim(1, "Rome", 10))
    book.add(claim(2, "Paris", 0))
    assert book.intervals() == [("Paris", day(0), day(10)), ("Rome", day(10), None)]


def test_two_that_start_at_the_same_moment_stay_open() -> None:
    assert intervals([claim(1, "Paris", 5), claim(2, "Rome", 5)]) == {"Paris": [(5, None)], "Rome": [(5, None)]}


def test_two_that_start_at_the_same_moment_close_what_was_before() -> None:
    found = intervals([claim(1, "Oslo", 0), claim(2, "Paris", 5), claim(3, "Rome", 5)])
    assert found == {"Oslo": [(0, 5)], "Paris": [(5, None)], "Rome": [(5, None)]}


def test_the_same_said_again_is_one_interval_from_its_first_claim() -> None:
    assert intervals([claim(2, "Paris", 8), claim(1, "Paris", 3)]) == {"Paris": [(3, None)]}


def test_separate_intervals_stay_separate() -> None:
    found = intervals([claim(1, "Paris", 0), claim(2, "Rome", 10), claim(3, "Paris", 20)])
    assert found == {"Paris": [(0, 10), (20, None)], "Rome": [(10, 20)]}


def test_a_claim_in_between_splits_what_had_been_one_interval_and_the_old_fact_keeps_its_identity() -> None:
    book = Book()
    book.add(claim(1, "Paris", 0))
    book.add(claim(2, "Paris", 20))
    assert book.facts == {1: ("Paris", day(0), None)}
    book.add(claim(3, "Rome", 10))
    assert book.facts[1] == ("Paris", day(0), day(10))
    assert book.intervals() == [
        ("Paris", day(0), day(10)),
        ("Paris", day(20), None),
        ("Rome", day(10), day(20)),
    ]


def test_a_stated_end_closes_and_is_not_reopened_by_an_open_claim() -> None:
    assert intervals([claim(1, "Paris", 0), claim(2, "Paris", 0, 30)]) == {"Paris": [(0, 30)]}


def test_touching_intervals_with_a_stated_end_stay_separate() -> None:
    assert intervals([claim(1, "Paris", 0, 10), claim(2, "Paris", 10)]) == {"Paris": [(0, 10), (10, None)]}


def test_an_end_closes_every_statement_of_its_value_and_no_other() -> None:
    claims = [
        claim(1, "works for Orbit", 0, value="Orbit"),
        claim(2, "is employed by Orbit", 0, value="Orbit"),
        claim(3, "works for Nova", 0, value="Nova"),
        claim(4, "left Orbit", None, 9, value="Orbit", asserts=False),
    ]
    found = intervals(claims)
    assert found == {"works for Orbit": [(0, 9)], "is employed by Orbit": [(0, 9)], "works for Nova": [(0, None)]}


def test_what_only_ends_makes_no_interval() -> None:
    assert intervals([claim(1, "left Orbit", None, 9, value="Orbit", asserts=False)]) == {}


def test_an_unknown_start_takes_the_known_one() -> None:
    assert intervals([claim(1, "Paris", None, 9), claim(2, "Paris", 2)]) == {"Paris": [(2, 9)]}


def test_an_unknown_start_without_a_known_one_before_its_end_stands_alone() -> None:
    assert intervals([claim(1, "Paris", None, 9), claim(2, "Paris", 20)]) == {"Paris": [(None, 9), (20, None)]}


def test_statements_of_the_same_value_do_not_close_each_other() -> None:
    claims = [claim(1, "lives in Paris", 0, value="Paris"), claim(2, "has a home in Paris", 5, value="Paris")]
    assert intervals(claims) == {"lives in Paris": [(0, None)], "has a home in Paris": [(5, None)]}


def test_taking_the_later_claim_away_opens_the_earlier_one_again() -> None:
    book = Book()
    book.add(claim(1, "Paris", 0))
    book.add(claim(2, "Rome", 10))
    book.take_away(2)
    assert book.facts == {1: ("Paris", day(0), None)}


def test_what_only_an_end_is_left_of_is_unsupported() -> None:
    book = Book()
    book.add(claim(1, "Orbit", 0))
    book.add(claim(2, "Orbit", None, 9, asserts=False))
    book.take_away(1)
    assert book.facts == {}


def test_holds_is_half_open() -> None:
    start, end = DAY_0, DAY_0 + timedelta(days=1)
    assert holds(start, end, start)
    assert not holds(start, end, end)
    assert holds(None, None, start)


# Few statements and few days, so that claims meet, tie and repeat.
_CLAIMS = st.lists(
    st.tuples(
        st.sampled_from(["Paris", "a flat in Paris", "Rome", "Oslo"]),
        st.one_of(st.none(), st.integers(0, 8)),
        st.one_of(st.none(), st.integers(1, 9)),
        st.booleans(),
    ).filter(lambda one: one[1] is None or one[2] is None or one[1] < one[2]),
    max_size=7,
).map(
    lambda given: [
        claim(number, statement, start, end, value=statement.split()[-1], asserts=asserts or end is None)
        for number, (statement, start, end, asserts) in enumerate(given)
    ]
)


@given(claims=_CLAIMS, data=st.data())
def test_the_final_intervals_do_not_depend_on_the_order_of_arrival(claims: list[Claim], data: st.DataObject) -> None:
    one, other = Book(), Book()
    for each in claims:
        one.add(each)
    for each in data.draw(st.permutations(claims)):
        other.add(each)
    assert one.intervals() == other.intervals()


@given(claims=_CLAIMS, extra=_CLAIMS, data=st.data())
def test_what_was_taken_away_leaves_no_trace(claims: list[Claim], extra: list[Claim], data: st.DataObject) -> None:
    later = [replace(each, id=each.id + 100) for each in extra]
    book, never = Book(), Book()
    for each in data.draw(st.permutations(claims + later)):
        book.add(each)
    for each in data.draw(st.permutations(later)):
        book.take_away(each.id)
    for each in claims:
        never.add(each)
    assert book.intervals() == never.intervals()


@given(claims=_CLAIMS)
def test_intervals_of_one_statement_never_overlap_and_never_run_backwards(claims: list[Claim]) -> None:
    for spans in intervals(claims).values():
        bounds = [(-1 if start is None else start, 99 if end is None else end) for start, end in spans]
        assert all(start < end for start, end in bounds)
        assert all(one[1] <= other[0] for one, other in itertools.pairwise(bounds))


@given(claims=_CLAIMS)
def test_every_asserting_claim_supports_exactly_one_interval(claims: list[Claim]) -> None:
    supports = [one.id for span in timeline(claims) for one in span.claims]
    assert sorted(supports) == sorted(one.id for one in claims if one.asserts)
