"""Everything that graph memory holds of one member: their groups with messages, entities and facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.orm import Session

from webapp.graph.store import entities, episodes, groups, search
from webapp.graph.types import Entity, Episode, Fact, Group


def of_user(session: Session, org_id: int, user_id: int) -> list[dict[str, Any]]:
    """The groups that a member owns, whole, as JSON values. Permission is the caller's business.

    Not in it: vectors and search terms, which are made of the same texts.
    """
    return [_group(session, org_id, group) for group in groups.among(session, org_id, owner_id=user_id)]


def _group(session: Session, org_id: int, group: Group) -> dict[str, Any]:
    here = (session, org_id, group.id)
    known_as = entities.all_names(*here)
    return {
        "group_id": group.key,
        "episodes": [_episode(one) for one in episodes.all_of(*here)],
        "entities": [_entity(one, known_as) for one in entities.all_of(*here)],
        "facts": [_fact(one) for one in search.all_of(*here)],
    }


def _episode(one: Episode) -> dict[str, Any]:
    return {
        "uuid": one.uuid,
        "name": one.name,
        "role_type": one.role_type,
        "role": one.role,
        "content": one.content,
        "source_description": one.source_description,
        "timestamp": _moment(one.occurred_at),
        "created_at": _moment(one.created_at),
        "status": one.state,
    }


def _entity(one: Entity, known_as: Mapping[int, Sequence[str]]) -> dict[str, Any]:
    return {
        "uuid": one.uuid,
        "name": one.name,
        "known_as": list(known_as.get(one.id, ())),
        "summary": one.summary,
        "created_at": _moment(one.created_at),
    }


def _fact(one: Fact) -> dict[str, Any]:
    return {
        "uuid": one.uuid,
        "source": one.source_uuid,
        "target": one.target_uuid,
        "relationship": one.name,
        "fact": one.text,
        "valid_at": _moment(one.valid_at),
        "invalid_at": _moment(one.invalid_at),
        "created_at": _moment(one.created_at),
        "expired_at": _moment(one.expired_at),
        "episodes": list(one.episodes),
    }


def _moment(at: datetime | None) -> str | None:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z") if at else None
