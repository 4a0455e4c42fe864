"""Candidates of a search: the nearest facts by vector and the best by rare words, exact within the caller's groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import Row, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from webapp.db.models import GraphFactVector
from webapp.graph.store.vectors import literal, stored
from webapp.graph.types import Fact, Group
from webapp.llm.embeddings import Embedder, Vector
from webapp.ranking import Statistics
from webapp.terms import TermHashes, unpacked

CANDIDATES = 100
"""From each side: several times what a search returns, so that the ranker decides and not the sides."""
MOST_POSTINGS = 20_000
"""Rows of the term index that one search adds up; commoner words than that only weigh, they do not nominate."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the ranker needs of a fact; ``similarity`` is NaN without a vector. ``ended``: by now, or at `as_of`."""

    id: int
    group_id: int
    source_id: int
    target_id: int
    text: str
    valid_at: datetime | None
    terms: TermHashes
    similarity: float
    ended: bool


@dataclass(frozen=True, slots=True)
class Scope:
    """What is searched: groups of one org, and if `as_of` is given only facts that held then."""

    org_id: int
    groups: Sequence[Group]
    as_of: datetime | None = None


def candidates(
    session: Session, scope: Scope, embedder: Embedder, vector: Vector | None, terms: TermHashes
) -> tuple[list[Candidate], Statistics]:
    """The likely facts for a message, and the statistics of all that are searched."""
    count = sum(group.fact_count for group in scope.groups)
    mean_length = sum(group.term_count for group in scope.groups) / max(count, 1)
    whole = Statistics(count, max(mean_length, 1.0), _held_by(session, scope, terms))
    ids = _by_words(session, scope, whole)
    if vector is not None:
        ids += _by_vector(session, scope, embedder, vector)
    return _load(session, scope, embedder, vector, list(dict.fromkeys(ids))), whole


def load(session: Session, org_id: int, group_ids: Sequence[int], ids: Sequence[int]) -> dict[int, Fact]:
    """These facts by id."""
    rows = session.execute(_FACTS, {"org": org_id, "groups": list(group_ids), "ids": list(ids)})
    return {row.id: _fact(row) for row in rows}


def all_of(session: Session, org_id: int, group_id: int) -> list[Fact]:
    """Every fact of a group, in the order of their ids."""
    ids = list(session.scalars(_IDS, {"org": org_id, "group": group_id}))
    return list(load(session, org_id, [group_id], ids).values())


def hops(session: Session, org_id: int, group_id: int, center_id: int, entity_ids: Sequence[int]) -> dict[int, int]:
    """How many facts lie between the centre and each of these entities, up to two; those farther away are left out."""
    given = {"org": org_id, "group": group_id, "center": center_id, "ids": list(set(entity_ids))}
    return {row.entity_id: row.hops for row in session.execute(_HOPS, given)}


def without_vector(session: Session, org_id: int, group_id: int, model: str, limit: int) -> list[tuple[int, str]]:
    """Facts whose sentence is not embedded by this model, with the sentence."""
    rows = session.execute(_WITHOUT_VECTOR, {"org": org_id, "group": group_id, "model": model, "limit": limit})
    return [(row.id, row.content) for row in rows]


def put_vectors(
    session: Session, org_id: int, group_id: int, embedder: Embedder, vectors: Sequence[tuple[int, Vector]]
) -> None:
    """Store the embeddings of facts that are still there."""
    if not vectors:
        return
    rows = session.execute(_PRESENT, {"org": org_id, "group": group_id, "ids": [one for one, _ in vectors]})
    present = {row.id for row in rows}
    given = [
        {
            "org_id": org_id, "group_id": group_id, "fact_id": fact_id, "embedding_model": embedder.model,
            "embedding": stored(vector, embedder),
        }
        for fact_id, vector in vectors
        if fact_id in present
    ]  # fmt: skip
    if given:
        session.execute(insert(GraphFactVector).on_conflict_do_nothing(), given)


