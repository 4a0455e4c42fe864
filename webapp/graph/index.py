"""A group's facts as a search reads them, in memory: columns, vectors and the terms' holders. Pure.

It finds the candidates that `store.search` finds in the database, without a row being touched. An index is never
changed: a change makes another one that shares most of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property

import numpy as np
import numpy.typing as npt

from webapp.graph import candidates as nominate
from webapp.graph.candidates import Candidate, Found, Scope, heaviest
from webapp.llm.embeddings import Vector
from webapp.ranking import Floats, Integers, Memories
from webapp.terms import TermHashes

Flags = npt.NDArray[np.bool_]
ALWAYS = int(np.iinfo(np.int64).min)
"""Since an unknown time."""
FOREVER = int(np.iinfo(np.int64).max)
"""It still holds."""
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_FEWEST_RECENT = 512
"""So many changed facts are kept apart from the others before both are put together anew; more in a large group."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Facts as columns of equal length n, in the order of their ids; place i of each is the same fact.

    ``starts`` and ``ends`` are microseconds since 2000 in UTC, `ALWAYS` and `FOREVER` where a fact has none.
    ``lengths`` says how many of ``terms`` (all facts' terms, one fact after the other) belong to each. ``vectors`` has
    a row of length 1 for each fact that is ``embedded``, a row of zeros for the others.
    """

    ids: Integers
    sources: Integers
    targets: Integers
    starts: Integers
    ends: Integers
    lengths: Integers
    terms: TermHashes
    embedded: Flags
    vectors: Floats

    def __len__(self) -> int:
        """How many facts these are."""
        return len(self.ids)

    def of(self, chosen: Flags) -> Columns:
        """Those facts of which ``chosen`` is true."""
        terms = self.terms[np.repeat(chosen, self.lengths)]
        kept = {one.name: getattr(self, one.name)[chosen] for one in fields(self) if one.name != "terms"}
        return Columns(**kept, terms=terms)

    @classmethod
    def joined(cls, parts: Sequence[Columns]) -> Columns:
        """All of these, of which no two have a fact in common."""
        width = max(each.vectors.shape[1] for each in parts)
        widened = [_widened(each, width) for each in parts]
        return cls(**{one.name: np.concatenate([getattr(each, one.name) for each in widened]) for one in fields(cls)})

    def in_order(self) -> Columns:
        """The same by their ids."""
        if (self.ids[1:] > self.ids[:-1]).all():
            return self
        order = np.argsort(self.ids)
        begins = np.cumsum(self.lengths) - self.lengths
        places = [np.arange(begins[one], begins[one] + self.lengths[one]) for one in order]
        kept = {one.name: getattr(self, one.name)[order] for one in fields(self) if one.name != "terms"}
        return Columns(**kept, terms=self.terms[np.concatenate(places)])


class _Segment:
    """Facts that never change, of which some may be out of date."""

    def __init__(self, facts: Columns, alive: Flags | None = None) -> None:
        self.facts = facts
        self.alive = np.ones(len(facts), dtype=np.bool_) if alive is None else alive

    @cached_property
    def begins(self) -> Integers:
        """Where each fact's terms begin."""
        return np.asarray(np.cumsum(self.facts.lengths) - self.facts.lengths)

    @cached_property
    def postings(self) -> tuple[TermHashes, npt.NDArray[np.int32]]:
        """Terms in order, and beside each the place of a fact that holds it: each pair once."""
        places = np.repeat(np.arange(len(self.facts), dtype=np.uint64), self.facts.lengths)
        # Sorted and thinned out by hand: `np.unique` takes fifty times as long.
        pairs = np.sort((self.facts.terms.astype(np.uint64) << np.uint64(32)) | places)
        pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])] if len(pairs) else pairs
        return (pairs >> np.uint64(32)).astype(np.uint32), (pairs & np.uint64(0xFFFFFFFF)).astype(np.int32)

    def without(self, ids: Integers) -> _Segment:
        """The same without these facts, as far as they are in it."""
        return self._where(self.alive & ~np.isin(self.facts.ids, ids, assume_unique=True))

    def among(self, ids: Integers) -> _Segment:
        """The same with only these facts."""
        return self._where(self.alive & np.isin(self.facts.ids, ids, assume_unique=True))

    def holders(self, term: int) -> npt.NDArray[np.int32]:
        """The places of the facts that hold a term."""
        terms, places = self.postings
        wanted = np.uint32(term)
        found = places[np.searchsorted(terms, wanted) : np.searchsorted(terms, wanted, side="right")]
        return found[self.alive[found]]

    def similarities(self, vector: Vector | None) -> Floats:
        """The cosine of each fact, NaN for one that is not embedded."""
        if vector is None or not self.facts.vectors.shape[1]:
            return np.full(len(self.facts), np.nan, dtype=np.float32)
        cosines = self.facts.vectors @ vector[: self.facts.vectors.shape[1]]
        return np.where(self.facts.embedded, cosines, np.float32(np.nan))

    def held_at(self, moment: int | None) -> Flags:
        """Which facts are searched: those that held at a moment, or all."""
        if moment is None:
            return self.alive
        return self.alive & (self.facts.starts <= moment) & (self.facts.ends > moment)

    def places_of(self, ids: Integers) -> Integers:
        """The places of those of these facts that are in it."""
        places = np.searchsorted(self.facts.ids, ids)
        inside = places < len(self.facts)
        places = places[inside]
        return np.asarray(places[(self.facts.ids[places] == ids[inside]) & self.alive[places]])

    def terms_of(self, place: int) -> TermHashes:
        """One fact's terms."""
        return self.facts.terms[self.begins[place] : self.begins[place] + self.facts.lengths[place]]

    def _where(self, alive: Flags) -> _Segment:
        if np.array_equal(alive, self.alive):
            return self
        changed = _Segment(self.facts, alive)
        # What follows from the facts alone is worked out once.
        changed.__dict__.update({name: self.__dict__[name] for name in ("begins", "postings") if name in self.__dict__})
        return changed


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """One group's facts as they were after its change number ``revision``.

    What changed lately lies in a small segment of its own, so that a change costs what it changes.
    """

    group_id: int
    revision: int
    segments: tuple[_Segment, _Segment]

    @classmethod
    def of(cls, group_id: int, revision: int, facts: Columns) -> Index:
        """The index of all facts of a group."""
        return cls(group_id, revision, (_Segment(facts), _Segment(facts.of(np.zeros(len(facts), dtype=np.bool_)))))

    def changed(self, revision: int, facts: Columns) -> Index:
        """The index after a later change: these facts are new, or are now like this."""
        settled, recent = (each.without(facts.ids) for each in self.segments)
        recent = _Segment(Columns.joined([recent.facts.of(recent.alive), facts]).in_order())
        if len(recent.facts) <= max(_FEWEST_RECENT, len(settled.facts) // 8):
            return replace(self, revision=revision, segments=(settled, recent))
        every = Columns.joined([settled.facts.of(settled.alive), recent.facts])
        return Index.of(self.group_id, revision, every.in_order())

    def among(self, ids: Integers) -> Index:
        """The index of those of its facts that are still there."""
        settled, recent = (each.among(ids) for each in self.segments)
        return replace(self, segments=(settled, recent))

    def __len__(self) -> int:
        """How many facts it has."""
        return sum(int(np.count_nonzero(each.alive)) for each in self.segments)

    @property
    def nbytes(self) -> int:
        """About what it takes in memory."""
        columns = [getattr(each.facts, one.name) for each in self.segments for one in fields(Columns)]
        return sum(column.nbytes + (8 * len(column) if column.dtype == np.uint32 else 0) for column in columns)


def candidates(indexes: Sequence[Index], scope: Scope, vector: Vector | None, terms: TermHashes) -> Found:
    """The likely facts for a message, and the statistics of all that are searched."""
    segments = [(one.group_id, each) for one in indexes for each in one.segments if len(each.facts)]
    moment = None if scope.as_of is None else microseconds(scope.as_of)
    there = [each.held_at(moment) for _, each in segments]
    cosines = [each.similarities(vector) for _, each in segments]
    near = _nearest([each for _, each in segments], there, cosines)
    held_by, postings = _postings([each for _, each in segments], there, terms)
    ids = np.union1d(near, np.array(heaviest(postings, scope.count), dtype=np.int64))
    return _found(segments, cosines, ids, scope, held_by)


def microseconds(moment: datetime) -> int:
    """A moment as the columns keep it."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _nearest(segments: Sequence[_Segment], there: Sequence[Flags], cosines: Sequence[Floats]) -> Integers:
    """The ids of the nearest facts; newer ones first among equals."""
    ids: list[Integers] = []
    nearness: list[Floats] = []
    for segment, open_, similarities in zip(segments, there, cosines, strict=True):
        known = np.flatnonzero(open_ & ~np.isnan(similarities))
        best = known[_largest(similarities[known])]
        ids.append(segment.facts.ids[best])
        nearness.append(similarities[best])
    if not ids:
        return np.zeros(0, dtype=np.int64)
    every, values = np.concatenate(ids), np.concatenate(nearness)
    return np.asarray(every[np.lexsort((-every, -values))[: nominate.CANDIDATES]])


def _largest(values: Floats) -> Integers:
    """The places of the largest values: as many as there are candidates, and all that equal the last of them."""
    if len(values) <= nominate.CANDIDATES:
        return np.arange(len(values))
    least = np.partition(values, -nominate.CANDIDATES)[-nominate.CANDIDATES]
    return np.flatnonzero(values >= least)


def _postings(
    segments: Sequence[_Segment], there: Sequence[Flags], terms: TermHashes
) -> tuple[dict[int, int], list[tuple[Integers, int]]]:
    """How many facts hold each term; of the rarest ones those that do and are searched."""
    places = {int(term): [each.holders(int(term)) for each in segments] for term in np.unique(terms)}
    held_by = {term: count for term, held in places.items() if (count := sum(len(each) for each in held))}
    added_up = 0
    postings: list[tuple[Integers, int]] = []
    for term in sorted(held_by, key=lambda term: (held_by[term], np.uint32(term).astype(np.int32))):
        added_up += held_by[term]
        if postings and added_up > nominate.MOST_POSTINGS:
            break
        ids = [
            each.facts.ids[held[open_[held]]] for each, open_, held in zip(segments, there, places[term], strict=True)
        ]
        postings.append((np.concatenate(ids), held_by[term]))
    return held_by, postings


def _found(
    segments: Sequence[tuple[int, _Segment]],
    cosines: Sequence[Floats],
    ids: Integers,
    scope: Scope,
    held_by: dict[int, int],
) -> Found:
    moment = microseconds(scope.moment)
    chosen: list[Candidate] = []
    terms: list[TermHashes] = []
    similarities: list[Floats] = []
    for (group_id, segment), cosine in zip(segments, cosines, strict=True):
        places, facts = segment.places_of(ids), segment.facts
        columns = (facts.ids, facts.sources, facts.targets, facts.ends)
        rows = zip(*(column[places].tolist() for column in columns), strict=True)
        chosen += [Candidate(one, group_id, source, target, end <= moment) for one, source, target, end in rows]
        terms += [segment.terms_of(place) for place in places]
        similarities.append(cosine[places])
    values = np.concatenate([np.zeros(0, dtype=np.float32), *similarities])
    return Found(chosen, Memories.of([one.id for one in chosen], terms, values), scope.statistics(held_by))


def _widened(facts: Columns, width: int) -> Columns:
    missing = width - facts.vectors.shape[1]
    return facts if not missing else replace(facts, vectors=np.pad(facts.vectors, ((0, 0), (0, missing))))
