"""What a list of memories is narrowed to, and what of it the caller may see, as conditions of the query itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import ColumnElement, func, select

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, can
from webapp.db.models import Account, Agent, Category, Memory
from webapp.directory.references import matches_agent, people_named
from webapp.memory.store import LIVE
from webapp.memory.types import Scope
from webapp.memory.words import word_query

State = Literal["live", "deleted", "superseded"]


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """What a list is narrowed to; None means any. `start` is inclusive, `end` exclusive. `text` is a literal substring
    of one user's memories; over a whole agent it is words or their beginnings.

    `person` is a whole id or e-mail, or part of names and e-mails: then everybody like it. What matches nothing gives
    an empty list.
    """

    scope: Scope | None = None
    user_id: int | None = None
    person: str | None = None
    email: str | None = None
    agent_id: int | None = None
    agent: str | None = None
    category_slug: str | None = None
    session_id: str | None = None
    text: str | None = None
    origin: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    state: State = "live"
    batch: str | None = None


def readable(actor: Actor, wanted: MemoryFilter | None = None) -> ColumnElement[bool]:
    """The rows that `actor` may read, as a condition, by the same policy that verbs ask.

    Where `wanted` lies within them anyway, nothing is added: one plain condition is what an index answers best.
    """
    agents = _readable_agents(actor)
    me = -1 if actor.account_id is None else actor.account_id
    within = wanted is not None and (wanted.user_id == me or wanted.agent_id in agents)
    if within or can(actor, Action.READ_GLOBAL, Target(actor.org_id)):
        return Memory.org_id == actor.org_id
    own = Memory.user_id == me
    return own | Memory.agent_id.in_(agents) if agents else own


def is_whole_agent(actor: Actor, wanted: MemoryFilter) -> bool:
    """Whether this is all that an agent holds, or a category of it, and `actor` may read all of that: then it is
    counted already.
    """
    plain = MemoryFilter(scope="agent", agent_id=wanted.agent_id, category_slug=wanted.category_slug)
    if wanted.agent_id is None or wanted != plain:
        return False
    return wanted.agent_id in _readable_agents(actor) or can(actor, Action.READ_GLOBAL, Target(actor.org_id))


def _readable_agents(actor: Actor) -> list[int]:
    return [
        agent_id
        for agent_id in actor.agent_roles
        if can(actor, Action.READ_AGENT_MEMORY, Target(actor.org_id, agent_id=agent_id))
    ]


def conditions(org_id: int, wanted: MemoryFilter) -> list[ColumnElement[bool]]:
    """On columns of the memory alone, so that counting joins nothing."""
    states = {
        "live": LIVE,
        "deleted": Memory.deleted_at.is_not(None),
        "superseded": Memory.superseded_at.is_not(None) & Memory.deleted_at.is_(None),
    }
    found = [Memory.org_id == org_id, states[wanted.state]]
    if wanted.scope is not None and wanted.agent_id is None:
        found.append(Memory.agent_id.is_(None) if wanted.scope == "global" else Memory.agent_id.is_not(None))
    if wanted.text:
        found.append(_holds_text(wanted, wanted.text))
    equal = {
        Memory.user_id: wanted.user_id,
        Memory.agent_id: wanted.agent_id,
        Memory.source_session_id: wanted.session_id,
        Memory.origin: wanted.origin,
        Memory.delete_batch: wanted.batch,
    }
    found += [column == value for column, value in equal.items() if value is not None]
    found += [Memory.created_at >= wanted.start] if wanted.start else []
    found += [Memory.created_at < wanted.end] if wanted.end else []
    return found + _by_name(org_id, wanted)


def _holds_text(wanted: MemoryFilter, typed: str) -> ColumnElement[bool]:
    """The literal text within one user's rows, which are few; over a whole agent its words, by their index."""
    of_agent = wanted.agent_id is not None and wanted.user_id is None and not wanted.person and not wanted.email
    words = word_query(typed) if of_agent and wanted.state == "live" else None
    if words is None:
        return Memory.content.icontains(typed, autoescape=True)
    return Memory.id.in_(select(func.agent_memories_with(wanted.agent_id, words).column_valued("id")))


def _by_name(org_id: int, wanted: MemoryFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.person:
        conditions.append(Memory.user_id.in_(people_named(org_id, wanted.person)))
    if wanted.email:
        found = select(Account.id).where(func.lower(Account.email) == wanted.email.strip().lower()).scalar_subquery()
        conditions.append(Memory.user_id == found)
    if wanted.agent:
        agent = select(Agent.id).where(Agent.org_id == org_id, matches_agent(wanted.agent)).scalar_subquery()
        conditions.append(Memory.agent_id == agent)
    if wanted.category_slug:
        filed = select(Category.id).where(Category.org_id == org_id, Category.slug == wanted.category_slug)
        one = None if wanted.agent_id is None else filed.where(Category.agent_id == wanted.agent_id).scalar_subquery()
        conditions.append(Memory.category_id.in_(filed) if one is None else Memory.category_id == one)
    return conditions
