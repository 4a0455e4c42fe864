"""When facts hold: intervals worked out from what was claimed, whatever the order in which the claims arrived. Pure.

A *slot* is one question that has one answer at a time ("where does Ann live?"); each *value* is an answer, each
*statement* a way to put it. A claim says that a statement holds from a time on, or until a time, or both. The rules:

- A statement holds from the start of its claim until the first later moment at which its value is said to have
  ended, or at which another value of the slot starts. Half open: ``[start, end)``.
- Of two that start at the same moment neither closes the other.
- Claims of one statement are one interval unless something closed it between them.

The intervals are a function of the set of claims. So late old news cannot win, and taking a claim away leaves what
would have been without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Claim:
    """What one message says about one value of a slot. Times are aware.

    ``start`` None: since an unknown time. ``end`` None: not said to have ended. A claim that does not ``assert`` its
    statement only ends its value. ``fact_id`` is the fact that it supports at present, None while it supports none.
    """

    id: int
    statement: str
    value: str
    start: datetime | None
    end: datetime | None = None
    asserts: bool = True
    fact_id: int | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """One interval of one statement and the claims that it rests on; ``end`` None: it still holds."""

    statement: str
    start: datetime | None
    end: datetime | None
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """A span and the fact that it is written to; None: a new one."""

    span: Span
    fact_id: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What makes the facts of a slot agree with its claims: spans to be written, and facts that nothing supports."""

    placements: tuple[Placement, ...]
    unsupported: frozenset[int]


def timeline(claims: Iterable[Claim]) -> list[Span]:
    """Return the intervals that the claims of one slot come to, by statement, then by start.

    Only claims that assert make intervals. The same claims in another order give the same intervals.
    """
    given = list(claims)
    statements: dict[str, list[Claim]] = {}
    for claim in sorted((claim for claim in given if claim.asserts), key=lambda claim: (claim.statement, claim.id)):
        statements.setdefault(claim.statement, []).append(claim)
    return [
        span for statement, own in statements.items() for span in _spans(statement, own, _cuts(own[0].value, given))
    ]


def plan(fact_ids: Iterable[int], claims: Sequence[Claim]) -> Plan:
    """Return how to bring a slot's facts into agreement with its claims, keeping each fact's identity where it can.

    A span is written to the oldest fact that one of its claims supported; where one interval became two, the later
    one is a new fact, where two became one, the older fact stays.
    """
    taken: set[int] = set()
    placements = []
    for span in timeline(claims):
        supported = {claim.fact_id for claim in span.claims if claim.fact_id is not None} - taken
        fact_id = min(supported, default=None)
        if fact_id is not None:
            taken.add(fact_id)
        placements.append(Placement(span, fact_id))
    return Plan(tuple(placements), frozenset(fact_ids) - taken)


def holds(start: datetime | None, end: datetime | None, at: datetime) -> bool:
    """Whether ``[start, end)`` contains the moment."""
    return (start is None or start <= at) and (end is None or at < end)


def _cuts(value: str, claims: Iterable[Claim]) -> list[datetime]:
    """The moments at which this value is said, or must be taken, to have ended; in order."""
    said = {claim.end for claim in claims if claim.value == value and claim.end}
    replaced = {claim.start for claim in claims if claim.value != value and claim.asserts and claim.start}
    return sorted(said | replaced)


def _spans(statement: str, claims: Sequence[Claim], cuts: Sequence[datetime]) -> list[Span]:
    """The intervals of one statement: those with a known start, and before them one without, if anything needs it."""
    dated = sorted((claim.start, claim.id, claim) for claim in claims if claim.start)
    runs: list[tuple[datetime | None, datetime | None, list[Claim]]] = []
    for start, _, claim in dated:
        end = runs[-1][1] if runs else None
        if not runs or (end is not None and start >= end):
            runs.append((start, next((cut for cut in cuts if cut > start), None), []))
        runs[-1][2].append(claim)
    runs = _with_undated(runs, [claim for claim in claims if not claim.start], next(iter(cuts), None))
    return [Span(statement, start, end, tuple(run)) for start, end, run in runs]


def _with_undated(
    runs: list[tuple[datetime | None, datetime | None, list[Claim]]],
    undated: Sequence[Claim],
    first_cut: datetime | None,
) -> list[tuple[datetime | None, datetime | None, list[Claim]]]:
    """A claim of unknown start belongs to the last interval that began before it ended: its start is then known."""
    alone: list[Claim] = []
    for claim in undated:
        begun = [run for start, _, run in runs if claim.end is None or (start is not None and start < claim.end)]
        (begun[-1] if begun else alone).append(claim)
    return [(None, first_cut, alone), *runs] if alone else runs
