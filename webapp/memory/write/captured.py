"""What capture writes: rows that come from a conversation. Every function works in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete as sql_delete
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from webapp.access.actor import Actor, system
from webapp.db.models import Category, Memory
from webapp.llm.embeddings import StoredVector
from webapp.memory import audit, categories, counts, store
from webapp.memory.content import content_hash
from webapp.memory.nearest import nearest
from webapp.memory.types import CategoryView

NEIGHBOURS = 10
LABEL = "capture"


@dataclass(frozen=True, slots=True)
class Source:
    """The exchange that memories come from: whose, with which agent, when it was said and when it was accepted."""

    org_id: int
    user_id: int
    agent_id: int
    exchange_id: int
    session_id: str | None
    occurred_at: datetime
    accepted_at: datetime

    @property
    def actor(self) -> Actor:
        """Who history names."""
        return system(self.org_id, LABEL)


@dataclass(frozen=True, slots=True)
class Fence:
    """What the user's row said under lock. `erased_at` is the time of the last erasure."""

    epoch: int
    erased_at: datetime | None


@dataclass(frozen=True, slots=True)
class Remembered:
    """A live memory as capture compares it. `said_at`: when it was said, or last edited by hand."""

    id: int
    content: str
    agent_id: int | None
    category_slug: str | None
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Captured:
    """A memory to be written. `agent_id` and `category_id` are None together for a global one."""

    content: str
    agent_id: int | None
    category_id: int | None
    evidence: str | None
    vector: StoredVector


def lock_user(session: Session, org_id: int, user_id: int) -> Fence | None:
    """Serialise writes about the user until the transaction ends, and read what fences work off; None: no member.

    Switches are read by a later statement: a row joined to this one under the same wait would be stale.
    """
    return _fence(session, org_id, user_id, "FOR NO KEY UPDATE")


def read_user(session: Session, org_id: int, user_id: int) -> Fence | None:
    """The same without the lock, to find out early."""
    return _fence(session, org_id, user_id, "")


def known_categories(session: Session, org_id: int, agent_id: int) -> list[CategoryView]:
    """The agent's categories by id, inactive ones included; seeds the defaults on its first extraction."""
    categories.seed(session, org_id, agent_id)
    rows = session.scalars(
        select(Category).where(Category.org_id == org_id, Category.agent_id == agent_id).order_by(Category.id)
    )
    return [categories.view(row) for row in rows]


def category_ids(session: Session, org_id: int, agent_id: int) -> Mapping[str, int]:
    """Slug → id of the categories that are active, and stay so until this transaction ends."""
    rows = session.execute(
        select(Category.slug, Category.id)
        .where(Category.org_id == org_id, Category.agent_id == agent_id, Category.is_active)
        .order_by(Category.id)
        .with_for_update(read=True)
    )
    return {row.slug: row.id for row in rows}


def near(session: Session, source: Source, model: str, vector: StoredVector) -> list[tuple[Remembered, float]]:
    """The user's nearest live memories, global or of this agent, with their cosine distance, nearest first."""
    found = {
        one.memory_id: one.distance
        for agent_id in (None, source.agent_id)
        for one in nearest(session, source.org_id, source.user_id, agent_id, model, vector, NEIGHBOURS)
    }
    closest = sorted(found, key=lambda memory_id: (found[memory_id], memory_id))[:NEIGHBOURS]
    return [(one, found[one.id]) for one in remembered(session, source.org_id, source.user_id, closest)]


def remembered(session: Session, org_id: int, user_id: int, memory_ids: Sequence[int]) -> list[Remembered]:
    """These memories as far as they are live, in the order given."""
    if not memory_ids:
        return []
    rows = session.execute(_REMEMBERED.where(
        Memory.org_id == org_id, Memory.user_id == user_id, Memory.id.in_(memory_ids), store.LIVE
    ))  # fmt: skip
    found = {row.id: Remembered(*row) for row in rows}
    return [found[memory_id] for memory_id in memory_ids if memory_id in found]


def live_texts(session: Session, source: Source) -> list[tuple[int, str]]:
    """Id and text of every live memory that this agent may recall about the user."""
    rows = session.execute(
        select(Memory.id, Memory.content)
        .where(Memory.org_id == source.org_id, Memory.user_id == source.user_id, store.LIVE)
        .where((Memory.agent_id == source.agent_id) | Memory.agent_id.is_(None))
        .order_by(Memory.id)
    )
    return [(row.id, row.content) for row in rows]


