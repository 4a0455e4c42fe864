"""The SQL of memory rows, their vectors and tombstones. Callers hold the transaction and have checked permission."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from webapp.db.models import Memory, MemoryVector, Tombstone
from webapp.llm.embeddings import StoredVector
from webapp.memory import counts, search
from webapp.memory.content import content_hash
from webapp.memory.types import Origin

LIVE = Memory.deleted_at.is_(None) & Memory.superseded_at.is_(None)
# A memory that was saved while it could not be embedded is tried again after so long.
EMBED_RETRY = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A row to be written. `agent_id` and `category_id` are None together for a global memory."""

    org_id: int
    user_id: int
    content: str
    origin: Origin
    agent_id: int | None = None
    category_id: int | None = None
    source_session_id: str | None = None
    source_exchange_id: int | None = None
    evidence: str | None = None
    occurred_at: datetime | None = None
    created_at: datetime | None = None


def insert_memory(session: Session, new: NewMemory) -> int | None:
    """The new row's id, or None when a live memory of the same scope has the same normalised text.

    The row is due to be embedded until `put_vector` is called for it.
    """
    values: dict[str, Any] = {
        "org_id": new.org_id,
        "user_id": new.user_id,
        "agent_id": new.agent_id,
        "category_id": new.category_id,
        "content": new.content,
        "content_hash": content_hash(new.content),
        "origin": new.origin,
        "source_session_id": new.source_session_id,
        "source_exchange_id": new.source_exchange_id,
        "evidence": new.evidence,
        "embed_due_at": func.now(),
    }
    values |= {"occurred_at": new.occurred_at} if new.occurred_at else {}
    values |= {"created_at": new.created_at, "updated_at": new.created_at} if new.created_at else {}
    statement = (
        insert(Memory)
        .values(**values)
        .on_conflict_do_nothing(index_elements=["org_id", "user_id", "agent_id", "content_hash"], index_where=LIVE)
        .returning(Memory)
    )
    row = session.scalar(statement)
    if row is None:
        return None
    search.index(session, row)
    counts.became_live(session, row)
    return row.id


def find_live(session: Session, org_id: int, user_id: int, agent_id: int | None, content: str) -> int | None:
    """The live memory of this scope with the same normalised text."""
    return session.scalar(
        select(Memory.id).where(
            Memory.org_id == org_id,
            Memory.user_id == user_id,
            Memory.agent_id.is_not_distinct_from(agent_id),
            Memory.content_hash == content_hash(content),
            LIVE,
        )
    )


def load(session: Session, org_id: int, memory_id: int, *, lock: bool = False) -> Memory | None:
    """One row in any state, locked for this transaction on request."""
    statement = select(Memory).where(Memory.org_id == org_id, Memory.id == memory_id)
    return session.scalar(statement.with_for_update() if lock else statement)


def lineage(session: Session, org_id: int, memory_id: int) -> list[int]:
    """The memory and everything it replaced, directly or through others: what its history is made of."""
    return list(session.scalars(_LINEAGE, {"org": org_id, "id": memory_id}))


_LINEAGE = text(
    """
    WITH RECURSIVE line(id) AS (
        SELECT CAST(:id AS bigint)
        UNION SELECT m.id FROM memory m JOIN line ON m.superseded_by_id = line.id WHERE m.org_id = :org
    )
    SELECT id FROM line
    """
)


def put_vector(
    session: Session, org_id: int, user_id: int, memory_id: int, agent_id: int | None, model: str, vector: StoredVector
) -> None:
    """Store the memory's embedding by `model`, replacing an older one, and note that it is embedded."""
    row = insert(MemoryVector).values(
        org_id=org_id,
        user_id=user_id,
        memory_id=memory_id,
        agent_id=agent_id,
        embedding_model=model,
        embedding=vector,
    )
    session.execute(
        row.on_conflict_do_update(
            index_elements=["org_id", "user_id", "memory_id", "embedding_model"],
            set_={"embedding": row.excluded.embedding, "agent_id": row.excluded.agent_id},
        )
    )
    session.execute(update(Memory).where(Memory.org_id == org_id, Memory.id == memory_id).values(embed_due_at=None))


