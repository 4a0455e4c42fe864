"""The one ranker: which of a user's memories a message is about. Pure; used by recall, capture and the graph.

A memory's score is ``text + SIMILARITY_WEIGHT * similarity``. ``text`` is BM25 over this user's own memories with
their own statistics, as the share of the message's weight that was found (0 … 1), where the memories before and
after in the same session count as context, by their nearness. ``similarity`` is the cosine of the vectors.
How the constants were chosen, on which half of the data, and what did not help: docs/recall.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from webapp.sameness import says_the_same
from webapp.terms import TermHashes

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

SIMILARITY_WEIGHT = 0.3
SATURATION = 0.9
"""BM25's k1: how soon a repeated term stops to count."""
LENGTH_SHARE = 0.5
"""BM25's b: how far a long memory, context included, is held to be long by chance."""
NEIGHBOUR_SHARES = (0.4, 0.3, 0.2, 0.1)
"""What a term in the memory 1, 2, 3, 4 places before or after in the same session counts; an own one counts 1."""
MAX_MESSAGE_TERMS = 64
"""A longer message is judged by its rarest terms that occur at all."""
TEXT_MARGIN = 0.15
"""How far beyond the floor similarity and text together must reach where the similarity alone does not."""
FEWEST = 20
"""Among fewer memories no word is rare: it is weighed as if there were so many."""
TEXT_FLOOR = 0.15
"""The text score that a memory without a vector must reach."""


class Order(StrEnum):
    """The value of ``MEMORY_RANKING``."""

    HYBRID = "hybrid"
    COSINE = "cosine"


class Outcome(StrEnum):
    """Why a memory came, or stayed out."""

    CHOSEN = "chosen"
    NOT_RELEVANT = "not relevant"
    NEAR_DUPLICATE = "says what a chosen one says"
    NO_PLACE = "no place left"


@dataclass(frozen=True, slots=True, eq=False)
class Memories:
    """One user's memories as columns of equal length n; place i of each is the same memory, in any order.

    ``sessions`` is 0 for a memory of no session; ``times`` orders a session. ``lengths`` says how many of
    ``terms`` (all memories' terms, one memory after the other) belong to each. ``similarities`` are cosines,
    NaN where a memory has no vector yet.
    """

    ids: Integers
    sessions: Integers
    times: Integers
    lengths: Integers
    terms: TermHashes
    similarities: Floats

    @classmethod
    def of(
        cls,
        ids: Sequence[int],
        terms: Sequence[TermHashes],
        similarities: Sequence[float] | Floats,
        sessions: Sequence[int] | None = None,
    ) -> Memories:
        """Build the columns from rows in the order of time; a row's terms are ``term_hashes`` of its text."""
        return cls(
            ids=np.asarray(ids, dtype=np.int64),
            sessions=np.asarray(np.zeros(len(ids)) if sessions is None else sessions, dtype=np.int64),
            times=np.arange(len(ids), dtype=np.int64),
            lengths=np.array([len(each) for each in terms], dtype=np.int64),
            terms=np.concatenate([np.zeros(0, dtype=np.uint32), *terms]),
            similarities=np.asarray(similarities, dtype=np.float32),
        )


