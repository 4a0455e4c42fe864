"""The switches org → agent → user, and the one function that says what they come to and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.session import transaction
from webapp.errors import Invalid, NotVisible
from webapp.memory import audit

Level = Literal["installation", "org", "agent", "user"]


@dataclass(frozen=True, slots=True)
class Off:
    """Why something is off: the first level that switched it off, by whom and when where that is known."""

    level: Level
    reason: str
    by: str | None = None
    since: datetime | None = None

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
    "user_capture_off": "learning is turned off by the person",
    "user_use_off": "use in responses is turned off by the person",
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


@dataclass(frozen=True, slots=True)
class UserSettings:
    """A user's own two switches. `updated_at` is None while nothing was ever saved."""

    auto_capture_enabled: bool
    use_memory_in_responses: bool
    updated_at: datetime | None


def effective(
    session: Session, org_id: int, user_id: int, agent_id: int | None = None, *, installation_off: bool = False
) -> EffectiveState:
    """The effective state by the rows as they are now; NotVisible when the user or agent is not in the org."""
    row = session.execute(_STATE, {"org": org_id, "user": user_id, "agent": agent_id}).one_or_none()
    if row is None:
        raise NotVisible
    shared = _shared_off(row, agent_id, installation_off)
    capture = shared or (None if row.auto_capture_enabled else Off("user", "user_capture_off"))
    use = shared or (None if row.use_memory_in_responses else Off("user", "user_use_off"))
    return EffectiveState(capture, use)


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


def _shared_off(row: Row[tuple[object, ...]], agent_id: int | None, installation_off: bool) -> Off | None:
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


_STATE = text(
    """
    SELECT o.enable_memsearch, o.memsearch_changed_by, o.memsearch_changed_at,
           m.auto_capture_enabled, m.use_memory_in_responses, m.removed_at,
           a.enable_memory_component, a.memory_changed_by, a.memory_changed_at, a.archived_at
    FROM org o
    JOIN membership m ON m.org_id = o.id AND m.user_id = :user
    LEFT JOIN agent a ON a.org_id = o.id AND a.id = :agent
    WHERE o.id = :org AND (CAST(:agent AS bigint) IS NULL OR a.id IS NOT NULL)
    """
)


_SHARED = text(
    """
    SELECT o.enable_memsearch, o.memsearch_changed_by, o.memsearch_changed_at, CAST(NULL AS timestamptz) AS removed_at,
           a.enable_memory_component, a.memory_changed_by, a.memory_changed_at, a.archived_at
    FROM org o LEFT JOIN agent a ON a.org_id = o.id AND a.id = :agent
    WHERE o.id = :org AND (CAST(:agent AS bigint) IS NULL OR a.id IS NOT NULL)
    """
)


_SWITCHES_SHARED = text("SELECT pg_advisory_xact_lock_shared(hashtextextended('switches', :org))")
_SWITCHES_ALONE = text("SELECT pg_advisory_xact_lock(hashtextextended('switches', :org))")


def read_settings(actor: Actor, user_id: int) -> UserSettings:
    """A user's two switches."""
    require(actor, Action.READ_USER_SETTINGS, Target(actor.org_id, user_id))
    with transaction(actor.org_id) as session:
        return _settings(session, actor.org_id, user_id)


def change_settings(
    actor: Actor, user_id: int, *, auto_capture: bool | None = None, use_in_responses: bool | None = None
) -> UserSettings:
    """Set the switches that are given. Raises Invalid when none is. Deletes nothing."""
    if auto_capture is None and use_in_responses is None:
        raise Invalid("Send at least one of auto_capture_enabled, use_memory_in_responses.")
    require(actor, Action.WRITE_USER_SETTINGS, Target(actor.org_id, user_id))
    with transaction(actor.org_id) as session:
        before = _settings(session, actor.org_id, user_id)
        session.execute(
            text(
                "UPDATE membership SET auto_capture_enabled = coalesce(:capture, auto_capture_enabled), "
                "use_memory_in_responses = coalesce(:use, use_memory_in_responses), settings_updated_at = now() "
                "WHERE org_id = :org AND user_id = :user"
            ),
            {"capture": auto_capture, "use": use_in_responses, "org": actor.org_id, "user": user_id},
        )
        after = _settings(session, actor.org_id, user_id)
        audit.record(session, actor, "settings.changed", "user", target_user_id=user_id, detail=_changes(before, after))
        return after


def _settings(session: Session, org_id: int, user_id: int) -> UserSettings:
    row = session.execute(
        text(
            "SELECT auto_capture_enabled, use_memory_in_responses, settings_updated_at FROM membership "
            "WHERE org_id = :org AND user_id = :user AND removed_at IS NULL"
        ),
        {"org": org_id, "user": user_id},
    ).one_or_none()
    if row is None:
        raise NotVisible
    return UserSettings(*row)


def _changes(before: UserSettings, after: UserSettings) -> dict[str, list[bool]]:
    names = ("auto_capture_enabled", "use_memory_in_responses")
    pairs = {name: [getattr(before, name), getattr(after, name)] for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


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
