"""Every read of memories for lists, counts and history. What the caller may see is part of the query itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select, true
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.db import binary
from webapp.db.models import Category, Memory, Revision
from webapp.db.session import transaction
from webapp.errors import NotVisible
from webapp.memory import audit, counts, filters
from webapp.memory.filters import MemoryFilter as MemoryFilter
from webapp.memory.filters import readable as readable
from webapp.memory.store import lineage
from webapp.memory.types import AgentRef, CategoryRef, MemoryView, Page, Person


@dataclass(frozen=True, slots=True)
class Change:
    """One revision as history shows it."""

    id: int
    action: str
    version: int
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    actor_label: str
    how: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Group:
    """A category's newest memories, newest first, and how many there are in all."""

    category: CategoryRef
    count: int
    memories: list[MemoryView]


def list_memories(
    actor: Actor, wanted: MemoryFilter, *, page: int = 1, size: int = 20, count: int | None = None
) -> Page[MemoryView]:
    """One page, newest first, of what `actor` may read. The number of queries does not depend on the size.

    `count` where the caller knows how many match, to be spared the counting.
    """
    with transaction(actor.org_id) as session:
        conditions = [*filters.conditions(actor.org_id, wanted), readable(actor, wanted)]
        if count is None:
            count = _count(session, actor, wanted, conditions)
        newest = Memory.deleted_at if wanted.state == "deleted" else Memory.created_at
        # The page's ids first: a sort over wide joined rows would carry every text of the list.
        ids = select(Memory.id).where(*conditions).order_by(newest.desc(), Memory.id.desc())
        chosen = session.scalars(ids.limit(size).offset((page - 1) * size)).all() if count else []
        found = _views(session, actor.org_id, chosen)
        _note_reading(session, actor, found)
        return Page(found, count, page, size)


def matching_ids(actor: Actor, wanted: MemoryFilter, *, limit: int) -> list[int]:
    """The ids of everything that matches, up to `limit`: for acting on all of it, whatever page is shown."""
    with transaction(actor.org_id) as session:
        conditions = [*filters.conditions(actor.org_id, wanted), readable(actor, wanted)]
        return list(session.scalars(select(Memory.id).where(*conditions).order_by(Memory.id).limit(limit)))


def list_grouped(actor: Actor, wanted: MemoryFilter, *, limit: int = 100) -> list[Group]:
    """The categories that hold memories, by id, each with at most `limit` of them: API row 6."""
    with transaction(actor.org_id) as session:
        conditions = [*filters.conditions(actor.org_id, wanted), readable(actor, wanted)]
        held = _counts(session, actor, wanted, conditions)
        groups: dict[int, list[MemoryView]] = {category_id: [] for category_id in held}
        ids = session.scalars(_newest(actor.org_id, conditions, list(held), limit)).all()
        for found in _views(session, actor.org_id, ids):
            groups[found.category.id].append(found)  # type: ignore[union-attr]  # it was filed under one
        _note_reading(session, actor, [each for found in groups.values() for each in found])
    return [
        Group(found[0].category, held[category_id], found)
        for category_id, found in groups.items()
        if found and found[0].category
    ]


def get_memory(actor: Actor, memory_id: int) -> MemoryView:
    """One memory in any state; NotVisible when there is none that the caller may read."""
    with transaction(actor.org_id) as session:
        found = load_view(session, actor, memory_id)
        _note_reading(session, actor, [found])
        return found


def get_live(actor: Actor, memory_id: int, place: MemoryFilter) -> MemoryView:
    """One live memory that lies where a path says it does; else NotVisible. Where it lies never changes."""
    with transaction(actor.org_id) as session:
        conditions = [*filters.conditions(actor.org_id, place), readable(actor, place)]
        found = _one(session, actor.org_id, memory_id, *conditions)
        _note_reading(session, actor, [found])
        return found


def require_place(actor: Actor, memory_id: int, place: MemoryFilter) -> None:
    """The same for callers about to change it: raises NotVisible unless it lies there. Their verb decides who may."""
    with transaction(actor.org_id) as session:
        conditions = [*filters.conditions(actor.org_id, place), Memory.id == memory_id]
        if session.scalar(select(Memory.id).where(*conditions)) is None:
            raise NotVisible


def load_view(session: Session, actor: Actor, memory_id: int) -> MemoryView:
    """One memory in any state inside a transaction that is already open; NotVisible as `get_memory`."""
    return _one(session, actor.org_id, memory_id, Memory.org_id == actor.org_id, readable(actor))


def _one(session: Session, org_id: int, memory_id: int, *conditions: ColumnElement[bool]) -> MemoryView:
    found = session.scalars(select(Memory.id).where(*conditions, Memory.id == memory_id)).all()
    views = _views(session, org_id, found)
    if not views:
        raise NotVisible
    return views[0]