def find_same(session: Session, source: Source, content: str) -> int | None:
    """The live memory with the same normalised text, global or of this agent."""
    return session.scalar(
        select(Memory.id)
        .where(Memory.org_id == source.org_id, Memory.user_id == source.user_id, store.LIVE)
        .where((Memory.agent_id == source.agent_id) | Memory.agent_id.is_(None))
        .where(Memory.content_hash == content_hash(content))
        .limit(1)
    )


def add(session: Session, source: Source, new: Captured, *, model: str, secret_key: str) -> int | None:
    """Write one memory with its vector; None when it was deleted after the exchange was said or accepted.

    Raises LookupError when a live memory of this scope has the same text: the unique index decides.
    """
    memory_id = store.insert_memory(session, store.NewMemory(
        org_id=source.org_id,
        user_id=source.user_id,
        content=new.content,
        origin="captured",
        agent_id=new.agent_id,
        category_id=new.category_id,
        source_session_id=source.session_id,
        source_exchange_id=source.exchange_id,
        evidence=new.evidence,
        occurred_at=source.occurred_at,
    ))  # fmt: skip
    if memory_id is None:
        raise LookupError
    # Looked for only now: a deletion that ran while the insert waited for it has left its tombstone meanwhile.
    if _buried(session, source, new.content, secret_key):
        taken_back = sql_delete(Memory).where(Memory.org_id == source.org_id, Memory.id == memory_id).returning(Memory)
        counts.no_longer_live(session, session.scalars(taken_back).one())
        return None
    store.put_vector(session, source.org_id, source.user_id, memory_id, new.agent_id, model, new.vector)
    return memory_id


def supersede(session: Session, source: Source, old: Remembered, new_id: int) -> bool:
    """Close an older memory in favour of a newer one, with a revision. False when it is no longer live."""
    if not store.supersede(session, source.org_id, source.user_id, old.id, new_id):
        return False
    version = session.scalar(select(Memory.version).where(Memory.org_id == source.org_id, Memory.id == old.id)) or 0
    state = {"content": old.content, "category": old.category_slug}
    audit.revise(
        session, source.actor, "memory", old.id, "superseded",
        version=version, before=state, after={"superseded_by": new_id}, user_id=source.user_id, agent_id=old.agent_id,
    )  # fmt: skip
    return True


def forget(session: Session, source: Source, ids: Sequence[int], batch: UUID, *, secret_key: str) -> int:
    """Delete live memories because the user asked for it in the conversation: restorable, and not to be relearned."""
    chosen = select(Memory).where(
        Memory.org_id == source.org_id, Memory.user_id == source.user_id, Memory.id.in_(ids), store.LIVE
    )
    rows = list(session.scalars(chosen.order_by(Memory.id).with_for_update()))
    before = [{"content": row.content} for row in rows]
    store.mark_deleted(session, source.org_id, rows, LABEL, batch)
    store.bury(session, secret_key, rows)
    for row, state in zip(rows, before, strict=True):
        audit.revise(
            session, source.actor, "memory", row.id, "deleted",
            version=row.version, before=state, user_id=row.user_id, agent_id=row.agent_id,
        )  # fmt: skip
        audit.record(
            session, source.actor, "memory.deleted", "memory", target_id=row.id, target_user_id=row.user_id,
            detail={"asked_in_exchange": source.exchange_id},
        )  # fmt: skip
    return len(rows)


def _fence(session: Session, org_id: int, user_id: int, lock: str) -> Fence | None:
    row = session.execute(
        text(f"SELECT epoch, erased_at FROM membership WHERE org_id = :org AND user_id = :user {lock}"),
        {"org": org_id, "user": user_id},
    ).one_or_none()
    return Fence(row.epoch, row.erased_at) if row else None


def _buried(session: Session, source: Source, content: str, secret_key: str) -> bool:
    return store.buried(
        session,
        secret_key,
        source.org_id,
        source.user_id,
        content,
        accepted_at=source.accepted_at,
        occurred_at=source.occurred_at,
    )


_SAID_AT = func.greatest(
    Memory.occurred_at, func.coalesce(func.nullif(Memory.updated_at, Memory.created_at), Memory.occurred_at)
)
_REMEMBERED = select(Memory.id, Memory.content, Memory.agent_id, Category.slug, _SAID_AT).outerjoin(
    Category, (Category.org_id == Memory.org_id) & (Category.id == Memory.category_id)
)
