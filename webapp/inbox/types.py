"""The values of the inbox: work that was accepted, what became of it, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from webapp.llm.usage import Meter
from webapp.llm.usage import Usage as Usage

Kind = Literal["exchange", "episode"]
State = Literal["pending", "claimed", "done", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Work:
    """Something to be accepted. Items of one `lane` are worked off one at a time, in order of acceptance.

    `principal` and `path` are what an idempotency key belongs to. `body` holds text as it may be stored: no NUL, no
    lone surrogate. `occurred_at` is aware; None means the time of acceptance.
    """

    kind: Kind
    lane: str
    principal: str
    path: str
    body: Mapping[str, Any]
    body_hash: bytes
    user_id: int | None = None
    agent_id: int | None = None
    session_id: str | None = None
    idempotency_key: str | None = None
    epoch: int = 0
    occurred_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """The answer to a hand-in. `id` is None for what is not stored at all."""

    id: int | None
    status: State
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """Claimed work. `claim` fences it: who no longer holds it can change nothing.

    `meter` counts what is spent on it under this claim; every end of the claim adds that to the row.
    """

    org_id: int
    id: int
    kind: Kind
    lane: str
    user_id: int | None
    agent_id: int | None
    session_id: str | None
    epoch: int
    body: Mapping[str, Any]
    occurred_at: datetime
    created_at: datetime
    attempts: int
    claim: UUID
    meter: Meter = field(default_factory=Meter, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Counts:
    """What one item came to. `rejections` counts rejected candidates by reason; their sum is `rejected`."""

    created: int = 0
    superseded: int = 0
    duplicates: int = 0
    rejections: Mapping[str, int] = field(default_factory=dict)

    @property
    def rejected(self) -> int:
        """How many candidates were turned away."""
        return sum(self.rejections.values())


@dataclass(frozen=True, slots=True)
class InboxStatus:
    """One item as its sender or an admin may see it: never its text."""

    id: int
    kind: Kind
    user_id: int | None
    agent_id: int | None
    session_id: str | None
    status: State
    reason: str | None
    created: int
    superseded: int
    duplicates: int
    rejected: int
    rejections: Mapping[str, int]
    error: str | None
    attempts: int
    model: str | None
    tokens_in: int | None
    tokens_out: int | None
    occurred_at: datetime
    created_at: datetime
    done_at: datetime | None
    can_retry: bool


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """How much work an org has. `oldest_seconds` is the age of the oldest unfinished item, None when there is none."""

    waiting: int
    running: int
    failed: int
    oldest_seconds: float | None


@dataclass(frozen=True, slots=True)
class Day:
    """How many exchanges ended on one day, by outcome."""

    day: date
    done: int
    skipped: int
    failed: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a set of items: how many are in which state, and what those that are done came to."""

    states: Mapping[State, int]
    created: int
    superseded: int
    duplicates: int
    rejected: int

    @property
    def unfinished(self) -> int:
        """How many still wait or are being worked on."""
        return self.states.get("pending", 0) + self.states.get("claimed", 0)
