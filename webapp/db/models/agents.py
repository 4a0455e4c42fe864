"""Agents of an org, who curates them, their categories and their shared knowledge."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import FetchedValue
from sqlalchemy.orm import Mapped, mapped_column

from webapp.db.base import Base, Created, Id, OrgId


class Agent(Base):
    """An AI agent of one org, addressed by `unique_id` or `slug`."""

    __tablename__ = "agent"

    org_id: Mapped[OrgId]
    id: Mapped[Id]
    unique_id: Mapped[UUID] = mapped_column(server_default=FetchedValue())
    slug: Mapped[str]
    name: Mapped[str]
    description: Mapped[str] = mapped_column(default="")
    enable_memory_component: Mapped[bool] = mapped_column(default=False)
    memory_changed_at: Mapped[datetime | None]
    memory_changed_by: Mapped[str | None]
    archived_at: Mapped[datetime | None]
    categories_seeded_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[Created]


class AgentRole(Base):
    """Who curates (`editor`) or reads (`viewer`) an agent's memories."""

    __tablename__ = "agent_role"

    org_id: Mapped[OrgId]
    agent_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    user_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    role: Mapped[str]


class Category(Base):
    """What an agent files its memories about people under. Deleting only deactivates."""

    __tablename__ = "category"

    org_id: Mapped[OrgId]
    id: Mapped[Id]
    agent_id: Mapped[int]
    name: Mapped[str]
    slug: Mapped[str]
    description: Mapped[str] = mapped_column(default="")
    extraction_prompt: Mapped[str] = mapped_column(default="")
    is_active: Mapped[bool] = mapped_column(default=True)
    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[Created]
    updated_at: Mapped[Created]


class Knowledge(Base):
    """One entry of an agent's shared memory: written by hand, about no person, delivered to everyone."""

    __tablename__ = "knowledge"

    org_id: Mapped[OrgId]
    id: Mapped[Id]
    agent_id: Mapped[int]
    content: Mapped[str]
    content_hash: Mapped[bytes]
    created_by_id: Mapped[int | None]
    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[Created]
    updated_at: Mapped[Created]
    deleted_at: Mapped[datetime | None]
    deleted_by: Mapped[str | None]
