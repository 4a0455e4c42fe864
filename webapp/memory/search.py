"""The search index of live memories, and one user's memories as the ranker reads them.

The search is exact and within the user's own rows: another user's or org's rows never cost recall or time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC

import numpy as np
import numpy.typing as npt
from sqlalchemy import delete, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from webapp.db.models import Memory, MemorySearch, MemoryVector
from webapp.llm.embeddings import Vector
from webapp.ranking import Memories
from webapp.terms import memory_terms, packed, unpacked

# A memory's words beyond these many terms are not indexed; the row must stay inline (8 kB pages).
MAX_TERMS = 1_500


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """One user's memories in the ranker's columns. `agents` is 0 for a global memory, in the same places."""

    memories: Memories
    agents: npt.NDArray[np.int64]


def index(session: Session, row: Memory) -> None:
    """Make a live memory findable by its words; again after each change of its text."""
    said_on = row.occurred_at.astimezone(UTC).date()
    values = {
        "agent_id": row.agent_id,
        "session_key": session_key(row.source_session_id, row.source_exchange_id),
        "said_at": row.occurred_at,
        "terms": packed(memory_terms(row.content, said_on)[:MAX_TERMS]),
    }
    keys = {"org_id": row.org_id, "user_id": row.user_id, "memory_id": row.id}
    statement = insert(MemorySearch).values(**keys, **values)
    session.execute(statement.on_conflict_do_update(index_elements=list(keys), set_=values))


def remove(session: Session, org_id: int, user_id: int, memory_ids: Sequence[int]) -> None:
    """Take memories out of the search: only live ones have terms and a vector."""
    for table in (MemorySearch, MemoryVector):
        session.execute(
            delete(table).where(
                table.org_id == org_id, table.user_id == user_id, table.memory_id.in_(memory_ids)
            )
        )


def session_key(session_id: str | None, exchange_id: int | None) -> int:
    """A number per conversation, 0 for none: the same for memories that were said beside each other."""
    if session_id is not None:
        return int.from_bytes(hashlib.blake2b(session_id.encode(), digest_size=8).digest(), signed=True) or 1
    return exchange_id or 0


def corpus(
    session: Session, org_id: int, user_id: int, agent_id: int | None, model: str, vector: Vector | None
) -> Corpus:
    """The user's live global memories and, with `agent_id`, those of that agent.

    Similarities are to `vector`, NaN for a memory that has no vector of this model, or where there is no `vector`.
    """
    where = {"org": org_id, "user": user_id, "agent": agent_id}
    rows = session.execute(_TERMS, where).all()
    near: dict[int, float] = {}
    if vector is not None:
        found = session.execute(_SIMILARITIES, {**where, "model": model, "vector": literal(vector)})
        near = {memory_id: similarity for memory_id, similarity in found}  # noqa: C416  a Row is no pair to dict()
    ids = np.array([row[0] for row in rows], dtype=np.int64)
    return Corpus(
        Memories(
            ids=ids,
            sessions=np.array([row[2] for row in rows], dtype=np.int64),
            times=np.array([row[3] for row in rows], dtype=np.int64),
            lengths=np.array([len(row[4]) // 4 for row in rows], dtype=np.int64),
            terms=unpacked(b"".join(row[4] for row in rows)),
            similarities=np.array([near.get(row[0], np.nan) for row in rows], dtype=np.float32),
        ),
        np.array([row[1] for row in rows], dtype=np.int64),
    )


def literal(vector: Vector) -> str:
    """A vector as PostgreSQL reads it."""
    return "[" + ",".join(map(str, vector.tolist())) + "]"


_TERMS = text(
    """
    SELECT memory_id, coalesce(agent_id, 0), session_key, CAST(extract(epoch FROM said_at) * 1000000 AS bigint), terms
    FROM memory_search
    WHERE org_id = :org AND user_id = :user AND (agent_id IS NULL OR agent_id = CAST(:agent AS bigint))
    """
)
_SIMILARITIES = text(
    """
    SELECT memory_id, CAST(1 - (embedding <=> CAST(:vector AS halfvec(1536))) AS real) FROM memory_vector
    WHERE org_id = :org AND user_id = :user AND embedding_model = :model
      AND (agent_id IS NULL OR agent_id = CAST(:agent AS bigint))
    """
)
