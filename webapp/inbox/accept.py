"""Taking work in: it is committed before anybody is told that it was accepted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.session import transaction
from webapp.errors import Invalid, TooMany, Unavailable, Unprocessable
from webapp.inbox import wake
from webapp.inbox.types import Accepted, Work
from webapp.memory.content import clean
from webapp.memory.enablement import effective
from webapp.settings import Settings

BACKLOG_RETRY_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Exchange:
    """One user message and the agent's answer. A naive `occurred_at` is taken as UTC; None means now."""

    user_message: str
    assistant_message: str
    user_name: str | None = None
    assistant_name: str | None = None
    session_id: str | None = None
    occurred_at: datetime | None = None
    private: bool = False


def accept_exchange(
    actor: Actor,
    *,
    user_id: int,
    agent_id: int,
    exchange: Exchange,
    path: str,
    idempotency_key: str | None,
    settings: Settings,
) -> Accepted:
    """Commit one exchange for capture and wake a worker.

    A private exchange leaves no row and no key. While capture is off a row without text is kept, `skipped` with the
    reason. The same key, credential and path again answers with the first exchange. Raises Unprocessable when that
    had another body, TooMany when the org's backlog is full, Unavailable when memory is off for the installation,
    NotVisible or NotAllowed by policy.
    """
    require(actor, Action.WRITE_EXCHANGE, Target(actor.org_id, user_id, agent_id))
    if settings.disable_memory:
        raise Unavailable("Memory is switched off for this installation (DISABLE_MEMORY).")
    if exchange.private:
        return Accepted(None, "skipped", "private")
    work = _work(actor, user_id, agent_id, exchange, path, idempotency_key)
    try:
        accepted = _accept(actor.org_id, work, settings.backlog_limit)
    except IntegrityError:
        # What it hangs on was deleted and made anew while it waited: an erasure. Now the new row can be seen.
        accepted = _accept(actor.org_id, work, settings.backlog_limit)
    if accepted.status == "pending":
        wake.push(settings.redis_url)
    return accepted


def _accept(org_id: int, work: Work, backlog_limit: int) -> Accepted:
    with transaction(org_id) as session:
        if (first := first_answer(session, org_id, work)) is not None:
            return first
        work, reason = _fenced(session, org_id, work)
        return deposit(session, org_id, work, backlog_limit=backlog_limit, skip_reason=reason)


def deposit(
    session: Session, org_id: int, work: Work, *, backlog_limit: int, skip_reason: str | None = None
) -> Accepted:
    """Insert work in the caller's transaction; the caller wakes a worker after it has committed.

    With `skip_reason` the row is finished at once and holds no text. Raises TooMany and Unprocessable.
    """
    if skip_reason is None:
        _refuse_backlog(session, org_id, backlog_limit)
    # Whoever holds this lock inserts and commits first, so ids of one lane become visible in ascending order.
    session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:lane, :org))"), {"lane": work.lane, "org": org_id}
    )
    item_id = session.scalar(_INSERT, _values(org_id, work, skip_reason))
    if item_id is None:
        first = first_answer(session, org_id, work)
        if first is None:
            raise Unavailable("The same request is being withdrawn right now; send it again.", retry_after=1)
        return first
    return Accepted(item_id, "skipped" if skip_reason else "pending", skip_reason)


def first_answer(session: Session, org_id: int, work: Work) -> Accepted | None:
    """What was answered to the first request with this key, or None. Raises Unprocessable for another body."""
    if work.idempotency_key is None:
        return None
    row = session.execute(
        _FIRST, {"org": org_id, "principal": work.principal, "path": work.path, "key": work.idempotency_key}
    ).one_or_none()
    if row is None:
        return None
    if bytes(row.body_hash) != work.body_hash:
        raise Unprocessable
    return Accepted(row.id, row.state, row.reason)


def body_hash(body: Mapping[str, Any]) -> bytes:
    """What makes two requests under one key the same: SHA-256 of the body as canonical JSON."""
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).digest()