@dataclass(frozen=True, slots=True)
class Statistics:
    """What is known of everything that is searched, where only the likely ones of it are looked at one by one.

    ``held_by`` says of each term of the message how many hold it; ``mean_length`` is in terms.
    """

    count: int
    mean_length: float
    held_by: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One memory with what its place came from. ``distance`` is the cosine distance, None without a vector."""

    id: int
    score: float
    text: float
    distance: float | None
    outcome: Outcome


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """What deciding about near-duplicates needs of one memory; ``vector`` has length 1, or is None."""

    text: str
    vector: Floats | None


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """All memories of ``memories`` with their scores, in the same places."""

    memories: Memories
    scores: Floats
    texts: Floats
    relevant: npt.NDArray[np.bool_]


def rank(
    memories: Memories,
    message: TermHashes,
    recall_floor: float,
    order: Order = Order.HYBRID,
    whole: Statistics | None = None,
) -> Ranking:
    """Score every memory for a message with these terms (each once).

    ``recall_floor`` is the cosine distance beyond which nothing is relevant by its vector alone. ``whole`` is given
    where ``memories`` are only some of those that are searched: they then score as they would among all.
    """
    similarities = np.nan_to_num(memories.similarities, nan=0.0)
    if order is Order.COSINE:
        zeros = np.zeros_like(similarities)
        return Ranking(memories, similarities, zeros, similarities >= 1.0 - recall_floor)
    texts = text_scores(memories, message, whole)
    relevant = _relevant(texts, memories.similarities, 1.0 - recall_floor)
    return Ranking(memories, texts + SIMILARITY_WEIGHT * similarities, texts, relevant)


def text_scores(memories: Memories, message: TermHashes, whole: Statistics | None = None) -> Floats:
    """Return the share of the message's weight that each memory and its context hold: shape (n,), 0 … 1.

    A term that no memory holds weighs most, so that a message about something else scores low everywhere.
    """
    asked = np.unique(message)
    frequencies, kept, dropped = _frequencies(memories, asked)
    if not frequencies.size:
        return np.zeros(len(memories.ids), dtype=np.float32)
    lengths = memories.lengths.astype(np.float32)[:, np.newaxis]
    spread = _spread(memories, np.hstack([frequencies, lengths]))
    in_context, length = spread[:, :-1], spread[:, -1:]
    if whole is None:
        whole = Statistics(len(memories.ids), float(length.mean()), _held_by(asked[kept], in_context))
    weights = _weight(whole.count, np.array([whole.held_by.get(int(term), 0) for term in asked]))
    norm = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * length / whole.mean_length)
    found = in_context / (in_context + norm) @ weights[kept]
    return np.asarray(found / np.delete(weights, dropped).sum(), dtype=np.float32)


def _held_by(terms: TermHashes, in_context: Floats) -> dict[int, int]:
    return dict(zip(terms.tolist(), np.count_nonzero(in_context, axis=0).tolist(), strict=True))


def similarities_of(ids: Integers, found_ids: Integers, distances: Floats) -> Floats:
    """Return the cosine of each of ``ids``, NaN for one without a vector, from the distances of ``found_ids``."""
    similarities = np.full(len(ids), np.nan, dtype=np.float32)
    _, places, found = np.intersect1d(ids, found_ids, assume_unique=True, return_indices=True)
    similarities[places] = 1.0 - distances[found]
    return similarities


def best(ranking: Ranking, limit: int, among: npt.NDArray[np.bool_] | None = None) -> list[Ranked]:
    """Return the ``limit`` highest memories in order, those where ``among`` is true; newer first among equals.

    The outcome of each is ``CHOSEN`` or ``NOT_RELEVANT``; ``choose`` decides about places and duplicates.
    """
    places = np.arange(len(ranking.scores)) if among is None else np.flatnonzero(among)
    order = np.lexsort((-ranking.memories.ids[places], -ranking.scores[places]))[:limit]
    return [_ranked(ranking, int(place)) for place in places[order]]


def choose(
    ranked: Sequence[Ranked], contents: Mapping[int, Content], places: int, duplicate_distance: float
) -> list[Ranked]:
    """Return ``ranked`` in its order with final outcomes, of which at most ``places`` are ``CHOSEN``.

    A memory that says what a chosen one says is left out: their vectors are nearer than ``duplicate_distance``
    and no number, name, negation or order of words differs. ``contents`` holds those of all relevant ones; one that
    has vanished meanwhile repeats nothing, and with a distance of 0 none does.
    """
    chosen: list[int] = []
    decided: list[Ranked] = []
    for one in ranked:
        outcome = one.outcome
        if outcome is Outcome.CHOSEN and len(chosen) == places:
            outcome = Outcome.NO_PLACE
        elif outcome is Outcome.CHOSEN and _repeats(one.id, chosen, contents, duplicate_distance):
            outcome = Outcome.NEAR_DUPLICATE
        elif outcome is Outcome.CHOSEN:
            chosen.append(one.id)
        decided.append(replace(one, outcome=outcome))
    return decided


def _repeats(memory_id: int, chosen: Sequence[int], contents: Mapping[int, Content], distance: float) -> bool:
    if not distance or memory_id not in contents:
        return False
    content, others = contents[memory_id], (contents[other] for other in chosen if other in contents)
    return any(_near(content, other, distance) and says_the_same(content.text, other.text) for other in others)


def _near(one: Content, other: Content, distance: float) -> bool:
    if one.vector is None or other.vector is None or len(one.vector) != len(other.vector):
        return False
    return float(one.vector @ other.vector) > 1.0 - distance


def _ranked(ranking: Ranking, place: int) -> Ranked:
    similarity = float(ranking.memories.similarities[place])
    return Ranked(
        id=int(ranking.memories.ids[place]),
        score=float(ranking.scores[place]),
        text=float(ranking.texts[place]),
        distance=None if np.isnan(similarity) else 1.0 - similarity,
        outcome=Outcome.CHOSEN if ranking.relevant[place] else Outcome.NOT_RELEVANT,
    )


def _relevant(texts: Floats, similarities: Floats, floor: float) -> npt.NDArray[np.bool_]:
    """By meaning alone, or by words and meaning together; a memory without a vector by its words alone."""
    with np.errstate(invalid="ignore"):
        by_vector = (similarities >= floor) | (similarities + texts >= floor + TEXT_MARGIN)
    return np.where(np.isnan(similarities), texts >= TEXT_FLOOR, by_vector)


def _frequencies(memories: Memories, asked: TermHashes) -> tuple[Floats, Integers, Integers]:
    """How often each memory holds the rarest of the terms asked for, shape (n, m); which those are; which are too many."""
    rows, columns = _occurrences(memories, asked)
    cells, counts = np.unique(rows * len(asked) + columns, return_counts=True)
    rows, columns = np.divmod(cells, max(len(asked), 1))
    held_by = np.bincount(columns, minlength=len(asked))
    known = np.flatnonzero(held_by)
    rarest = known[np.argsort(held_by[known], kind="stable")]
    kept, dropped = rarest[:MAX_MESSAGE_TERMS], rarest[MAX_MESSAGE_TERMS:]
    column_of = np.full(len(asked), -1)
    column_of[kept] = np.arange(len(kept))
    kept_cells = column_of[columns] >= 0
    frequencies = np.zeros((len(memories.ids), len(kept)), dtype=np.float32)
    frequencies[rows[kept_cells], column_of[columns[kept_cells]]] = counts[kept_cells]
    return frequencies, kept, dropped


def _occurrences(memories: Memories, asked: TermHashes) -> tuple[Integers, Integers]:
    """The places in ``memories`` and in ``asked`` (sorted) of every occurrence of a term that is asked for."""
    # One look at the low 16 bits leaves few of all the terms to be searched for, however long the message.
    possible = np.zeros(1 << 16, dtype=np.bool_)
    possible[asked & 0xFFFF] = True
    positions = np.flatnonzero(possible[memories.terms & 0xFFFF])
    columns = np.searchsorted(asked, memories.terms[positions])
    hits = asked.take(columns, mode="clip") == memories.terms[positions] if len(asked) else np.zeros(0, dtype=np.bool_)
    rows = np.repeat(np.arange(len(memories.ids)), memories.lengths)
    return rows[positions[hits]], columns[hits]


def _weight(count: int, held_by: npt.NDArray[np.integer] | npt.NDArray[np.floating]) -> Floats:
    """BM25's inverse document frequency, in the form that is never negative."""
    return np.log1p((max(count, FEWEST) - held_by + 0.5) / (held_by + 0.5)).astype(np.float32)


def _spread(memories: Memories, values: Floats) -> Floats:
    """Add to each memory's values what its neighbours in the session give it: shape (n, m) to (n, m)."""
    order = np.lexsort((memories.ids, memories.times, memories.sessions))
    sessions, own = memories.sessions[order], values[order]
    total = own.copy()
    for distance, share in enumerate(NEIGHBOUR_SHARES, 1):
        same = (sessions[distance:] == sessions[:-distance]) & (sessions[distance:] != 0)
        shares = (share * same).astype(np.float32)[:, np.newaxis]
        total[distance:] += shares * own[:-distance]
        total[:-distance] += shares * own[distance:]
    result = np.empty_like(total)
    result[order] = total
    return result
