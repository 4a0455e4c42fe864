"""Facts as a search finds and shows them. Candidates are the nearest by vector and the best by rare words, exact
within the caller's groups: what `graph.index` finds in memory, for groups that are too large to be held there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Row, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from webapp.db.halfvec import Halfvec
from webapp.db.models import GraphFactVector
from webapp.graph import candidates as nominate
from webapp.graph.candidates import Candidate, Found, Scope, heaviest
from webapp.graph.types import Fact
from webapp.llm.embeddings import Embedder, Vector
from webapp.ranking import Memories
from webapp.terms import TermHashes, unpacked


def candidates(session: Session, scope: Scope, embedder: Embedder, vector: Vector | None, terms: TermHashes) -> Found:
    """The likely facts for a message, and the statistics of all that are searched."""
    held_by, by_words = _by_words(session, scope, terms)
    written = None if vector is None else Halfvec(embedder.stored(vector))
    by_vector = {} if written is None else _by_vector(session, scope, embedder, written)
    further = [fact_id for fact_id in by_words if fact_id not in by_vector]
    rows = _rows(session, scope, [*by_vector, *further], embedder, written, further)
    inverse = [by_vector.get(row.id, row.inverse) for row in rows]
    columns = Memories.of(
        [row.id for row in rows],
        [unpacked(row.terms) for row in rows],
        np.array([np.nan if one is None else -one for one in inverse], dtype=np.float32),
    )
    found = [Candidate(row.id, row.group_id, row.source_id, row.target_id, row.ended) for row in rows]
    return Found(found, columns, scope.statistics(held_by))


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
    return {row.entity_id: row.hops for row in session.execute(_HOPS, given) if row.hops is not None}


def without_vector(session: Session, org_id: int, group_id: int, model: str, limit: int) -> list[tuple[int, str]]:
    """Facts whose sentence is not embedded by this model, with the sentence."""
    rows = session.execute(_WITHOUT_VECTOR, {"org": org_id, "group": group_id, "model": model, "limit": limit})
    return [(row.id, row.content) for row in rows]


def put_vectors(
    session: Session,
    org_id: int,
    group_id: int,
    embedder: Embedder,
    vectors: Sequence[tuple[int, Vector]],
    revision: int,
) -> None:
    """Store the embeddings of facts that are still there, as change number ``revision`` of their group."""
    ids = [fact_id for fact_id, _ in vectors]
    rows = session.execute(_PRESENT, {"org": org_id, "group": group_id, "ids": ids, "revision": revision})
    present = {row.id for row in rows}
    given = [
        {
            "org_id": org_id, "group_id": group_id, "fact_id": fact_id, "embedding_model": embedder.model,
            "embedding": embedder.stored(vector),
        }
        for fact_id, vector in vectors
        if fact_id in present
    ]  # fmt: skip
    if given:
        session.execute(insert(GraphFactVector).on_conflict_do_nothing(), given)


def _given(scope: Scope, **more: Any) -> dict[str, Any]:
    return {
        "org": scope.org_id,
        "groups": [group.id for group in scope.groups],
        "as_of": scope.as_of,
        "moment": scope.moment,
        **more,
    }


def _model(embedder: Embedder) -> dict[str, Any]:
    return {"model": embedder.model, "length": embedder.stored_length}


def _by_words(session: Session, scope: Scope, terms: TermHashes) -> tuple[dict[int, int], list[int]]:
    """How many facts hold each term; the facts that hold most of the message's weight, by its rarest words."""
    signed = np.unique(terms).view("<i4").tolist()
    if not signed:
        return {}, []
    given = _given(scope, terms=signed, most=nominate.MOST_POSTINGS)
    rows = session.execute(_POSTINGS if scope.as_of is None else _POSTINGS_THEN, given).all()
    postings = [
        (np.frombuffer(row.holders, dtype=">i8").astype(np.int64), row.held_by)
        for row in rows
        if row.holders is not None
    ]
    return {row.term & 0xFFFFFFFF: row.held_by for row in rows}, heaviest(postings, scope.count)


def _by_vector(session: Session, scope: Scope, embedder: Embedder, written: Halfvec) -> dict[int, float]:
    """The nearest facts, each with the negative cosine."""
    given = _given(scope, vector=written, limit=nominate.CANDIDATES, **_model(embedder))
    rows = session.execute(_BY_VECTOR if scope.as_of is None else _BY_VECTOR_THEN, given)
    return {row.fact_id: row.inverse for row in rows}


def _rows(
    session: Session,
    scope: Scope,
    ids: Sequence[int],
    embedder: Embedder,
    written: Halfvec | None,
    further: Sequence[int],
) -> Sequence[Row[Any]]:
    """What is kept of these facts; for `further` of them also the negative cosine, which nothing has given yet."""
    given = _given(scope, ids=list(ids), vector=written, further=list(further), **_model(embedder))
    return session.execute(_CANDIDATES, given).all() if ids else []


