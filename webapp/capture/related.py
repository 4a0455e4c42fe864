"""The existing memories that an exchange is most about: what the model is shown, however much is remembered."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy.orm import Session

from webapp.capture.types import Existing
from webapp.llm.embeddings import Vector
from webapp.memory.nearest import nearest
from webapp.memory.write.captured import Remembered, Source, remembered


def related(session: Session, source: Source, model: str, vector: Vector, limit: int) -> list[Existing]:
    """Up to `limit` live memories, global and of this agent, nearest first, numbered from 1 for the prompt."""
    found = [
        one
        for agent_id in (None, source.agent_id)
        for one in nearest(session, source.org_id, source.user_id, agent_id, model, vector, limit)
    ]
    closest = sorted(found, key=lambda one: (one.distance, one.memory_id))[:limit]
    return numbered(remembered(session, source.org_id, source.user_id, [one.memory_id for one in closest]))


def numbered(memories: Iterable[Remembered], first: int = 1) -> list[Existing]:
    """Memories as the prompt and the comparison name them."""
    return [
        Existing(
            number=number,
            id=one.id,
            text=one.content,
            scope="global" if one.agent_id is None else "agent",
            category_slug=one.category_slug,
            created_at=one.said_at,
        )
        for number, one in enumerate(memories, first)
    ]
