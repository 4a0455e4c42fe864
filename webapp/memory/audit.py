"""The audit log and the revisions: written in the transaction of the change they record."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select, text
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.models import Account, AuditEvent, Revision
from webapp.db.session import transaction
from webapp.directory.references import people_named
from webapp.memory.types import Page
from webapp.trace import current_request_id

# What stands in the place of an erased person's name.
NOBODY = "erased person"


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


@dataclass(frozen=True, slots=True)
class Event:
    """One audit event. `target_username` is the person's name now; the labels are what was noted then.

    `actor_id` is None where no person acted, and for who was erased since.
    """

    id: int
    at: datetime
    actor_id: int | None
    actor_label: str
    action: str
    target_kind: str
    target_id: int | None
    target_user_id: int | None
    target_label: str
    target_username: str | None
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EventFilter:
    """What a list of events is narrowed to; None means any. `actions` are exact names, `actor` is typed: a part of the
    label that was noted, or what a filter for people means.
    """

    actions: tuple[str, ...] | None = None
    actor: str | None = None
    start: datetime | None = None
    end: datetime | None = None


def list_events(actor: Actor, wanted: EventFilter, *, page: int = 1, size: int = 50) -> Page[Event]:
    """One page of the org's events, newest first. Needs READ_AUDIT."""
    require(actor, Action.READ_AUDIT, Target(actor.org_id))
    conditions = [AuditEvent.org_id == actor.org_id]
    conditions += [AuditEvent.action.in_(wanted.actions)] if wanted.actions is not None else []
    conditions += [_by(actor.org_id, wanted.actor)] if wanted.actor else []
    conditions += [AuditEvent.at >= wanted.start] if wanted.start else []
    conditions += [AuditEvent.at < wanted.end] if wanted.end else []
    order = (AuditEvent.at.desc(), AuditEvent.id.desc())
    with transaction(actor.org_id) as session:
        count = session.scalar(select(func.count()).select_from(AuditEvent).where(*conditions)) or 0
        rows = session.execute(
            select(AuditEvent, Account.username)
            .outerjoin(Account, Account.id == AuditEvent.target_user_id)
            .where(*conditions)
            .order_by(*order)
            .limit(size)
            .offset((page - 1) * size)
        )
        return Page([_event(row, username) for row, username in rows], count, page, size)


def _by(org_id: int, typed: str) -> ColumnElement[bool]:
    typed = typed.replace("\x00", "\ufffd")
    # Who was erased is not to be found by the name they have today.
    named = and_(AuditEvent.actor_label != NOBODY, AuditEvent.actor_id.in_(people_named(org_id, typed)))
    return or_(AuditEvent.actor_label.icontains(typed, autoescape=True), named)


def _event(row: AuditEvent, username: str | None) -> Event:
    # After an erasure the label says so, and the name of today must not undo that.
    shown = None if row.target_label == NOBODY else username
    actor_id = None if row.actor_label == NOBODY else row.actor_id
    return Event(
        row.id, row.at, actor_id, row.actor_label, row.action, row.target_kind, row.target_id, row.target_user_id,
        row.target_label, shown, row.detail,
    )  # fmt: skip


def full_name_of(session: Session, org_id: int, label: str, at: datetime) -> str | None:
    """The full name, as it is now, of the account that is noted by this label for what was done at this very moment.

    None where no account is, where it has no full name, and for who was erased since.
    """
    found: str | None = session.scalar(_FULL_NAME, {"org": org_id, "label": label, "at": at, "nobody": NOBODY})
    return found


# The time of a transaction: what it changed and the event that says so have the same, to the microsecond.
_FULL_NAME = text(
    """
    SELECT nullif(a.full_name, '') FROM audit_event e JOIN account a ON a.id = e.actor_id
    WHERE e.org_id = :org AND e.at = :at AND e.actor_label = :label AND e.actor_label <> :nobody LIMIT 1
    """
)


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a memory or an entry of shared memory lies that still exists, deleted or not: in an agent, else globally.

    `username` is whom a memory is about; None for shared memory.
    """

    agent_slug: str | None
    username: str | None


def still_kept(actor: Actor, events: Collection[Event]) -> dict[tuple[str, int], Kept]:
    """By kind and id, what these events were about and has not been purged: one statement. Needs READ_AUDIT."""
    require(actor, Action.READ_AUDIT, Target(actor.org_id))
    found = {(event.target_kind, event.target_id) for event in events}
    ids = {kind: [id for other, id in found if other == kind and id] for kind in ("memory", "knowledge")}
    if not any(ids.values()):
        return {}
    with transaction(actor.org_id) as session:
        rows = session.execute(_KEPT, {"org": actor.org_id, **ids})
        return {(row.kind, row.id): Kept(row.slug, row.username) for row in rows}


_KEPT = text(
    """
    SELECT 'memory' AS kind, m.id, a.slug, u.username FROM memory m JOIN account u ON u.id = m.user_id
    LEFT JOIN agent a ON a.org_id = m.org_id AND a.id = m.agent_id
    WHERE m.org_id = :org AND m.id = ANY(:memory)
    UNION ALL
    SELECT 'knowledge', k.id, a.slug, NULL FROM knowledge k JOIN agent a ON a.org_id = k.org_id AND a.id = k.agent_id
    WHERE k.org_id = :org AND k.id = ANY(:knowledge)
    """
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
