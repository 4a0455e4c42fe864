"""Working off what was accepted: claims that are fenced and leased, lanes in order, retries by the database's clock."""

from __future__ import annotations

import json
import random
from typing import Any
from uuid import UUID, uuid4

import structlog
from sqlalchemy import Row, text
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from webapp.db.session import installation, transaction
from webapp.inbox.types import Counts, Item

MAX_BACKOFF_SECONDS = 300.0
LOST_WORKER = "worker_lost"

log = structlog.get_logger()


class Fenced(Exception):
    """The claim is no longer held: somebody else has the item, or it is gone. The transaction must roll back."""


def due_orgs() -> list[int]:
    """Orgs with pending work whose time has come or with a lease that ran out, by id."""
    with installation() as session:
        return list(session.scalars(text("SELECT * FROM orgs_with_due_work() ORDER BY 1")))


def claim(org_id: int, limit: int, *, lease_seconds: float, max_attempts: int, after_lane: str = "") -> list[Item]:
    """Take up to `limit` items of one org, each the first unfinished one of its lane, lanes in turn after `after_lane`.

    Each counts as an attempt from now on. An item whose lease ran out is taken again, or failed as `worker_lost`
    when it has used up `max_attempts`.
    """
    token = uuid4()
    try:
        with transaction(org_id) as session:
            bound_waiting(session)
            _release_expired(session, org_id, max_attempts)
            found = _take(session, org_id, limit, after_lane, token, lease_seconds)
            if len(found) < limit and after_lane:
                found += _take(session, org_id, limit - len(found), "", token, lease_seconds)
            return found
    except IntegrityError:
        # An item that was accepted earlier became visible later than the one now running in its lane.
        return []


def hold(session: Session, item: Item) -> None:
    """Make sure that the claim is still held, and that nobody takes it before this transaction ends. Raises Fenced."""
    _update(session, item, _STILL_HELD, {})


def finish(session: Session, item: Item, counts: Counts, reason: str | None = None) -> None:
    """End the item as `done`, in the transaction that writes what it came to. Raises Fenced."""
    _update(session, item, _DONE, {"reason": reason, **_counts(counts), **_cost(item)})


def skip(session: Session, item: Item, reason: str) -> None:
    """End the item as `skipped`; its text goes in this transaction. Raises Fenced."""
    _update(session, item, _SKIPPED, {"reason": reason, **_cost(item)})


def fail(item: Item, error: str) -> None:
    """End the item as `failed`, its text kept so that it can be retried by hand. Raises Fenced."""
    with transaction(item.org_id) as session:
        _update(session, item, _FAILED, {"error": error, **_cost(item)})


def retry(item: Item, error: str, *, delay_seconds: float, count_attempt: bool) -> None:
    """Put the item back, due after the delay, holding its lane. Raises Fenced."""
    with transaction(item.org_id) as session:
        refund = int(not count_attempt)
        _update(session, item, _PENDING, {"error": error, "delay": delay_seconds, "refund": refund, **_cost(item)})


def release(item: Item) -> None:
    """Give the item back untried, due at once: a worker that stops leaves nothing to a lease. Raises Fenced."""
    with transaction(item.org_id) as session:
        _update(session, item, _PENDING, {"error": None, "delay": 0.0, "refund": 1, **_cost(item)})


def charge(item: Item) -> None:
    """Add what was spent on an item whose claim was lost: the calls were made, whoever has it now."""
    with transaction(item.org_id) as session:
        bound_waiting(session)
        session.execute(_CHARGE, {"org": item.org_id, "id": item.id, **_cost(item)})


def backoff_seconds(attempts: int) -> float:
    """A jittered delay that doubles with each attempt: 1 to 2 s after the first, at most five minutes."""
    return min(MAX_BACKOFF_SECONDS, 2.0 ** min(attempts, 16)) * random.uniform(0.5, 1.0)


def database_is_away(error: BaseException) -> bool:
    """Whether an error says that the database or a connection to it was lost or waited for in vain: no item's fault."""
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    return lost or isinstance(error, OperationalError | InterfaceError | PoolTimeout)


def bound_waiting(session: Session) -> None:
    """Let the server end this transaction where its process is frozen or waits for one that is."""
    session.execute(
        text(
            "SELECT set_config('idle_in_transaction_session_timeout', '15s', true), set_config('lock_timeout', '20s', true)"
        )
    )


def _take(session: Session, org_id: int, limit: int, after_lane: str, token: UUID, lease_seconds: float) -> list[Item]:
    given = {"org": org_id, "limit": limit, "after": after_lane, "claim": token, "lease": lease_seconds}
    return [_item(row) for row in session.execute(_CLAIM, given)]


def _item(row: Row[Any]) -> Item:
    return Item(**row._mapping)


def _release_expired(session: Session, org_id: int, max_attempts: int) -> None:
    for row in session.execute(_EXPIRED, {"org": org_id, "most": max_attempts, "error": LOST_WORKER}):
        log.warning("lease_expired", org=org_id, item=row.id, state=row.state)