def _given(scope: Scope, **more: Any) -> dict[str, Any]:
    return {"org": scope.org_id, "groups": [group.id for group in scope.groups], "as_of": scope.as_of, **more}


def _held_by(session: Session, scope: Scope, terms: TermHashes) -> dict[int, int]:
    signed = np.unique(terms).view("<i4").tolist()
    if not signed:
        return {}
    rows = session.execute(_HELD_BY, _given(scope, terms=signed))
    return {row.term & 0xFFFFFFFF: row.held_by for row in rows}


def _by_words(session: Session, scope: Scope, whole: Statistics) -> list[int]:
    """The facts that hold most of the message's weight, by its rarest words."""
    weights: dict[int, float] = {}
    left = MOST_POSTINGS
    for term, holders in sorted(whole.held_by.items(), key=lambda one: one[1]):
        if weights and holders > left:
            break
        left -= holders
        weights[term - (1 << 32) if term >= 1 << 31 else term] = float(np.log1p(whole.count / (holders + 0.5)))
    if not weights:
        return []
    given = _given(scope, terms=list(weights), weights=list(weights.values()), limit=CANDIDATES)
    statement = _BY_WORDS if scope.as_of is None else _BY_WORDS_THEN
    return [row.fact_id for row in session.execute(statement, given)]


def _by_vector(session: Session, scope: Scope, embedder: Embedder, vector: Vector) -> list[int]:
    given = _given(scope, model=embedder.model, vector=literal(vector, embedder), limit=CANDIDATES)
    statement = _BY_VECTOR if scope.as_of is None else _BY_VECTOR_THEN
    return [row.fact_id for row in session.execute(statement, given)]


def _load(
    session: Session, scope: Scope, embedder: Embedder, vector: Vector | None, ids: Sequence[int]
) -> list[Candidate]:
    given = _given(scope, ids=list(ids), model=embedder.model)
    given["vector"] = literal(vector, embedder) if vector is not None else None
    return [
        Candidate(
            row.id, row.group_id, row.source_id, row.target_id, row.content, row.valid_at, unpacked(row.terms),
            float("nan") if row.inverse is None else -row.inverse, row.ended,
        )
        for row in session.execute(_CANDIDATES, given)
    ]  # fmt: skip


def _fact(row: Row[Any]) -> Fact:
    return Fact(
        row.id, row.uuid, row.group_key, row.relation, row.content, row.source_id, row.source_uuid, row.source_name,
        row.target_id, row.target_uuid, row.target_name, row.valid_at, row.invalid_at, row.created_at, row.expired_at,
        tuple(row.episodes),
    )  # fmt: skip


_HERE = "org_id = :org AND group_id = ANY(CAST(:groups AS bigint[]))"
_THEN = "(f.valid_at IS NULL OR f.valid_at <= :as_of) AND (f.invalid_at IS NULL OR f.invalid_at > :as_of)"
_HELD_BY = text(
    f"SELECT term, count(*) AS held_by FROM graph_term WHERE {_HERE} AND term = ANY(CAST(:terms AS integer[])) GROUP BY term"
)


def _by_words_where(condition: str) -> str:
    return f"""
    SELECT t.fact_id, sum(asked.weight) AS weight
    FROM unnest(CAST(:terms AS integer[]), CAST(:weights AS float8[])) asked(term, weight)
    JOIN graph_term t ON t.{_HERE.replace(" AND ", " AND t.")} AND t.term = asked.term
    {condition}
    GROUP BY t.fact_id ORDER BY weight DESC, t.fact_id DESC LIMIT :limit
    """


def _by_vector_where(condition: str) -> str:
    return f"""
    SELECT v.fact_id FROM graph_fact_vector v {condition}
    WHERE v.{_HERE.replace(" AND ", " AND v.")} AND v.embedding_model = :model
    ORDER BY v.embedding <#> CAST(:vector AS halfvec), v.fact_id DESC LIMIT :limit
    """


def _joined(table: str) -> str:
    here = f"f.org_id = {table}.org_id AND f.group_id = {table}.group_id AND f.id = {table}.fact_id"
    return f"JOIN graph_fact f ON {here} AND {_THEN}"


