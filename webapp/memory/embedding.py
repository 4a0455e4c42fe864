"""Keeps live memories embedded: at once where the service answers, later where it does not."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from webapp.db.models import Memory
from webapp.db.session import transaction
from webapp.errors import Unavailable
from webapp.memory import store
from webapp.runtime import runtime

BATCH = 64


def embed_now(org_id: int, memory_ids: Sequence[int]) -> bool:
    """Embed these memories; False when the service is down: they stay due and `embed_due` takes them later."""
    with transaction(org_id) as session:
        rows = session.scalars(select(Memory).where(Memory.org_id == org_id, Memory.id.in_(memory_ids))).all()
    return embed_rows(org_id, rows)


def embed_due(org_id: int, limit: int = BATCH) -> int:
    """Embed up to `limit` memories of the org that wait for it; the number that was due. Raises Unavailable."""
    with transaction(org_id) as session:
        rows = store.due_for_embedding(session, org_id, limit)
    if rows and not embed_rows(org_id, rows):
        raise Unavailable("The embedding service is down; memories wait for their vectors.")
    return len(rows)


def embed_rows(org_id: int, rows: Sequence[Memory]) -> bool:
    """The same for rows that the caller has read.

    No connection is held while the service works; a row that was changed or deleted meanwhile keeps waiting.
    """
    embedder = runtime().embedder
    try:
        vectors = embedder.embed([row.content for row in rows])
    except Unavailable:
        return False
    with transaction(org_id) as session:
        for row, vector in zip(rows, vectors, strict=True):
            current = store.load(session, org_id, row.id, lock=True)
            if current is None or current.version != row.version or current.deleted_at or current.superseded_at:
                continue
            store.put_vector(
                session, org_id, row.user_id, row.id, row.agent_id, embedder.model, embedder.stored(vector)
            )
    return True
