"""Every read of memories for lists, counts and history. What the caller may see is part of the query itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeVar

from sqlalchemy import ColumnElement, Row, Select, func, or_, select
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, can
from webapp.db.models import Account, Agent, Category, Memory, Revision
from webapp.db.session import transaction
from webapp.errors import NotVisible
from webapp.memory.store import LIVE
from webapp.memory.types import AgentRef, CategoryRef, MemoryView, Page, Person, Scope

State = Literal["live", "deleted", "superseded"]
Query = TypeVar("Query", bound=Select[*tuple[Any, ...]])


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """What a list is narrowed to; None means any. `start` is inclusive, `end` exclusive. `text` is a literal substring."""

    scope: Scope | None = None
    user_id: int | None = None
    email: str | None = None
    agent_id: int | None = None
    category_slug: str | None = None
    session_id: str | None = None
    text: str | None = None
    origin: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    state: State = "live"
    batch: str | None = None


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


def list_memories(actor: Actor, wanted: MemoryFilter, *, page: int = 1, size: int = 20) -> Page[MemoryView]:
    """One page, newest first, of what `actor` may read. Two queries, whatever the size."""
    with transaction(actor.org_id) as session:
        conditions = [*_conditions(actor.org_id, wanted), readable(actor)]
        count = session.scalar(_joined(select(func.count(Memory.id))).where(*conditions)) or 0
        order = (Memory.created_at.desc(), Memory.id.desc())
        chosen = view_query().where(*conditions).order_by(*order).limit(size).offset((page - 1) * size)
        return Page([view(row) for row in session.execute(chosen)], count, page, size)


def get_memory(actor: Actor, memory_id: int) -> MemoryView:
    """One memory in any state; NotVisible when there is none that the caller may read."""
    with transaction(actor.org_id) as session:
        return load_view(session, actor, memory_id)


def load_view(session: Session, actor: Actor, memory_id: int) -> MemoryView:
    """The same inside a transaction that is already open."""
    found = view_query().where(Memory.org_id == actor.org_id, Memory.id == memory_id, readable(actor))
    row = session.execute(found).one_or_none()
    if row is None:
        raise NotVisible
    return view(row)


def history(actor: Actor, memory_id: int) -> list[Change]:
    """Every revision of a memory the caller may read, newest first, and those of what it superseded."""
    with transaction(actor.org_id) as session:
        load_view(session, actor, memory_id)
        replaced = select(Memory.id).where(Memory.org_id == actor.org_id, Memory.superseded_by_id == memory_id)
        rows = session.scalars(
            select(Revision)
            .where(
                Revision.org_id == actor.org_id,
                Revision.object_kind == "memory",
                or_(Revision.object_id == memory_id, Revision.object_id.in_(replaced)),
            )
            .order_by(Revision.id.desc())
        )
        return [
            Change(row.id, row.action, row.version, row.before, row.after, row.actor_label, row.how, row.at)
            for row in rows
        ]


def readable(actor: Actor) -> ColumnElement[bool]:
    """The rows that `actor` may read, as a condition, by the same policy that verbs ask."""
    everything = can(actor, Action.READ_GLOBAL, Target(actor.org_id))
    if everything:
        return Memory.org_id == actor.org_id
    readable_agents = [
        agent_id
        for agent_id in actor.agent_roles
        if can(actor, Action.READ_AGENT_MEMORY, Target(actor.org_id, agent_id=agent_id))
    ]
    own = Memory.user_id == (actor.account_id if actor.account_id is not None else -1)
    return own | Memory.agent_id.in_(readable_agents) if readable_agents else own


def view_query() -> Select[Memory, Account, Agent | None, Category | None]:
    """Memories with whom and what they are about, for `view`."""
    return _joined(select(Memory, Account, Agent, Category))


def view(row: Row[Memory, Account, Agent | None, Category | None]) -> MemoryView:
    """One row of `view_query` as a value."""
    memory, account, agent, category = row
    return MemoryView(
        id=memory.id,
        content=memory.content,
        user=person(account),
        agent=AgentRef(agent.id, agent.unique_id, agent.slug, agent.name) if agent else None,
        category=CategoryRef(category.id, category.name, category.slug, category.is_active) if category else None,
        origin=memory.origin,  # type: ignore[arg-type]  # a check constraint holds it to Origin
        source_session_id=memory.source_session_id,
        source_exchange_id=memory.source_exchange_id,
        occurred_at=memory.occurred_at,
        version=memory.version,
        edited_by=memory.edited_by,
        created_at=memory.created_at,
        updated_at=memory.updated_at,
        deleted_at=memory.deleted_at,
        superseded_at=memory.superseded_at,
    )


def person(account: Account) -> Person:
    """An account as shown beside what is remembered."""
    return Person(account.id, account.username, account.email, account.full_name)


def views_by_id(session: Session, org_id: int, ids: Sequence[int]) -> dict[int, MemoryView]:
    """These memories by id, for callers that have already decided who may read them."""
    rows = session.execute(view_query().where(Memory.org_id == org_id, Memory.id.in_(ids)))
    return {found.id: found for found in map(view, rows)}


def _joined(query: Query) -> Query:
    return (
        query.select_from(Memory)
        .join(Account, Account.id == Memory.user_id)
        .outerjoin(Agent, (Agent.org_id == Memory.org_id) & (Agent.id == Memory.agent_id))
        .outerjoin(Category, (Category.org_id == Memory.org_id) & (Category.id == Memory.category_id))
    )


def _conditions(org_id: int, wanted: MemoryFilter) -> list[ColumnElement[bool]]:
    states = {
        "live": LIVE,
        "deleted": Memory.deleted_at.is_not(None),
        "superseded": Memory.superseded_at.is_not(None) & Memory.deleted_at.is_(None),
    }
    conditions = [Memory.org_id == org_id, states[wanted.state]]
    if wanted.scope is not None:
        conditions.append(Memory.agent_id.is_(None) if wanted.scope == "global" else Memory.agent_id.is_not(None))
    if wanted.text:
        conditions.append(Memory.content.icontains(wanted.text, autoescape=True))
    if wanted.email:
        conditions.append(func.lower(Account.email) == wanted.email.strip().lower())
    equal = {
        Memory.user_id: wanted.user_id,
        Memory.agent_id: wanted.agent_id,
        Category.slug: wanted.category_slug,
        Memory.source_session_id: wanted.session_id,
        Memory.origin: wanted.origin,
        Memory.delete_batch: wanted.batch,
    }
    conditions += [column == value for column, value in equal.items() if value is not None]
    conditions += [Memory.created_at >= wanted.start] if wanted.start else []
    conditions += [Memory.created_at < wanted.end] if wanted.end else []
    return conditions


def count_by_category(actor: Actor, wanted: MemoryFilter) -> dict[int, int]:
    """Live memories per category id that the caller may read, under the other filters."""
    with transaction(actor.org_id) as session:
        rows = session.execute(
            _joined(select(Memory.category_id, func.count(Memory.id)))
            .where(*_conditions(actor.org_id, wanted), readable(actor), Memory.category_id.is_not(None))
            .group_by(Memory.category_id)
        )
        return {row[0]: row[1] for row in rows if row[0] is not None}


def newest_per_category(actor: Actor, wanted: MemoryFilter, *, limit: int = 100) -> list[MemoryView]:
    """At most `limit` memories of each category, by category id and then newest first: API row 6."""
    with transaction(actor.org_id) as session:
        rank = func.row_number().over(
            partition_by=Memory.category_id, order_by=[Memory.created_at.desc(), Memory.id.desc()]
        )
        ranked = (
            _joined(select(Memory.id, rank.label("place")))
            .where(*_conditions(actor.org_id, wanted), readable(actor), Memory.category_id.is_not(None))
            .subquery()
        )
        rows = session.execute(
            view_query()
            .join(ranked, ranked.c.id == Memory.id)
            .where(Memory.org_id == actor.org_id, ranked.c.place <= limit)
            .order_by(Memory.category_id, Memory.created_at.desc(), Memory.id.desc())
        )
        return [view(row) for row in rows]