def as_utc(moment: datetime | None) -> datetime | None:
    """The moment in UTC, a naive one taken as UTC already. Raises Invalid where UTC leaves the calendar."""
    if moment is None or moment.tzinfo is None:
        return moment.replace(tzinfo=UTC) if moment else None
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise Invalid({"occurred_at": ["Datetime is out of range."]}) from None


def _work(
    actor: Actor, user_id: int, agent_id: int, exchange: Exchange, path: str, idempotency_key: str | None
) -> Work:
    body = {
        "user_message": clean(exchange.user_message),
        "assistant_message": clean(exchange.assistant_message),
        "user_name": clean(exchange.user_name or ""),
        "assistant_name": clean(exchange.assistant_name or ""),
    }
    return Work(
        kind="exchange",
        lane=f"user:{user_id}",
        principal=actor.credential,
        path=path,
        body=body,
        body_hash=body_hash(asdict(exchange)),
        user_id=user_id,
        agent_id=agent_id,
        session_id=clean(exchange.session_id or "") or None,
        idempotency_key=idempotency_key,
        occurred_at=as_utc(exchange.occurred_at),
    )


def _fenced(session: Session, org_id: int, work: Work) -> tuple[Work, str | None]:
    """The work under the user's present epoch, and why it must not be kept, if so."""
    assert work.user_id is not None
    off = effective(session, org_id, work.user_id, work.agent_id).capture_off
    row = session.execute(_MEMBER, {"org": org_id, "user": work.user_id, "at": work.occurred_at}).one()
    reason = off.reason if off else "dated_before_erasure" if row.erased_since else None
    return replace(work, epoch=row.epoch), reason


def _refuse_backlog(session: Session, org_id: int, limit: int) -> None:
    full = session.scalar(_NTH_UNFINISHED, {"org": org_id, "skip": limit - 1})
    if full is not None:
        raise TooMany(
            "Too many unfinished exchanges; hand in more when some are done.", retry_after=BACKLOG_RETRY_SECONDS
        )


def _values(org_id: int, work: Work, skip_reason: str | None) -> dict[str, Any]:
    return {
        "org": org_id,
        "kind": work.kind,
        "lane": work.lane,
        "user": work.user_id,
        "agent": work.agent_id,
        "session": work.session_id,
        "principal": work.principal,
        "path": work.path,
        "key": work.idempotency_key,
        "hash": work.body_hash,
        "body": None if skip_reason else json.dumps(work.body),
        "epoch": work.epoch,
        "at": work.occurred_at,
        "state": "skipped" if skip_reason else "pending",
        "reason": skip_reason,
    }


_INSERT = text(
    """
    INSERT INTO inbox (org_id, kind, lane, user_id, agent_id, session_id, principal, path, idempotency_key, body_hash,
        body, epoch, occurred_at, state, reason, done_at)
    VALUES (:org, :kind, :lane, :user, :agent, :session, :principal, :path, :key, :hash, CAST(:body AS jsonb),
        :epoch, coalesce(CAST(:at AS timestamptz), now()), :state, :reason,
        CASE WHEN CAST(:state AS text) = 'skipped' THEN now() END)
    ON CONFLICT (org_id, principal, path, idempotency_key) DO NOTHING
    RETURNING id
    """
)
_FIRST = text(
    "SELECT id, state, reason, body_hash FROM inbox "
    "WHERE org_id = :org AND principal = :principal AND path = :path AND idempotency_key = :key"
)
# An erasure after this read bumps the epoch, which fences the work off when it is done.
_MEMBER = text(
    "SELECT epoch, coalesce(erased_at > coalesce(CAST(:at AS timestamptz), now()), false) AS erased_since "
    "FROM membership WHERE org_id = :org AND user_id = :user"
)
_NTH_UNFINISHED = text(
    "SELECT 1 FROM inbox WHERE org_id = :org AND state IN ('pending', 'claimed') ORDER BY lane, id OFFSET :skip LIMIT 1"
)
