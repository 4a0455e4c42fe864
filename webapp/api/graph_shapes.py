"""Bodies and answers of the graph API. Types and shapes only: what a value may say is a rule of the verb."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from webapp.graph.types import Entity, Episode, Fact, RoleType

GROUP_KEY = r"^[A-Za-z0-9_-]{1,128}$"
MOST_MESSAGES = 1_000
MOST_FACTS = 1_000
MESSAGE_LENGTH = 200_000
NAME_LENGTH = 200
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def _storable(value: Any) -> Any:
    if isinstance(value, str) and _UNSTORABLE.search(value):
        raise ValueError("null characters and lone surrogates are not allowed")
    return value


def _time(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("invalid datetime format")
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise ValueError("invalid datetime format") from None


STORABLE = BeforeValidator(_storable)
Identity = Annotated[str, Field(min_length=1, max_length=128), STORABLE]
GroupKey = Annotated[str, Field(pattern=GROUP_KEY), STORABLE]
Name = Annotated[str, Field(max_length=NAME_LENGTH), STORABLE]
FilledName = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH), STORABLE]
Moment = Annotated[datetime, BeforeValidator(_time)]


class Body(BaseModel):
    """Strict types; unknown fields are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class MessageBody(Body):
    """One message. Null stands for an optional field that is left out."""

    content: Annotated[str, Field(min_length=1, max_length=MESSAGE_LENGTH), STORABLE]
    role_type: RoleType
    role: Name | None = None
    uuid: Identity | None = None
    name: Name | None = None
    timestamp: Moment | None = None
    source_description: Annotated[str, Field(max_length=1_000), STORABLE] | None = None


class MessagesBody(Body):
    """Messages of one group, in the order in which they were said."""

    group_id: GroupKey
    messages: Annotated[list[MessageBody], Field(min_length=1, max_length=MOST_MESSAGES)]


class EntityBody(Body):
    """A node."""

    group_id: GroupKey
    name: FilledName
    uuid: Identity | None = None
    summary: Annotated[str, Field(max_length=10_000), STORABLE] | None = None


class SearchBody(Body):
    """A query over groups; none named: all that the caller may see. `as_of`: only what held at that moment."""

    query: Annotated[str, Field(max_length=MESSAGE_LENGTH), STORABLE]
    group_ids: list[GroupKey] | None = None
    max_facts: Annotated[int, Field(ge=1, le=MOST_FACTS)] = 10
    as_of: Moment | None = None


class MemoryBody(Body):
    """The conversation that facts are wanted for."""

    group_id: GroupKey
    messages: Annotated[list[MessageBody], Field(max_length=MOST_MESSAGES)]
    max_facts: Annotated[int, Field(ge=1, le=MOST_FACTS)] = 10
    center_node_uuid: Identity | None = None
    as_of: Moment | None = None


class OwnerBody(Body):
    """Whom a group is given to."""

    username: FilledName


class GroupPath(BaseModel):
    """A group in the path."""

    group_id: GroupKey


class LastQuery(BaseModel):
    """How many messages."""

    last_n: Annotated[int, Field(ge=1, le=1_000)]


class OneQuery(BaseModel):
    """Which group, where several have an object of one uuid."""

    group_id: GroupKey | None = None


def moment(value: datetime | None) -> str | None:
    """ISO 8601 in UTC with `Z`."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z") if value else None


def fact_shape(fact: Fact) -> dict[str, Any]:
    """A fact in a list."""
    return {
        "uuid": fact.uuid,
        "name": fact.name,
        "fact": fact.text,
        "valid_at": moment(fact.valid_at),
        "invalid_at": moment(fact.invalid_at),
        "created_at": moment(fact.created_at),
        "expired_at": moment(fact.expired_at),
        "source_node_uuid": fact.source_uuid,
        "target_node_uuid": fact.target_uuid,
        "source_node_name": fact.source_name,
        "target_node_name": fact.target_name,
        "group_id": fact.group_key,
        "episodes": list(fact.episodes),
    }


def edge_shape(fact: Fact) -> dict[str, Any]:
    """One fact as an edge, its own fields beside."""
    edge = {"source_uuid": fact.source_uuid, "target_uuid": fact.target_uuid, "relationship": fact.name}
    return fact_shape(fact) | edge


def entity_shape(entity: Entity) -> dict[str, Any]:
    """A node."""
    return {
        "uuid": entity.uuid,
        "group_id": entity.group_key,
        "name": entity.name,
        "summary": entity.summary,
        "created_at": moment(entity.created_at),
    }


def episode_shape(episode: Episode) -> dict[str, Any]:
    """A message as an episode. `created_at` is when it was taken in, `timestamp` when it was said."""
    said = {
        "content": episode.content,
        "role_type": episode.role_type,
        "role": episode.role or None,
        "timestamp": moment(episode.occurred_at),
    }
    return {
        "uuid": episode.uuid,
        "name": episode.name,
        "created_at": moment(episode.created_at),
        "status": episode.state,
        "messages": [said],
    }
