"""Revisions of what people edit, and the audit log. Actors are plain ids and labels, without a key."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Mapped, mapped_column

from webapp.db.base import Base, Created, Id, OrgId


class Revision(Base):
    """One change of a memory, a knowledge entry or a category: who, when, how, before and after."""

    __tablename__ = "revision"

    org_id: Mapped[OrgId]
    id: Mapped[Id]
    object_kind: Mapped[str]
    object_id: Mapped[int]
    user_id: Mapped[int | None]
    agent_id: Mapped[int | None]
    action: Mapped[str]
    version: Mapped[int]
    before: Mapped[dict[str, Any] | None]
    after: Mapped[dict[str, Any] | None]
    actor_id: Mapped[int | None]
    actor_label: Mapped[str]
    how: Mapped[str]
    at: Mapped[Created]


class AuditEvent(Base):
    """Who switched, edited, exported, erased or read another person's memories. It never holds memory text."""

    __tablename__ = "audit_event"

    org_id: Mapped[OrgId]
    id: Mapped[Id]
    at: Mapped[Created]
    actor_id: Mapped[int | None]
    actor_label: Mapped[str]
    action: Mapped[str]
    target_kind: Mapped[str]
    target_id: Mapped[int | None]
    target_user_id: Mapped[int | None]
    target_label: Mapped[str] = mapped_column(default="")
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
    request_id: Mapped[str | None]
