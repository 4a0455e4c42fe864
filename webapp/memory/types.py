"""The values that verbs and queries hand out: frozen, without a session behind them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, TypeVar
from uuid import UUID

Origin = Literal["captured", "manual", "imported"]
Scope = Literal["global", "agent"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Person:
    """A user as shown beside what is remembered about them."""

    id: int
    username: str
    email: str
    full_name: str


@dataclass(frozen=True, slots=True)
class AgentRef:
    """An agent as named beside a memory."""

    id: int
    unique_id: UUID
    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class CategoryRef:
    """A category as named beside a memory."""

    id: int
    name: str
    slug: str
    is_active: bool


@dataclass(frozen=True, slots=True)
class MemoryView:
    """One memory with whom and what it is about. `agent` and `category` are None together: a global memory."""

    id: int
    content: str
    user: Person
    agent: AgentRef | None
    category: CategoryRef | None
    origin: Origin
    source_session_id: str | None
    source_exchange_id: int | None
    occurred_at: datetime
    version: int
    edited_by: str | None
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None
    superseded_at: datetime | None

    @property
    def scope(self) -> Scope:
        """`global` or `agent`."""
        return "agent" if self.agent else "global"

    @property
    def is_auto_generated(self) -> bool:
        """Whether capture wrote it; stays true when a person edits it later."""
        return self.origin == "captured"


@dataclass(frozen=True, slots=True)
class CategoryView:
    """One category of an agent. `count` is the number of live memories in it where a query asks for that."""

    id: int
    agent_id: int
    name: str
    slug: str
    description: str
    extraction_prompt: str
    is_active: bool
    version: int
    created_at: datetime
    count: int | None = None


@dataclass(frozen=True, slots=True)
class KnowledgeView:
    """One entry of an agent's shared memory. `created_by` is None for what a service wrote."""

    id: int
    agent: AgentRef
    content: str
    created_by: Person | None
    version: int
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list and the number of all rows the caller may see."""

    rows: list[T]
    count: int
    number: int
    size: int

    @property
    def pages(self) -> int:
        """How many pages there are; an empty list has one."""
        return max(1, -(-self.count // self.size))