_BY_WORDS, _BY_WORDS_THEN = text(_by_words_where("")), text(_by_words_where(_joined("t")))
_BY_VECTOR, _BY_VECTOR_THEN = text(_by_vector_where("")), text(_by_vector_where(_joined("v")))


_FACTS = text(
    """
    SELECT f.id, f.uuid, g.key AS group_key, f.relation, f.content, f.source_id, f.target_id, f.valid_at, f.invalid_at, f.created_at, f.expired_at,
        s.uuid AS source_uuid, s.name AS source_name, t.uuid AS target_uuid, t.name AS target_name,
        ARRAY(
            SELECT e.uuid FROM graph_episode e
            WHERE e.org_id = f.org_id AND e.group_id = f.group_id AND e.id IN (
                SELECT c.episode_id FROM graph_claim c
                WHERE c.org_id = f.org_id AND c.group_id = f.group_id AND c.fact_id = f.id
            ) ORDER BY e.occurred_at, e.id
        ) AS episodes
    FROM graph_fact f
    JOIN graph_group g ON g.org_id = f.org_id AND g.id = f.group_id
    JOIN graph_entity s ON s.org_id = f.org_id AND s.group_id = f.group_id AND s.id = f.source_id
    JOIN graph_entity t ON t.org_id = f.org_id AND t.group_id = f.group_id AND t.id = f.target_id
    WHERE f.org_id = :org AND f.group_id = ANY(CAST(:groups AS bigint[])) AND f.id = ANY(CAST(:ids AS bigint[]))
    ORDER BY f.id
    """
)
# All vectors have length 1: the inner product is their cosine, for less work.
_CANDIDATES = text(
    """
    SELECT f.id, f.group_id, f.source_id, f.target_id, f.content, f.valid_at, f.terms,
        f.invalid_at IS NOT NULL AND f.invalid_at <= coalesce(CAST(:as_of AS timestamptz), now()) AS ended,
        v.embedding <#> CAST(:vector AS halfvec) AS inverse
    FROM graph_fact f
    LEFT JOIN graph_fact_vector v ON v.org_id = f.org_id AND v.group_id = f.group_id AND v.fact_id = f.id
        AND v.embedding_model = :model
    WHERE f.org_id = :org AND f.group_id = ANY(CAST(:groups AS bigint[])) AND f.id = ANY(CAST(:ids AS bigint[]))
    """
)
_HOPS = text(
    """
    WITH RECURSIVE reached(entity_id, hops) AS (
        SELECT CAST(:center AS bigint), 0
        UNION
        SELECT step.entity_id, reached.hops + 1 FROM reached CROSS JOIN LATERAL (
            SELECT f.target_id AS entity_id FROM graph_fact f
            WHERE f.org_id = :org AND f.group_id = :group AND f.source_id = reached.entity_id
            UNION
            SELECT f.source_id FROM graph_fact f
            WHERE f.org_id = :org AND f.group_id = :group AND f.target_id = reached.entity_id
        ) step WHERE reached.hops < 2
    )
    SELECT entity_id, min(hops) AS hops FROM reached WHERE entity_id = ANY(CAST(:ids AS bigint[])) GROUP BY entity_id
    """
)
_WITHOUT_VECTOR = text(
    """
    SELECT f.id, f.content FROM graph_fact f WHERE f.org_id = :org AND f.group_id = :group AND NOT EXISTS (
        SELECT FROM graph_fact_vector v
        WHERE v.org_id = :org AND v.group_id = :group AND v.fact_id = f.id AND v.embedding_model = :model
    ) ORDER BY f.id LIMIT :limit
    """
)
_IDS = text("SELECT id FROM graph_fact WHERE org_id = :org AND group_id = :group")
_PRESENT = text(
    "SELECT id FROM graph_fact WHERE org_id = :org AND group_id = :group AND id = ANY(CAST(:ids AS bigint[])) FOR SHARE"
)
