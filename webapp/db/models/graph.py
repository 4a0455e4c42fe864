"""Graph memory: every row hangs on its group, and an owned group on its owner's subject row."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import Integer
from sqlalchemy.orm import Mapped, mapped_column

from webapp.db.base import Base, Created, Id, OrgId


class GraphGroup(Base):
    """A group of one org. Without an owner only admins and services reach it. The counts are the ranker's statistics.

    Each change of its facts raises `revision`; a fact carries that of its last one.
    """

    __tablename__ = "graph_group"

    org_id: Mapped[OrgId]
    id: Mapped[Id]
    key: Mapped[str]
    owner_id: Mapped[int | None]
    fact_count: Mapped[int] = mapped_column(default=0)
    term_count: Mapped[int] = mapped_column(default=0)
    revision: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[Created]


class GraphEpisode(Base):
    """One message. `occurred_at`: when it was said; `created_at`: when it was taken in."""

    __tablename__ = "graph_episode"

    org_id: Mapped[OrgId]
    group_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    id: Mapped[Id]
    uuid: Mapped[str]
    name: Mapped[str] = mapped_column(default="")
    content: Mapped[str]
    role_type: Mapped[str]
    role: Mapped[str] = mapped_column(default="")
    source_description: Mapped[str] = mapped_column(default="")
    occurred_at: Mapped[datetime]
    created_at: Mapped[Created]
    inbox_id: Mapped[int | None]


class GraphEntity(Base):
    """A node. One that was written by hand stays when no message mentions it."""

    __tablename__ = "graph_entity"

    org_id: Mapped[OrgId]
    group_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    id: Mapped[Id]
    uuid: Mapped[str]
    name: Mapped[str]
    summary: Mapped[str] = mapped_column(default="")
    by_hand: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[Created]


class GraphEntityName(Base):
    """One name of one entity: within a group a name has one entity."""

    __tablename__ = "graph_entity_name"

    org_id: Mapped[OrgId]
    group_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name_key: Mapped[str] = mapped_column(primary_key=True)
    entity_id: Mapped[int]
    name: Mapped[str]
    loose_key: Mapped[str]
    initials: Mapped[str | None]
    by_hand: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[Created]


class GraphMention(Base):
    """That a message uses a name."""

    __tablename__ = "graph_mention"

    org_id: Mapped[OrgId]
    group_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    episode_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name_key: Mapped[str] = mapped_column(primary_key=True)


class GraphFact(Base):
    """An edge: one interval of one statement. Its times follow from its slot's claims."""

    __tablename__ = "graph_fact"

    org_id: Mapped[OrgId]
    group_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    id: Mapped[Id]
    uuid: Mapped[str]
    source_id: Mapped[int]
    target_id: Mapped[int]
    relation: Mapped[str]
    content: Mapped[str]
    statement: Mapped[str]
    slot: Mapped[str]
    valid_at: Mapped[datetime | None]
    invalid_at: Mapped[datetime | None]
    created_at: Mapped[Created]
    expired_at: Mapped[datetime | None]
    terms: Mapped[bytes]
    revision: Mapped[int] = mapped_column(default=0)


class GraphClaim(Base):
    """What one message says about one value of a slot. Without `statement` it only says that the value ended."""

    __tablename__ = "graph_claim"

    org_id: Mapped[OrgId]
    group_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    id: Mapped[Id]
    episode_id: Mapped[int]
    fact_id: Mapped[int | None]
    slot: Mapped[str]
    value: Mapped[str]
    statement: Mapped[str | None]
    starts_at: Mapped[datetime | None]
    ends_at: Mapped[datetime | None]


class GraphEntityVector(Base):
    """The embedding of an entity's name by one model, in that model's own length."""

    __tablename__ = "graph_entity_vector"

    org_id: Mapped[OrgId]
    group_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    entity_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    embedding_model: Mapped[str] = mapped_column(primary_key=True)
    embedding: Mapped[Any] = mapped_column(HALFVEC())


class GraphFactVector(Base):
    """The embedding of a fact's sentence by one model, in that model's own length."""

    __tablename__ = "graph_fact_vector"

    org_id: Mapped[OrgId]
    group_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    fact_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    embedding_model: Mapped[str] = mapped_column(primary_key=True)
    embedding: Mapped[Any] = mapped_column(HALFVEC())


class GraphTerm(Base):
    """That a fact is found by a term (the ranker's 32-bit hash)."""

    __tablename__ = "graph_term"

    org_id: Mapped[OrgId]
    group_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    term: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    fact_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
