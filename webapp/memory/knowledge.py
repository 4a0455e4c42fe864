"""Agent knowledge (Shared Memory): written by hand, about no person, delivered to everyone who talks to the agent.

Nothing in capture imports this module: there is no code path from a conversation to agent knowledge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, can, require
from webapp.db import binary
from webapp.db.models import Account, Agent, Knowledge
from webapp.db.session import transaction
from webapp.errors import Conflict, NotVisible, Overtaken
from webapp.memory import audit, content
from webapp.memory.types import AgentRef, KnowledgeView, Page, Person


@dataclass(frozen=True, slots=True)
class Delivery:
    """What of an agent's knowledge fits the budget. `used` and `budget` are in characters."""

    entries: list[KnowledgeView]
    left_out: frozenset[int]
    used: int
    budget: int

    def delivers(self, entry_id: int) -> bool:
        """Whether the entry is injected."""
        return entry_id not in self.left_out


NOTHING = Delivery([], frozenset(), 0, 0)


def list_knowledge(
    actor: Actor,
    agent_id: int,
    *,
    start: datetime | None = None,
    end: datetime | None = None,
    deleted: bool = False,
    page: int = 1,
    size: int = 20,
) -> Page[KnowledgeView]:
    """One page, newest first. `start` is inclusive, `end` exclusive."""
    require(actor, Action.READ_KNOWLEDGE, Target(actor.org_id, agent_id=agent_id))
    chosen: list[ColumnElement[bool]] = [
        Knowledge.org_id == actor.org_id,
        Knowledge.agent_id == agent_id,
        Knowledge.deleted_at.is_not(None) if deleted else Knowledge.deleted_at.is_(None),
    ]
    chosen += [Knowledge.created_at >= start] if start else []
    chosen += [Knowledge.created_at < end] if end else []
    with transaction(actor.org_id) as session:
        count = session.scalar(select(func.count()).select_from(Knowledge).where(*chosen)) or 0
        order = (Knowledge.created_at.desc(), Knowledge.id.desc())
        rows = session.execute(_joined().where(*chosen).order_by(*order).limit(size).offset((page - 1) * size))
        return Page([_view(row) for row in rows], count, page, size)


def get(actor: Actor, agent_id: int, entry_id: int) -> KnowledgeView:
    """One live entry."""
    require(actor, Action.READ_KNOWLEDGE, Target(actor.org_id, agent_id=agent_id))
    with transaction(actor.org_id) as session:
        return _one(session, actor.org_id, agent_id, entry_id)


def add(actor: Actor, agent_id: int, text: str) -> KnowledgeView:
    """Write one entry. Raises Invalid, or Conflict when the agent has this text already."""
    require(actor, Action.WRITE_KNOWLEDGE, Target(actor.org_id, agent_id=agent_id))
    text = content.check(text)
    with transaction(actor.org_id) as session:
        row = session.scalar(
            insert(Knowledge)
            .values(
                org_id=actor.org_id,
                agent_id=agent_id,
                content=text,
                content_hash=content.content_hash(text),
                created_by_id=actor.account_id,
            )
            .on_conflict_do_nothing(
                index_elements=["org_id", "agent_id", "content_hash"], index_where=Knowledge.deleted_at.is_(None)
            )
            .returning(Knowledge)
        )
        if row is None:
            raise Conflict(existing_id=_same(session, actor.org_id, agent_id, text))
        _note(session, actor, row, "created", None)
        return _one(session, actor.org_id, agent_id, row.id)


def edit(
    actor: Actor, agent_id: int, entry_id: int, text: str, *, expected_version: int | None = None
) -> KnowledgeView:
    """Replace an entry's text. Raises Invalid, Overtaken, Conflict with another of the agent's entries."""
    _require_write(actor, agent_id)
    text = content.check(text)
    with transaction(actor.org_id) as session:
        row = _locked(session, actor.org_id, agent_id, entry_id)
        if expected_version is not None and row.version != expected_version:
            raise Overtaken
        if row.content != text:
            before = row.content
            row.content, row.content_hash = text, content.content_hash(text)
            row.version += 1
            row.updated_at = func.now()
            _flush(session)
            _note(session, actor, row, "edited", before)
        return _one(session, actor.org_id, agent_id, entry_id)


def delete(actor: Actor, agent_id: int, entry_id: int, *, expected_version: int | None = None) -> None:
    """Stop delivering an entry at once; it can be restored for a while. Raises Overtaken."""
    _require_write(actor, agent_id)
    with transaction(actor.org_id) as session:
        row = _locked(session, actor.org_id, agent_id, entry_id)
        if expected_version is not None and row.version != expected_version:
            raise Overtaken
        row.deleted_at, row.deleted_by = func.now(), actor.label
        row.version += 1
        session.flush()
        _note(session, actor, row, "deleted", row.content)


def restore(actor: Actor, agent_id: int, entry_id: int) -> KnowledgeView:
    """Deliver a deleted entry again. Raises Conflict when the same text has been written anew."""
    _require_write(actor, agent_id)
    with transaction(actor.org_id) as session:
        row = _locked(session, actor.org_id, agent_id, entry_id, deleted=True)
        row.deleted_at, row.deleted_by = None, None
        row.version += 1
        _flush(session)
        _note(session, actor, row, "restored", None)
        return _one(session, actor.org_id, agent_id, entry_id)