def _update(session: Session, item: Item, statement: Any, values: dict[str, Any]) -> None:
    held = session.execute(statement, {"org": item.org_id, "id": item.id, "claim": item.claim, **values})
    if held.first() is None:
        raise Fenced


def _counts(counts: Counts) -> dict[str, Any]:
    return {
        "created": counts.created,
        "superseded": counts.superseded,
        "duplicates": counts.duplicates,
        "rejected": counts.rejected,
        "rejections": json.dumps(dict(counts.rejections)),
    }


def _cost(item: Item) -> dict[str, Any]:
    spent = item.meter.total
    return {"model": spent.model, "tokens_in": spent.tokens_in, "tokens_out": spent.tokens_out}


# Lane by lane through the index, so that one lane's long backlog costs one probe. Only the head of a lane may be
# taken, and none while the lane is running; the unique index on running lanes makes that certain.
_CLAIM = text(
    """
    WITH RECURSIVE head(lane, id) AS (
        (SELECT lane, id FROM inbox WHERE org_id = :org AND state IN ('pending', 'claimed') AND lane > :after
         ORDER BY lane, id LIMIT 1)
        UNION ALL
        SELECT next.lane, next.id FROM head CROSS JOIN LATERAL (
            SELECT lane, id FROM inbox WHERE org_id = :org AND state IN ('pending', 'claimed') AND lane > head.lane
            ORDER BY lane, id LIMIT 1
        ) next
    ), due AS (
        SELECT ready.id FROM head CROSS JOIN LATERAL (
            SELECT i.id FROM inbox i
            WHERE i.org_id = :org AND i.id = head.id AND i.state = 'pending' AND i.next_at <= now() AND NOT EXISTS (
                SELECT FROM inbox r WHERE r.org_id = :org AND r.lane = head.lane AND r.state = 'claimed'
            )
            FOR UPDATE SKIP LOCKED
        ) ready
        LIMIT :limit
    )
    UPDATE inbox SET state = 'claimed', claim = :claim, attempts = inbox.attempts + 1,
        lease_until = now() + :lease * interval '1 second'
    FROM due WHERE inbox.org_id = :org AND inbox.id = due.id
    RETURNING inbox.org_id, inbox.id, inbox.kind, inbox.lane, inbox.user_id, inbox.agent_id, inbox.session_id,
        inbox.epoch, inbox.body, inbox.occurred_at, inbox.created_at, inbox.attempts, inbox.claim
    """
)
# A frozen worker may hold its row's lock: skip it, the server ends its transaction in time.
_EXPIRED = text(
    """
    WITH expired AS (
        SELECT id FROM inbox WHERE org_id = :org AND state = 'claimed' AND lease_until < now() FOR UPDATE SKIP LOCKED
    )
    UPDATE inbox SET claim = NULL, lease_until = NULL, next_at = now(),
        state = CASE WHEN attempts >= :most THEN 'failed' ELSE 'pending' END,
        error = CASE WHEN attempts >= :most THEN :error ELSE error END,
        done_at = CASE WHEN attempts >= :most THEN now() END
    FROM expired WHERE inbox.org_id = :org AND inbox.id = expired.id
    RETURNING inbox.id, inbox.state
    """
)
_HELD = "WHERE org_id = :org AND id = :id AND state = 'claimed' AND claim = :claim RETURNING id"
_STILL_HELD = text(
    "SELECT id FROM inbox WHERE org_id = :org AND id = :id AND state = 'claimed' AND claim = :claim FOR UPDATE"
)
# Added to what earlier attempts cost; NULL while no server has counted.
_COST = """
    model = coalesce(:model, model),
    tokens_in = CASE WHEN CAST(:tokens_in AS bigint) IS NULL THEN tokens_in ELSE coalesce(tokens_in, 0) + :tokens_in END,
    tokens_out = CASE WHEN CAST(:tokens_out AS bigint) IS NULL THEN tokens_out ELSE coalesce(tokens_out, 0) + :tokens_out END
"""
_CHARGE = text(f"UPDATE inbox SET {_COST} WHERE org_id = :org AND id = :id")
_DONE = text(
    f"""
    UPDATE inbox SET state = 'done', claim = NULL, lease_until = NULL, done_at = now(), error = NULL, reason = :reason,
        created = :created, superseded = :superseded, duplicates = :duplicates, rejected = :rejected,
        rejections = CAST(:rejections AS jsonb), {_COST} {_HELD}
    """
)
_SKIPPED = text(
    f"""
    UPDATE inbox SET state = 'skipped', claim = NULL, lease_until = NULL, done_at = now(), error = NULL,
        reason = :reason, body = NULL, {_COST} {_HELD}
    """
)
_FAILED = text(
    f"""
    UPDATE inbox SET state = 'failed', claim = NULL, lease_until = NULL, done_at = now(), error = :error,
        {_COST} {_HELD}
    """
)
_PENDING = text(
    f"""
    UPDATE inbox SET state = 'pending', claim = NULL, lease_until = NULL, error = :error,
        next_at = now() + :delay * interval '1 second', attempts = attempts - :refund, {_COST} {_HELD}
    """
)
