"""What is remembered about users, and the vectors beside it."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy.orm import Mapped, mapped_column

from webapp.db.base import Base, Created, Id, OrgId


class Memory(Base):
    """A memory about one user: global when `agent_id` is null, else one agent's, filed under a category.

    It is live while it is neither deleted nor superseded.
    """

    __tablename__ = "memory"

    org_id: Mapped[OrgId]
    id: Mapped[Id]
    user_id: Mapped[int]
    agent_id: Mapped[int | None]
    category_id: Mapped[int | None]
    content: Mapped[str]
    content_hash: Mapped[bytes]
    origin: Mapped[str]
    source_session_id: Mapped[str | None]
    source_exchange_id: Mapped[int | None]
    evidence: Mapped[str | None]
    occurred_at: Mapped[Created]
    version: Mapped[int] = mapped_column(default=1)
    edited_by: Mapped[str | None]
    created_at: Mapped[Created]
    updated_at: Mapped[Created]
    deleted_at: Mapped[datetime | None]
    deleted_by: Mapped[str | None]
    delete_batch: Mapped[UUID | None]
    superseded_at: Mapped[datetime | None]
    superseded_by_id: Mapped[int | None]
    embed_due_at: Mapped[datetime | None]


class MemoryVector(Base):
    """The embedding of one live memory by one model, in that model's own length."""

    __tablename__ = "memory_vector"

    org_id: Mapped[OrgId]
    user_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    memory_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    embedding_model: Mapped[str] = mapped_column(primary_key=True)
    agent_id: Mapped[int | None]
    embedding: Mapped[Any] = mapped_column(HALFVEC())


class MemorySearch(Base):
    """What the ranker reads of one live memory: its words as stored terms, its time and what it was said beside.

    `session_key` is 0 for a memory of no conversation. `terms` is `webapp.terms.packed`.
    """

    __tablename__ = "memory_search"

    org_id: Mapped[OrgId]
    user_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    memory_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    agent_id: Mapped[int | None]
    session_key: Mapped[int]
    said_at: Mapped[datetime]
    terms: Mapped[bytes]


class Tombstone(Base):
    """What was deleted: a keyed hash, the source and the time, so that a replay never brings it back."""

    __tablename__ = "tombstone"

    org_id: Mapped[OrgId]
    id: Mapped[Id]
    user_id: Mapped[int]
    agent_id: Mapped[int | None]
    keyed_hash: Mapped[bytes]
    source_exchange_id: Mapped[int | None]
    deleted_at: Mapped[Created]


class MemoryTally(Base):
    """How many live memories an agent holds of one person in one category."""

    __tablename__ = "memory_tally"

    org_id: Mapped[OrgId]
    agent_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    category_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    user_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    live: Mapped[int]
