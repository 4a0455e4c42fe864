"""What a search narrows a group down to before the ranker decides, and the rules by which it does. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from webapp.graph.types import Group
from webapp.ranking import Memories, Statistics

CANDIDATES = 100
"""From each side: several times what a search returns, so that the ranker decides and not the sides."""
MOST_POSTINGS = 20_000
"""Holders of terms that one search adds up; commoner words than that only weigh, they do not nominate."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What decides about the place of a fact beside its score. ``ended``: by now, or at `as_of`."""

    id: int
    group_id: int
    source_id: int
    target_id: int
    ended: bool


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The likely facts for a message, in the same places as columns for the ranker, and what is known of all."""

    candidates: list[Candidate]
    columns: Memories
    whole: Statistics


@dataclass(frozen=True, slots=True)
class Scope:
    """What is searched: groups of one org, and if `as_of` is given only facts that held then.

    ``moment`` is the one by which facts have ended: `as_of`, or now.
    """

    org_id: int
    groups: Sequence[Group]
    moment: datetime
    as_of: datetime | None = None

    @property
    def count(self) -> int:
        """How many facts the groups have."""
        return sum(group.fact_count for group in self.groups)

    def statistics(self, held_by: Mapping[int, int]) -> Statistics:
        """Of all facts of the groups, whether they held or not."""
        mean_length = sum(group.term_count for group in self.groups) / max(self.count, 1)
        return Statistics(self.count, max(mean_length, 1.0), held_by)


def heaviest(postings: Sequence[tuple[npt.NDArray[np.int64], int]], count: int) -> list[int]:
    """The facts with the greatest sum of their words' weights; newer ones first among equals.

    Each posting is a term's facts and how many of all ``count`` facts hold it, which decides what it weighs.
    """
    if not postings:
        return []
    ids, places = np.unique(np.concatenate([holders for holders, _ in postings]), return_inverse=True)
    weights = np.concatenate(
        [np.full(len(holders), float(np.log1p(count / (held_by + 0.5)))) for holders, held_by in postings]
    )
    totals = np.bincount(places, weights)
    return [int(one) for one in ids[np.lexsort((-ids, -totals))[:CANDIDATES]]]
