"""An index that was changed step by step finds what one that is made anew of the same facts finds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.graph import index
from webapp.graph.candidates import Scope
from webapp.graph.index import ALWAYS, FOREVER, Columns, Index, candidates, microseconds
from webapp.graph.types import Group

NOW = datetime(2026, 5, 1, tzinfo=UTC)
WIDTH = 4


@dataclass(frozen=True)
class Kept:
    """One fact; ``angle`` None: not embedded."""

    terms: tuple[int, ...]
    start: int | None
    end: int | None
    angle: int | None


facts = st.builds(
    Kept,
    st.lists(st.integers(0, 6), max_size=4).map(tuple),
    st.none() | st.integers(-9, 9),
    st.none() | st.integers(10, 30),
    st.none() | st.integers(0, 11),
)
steps = st.lists(
    st.tuples(st.dictionaries(st.integers(1, 12), facts, max_size=5), st.sets(st.integers(1, 12), max_size=3)),
    max_size=6,
)


def columns(kept: dict[int, Kept]) -> Columns:
    """The facts by id, as they are read from the database."""
    ids = sorted(kept)
    rows = [kept[one] for one in ids]
    turns = [0.0 if row.angle is None else row.angle * np.pi / 6 for row in rows]
    vectors = np.array([[np.cos(turn), np.sin(turn), 0.0, 0.0] for turn in turns], dtype=np.float32).reshape(-1, WIDTH)
    embedded = np.array([row.angle is not None for row in rows], dtype=np.bool_)
    vectors[~embedded] = 0.0
    return Columns(
        ids=np.array(ids, dtype=np.int64),
        sources=np.array([one * 10 for one in ids], dtype=np.int64),
        targets=np.array([one * 10 + 1 for one in ids], dtype=np.int64),
        starts=np.array([ALWAYS if row.start is None else day(row.start) for row in rows], dtype=np.int64),
        ends=np.array([FOREVER if row.end is None else day(row.end) for row in rows], dtype=np.int64),
        lengths=np.array([len(row.terms) for row in rows], dtype=np.int64),
        terms=np.array([term for row in rows for term in row.terms], dtype=np.uint32),
        embedded=embedded,
        vectors=vectors if embedded.any() else vectors[:, :0],
    )


def day(number: int) -> int:
    return microseconds(NOW + timedelta(days=number))


def seen(made: Index, kept: dict[int, Kept], as_of: datetime | None, turn: int, terms: list[int]) -> object:
    """Everything that a search gets of an index, by fact."""
    group = Group(7, "g", None, len(kept), sum(len(one.terms) for one in kept.values()))
    vector = np.zeros(1536, dtype=np.float32)
    vector[:2] = np.cos(turn * np.pi / 6), np.sin(turn * np.pi / 6)
    asked = np.array(terms, dtype=np.uint32)
    found = candidates([made], Scope(1, [group], as_of or NOW, as_of), vector, asked)
    begins = np.cumsum(found.columns.lengths) - found.columns.lengths
    rows = {
        one.id: (
            one,
            found.columns.terms[begin : begin + length].tolist(),
            round(float(np.nan_to_num(similarity, nan=9.0)), 5),
        )
        for one, begin, length, similarity in zip(
            found.candidates, begins, found.columns.lengths, found.columns.similarities, strict=True
        )
    }
    assert found.columns.ids.tolist() == [one.id for one in found.candidates]
    return rows, found.whole


@given(steps, st.sampled_from([None, -5, 5, 20]), st.integers(0, 11), st.lists(st.integers(0, 7), max_size=5))
def test_however_it_came_about(
    changes: list[tuple[dict[int, Kept], set[int]]], held_on: int | None, turn: int, terms: list[int]
) -> None:
    as_of = None if held_on is None else NOW + timedelta(days=held_on)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "_FEWEST_RECENT", 2)
        patch.setattr("webapp.graph.candidates.CANDIDATES", 3)
        patch.setattr("webapp.graph.candidates.MOST_POSTINGS", 4)
        now: dict[int, Kept] = {}
        made = Index.of(7, 0, columns(now))
        for number, (written, deleted) in enumerate(changes, 1):
            now = {one: fact for one, fact in (now | written).items() if one not in deleted}
            made = made.changed(number, columns({one: now[one] for one in written if one in now}))
            if len(made) != len(now):
                made = made.among(np.array(sorted(now), dtype=np.int64))
            assert (len(made), made.revision) == (len(now), number)
        anew = Index.of(7, made.revision, columns(now))
        assert seen(made, now, as_of, turn, terms) == seen(anew, now, as_of, turn, terms)


def test_a_change_shares_the_vectors_that_it_does_not_concern() -> None:
    kept = {number: Kept((number % 5,), None, None, number % 12) for number in range(1, 2_001)}
    made = Index.of(7, 0, columns(kept))
    changed = made.changed(1, columns({5: Kept((1,), None, 20, 3), 2_001: Kept((2,), None, None, 4)}))
    assert changed.segments[0].facts is made.segments[0].facts
    assert len(changed) == 2_001
    assert len(made) == 2_000


def test_many_changes_are_put_together_with_the_rest() -> None:
    kept = {number: Kept((1,), None, None, 1) for number in range(1, 11)}
    made = Index.of(7, 0, columns(kept))
    more = {number: Kept((1,), None, None, 1) for number in range(11, 1_011)}
    changed = made.changed(1, columns(more))
    assert [len(each.facts) for each in changed.segments] == [1_010, 0]


def test_what_it_takes_in_memory_is_about_what_is_said() -> None:
    kept = {number: Kept((number % 5,), None, None, 1) for number in range(1, 1_001)}
    facts = columns(kept)
    assert 1_000 * (4 * WIDTH + 5 * 8) <= Index.of(7, 0, facts).nbytes <= 1_000 * (4 * WIDTH + 100)