def history(actor: Actor, memory_id: int) -> list[Change]:
    """Every revision of a memory the caller may read, newest first, and those of what it superseded."""
    with transaction(actor.org_id) as session:
        _note_reading(session, actor, [load_view(session, actor, memory_id)])
        line = lineage(session, actor.org_id, memory_id)
        rows = session.scalars(
            select(Revision)
            .where(
                Revision.org_id == actor.org_id,
                Revision.object_kind == "memory",
                Revision.object_id.in_(line),
            )
            .order_by(Revision.id.desc())
        )
        return [
            Change(row.id, row.action, row.version, row.before, row.after, row.actor_label, row.how, row.at)
            for row in rows
        ]


def views_by_id(session: Session, org_id: int, ids: Sequence[int]) -> dict[int, MemoryView]:
    """These memories by id, for callers that have already decided who may read them."""
    return {row[0]: _view(row) for row in binary.rows(session, _VIEWS, {"org": org_id, "ids": list(ids)})}


def _views(session: Session, org_id: int, ids: Sequence[int]) -> list[MemoryView]:
    found = views_by_id(session, org_id, ids) if ids else {}
    return [found[memory_id] for memory_id in ids if memory_id in found]


def _view(values: tuple[Any, ...]) -> MemoryView:
    agent, category = values[6:10], values[10:14]
    about = (
        Person(*values[2:6]),
        AgentRef(*agent) if agent[0] is not None else None,
        CategoryRef(*category) if category[0] is not None else None,
    )
    return MemoryView(*(values[:2] + about + values[14:]))


# Memories with whom and what they are about: the columns that are shown and no others, in the order of `MemoryView`.
# Every list and every recall ends here.
_VIEWS = """
    SELECT m.id, m.content, u.id, u.username, u.email, u.full_name, a.id, a.unique_id, a.slug, a.name,
           c.id, c.name, c.slug, c.is_active, m.origin, m.source_session_id, m.source_exchange_id, m.occurred_at,
           m.version, m.edited_by, m.created_at, m.updated_at, m.deleted_at, m.superseded_at
    FROM memory m JOIN account u ON u.id = m.user_id
    LEFT JOIN agent a ON a.org_id = m.org_id AND a.id = m.agent_id
    LEFT JOIN category c ON c.org_id = m.org_id AND c.id = m.category_id
    WHERE m.org_id = %(org)s AND m.id = ANY(%(ids)s)
    """


def count_by_category(actor: Actor, wanted: MemoryFilter) -> dict[int, int]:
    """Live memories per category id that the caller may read, under the other filters."""
    with transaction(actor.org_id) as session:
        conditions = [*filters.conditions(actor.org_id, wanted), readable(actor, wanted)]
        return _counts(session, actor, wanted, conditions)


def _count(session: Session, actor: Actor, wanted: MemoryFilter, conditions: Sequence[ColumnElement[bool]]) -> int:
    if filters.is_whole_agent(actor, wanted):
        return sum(_counts(session, actor, wanted, conditions).values())
    return session.scalar(select(func.count()).select_from(Memory).where(*conditions)) or 0


def _counts(
    session: Session, actor: Actor, wanted: MemoryFilter, conditions: Sequence[ColumnElement[bool]]
) -> dict[int, int]:
    if filters.is_whole_agent(actor, wanted):
        assert wanted.agent_id is not None
        return counts.of_agent(session, actor.org_id, wanted.agent_id, wanted.category_slug)
    rows = session.execute(
        select(Memory.category_id, func.count())
        .where(*conditions, Memory.category_id.is_not(None))
        .group_by(Memory.category_id)
        .order_by(Memory.category_id)
    )
    return {row[0]: row[1] for row in rows if row[0] is not None}


def _newest(
    org_id: int, conditions: Sequence[ColumnElement[bool]], category_ids: Sequence[int], limit: int
) -> Select[int]:
    """The ids of at most `limit` of each category, newest first, by one walk along the index per category."""
    filed = Category.__table__.alias("filed")
    newest = (
        select(Memory.id, Memory.created_at)
        .where(*conditions, Memory.category_id == filed.c.id)
        .order_by(Memory.created_at.desc(), Memory.id.desc())
        .limit(limit)
        .lateral("newest")
    )
    ids = select(newest.c.id).select_from(filed.join(newest, true()))
    ids = ids.where(filed.c.org_id == org_id, filed.c.id.in_(category_ids))
    return ids.order_by(filed.c.id, newest.c.created_at.desc(), newest.c.id.desc())


def _note_reading(session: Session, actor: Actor, found: Sequence[MemoryView]) -> None:
    audit.record_reading(session, actor, {each.user.id for each in found})
