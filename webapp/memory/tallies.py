"""How much is remembered: counts beside people and agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, literal, select, text

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.models import Agent, Memory
from webapp.db.session import transaction
from webapp.memory.queries import readable
from webapp.memory.store import LIVE

# Beyond this a list says "more than": counting on would take longer than the page.
MOST = 5_000


@dataclass(frozen=True, slots=True)
class UserTally:
    """A user's live global memories, and when something was last captured about them, for any agent."""

    global_memories: int = 0
    last_captured: datetime | None = None


@dataclass(frozen=True, slots=True)
class Reach:
    """Whom the master switch affects: agents with memory on, and members."""

    agents: int
    users: int


def per_user(actor: Actor, user_ids: Sequence[int]) -> dict[int, UserTally]:
    """The tally of each of these members; an admin's business."""
    require(actor, Action.READ_PEOPLE, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        rows = session.execute(_PER_USER, {"org": actor.org_id, "users": list(user_ids)})
        return {row.user_id: UserTally(row.memories, row.last_captured) for row in rows}


@dataclass(frozen=True, slots=True)
class AgentTally:
    """How much one agent remembers about a user."""

    slug: str
    name: str
    memories: int


def of_user(actor: Actor, user_id: int) -> list[AgentTally]:
    """The agents that remember something about this user and that the reader may read, by name."""
    count = func.count().label("memories")
    chosen = (
        select(Agent.slug, Agent.name, count)
        .join(Memory, (Memory.org_id == Agent.org_id) & (Memory.agent_id == Agent.id))
        .where(Memory.org_id == actor.org_id, Memory.user_id == user_id, LIVE, readable(actor))
        .group_by(Agent.id, Agent.slug, Agent.name)
        .order_by(func.lower(Agent.name), Agent.id)
    )
    with transaction(actor.org_id) as session:
        return [AgentTally(*row) for row in session.execute(chosen)]


def per_agent(actor: Actor, agent_ids: Sequence[int]) -> dict[int, int]:
    """How many live memories of each of these agents the reader may read, counted as far as MOST and one more."""
    mine = (Memory.org_id == actor.org_id, Memory.agent_id == Agent.id, LIVE, readable(actor))
    counted = select(literal(1)).where(*mine).limit(MOST + 1).correlate(Agent).subquery()
    count = select(func.count()).select_from(counted).scalar_subquery()
    with transaction(actor.org_id) as session:
        rows = session.execute(select(Agent.id, count).where(Agent.org_id == actor.org_id, Agent.id.in_(agent_ids)))
        return {agent_id: counted_so_far for agent_id, counted_so_far in rows}  # noqa: C416  a Row is no pair to dict()


def reach(actor: Actor) -> Reach:
    """What the master switch of the org affects."""
    require(actor, Action.READ_ORG_SETTINGS, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        return Reach(*session.execute(_REACH, {"org": actor.org_id}).one())


# One walk along the index per user, and one step back in time for the last capture.
_PER_USER = text(
    """
    SELECT u.id AS user_id,
           (SELECT count(*) FROM memory m WHERE m.org_id = :org AND m.user_id = u.id AND m.agent_id IS NULL
              AND m.deleted_at IS NULL AND m.superseded_at IS NULL) AS memories,
           (SELECT i.done_at FROM inbox i WHERE i.org_id = :org AND i.user_id = u.id AND i.state = 'done'
              AND i.created > 0 ORDER BY i.id DESC LIMIT 1) AS last_captured
    FROM unnest(CAST(:users AS bigint[])) AS u(id)
    """
)
_REACH = text(
    """
    SELECT (SELECT count(*) FROM agent WHERE org_id = :org AND enable_memory_component AND archived_at IS NULL),
           (SELECT count(*) FROM membership WHERE org_id = :org AND removed_at IS NULL)
    """
)
