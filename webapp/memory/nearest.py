"""Exact nearest neighbours among one user's own memories: another user's rows never cost recall or time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, text
from sqlalchemy.orm import Session

from webapp.llm.embeddings import Vector
from webapp.memory.search import literal


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory and its cosine distance, 0 … 2."""

    memory_id: int
    distance: float


def nearest(
    session: Session, org_id: int, user_id: int, agent_id: int | None, model: str, vector: Vector, limit: int
) -> list[Neighbour]:
    """The nearest live memories of one scope (`agent_id` None: the global ones), nearest first.

    Only rows of the same embedding model are compared; a memory that waits for its vector is not among them.
    """
    rows = session.execute(
        _NEAREST,
        {"org": org_id, "user": user_id, "agent": agent_id, "model": model, "vector": literal(vector), "limit": limit},
    )
    return [Neighbour(row.memory_id, float(row.distance)) for row in rows]


def distances(
    session: Session, org_id: int, user_id: int, model: str, vector: Vector, memory_ids: Sequence[int]
) -> dict[int, float]:
    """The distance of each of these memories that has a vector."""
    rows = session.execute(
        _DISTANCES,
        {"org": org_id, "user": user_id, "model": model, "vector": literal(vector), "ids": list(memory_ids)},
    )
    return {row.memory_id: float(row.distance) for row in rows}


_NEAREST = text(
    """
    SELECT memory_id, embedding <=> CAST(:vector AS halfvec(1536)) AS distance FROM memory_vector
    WHERE org_id = :org AND user_id = :user AND embedding_model = :model
      AND agent_id IS NOT DISTINCT FROM CAST(:agent AS bigint)
    ORDER BY distance, memory_id LIMIT :limit
    """
)
_DISTANCES = text(
    """
    SELECT memory_id, embedding <=> CAST(:vector AS halfvec(1536)) AS distance FROM memory_vector
    WHERE org_id = :org AND user_id = :user AND embedding_model = :model AND memory_id IN :ids
    """
).bindparams(bindparam("ids", expanding=True))
