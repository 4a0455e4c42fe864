"""Accepted work: conversation exchanges and graph messages alike."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Mapped, mapped_column

from webapp.db.base import Base, Created, Id, OrgId


class InboxItem(Base):
    """One piece of accepted work. Items of one `lane` are taken in order of `id`, one at a time."""

    __tablename__ = "inbox"

    org_id: Mapped[OrgId]
    id: Mapped[Id]
    kind: Mapped[str]
    lane: Mapped[str]
    user_id: Mapped[int | None]
    agent_id: Mapped[int | None]
    session_id: Mapped[str | None]
    principal: Mapped[str]
    path: Mapped[str]
    idempotency_key: Mapped[str | None]
    body_hash: Mapped[bytes]
    body: Mapped[dict[str, Any] | None]
    epoch: Mapped[int] = mapped_column(default=0)
    occurred_at: Mapped[Created]
    state: Mapped[str] = mapped_column(default="pending")
    attempts: Mapped[int] = mapped_column(default=0)
    claim: Mapped[UUID | None]
    lease_until: Mapped[datetime | None]
    next_at: Mapped[Created]
    reason: Mapped[str | None]
    error: Mapped[str | None]
    created: Mapped[int] = mapped_column(default=0)
    superseded: Mapped[int] = mapped_column(default=0)
    duplicates: Mapped[int] = mapped_column(default=0)
    rejected: Mapped[int] = mapped_column(default=0)
    rejections: Mapped[dict[str, Any]] = mapped_column(default=dict)
    model: Mapped[str | None]
    tokens_in: Mapped[int | None]
    tokens_out: Mapped[int | None]
    created_at: Mapped[Created]
    done_at: Mapped[datetime | None]
