"""What became of accepted work, for its sender and for the Activity page; retrying by hand; dropping old texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import Row, Select, func, select, text
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.models import InboxItem
from webapp.db.session import transaction
from webapp.directory.references import people_named
from webapp.errors import Conflict, NotVisible
from webapp.inbox import wake
from webapp.inbox.types import Day, InboxStatus, Kind, Outcome, QueueCounts, State
from webapp.settings import Settings


def status(actor: Actor, *, user_id: int, agent_id: int, item_id: int) -> InboxStatus:
    """One exchange of this user with this agent. Raises NotVisible when there is none, NotAllowed by policy."""
    require(actor, Action.READ_EXCHANGE, Target(actor.org_id, user_id, agent_id))
    chosen = select(InboxItem).where(
        InboxItem.org_id == actor.org_id,
        InboxItem.id == item_id,
        InboxItem.kind == "exchange",
        InboxItem.user_id == user_id,
        InboxItem.agent_id == agent_id,
    )
    with transaction(actor.org_id) as session:
        row = session.scalar(chosen)
        if row is None:
            raise NotVisible
        return _status(row)


def recent(
    actor: Actor,
    *,
    states: Sequence[State] = (),
    kinds: Sequence[Kind] = (),
    person: str = "",
    agent_id: int | None = None,
    limit: int = 20,
    offset: int = 0,
) -> tuple[list[InboxStatus], int]:
    """The org's items, newest first, narrowed as given, and how many there are in all. Needs READ_ACTIVITY.

    `person` is a whole id or e-mail, or part of names and e-mails: then everybody like it.
    """
    require(actor, Action.READ_ACTIVITY, Target(actor.org_id))
    chosen = select(InboxItem).where(InboxItem.org_id == actor.org_id)
    chosen = chosen.where(InboxItem.state.in_(states)) if states else chosen
    chosen = chosen.where(InboxItem.kind.in_(kinds)) if kinds else chosen
    chosen = chosen.where(InboxItem.user_id.in_(people_named(actor.org_id, person))) if person else chosen
    chosen = chosen.where(InboxItem.agent_id == agent_id) if agent_id is not None else chosen
    with transaction(actor.org_id) as session:
        count = session.scalar(select(func.count()).select_from(chosen.subquery())) or 0
        return _rows(session, chosen, limit, offset), count


def counts(actor: Actor) -> QueueCounts:
    """How much is waiting, running and failed, and how old the oldest unfinished item is. Needs READ_ACTIVITY."""
    require(actor, Action.READ_ACTIVITY, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        return QueueCounts(*session.execute(_COUNTS, {"org": actor.org_id}).one())


def per_day(actor: Actor, *, days: int, zone: str) -> list[Day]:
    """What ended on each of the last `days` days of a time zone, oldest first, empty days included."""
    require(actor, Action.READ_ACTIVITY, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        rows = session.execute(_PER_DAY, {"org": actor.org_id, "days": days, "zone": zone})
        return [Day(*row) for row in rows]


def outcome(actor: Actor, item_ids: Sequence[int]) -> Outcome:
    """What became of these items. Needs READ_ACTIVITY."""
    require(actor, Action.READ_ACTIVITY, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        rows = session.execute(_OUTCOME, {"org": actor.org_id, "ids": list(item_ids)}).all()
    sums = [sum(int(row[column]) for row in rows) for column in range(2, 6)]
    return Outcome({row.state: row.items for row in rows}, *sums)


def retry(actor: Actor, item_id: int, settings: Settings) -> None:
    """Put a failed item back to the head of its lane with all its attempts.

    Raises NotVisible, NotAllowed, or Conflict when it has not failed or its text is gone.
    """
    require(actor, Action.RETRY_EXCHANGE, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        if session.execute(_RETRY, {"org": actor.org_id, "id": item_id}).first() is None:
            _explain(session, actor.org_id, item_id)
    wake.push(settings.redis_url)


def purge_texts(org_id: int, *, days: int, limit: int = 1000) -> int:
    """Drop the texts of items that ended more than `days` ago, failed ones included; how many that were."""
    with transaction(org_id) as session:
        purged = session.execute(_PURGE, {"org": org_id, "days": days, "limit": limit})
        return len(purged.all())


def _rows(session: Session, chosen: Select[InboxItem], limit: int, offset: int) -> list[InboxStatus]:
    rows = session.scalars(chosen.order_by(InboxItem.id.desc()).limit(limit).offset(offset))
    return [_status(row) for row in rows]


def _status(row: InboxItem) -> InboxStatus:
    derived = {"status": row.state, "can_retry": row.state == "failed" and row.body is not None}
    same = {item.name: getattr(row, item.name) for item in fields(InboxStatus) if item.name not in derived}
    return InboxStatus(**same, **derived)  # type: ignore[arg-type]


def _explain(session: Session, org_id: int, item_id: int) -> None:
    found: Row[Any] | None = session.execute(
        text("SELECT state FROM inbox WHERE org_id = :org AND id = :id"), {"org": org_id, "id": item_id}
    ).one_or_none()
    if found is None:
        raise NotVisible
    raise Conflict("Its text has been deleted." if found.state == "failed" else "It has not failed.")


_COUNTS = text(
    """
    SELECT (SELECT count(*) FROM inbox WHERE org_id = :org AND state = 'pending'),
           (SELECT count(*) FROM inbox WHERE org_id = :org AND state = 'claimed'),
           (SELECT count(*) FROM inbox WHERE org_id = :org AND state = 'failed'),
           (SELECT CAST(extract(epoch FROM now() - min(created_at)) AS float) FROM inbox
            WHERE org_id = :org AND state IN ('pending', 'claimed'))
    """
)
# One range of the index per day: a day's bounds are worked out once, not for every row.
_PER_DAY = text(
    """
    WITH day AS (
        SELECT CAST(now() AT TIME ZONE :zone AS date) - back AS it FROM generate_series(0, :days - 1) AS back
    )
    SELECT day.it, ended.done, ended.skipped, ended.failed
    FROM day, LATERAL (
        SELECT count(*) FILTER (WHERE state = 'done') AS done, count(*) FILTER (WHERE state = 'skipped') AS skipped,
               count(*) FILTER (WHERE state = 'failed') AS failed
        FROM inbox
        WHERE org_id = :org AND done_at >= CAST(day.it AS timestamp) AT TIME ZONE :zone
          AND done_at < CAST(day.it + 1 AS timestamp) AT TIME ZONE :zone
    ) AS ended
    ORDER BY day.it
    """
)
_OUTCOME = text(
    """
    SELECT state, count(*) AS items, sum(created), sum(superseded), sum(duplicates), sum(rejected)
    FROM inbox WHERE org_id = :org AND id = ANY(:ids) GROUP BY state
    """
)
_RETRY = text(
    """
    UPDATE inbox SET state = 'pending', next_at = now(), attempts = 0, error = NULL, done_at = NULL
    WHERE org_id = :org AND id = :id AND state = 'failed' AND body IS NOT NULL RETURNING id
    """
)
_PURGE = text(
    """
    WITH old AS (
        SELECT id FROM inbox WHERE org_id = :org AND done_at < now() - :days * interval '1 day' AND body IS NOT NULL
        LIMIT :limit FOR UPDATE SKIP LOCKED
    )
    UPDATE inbox SET body = NULL FROM old WHERE inbox.org_id = :org AND inbox.id = old.id RETURNING inbox.id
    """
)
