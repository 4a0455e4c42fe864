"""A person's own two switches: what they are set to, and setting them. `enablement` says what follows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.session import transaction
from webapp.errors import Invalid, NotVisible
from webapp.memory import audit


@dataclass(frozen=True, slots=True)
class UserSettings:
    """A user's own two switches. `updated_at` is None while nothing was ever saved."""

    auto_capture_enabled: bool
    use_memory_in_responses: bool
    updated_at: datetime | None


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
        for column, value in (("auto_capture_enabled", auto_capture), ("use_memory_in_responses", use_in_responses)):
            if value is not None:
                who = {"by": actor.label, "by_id": actor.account_id, "org": actor.org_id, "user": user_id}
                session.execute(_SET[column], {"value": value, **who})
        after = _settings(session, actor.org_id, user_id)
        audit.record(session, actor, "settings.changed", "user", target_user_id=user_id, detail=_changes(before, after))
        return after


def _set(side: str, column: str) -> TextClause:
    """A switch that already is at the value keeps who set it."""
    changed = {"at": "now()", "by": ":by", "by_id": ":by_id"}
    kept = ", ".join(
        f"{side}_changed_{name} = CASE WHEN {column} <> :value THEN {new} ELSE {side}_changed_{name} END"
        for name, new in changed.items()
    )
    where = "WHERE org_id = :org AND user_id = :user"
    return text(f"UPDATE membership SET {column} = :value, settings_updated_at = now(), {kept} {where}")


_SET = {
    "auto_capture_enabled": _set("capture", "auto_capture_enabled"),
    "use_memory_in_responses": _set("use", "use_memory_in_responses"),
}


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
