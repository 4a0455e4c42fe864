"""The audit log and the revisions: written in the transaction of the change they record."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.db.models import AuditEvent, Revision
from webapp.trace import current_request_id


def record(
    session: Session,
    actor: Actor,
    action: str,
    target_kind: str,
    *,
    target_id: int | None = None,
    target_user_id: int | None = None,
    target_label: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Add one audit event. `detail` holds switches, counts and ids; never text that anybody wrote."""
    session.add(
        AuditEvent(
            org_id=actor.org_id,
            actor_id=actor.account_id,
            actor_label=actor.label,
            action=action,
            target_kind=target_kind,
            target_id=target_id,
            target_user_id=target_user_id,
            target_label=target_label,
            detail=dict(detail or {}),
            request_id=current_request_id(),
        )
    )


def record_reading(session: Session, actor: Actor, user_ids: Set[int]) -> None:
    """Note that a person read what is remembered about others: once per reader and other in five minutes.

    A service acts for the users in its paths, so that it reads them is no event.
    """
    others = user_ids - {actor.account_id}
    if actor.kind != "person" or not others:
        return
    noted = session.scalars(_NOTED, {"org": actor.org_id, "reader": actor.account_id, "others": list(others)})
    for user_id in sorted(others - set(noted)):
        record(session, actor, READING, "user", target_user_id=user_id)


READING = "memory.read"
_NOTED = text(
    "SELECT target_user_id FROM audit_event WHERE org_id = :org AND at > now() - interval '5 minutes' "
    f"AND action = '{READING}' AND actor_id = :reader AND target_user_id = ANY(:others)"
)


def revise(
    session: Session,
    actor: Actor,
    kind: str,
    object_id: int,
    action: str,
    *,
    version: int,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    user_id: int | None = None,
    agent_id: int | None = None,
) -> None:
    """Add one revision of a memory, knowledge entry or category: what it was and what it became."""
    session.add(
        Revision(
            org_id=actor.org_id,
            object_kind=kind,
            object_id=object_id,
            user_id=user_id,
            agent_id=agent_id,
            action=action,
            version=version,
            before=dict(before) if before else None,
            after=dict(after) if after else None,
            actor_id=actor.account_id,
            actor_label=actor.label,
            how=actor.how,
        )
    )