def supersede(session: Session, org_id: int, user_id: int, old_id: int, new_id: int) -> bool:
    """Close a live memory in favour of a newer one. False when it is no longer live."""
    done = session.scalar(
        update(Memory)
        .where(Memory.org_id == org_id, Memory.user_id == user_id, Memory.id == old_id, LIVE)
        .values(superseded_at=func.now(), superseded_by_id=new_id, embed_due_at=None, version=Memory.version + 1)
        .returning(Memory)
    )
    if done is None:
        return False
    counts.no_longer_live(session, done)
    search.remove(session, org_id, user_id, [old_id])
    return True


def mark_deleted(session: Session, org_id: int, rows: Sequence[Memory], label: str, batch: UUID) -> None:
    """Move live rows to *Recently deleted* under one batch, out of the vector search."""
    for row in rows:
        row.deleted_at = func.now()
        row.deleted_by, row.delete_batch, row.embed_due_at = label, batch, None
        row.version += 1
        counts.no_longer_live(session, row)
    session.flush()
    for user_id in {row.user_id for row in rows}:
        search.remove(session, org_id, user_id, [row.id for row in rows if row.user_id == user_id])


def bury(session: Session, secret_key: str, rows: Sequence[Memory], *, until: datetime | None = None) -> None:
    """Leave a tombstone for each row: it says that this was deleted, and nothing of what it said.

    It keeps out what was said before it; `until` a later time, what is said up to then too.
    """
    for row in rows:
        session.add(
            Tombstone(
                org_id=row.org_id,
                user_id=row.user_id,
                agent_id=row.agent_id,
                keyed_hash=tombstone_key(secret_key, row.org_id, row.user_id, row.content_hash),
                source_exchange_id=row.source_exchange_id,
                deleted_at=until or func.now(),
            )
        )


def unbury(session: Session, secret_key: str, row: Memory) -> None:
    """Take the tombstones of a restored memory away."""
    key = tombstone_key(secret_key, row.org_id, row.user_id, row.content_hash)
    session.execute(
        delete(Tombstone).where(
            Tombstone.org_id == row.org_id, Tombstone.user_id == row.user_id, Tombstone.keyed_hash == key
        )
    )


def buried(
    session: Session,
    secret_key: str,
    org_id: int,
    user_id: int,
    content: str,
    *,
    accepted_at: datetime,
    occurred_at: datetime,
) -> bool:
    """Whether this text was deleted after the exchange it comes from was accepted or said.

    Said anew after the deletion, it is a new fact (`spec` *Capture*).
    """
    key = tombstone_key(secret_key, org_id, user_id, content_hash(content))
    said = min(accepted_at, occurred_at)
    found = session.scalar(
        select(Tombstone.id)
        .where(
            Tombstone.org_id == org_id,
            Tombstone.user_id == user_id,
            Tombstone.keyed_hash == key,
            Tombstone.deleted_at >= said,
        )
        .limit(1)
    )
    return found is not None


def source_buried(session: Session, org_id: int, user_id: int, exchange_id: int) -> bool:
    """Whether a memory that came from this exchange was deleted: a retry must not bring it back reworded."""
    found = session.scalar(
        select(Tombstone.id)
        .where(
            Tombstone.org_id == org_id,
            Tombstone.user_id == user_id,
            Tombstone.source_exchange_id == exchange_id,
        )
        .limit(1)
    )
    return found is not None


def tombstone_key(secret_key: str, org_id: int, user_id: int, digest: bytes) -> bytes:
    """A keyed hash: without the installation's key nobody can test a guess against it."""
    return hmac.new(secret_key.encode(), f"{org_id}:{user_id}:".encode() + digest, hashlib.sha256).digest()


def due_for_embedding(session: Session, org_id: int, limit: int) -> list[Memory]:
    """Live memories that wait for a vector, oldest first, put off so that no other worker takes them too."""
    due = (
        select(Memory.id)
        .where(Memory.org_id == org_id, Memory.embed_due_at <= func.now(), LIVE)
        .order_by(Memory.embed_due_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    ids = list(session.scalars(due))
    session.execute(
        update(Memory).where(Memory.org_id == org_id, Memory.id.in_(ids)).values(embed_due_at=func.now() + EMBED_RETRY)
    )
    return list(session.scalars(select(Memory).where(Memory.org_id == org_id, Memory.id.in_(ids))))


def lock_subject(session: Session, org_id: int, user_id: int) -> bool:
    """Serialise writes about one user until this transaction ends. False when they are not in the org."""
    found = session.scalar(
        text("SELECT 1 FROM membership WHERE org_id = :org AND user_id = :user FOR NO KEY UPDATE"),
        {"org": org_id, "user": user_id},
    )
    return found is not None
