"""Exact nearest neighbours among one user's own memories: another user's rows never cost recall or time."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.orm import Session

from webapp.db.halfvec import Halfvec
from webapp.llm.embeddings import StoredVector


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory and its cosine distance, 0 … 2."""

    memory_id: int
    distance: float


def nearest(
    session: Session, org_id: int, user_id: int, agent_id: int | None, model: str, vector: StoredVector, limit: int
) -> list[Neighbour]:
    """The nearest live memories of one scope (`agent_id` None: the global ones), nearest first.

    Only rows of the same embedding model are compared; a memory that waits for its vector is not among them.
    """
    given = {
        "org": org_id, "user": user_id, "agent": agent_id, "model": model,
        "vector": Halfvec(vector), "length": len(vector), "limit": limit,
    }  # fmt: skip
    rows = session.execute(_NEAREST, given)
    return [Neighbour(row.memory_id, float(row.distance)) for row in rows]


# Conditions are decided before a distance is taken: vectors of another length cannot be compared, and are not.
_NEAREST = text(
    """
    SELECT memory_id, embedding <=> CAST(:vector AS halfvec) AS distance FROM memory_vector
    WHERE org_id = :org AND user_id = :user AND embedding_model = :model AND vector_dims(embedding) = :length
      AND agent_id IS NOT DISTINCT FROM CAST(:agent AS bigint)
    ORDER BY distance, memory_id LIMIT :limit
    """
)
