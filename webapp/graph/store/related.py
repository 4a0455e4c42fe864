"""The known entities and facts that a message is most about: what the model is shown, however much is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from webapp.db.halfvec import Halfvec
from webapp.graph.names import key
from webapp.graph.store import entities as entity_store
from webapp.graph.types import KnownEntity, KnownFact
from webapp.llm.embeddings import Embedder, Vector


def entities(
    session: Session,
    org_id: int,
    group_id: int,
    embedder: Embedder,
    familiar: Sequence[str],
    vector: Vector,
    limit: int,
) -> list[KnownEntity]:
    """Those that the message names first, then those whose names are nearest to it; numbered from 1."""
    named = entity_store.named(session, org_id, group_id, familiar) if familiar else []
    sure = {key(name) for name in familiar}
    ids = [one.entity_id for one in named if key(one.name) in sure]
    ids += [one.id for one, _ in entity_store.similar(session, org_id, group_id, embedder, vector, limit)]
    found = entity_store.load(session, org_id, group_id, list(dict.fromkeys(ids))[:limit])
    ordered = [found[one] for one in dict.fromkeys(ids) if one in found]
    return [KnownEntity(number, one.id, one.name, one.summary) for number, one in enumerate(ordered, 1)]


def facts(
    session: Session,
    org_id: int,
    group_id: int,
    embedder: Embedder,
    entity_ids: Sequence[int],
    vector: Vector,
    limit: int,
) -> list[KnownFact]:
    """The facts nearest to the message, those about the entities given before others; numbered from 1."""
    given = {
        "org": org_id,
        "group": group_id,
        "model": embedder.model,
        "length": embedder.stored_length,
        "vector": Halfvec(embedder.stored(vector)),
        "ids": list(entity_ids),
        "limit": limit,
    }
    return [_known(number, row) for number, row in enumerate(session.execute(_FACTS, given), 1)]


def _known(number: int, row: Row[Any]) -> KnownFact:
    what = None if row.slot.startswith("=") else row.slot.partition(":")[2]
    return KnownFact(
        number, row.id, row.source_id, row.target_id, row.relation, row.content, row.slot, what, row.valid_at,
        row.invalid_at,
    )  # fmt: skip


_FACTS = text(
    """
    SELECT f.id, f.source_id, f.target_id, f.relation, f.content, f.slot, f.valid_at, f.invalid_at
    FROM graph_fact_vector v JOIN graph_fact f ON f.org_id = v.org_id AND f.group_id = v.group_id AND f.id = v.fact_id
    WHERE v.org_id = :org AND v.group_id = :group AND v.embedding_model = :model AND vector_dims(v.embedding) = :length
    ORDER BY NOT (f.source_id = ANY(CAST(:ids AS bigint[])) OR f.target_id = ANY(CAST(:ids AS bigint[]))), v.embedding <=> CAST(:vector AS halfvec), f.id
    LIMIT :limit
    """
)
