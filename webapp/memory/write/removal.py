"""Deleting, restoring and purging memories. Deleting is reversible until the purge, and leaves a tombstone at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid4

from sqlalchemy import delete as sql_delete
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.db.models import Memory, Revision
from webapp.db.session import transaction
from webapp.errors import Conflict, NotVisible, Overtaken
from webapp.memory import audit, counts, embedding, search, store
from webapp.memory.write.manual import load_for_write, note, snapshot
from webapp.memory.write.rows import load_all_for_write
from webapp.runtime import runtime

# A tombstone of this date is later than anything that will ever be said: the statement is never captured again.
FOR_EVER = datetime(9999, 12, 31, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Deleted:
    """What one deletion took; `batch` brings all of it back."""

    batch: UUID
    memory_ids: tuple[int, ...]


def delete(
    actor: Actor, memory_ids: Sequence[int], *, forget: bool = False, expected_version: int | None = None
) -> Deleted:
    """Move live memories to *Recently deleted*, all or none.

    With `forget`, the same statement is not captured again when it is said anew. Raises NotVisible when one is
    missing, gone or not the caller's to know of; NotAllowed when one is only readable; Overtaken when one is no longer
    of `expected_version`.
    """
    batch = uuid4()
    with transaction(actor.org_id) as session:
        rows = load_all_for_write(session, actor, memory_ids)
        if expected_version is not None and any(row.version != expected_version for row in rows):
            raise Overtaken
        before = [snapshot(session, row) for row in rows]
        store.mark_deleted(session, actor.org_id, rows, actor.label, batch)
        store.bury(session, runtime().settings.secret_key, rows, until=FOR_EVER if forget else None)
        for row, state in zip(rows, before, strict=True):
            note(session, actor, row, "deleted", state)
        return Deleted(batch, tuple(row.id for row in rows))


def restore(actor: Actor, memory_id: int) -> None:
    """Bring one deleted memory back, due to be embedded anew.

    Raises Conflict, naming the other memory, when the same text has been written anew meanwhile.
    """
    with transaction(actor.org_id) as session:
        _restore(session, actor, load_for_write(session, actor, memory_id, live=False))
    embedding.embed_now(actor.org_id, [memory_id])


def restore_batch(actor: Actor, batch: UUID) -> int:
    """Bring back what one deletion took, as far as it is still there; how many that were. All or none."""
    with transaction(actor.org_id) as session:
        chosen = select(Memory.id).where(Memory.org_id == actor.org_id, Memory.delete_batch == batch)
        ids = list(session.scalars(chosen))
        for row in load_all_for_write(session, actor, ids, live=False):
            _restore(session, actor, row)
    # A large batch is embedded by the worker: until then its memories are found by their words.
    if len(ids) <= embedding.BATCH:
        embedding.embed_now(actor.org_id, ids)
    return len(ids)


def purge(actor: Actor, memory_ids: Sequence[int]) -> int:
    """Delete for good, vector and revisions included; only what has been deleted already. The number purged."""
    with transaction(actor.org_id) as session:
        rows = load_all_for_write(session, actor, memory_ids, live=False)
        if any(row.deleted_at is None for row in rows):
            raise NotVisible
        purge_rows(session, actor, rows)
        return len(rows)


def purge_expired(actor: Actor, *, days: int, limit: int = 500) -> int:
    """Purge what was deleted more than `days` ago, by the database's clock; the number purged."""
    with transaction(actor.org_id) as session:
        over = Memory.deleted_at < func.now() - func.make_interval(0, 0, 0, days)
        chosen = select(Memory).where(Memory.org_id == actor.org_id, over).limit(limit)
        rows = session.scalars(chosen.with_for_update(skip_locked=True)).all()
        purge_rows(session, actor, rows)
        return len(rows)


def purge_rows(session: Session, actor: Actor, rows: Sequence[Memory]) -> None:
    """Purge these rows and what they superseded with them: history of a purged memory must not outlive it."""
    found = {row.id: row for row in rows}
    pending = list(found)
    while pending:
        chosen = select(Memory).where(Memory.org_id == actor.org_id, Memory.superseded_by_id.in_(pending))
        older = [row for row in session.scalars(chosen) if row.id not in found]
        found |= {row.id: row for row in older}
        pending = [row.id for row in older]
    ids = list(found)
    session.execute(
        sql_delete(Revision).where(
            Revision.org_id == actor.org_id, Revision.object_kind == "memory", Revision.object_id.in_(ids)
        )
    )
    session.execute(sql_delete(Memory).where(Memory.org_id == actor.org_id, Memory.id.in_(ids)))
    for row in rows:
        audit.record(session, actor, "memory.purged", "memory", target_id=row.id, target_user_id=row.user_id)


def _restore(session: Session, actor: Actor, row: Memory) -> None:
    if row.deleted_at is None:
        raise NotVisible
    try:
        # The change belongs inside: a savepoint first flushes what is pending, and that would end the transaction.
        with session.begin_nested():
            row.deleted_at, row.deleted_by, row.delete_batch = None, None, None
            row.embed_due_at = func.now()
            row.version += 1
            session.flush()
    except IntegrityError as error:
        existing = store.find_live(session, row.org_id, row.user_id, row.agent_id, row.content)
        raise Conflict(existing_id=existing) from error
    search.index(session, row)
    counts.became_live(session, row)
    store.unbury(session, runtime().settings.secret_key, row)
    note(session, actor, row, "restored", None)
