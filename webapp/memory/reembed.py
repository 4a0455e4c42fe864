"""Moves every live memory to another embedding model while reading and writing go on.

The vectors of both models stand side by side, each under its model's name. A user's memories are searched by the
model that is set up once all of them have its vectors, and until then by the one that has embedded more of them
(`webapp.recall`). What has been embedded stays so, so a move that broke off is simply started again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from sqlalchemy import Exists, delete, exists, func, select, tuple_
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, aliased

from webapp.db.models import Memory, MemorySearch, MemoryVector
from webapp.db.session import transaction
from webapp.errors import Unavailable
from webapp.llm.embeddings import Embedder, Vectors
from webapp.memory.store import LIVE
from webapp.runtime import runtime

BATCH = 256
"""Memories per transaction."""
PAUSES = (1, 2, 4, 8, 16, 30, 60)
"""Seconds to wait before each further try while the service is busy or down; then the move breaks off."""

Pause = Callable[[float], None]


def missing(org_id: int, model: str) -> dict[int, int]:
    """How many live memories have no vector of this model, by user; users with none are left out."""
    statement = (
        select(MemorySearch.user_id, func.count())
        .where(MemorySearch.org_id == org_id, ~_embedded_by(model))
        .group_by(MemorySearch.user_id)
        .order_by(MemorySearch.user_id)
    )
    with transaction(org_id) as session:
        return {user_id: count for user_id, count in session.execute(statement)}  # noqa: C416  a Row is no pair


def move(org_id: int, user_id: int, embedder: Embedder, pause: Pause = time.sleep) -> Iterator[int]:
    """Embed one user's memories that have no vector of this model; yields how many each commit took.

    What is edited meanwhile is taken again; what is deleted meanwhile is left out. No connection is held while the
    service works. Raises Unavailable when it stays away.
    """
    moved = 1
    while moved:
        moved = 0
        for rows in _batches(org_id, user_id, embedder.model):
            vectors = patiently(embedder, [row.content for row in rows], pause)
            with transaction(org_id) as session:
                count = _put(session, org_id, rows, embedder, vectors)
            moved += count
            yield count


def drop_others(org_id: int, model: str) -> int:
    """Delete the vectors of other models, of users whose memories all have one of this model; how many went."""
    waiting = missing(org_id, model)
    others = (MemoryVector.org_id == org_id, MemoryVector.embedding_model != model)
    with transaction(org_id) as session:
        users = session.scalars(select(MemoryVector.user_id).where(*others).distinct().order_by(MemoryVector.user_id))
        finished = [user_id for user_id in users if user_id not in waiting]
    dropped = 0
    for user_id in finished:
        kept = aliased(MemoryVector)
        replaced = select(kept.memory_id).where(
            kept.org_id == org_id, kept.user_id == user_id, kept.embedding_model == model
        )
        statement = delete(MemoryVector).where(
            *others, MemoryVector.user_id == user_id, MemoryVector.memory_id.in_(replaced)
        )
        with transaction(org_id) as session:
            dropped += len(session.scalars(statement.returning(MemoryVector.memory_id)).all())
    return dropped


def _batches(org_id: int, user_id: int, model: str) -> Iterator[Sequence[Memory]]:
    """The user's live memories without a vector of this model, in the order of their ids."""
    after = 0
    while True:
        waiting = (
            select(MemorySearch.memory_id)
            .where(MemorySearch.org_id == org_id, MemorySearch.user_id == user_id, MemorySearch.memory_id > after)
            .where(~_embedded_by(model))
            .order_by(MemorySearch.memory_id)
            .limit(BATCH)
        )
        with transaction(org_id) as session:
            ids = session.scalars(waiting).all()
            chosen = select(Memory).where(Memory.org_id == org_id, Memory.id.in_(ids)).order_by(Memory.id)
            rows = session.scalars(chosen).all()
        if not rows:
            return
        yield rows
        after = rows[-1].id


def _embedded_by(model: str) -> Exists:
    """Of a row of the search index, which holds every live memory once."""
    return exists().where(
        MemoryVector.org_id == MemorySearch.org_id,
        MemoryVector.user_id == MemorySearch.user_id,
        MemoryVector.memory_id == MemorySearch.memory_id,
        MemoryVector.embedding_model == model,
    )


def patiently(embedder: Embedder, texts: Sequence[str], pause: Pause) -> Vectors:
    """Embed, waiting while the service is busy or down. Raises Unavailable when it stays away."""
    for seconds in PAUSES:
        try:
            return embedder.embed(texts)
        except Unavailable as error:
            pause(max(seconds, error.retry_after or 0))
    return embedder.embed(texts)


def _put(session: Session, org_id: int, rows: Sequence[Memory], embedder: Embedder, vectors: Vectors) -> int:
    """Store the vectors of those that are still as they were read; how many. One being changed now is left out."""
    vector_of = {row.id: embedder.stored(vector) for row, vector in zip(rows, vectors, strict=True)}
    unchanged = (
        select(Memory)
        .where(
            Memory.org_id == org_id, LIVE, tuple_(Memory.id, Memory.version).in_((row.id, row.version) for row in rows)
        )
        .with_for_update(key_share=True, skip_locked=True)
    )
    present = session.scalars(unchanged).all()
    values = [
        {
            "org_id": org_id,
            "user_id": row.user_id,
            "memory_id": row.id,
            "agent_id": row.agent_id,
            "embedding_model": embedder.model,
            "embedding": vector_of[row.id],
        }
        for row in present
    ]
    if values:
        session.execute(insert(MemoryVector).on_conflict_do_nothing(), values)
    if embedder.model == runtime().embedder.model:
        for row in present:
            row.embed_due_at = None
    return len(values)