def delivered(session: Session, org_id: int, agent_id: int, budget: int) -> Delivery:
    """What is injected: oldest first; an entry that does not fit is left out whole and the walk goes on."""
    found = binary.rows(session, _DELIVERED, {"org": org_id, "agent": agent_id})
    return within_budget([_view(row) for row in found], budget)


def left_out(actor: Actor, agent_id: int, budget: int) -> frozenset[int]:
    """The entries that reach nobody because they do not fit the budget; measured without reading their texts."""
    return budget_use(actor, agent_id, budget).left_out


def budget_use(actor: Actor, agent_id: int, budget: int) -> Delivery:
    """How much of the budget is used and what it leaves out, without the entries themselves."""
    target = Target(actor.org_id, agent_id=agent_id)
    # Whoever may write is told what does not fit, also a service that may not read.
    if not can(actor, Action.WRITE_KNOWLEDGE, target):
        require(actor, Action.READ_KNOWLEDGE, target)
    live = (Knowledge.org_id == actor.org_id, Knowledge.agent_id == agent_id, Knowledge.deleted_at.is_(None))
    sizes = select(Knowledge.id, func.char_length(Knowledge.content)).where(*live)
    with transaction(actor.org_id) as session:
        rows = session.execute(sizes.order_by(Knowledge.created_at, Knowledge.id)).all()
    over = _over(rows, budget)
    return Delivery([], frozenset(over), sum(size for entry_id, size in rows if entry_id not in over), budget)


def within_budget(entries: Sequence[KnowledgeView], budget: int) -> Delivery:
    """What of these entries, oldest first, fits; the budget is in characters of text."""
    over = _over([(entry.id, len(entry.content)) for entry in entries], budget)
    fits = [entry for entry in entries if entry.id not in over]
    return Delivery(fits, frozenset(over), sum(len(entry.content) for entry in fits), budget)


def _over(sizes: Iterable[tuple[int, int]], budget: int) -> set[int]:
    """The walk itself: the ids that do not fit any more when their turn comes."""
    over, used = set(), 0
    for entry_id, size in sizes:
        if used + size > budget:
            over.add(entry_id)
        else:
            used += size
    return over


def _require_write(actor: Actor, agent_id: int) -> None:
    target = Target(actor.org_id, agent_id=agent_id)
    require(actor, Action.WRITE_KNOWLEDGE, target)


_SHOWN = (
    Knowledge.id, Agent.id, Agent.unique_id, Agent.slug, Agent.name, Knowledge.content,
    Account.id, Account.username, Account.email, Account.full_name,
    Knowledge.version, Knowledge.created_at, Knowledge.updated_at, Knowledge.deleted_at,
)  # fmt: skip


def _joined() -> Select[Any]:
    shown: Select[Any] = select(*_SHOWN)  # type: ignore[assignment]  # it counts only up to ten columns
    return (
        shown.select_from(Knowledge)
        .join(Agent, (Agent.org_id == Knowledge.org_id) & (Agent.id == Knowledge.agent_id))
        .outerjoin(Account, Account.id == Knowledge.created_by_id)
    )


def _view(row: Iterable[Any]) -> KnowledgeView:
    values = tuple(row)
    author = Person(*values[6:10]) if values[6] is not None else None
    return KnowledgeView(values[0], AgentRef(*values[1:5]), values[5], author, *values[10:])


# The same columns, for what every recall asks.
_DELIVERED = """
    SELECT k.id, a.id, a.unique_id, a.slug, a.name, k.content, u.id, u.username, u.email, u.full_name,
           k.version, k.created_at, k.updated_at, k.deleted_at
    FROM knowledge k JOIN agent a ON a.org_id = k.org_id AND a.id = k.agent_id
    LEFT JOIN account u ON u.id = k.created_by_id
    WHERE k.org_id = %(org)s AND k.agent_id = %(agent)s AND k.deleted_at IS NULL ORDER BY k.created_at, k.id
    """


def _one(session: Session, org_id: int, agent_id: int, entry_id: int) -> KnowledgeView:
    chosen = (Knowledge.org_id == org_id, Knowledge.agent_id == agent_id, Knowledge.id == entry_id)
    row = session.execute(_joined().where(*chosen, Knowledge.deleted_at.is_(None))).one_or_none()
    if row is None:
        raise NotVisible
    return _view(row)


def _locked(session: Session, org_id: int, agent_id: int, entry_id: int, *, deleted: bool = False) -> Knowledge:
    row = session.scalar(
        select(Knowledge)
        .where(Knowledge.org_id == org_id, Knowledge.agent_id == agent_id, Knowledge.id == entry_id)
        .with_for_update()
    )
    if row is None or (row.deleted_at is not None) is not deleted:
        raise NotVisible
    return row


def _same(session: Session, org_id: int, agent_id: int, text: str) -> int | None:
    return session.scalar(
        select(Knowledge.id).where(
            Knowledge.org_id == org_id,
            Knowledge.agent_id == agent_id,
            Knowledge.content_hash == content.content_hash(text),
            Knowledge.deleted_at.is_(None),
        )
    )


def _flush(session: Session) -> None:
    try:
        with session.begin_nested():
            session.flush()
    except IntegrityError as error:
        raise Conflict from error


def _note(session: Session, actor: Actor, row: Knowledge, action: str, before: str | None) -> None:
    audit.revise(
        session, actor, "knowledge", row.id, action, version=row.version,
        before={"content": before} if before is not None else None,
        after=None if action == "deleted" else {"content": row.content}, agent_id=row.agent_id,
    )  # fmt: skip
    audit.record(session, actor, f"knowledge.{action}", "knowledge", target_id=row.id)
