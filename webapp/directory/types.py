"""Orgs, people and agents as verbs hand them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from webapp.access.actor import AgentRoleName, OrgRole


@dataclass(frozen=True, slots=True)
class OrgView:
    """One customer."""

    id: int
    key: str
    name: str
    time_zone: str
    enable_memsearch: bool


@dataclass(frozen=True, slots=True)
class UserView:
    """An account's place in one org. `agent_roles` maps agent ids to roles."""

    id: int
    username: str
    email: str
    full_name: str
    role: OrgRole
    disabled: bool
    removed_at: datetime | None
    agent_roles: Mapping[int, AgentRoleName] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AgentView:
    """An AI agent. `editors` and `viewers` are usernames."""

    id: int
    unique_id: UUID
    slug: str
    name: str
    description: str
    enable_memory_component: bool
    is_archived: bool
    version: int
    created_at: datetime
    editors: tuple[str, ...] = ()
    viewers: tuple[str, ...] = ()
