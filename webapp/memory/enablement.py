"""The switches org → agent → user, and the one function that says what they come to and why."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import text
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db import binary
from webapp.db.session import transaction
from webapp.errors import NotVisible
from webapp.memory import audit

Level = Literal["installation", "org", "agent", "user"]


@dataclass(frozen=True, slots=True)
class Off:
    """Why something is off: the first level that switched it off, by whom and when where that is known.

    `by_id` is the account that set one of a person's own switches; None for a service and where it is not known.
    """

    level: Level
    reason: str
    by: str | None = None
    since: datetime | None = None
    by_id: int | None = None

    @property
    def sentence(self) -> str:
        """For people: "turned off for the agent by ada"."""
        place = _PLACES[self.reason]
        return f"{place} by {self.by}" if self.by else place


_PLACES = {
    "memory_disabled": "turned off for the whole installation",
    "org_off": "turned off for the organisation",
    "agent_off": "turned off for the agent",
    "agent_archived": "the agent is archived",
    "user_removed": "the person is no longer a member",
    "user_capture_off": "learning is turned off for the person",
    "user_use_off": "use in responses is turned off for the person",
}


@dataclass(frozen=True, slots=True)
class EffectiveState:
    """What the switches come to for one user (and one agent, where given). None means on."""

    capture_off: Off | None
    use_off: Off | None

    @property
    def captures(self) -> bool:
        """Whether conversations are learned from."""
        return self.capture_off is None

    @property
    def uses(self) -> bool:
        """Whether memories are injected."""
        return self.use_off is None


def effective(
    session: Session, org_id: int, user_id: int, agent_id: int | None = None, *, installation_off: bool = False
) -> EffectiveState:
    """The effective state by the rows as they are now; NotVisible when the user or agent is not in the org."""
    found = binary.rows(session, _STATE, {"org": org_id, "user": user_id, "agent": agent_id}, named=True)
    if not found:
        raise NotVisible
    (row,) = found
    shared = _shared_off(row, agent_id, installation_off)
    capture = None if row.auto_capture_enabled else _own_off("capture", row)
    use = None if row.use_memory_in_responses else _own_off("use", row)
    return EffectiveState(shared or capture, shared or use)


def hold_switches(session: Session, org_id: int) -> None:
    """Keep the switches of the org and its agents as they are until this transaction ends; waits for one being changed.

    Taken after the person's lock and before categories and memories. Read the switches by a later statement. It is no
    row lock, because a switch would wait for as long as locks shared by many writers overlap: a minute under load.
    """
    session.execute(_SWITCHES_SHARED, {"org": org_id})


def lock_switches(session: Session, org_id: int) -> None:
    """Before a switch of the org or one of its agents is changed, and before any row is locked: wait for who holds them.

    Once this transaction has committed nothing is written any more under the old switch.
    """
    session.execute(_SWITCHES_ALONE, {"org": org_id})


def shared_off(
    session: Session, org_id: int, agent_id: int | None = None, *, installation_off: bool = False
) -> Off | None:
    """What is off for everyone: of the org, or of one of its agents too. None means on."""
    row = session.execute(_SHARED, {"org": org_id, "agent": agent_id}).one_or_none()
    if row is None:
        raise NotVisible
    return _shared_off(row, agent_id, installation_off)


def _own_off(side: str, row: Any) -> Off:
    by, since, by_id = (getattr(row, f"{side}_changed_{part}") for part in ("by", "at", "by_id"))
    return Off("user", f"user_{side}_off", by, since, by_id)


def capture_offs(actor: Actor, user_ids: Collection[int]) -> dict[int, Off]:
    """Those of these members whose own learning switch is off. For administrators."""
    require(actor, Action.READ_PEOPLE, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        rows = session.execute(_CAPTURE_OFF, {"org": actor.org_id, "users": list(user_ids)})
        return {row.user_id: _own_off("capture", row) for row in rows}


def _shared_off(row: Any, agent_id: int | None, installation_off: bool) -> Off | None:
    if installation_off:
        return Off("installation", "memory_disabled")
    if not row.enable_memsearch:
        return Off("org", "org_off", row.memsearch_changed_by, row.memsearch_changed_at)
    if row.removed_at is not None:
        return Off("user", "user_removed", since=row.removed_at)
    if agent_id is None:
        return None
    if row.archived_at is not None:
        return Off("agent", "agent_archived", since=row.archived_at)
    if not row.enable_memory_component:
        return Off("agent", "agent_off", row.memory_changed_by, row.memory_changed_at)
    return None


def _changed(side: str) -> str:
    """Columns of `membership m`: the name as it is now of who set the switch, else what they were called."""
    name = f"(SELECT coalesce(nullif(full_name, ''), username) FROM account WHERE id = m.{side}_changed_by_id)"
    by = f"coalesce({name}, m.{side}_changed_by) AS {side}_changed_by"
    return f"{by}, m.{side}_changed_at, m.{side}_changed_by_id"


_STATE = f"""
    SELECT o.enable_memsearch, o.memsearch_changed_by, o.memsearch_changed_at,
           m.auto_capture_enabled, m.use_memory_in_responses, m.removed_at, {_changed("capture")}, {_changed("use")},
           a.enable_memory_component, a.memory_changed_by, a.memory_changed_at, a.archived_at
    FROM org o
    JOIN membership m ON m.org_id = o.id AND m.user_id = %(user)s
    LEFT JOIN agent a ON a.org_id = o.id AND a.id = %(agent)s
    WHERE o.id = %(org)s AND (CAST(%(agent)s AS bigint) IS NULL OR a.id IS NOT NULL)
    """


_SHARED = text(
    """
    SELECT o.enable_memsearch, o.memsearch_changed_by, o.memsearch_changed_at, CAST(NULL AS timestamptz) AS removed_at,
           a.enable_memory_component, a.memory_changed_by, a.memory_changed_at, a.archived_at
    FROM org o LEFT JOIN agent a ON a.org_id = o.id AND a.id = :agent
    WHERE o.id = :org AND (CAST(:agent AS bigint) IS NULL OR a.id IS NOT NULL)
    """
)


_CAPTURE_OFF = text(
    f"SELECT m.user_id, {_changed('capture')} FROM membership m "
    "WHERE m.org_id = :org AND m.user_id = ANY(:users) AND NOT m.auto_capture_enabled"
)


_SWITCHES_SHARED = text("SELECT pg_advisory_xact_lock_shared(hashtextextended('switches', :org))")
_SWITCHES_ALONE = text("SELECT pg_advisory_xact_lock(hashtextextended('switches', :org))")


def org_enabled(actor: Actor, *, action: Action = Action.READ_ORG_STATUS) -> bool:
    """Whether memory is on for the org. `action` is READ_ORG_SETTINGS where only admins may ask."""
    require(actor, action, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        found = session.scalar(text("SELECT enable_memsearch FROM org WHERE id = :org"), {"org": actor.org_id})
        return bool(found)


def switch_org(actor: Actor, on: bool) -> bool:
    """The master switch. Off deletes nothing; what is said meanwhile is never learned."""
    require(actor, Action.WRITE_ORG_SETTINGS, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        lock_switches(session, actor.org_id)
        session.execute(
            text(
                "UPDATE org SET enable_memsearch = :on, memsearch_changed_at = now(), memsearch_changed_by = :by "
                "WHERE id = :org AND enable_memsearch <> :on"
            ),
            {"on": on, "by": actor.label, "org": actor.org_id},
        )
        audit.record(session, actor, "org.memory_switched", "org", detail={"enable_memsearch": on})
        return on


def agent_enabled(actor: Actor, agent_id: int, *, user_id: int | None = None) -> bool:
    """Whether memory is on for the agent; `user_id` is whose path it is asked on: everyone may on their own."""
    require(actor, Action.READ_AGENT_SETTINGS, Target(actor.org_id, user_id, agent_id))
    with transaction(actor.org_id) as session:
        return _agent_on(session, actor.org_id, agent_id)


def switch_agent(actor: Actor, agent_id: int, on: bool) -> bool:
    """The agent's switch. Off deletes nothing."""
    require(actor, Action.WRITE_AGENT_SETTINGS, Target(actor.org_id, agent_id=agent_id))
    with transaction(actor.org_id) as session:
        lock_switches(session, actor.org_id)
        _agent_on(session, actor.org_id, agent_id)
        session.execute(
            text(
                "UPDATE agent SET enable_memory_component = :on, memory_changed_at = now(), memory_changed_by = :by, "
                "version = version + 1 WHERE org_id = :org AND id = :agent AND enable_memory_component <> :on"
            ),
            {"on": on, "by": actor.label, "org": actor.org_id, "agent": agent_id},
        )
        audit.record(
            session, actor, "agent.memory_switched", "agent", target_id=agent_id,
            detail={"enable_memory_component": on},
        )  # fmt: skip
        return on


def _agent_on(session: Session, org_id: int, agent_id: int) -> bool:
    found = session.scalar(
        text("SELECT enable_memory_component FROM agent WHERE org_id = :org AND id = :agent"),
        {"org": org_id, "agent": agent_id},
    )
    if found is None:
        raise NotVisible
    return bool(found)
