"""What the JSON API answers about memories: the shapes of its documentation, each made from the domain's value."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, PlainSerializer, WithJsonSchema

from webapp.directory.types import OrgView
from webapp.http.paging import links
from webapp.memory.types import CategoryRef, CategoryView, KnowledgeView, MemoryView, Page


def moment(value: datetime) -> str:
    """ISO 8601 in UTC with `Z`."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


Moment = Annotated[
    datetime,
    PlainSerializer(moment, return_type=str, when_used="json-unless-none"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
T = TypeVar("T", bound=BaseModel)
V = TypeVar("V")


class Shape(BaseModel):
    """Base of every answer: exactly these keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PageOf(Shape, Generic[T]):
    """One page of a list; `count` is the number of all rows that the caller may see."""

    count: int
    next: str | None
    previous: str | None
    results: list[T]


def page_of(page: Page[V], shape: Callable[[V], T]) -> dict[str, Any]:
    """The envelope of a page. Raises PastTheEnd."""
    following, previous = links(page)
    return {"count": page.count, "next": following, "previous": previous, "results": [shape(row) for row in page.rows]}


class CategoryName(Shape):
    """A category as named beside a memory."""

    id: int
    name: str
    slug: str

    @classmethod
    def of(cls, category: CategoryRef) -> Self:
        """From the domain's value."""
        return cls(id=category.id, name=category.name, slug=category.slug)


class MemoryShape(Shape):
    """What every memory about a user carries."""

    id: int
    content: str
    username: str
    email: str
    user_full_name: str
    source_session_id: str | None
    is_auto_generated: bool
    created_at: Moment
    updated_at: Moment
    version: int


def _memory(memory: MemoryView) -> dict[str, Any]:
    return {
        "id": memory.id,
        "content": memory.content,
        "username": memory.user.username,
        "email": memory.user.email,
        "user_full_name": memory.user.full_name,
        "source_session_id": memory.source_session_id,
        "is_auto_generated": memory.is_auto_generated,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "version": memory.version,
    }


class GlobalMemory(MemoryShape):
    """A memory about a user that every agent of the org reads. `platform` is the org's key."""

    platform: str

    @classmethod
    def of(cls, memory: MemoryView, org: OrgView) -> Self:
        """From the domain's value."""
        return cls(**_memory(memory), platform=org.key)


class AgentMemory(MemoryShape):
    """A memory about a user that one agent reads. `agent` and `mentor` are its slug, `mentor_id` its UUID."""

    mentor_id: str
    agent: str
    mentor: str
    category: CategoryName

    @classmethod
    def of(cls, memory: MemoryView) -> Self:
        """From the domain's value; an agent's memory always has both."""
        assert memory.agent is not None
        assert memory.category is not None
        return cls(
            **_memory(memory),
            mentor_id=str(memory.agent.unique_id),
            agent=memory.agent.slug,
            mentor=memory.agent.slug,
            category=CategoryName.of(memory.category),
        )


class AgentMemoryGroup(Shape):
    """The newest memories of one category, at most 100, and how many it holds in all."""

    category: CategoryName
    count: int
    memories: list[AgentMemory]


class Category(Shape):
    """What an agent's memories are filed under."""

    id: int
    name: str
    slug: str
    description: str
    extraction_prompt: str
    is_active: bool
    created_at: Moment
    version: int

    @classmethod
    def of(cls, category: CategoryView) -> Self:
        """From the domain's value."""
        return cls(**{name: getattr(category, name) for name in cls.model_fields})


class PlainCategory(Shape):
    """What a member without a role on the agent reads of an active category."""

    id: int
    name: str
    slug: str
    description: str

    @classmethod
    def of(cls, category: CategoryView) -> Self:
        """From the domain's value."""
        return cls(**{name: getattr(category, name) for name in cls.model_fields})


class Knowledge(Shape):
    """One entry of an agent's shared memory. The three `created_by` are null together: a service wrote it."""

    id: int
    mentor_id: str
    mentor_name: str
    content: str
    created_by: str | None
    created_by_email: str | None
    created_by_full_name: str | None
    created_at: Moment
    updated_at: Moment
    version: int

    @classmethod
    def of(cls, entry: KnowledgeView) -> Self:
        """From the domain's value."""
        writer = entry.created_by
        return cls(
            id=entry.id,
            mentor_id=str(entry.agent.unique_id),
            mentor_name=entry.agent.name,
            content=entry.content,
            created_by=writer and writer.username,
            created_by_email=writer and writer.email,
            created_by_full_name=writer and writer.full_name,
            created_at=entry.created_at,
            updated_at=entry.updated_at,
            version=entry.version,
        )