def _fact(row: Row[Any]) -> Fact:
    return Fact(
        row.id, row.uuid, row.group_key, row.relation, row.content, row.source_id, row.source_uuid, row.source_name,
        row.target_id, row.target_uuid, row.target_name, row.valid_at, row.invalid_at, row.created_at, row.expired_at,
        tuple(row.episodes),
    )  # fmt: skip


_HERE = "org_id = :org AND group_id = ANY(CAST(:groups AS bigint[]))"
_THEN = "(f.valid_at IS NULL OR f.valid_at <= :as_of) AND (f.invalid_at IS NULL OR f.invalid_at > :as_of)"


def _postings_where(condition: str) -> str:
    # One reading of the index counts, one fetches the facts of the rarest terms: packed, because a row for each would
    # take ten times as long.
    return f"""
    WITH held AS MATERIALIZED (
        SELECT term, count(*) AS held_by FROM graph_term WHERE {_HERE} AND term = ANY(CAST(:terms AS integer[]))
        GROUP BY term
    ), rarest AS (
        SELECT term, held_by, sum(held_by) OVER in_order AS added_up, row_number() OVER in_order AS place
        FROM held WINDOW in_order AS (ORDER BY held_by, term)
    )
    SELECT r.term, r.held_by, CASE WHEN r.added_up <= :most OR r.place = 1 THEN (
        SELECT coalesce(string_agg(int8send(t.fact_id), ''), '') FROM graph_term t {condition}
        WHERE t.{_HERE.replace(" AND ", " AND t.")} AND t.term = r.term
    ) END AS holders
    FROM rarest r ORDER BY r.place
    """


def _by_vector_where(condition: str) -> str:
    return f"""
    SELECT v.fact_id, v.embedding <#> CAST(:vector AS halfvec) AS inverse FROM graph_fact_vector v {condition}
    WHERE v.{_HERE.replace(" AND ", " AND v.")} AND v.embedding_model = :model
        AND vector_dims(v.embedding) = :length
    ORDER BY inverse, v.fact_id DESC LIMIT :limit
    """


def _joined(table: str) -> str:
    here = f"f.org_id = {table}.org_id AND f.group_id = {table}.group_id AND f.id = {table}.fact_id"
    return f"JOIN graph_fact f ON {here} AND {_THEN}"


_POSTINGS, _POSTINGS_THEN = text(_postings_where("")), text(_postings_where(_joined("t")))
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
    SELECT f.id, f.group_id, f.source_id, f.target_id, f.terms,
        f.invalid_at IS NOT NULL AND f.invalid_at <= :moment AS ended,
        CASE WHEN f.id = ANY(CAST(:further AS bigint[])) THEN (
            SELECT v.embedding <#> CAST(:vector AS halfvec) FROM graph_fact_vector v
            WHERE v.org_id = f.org_id AND v.group_id = f.group_id AND v.fact_id = f.id AND v.embedding_model = :model
                AND vector_dims(v.embedding) = :length
        ) END AS inverse
    FROM graph_fact f
    WHERE f.org_id = :org AND f.group_id = ANY(CAST(:groups AS bigint[])) AND f.id = ANY(CAST(:ids AS bigint[]))
    """
)
# From the asked entities towards the centre: of a neighbour's neighbour it is enough to find one fact between them,
# while everything within two hops of a much connected centre is most of the group.
_HOPS = text(
    """
    WITH neighbour AS MATERIALIZED (
        SELECT target_id AS id FROM graph_fact WHERE org_id = :org AND group_id = :group AND source_id = :center
        UNION SELECT source_id FROM graph_fact WHERE org_id = :org AND group_id = :group AND target_id = :center
    )
    SELECT asked.entity_id, CASE
        WHEN asked.entity_id = :center THEN 0
        WHEN asked.entity_id IN (SELECT id FROM neighbour) THEN 1
        WHEN EXISTS (
            SELECT FROM graph_fact f WHERE f.org_id = :org AND f.group_id = :group AND f.source_id = asked.entity_id
            AND f.target_id IN (SELECT id FROM neighbour)
        ) OR EXISTS (
            SELECT FROM graph_fact f WHERE f.org_id = :org AND f.group_id = :group AND f.target_id = asked.entity_id
            AND f.source_id IN (SELECT id FROM neighbour)
        ) THEN 2 END AS hops
    FROM unnest(CAST(:ids AS bigint[])) asked(entity_id)
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
    """
    UPDATE graph_fact SET revision = :revision
    WHERE org_id = :org AND group_id = :group AND id = ANY(CAST(:ids AS bigint[])) RETURNING id
    """
)
