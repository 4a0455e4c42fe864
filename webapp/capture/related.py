"""The existing memories that an exchange is most about: what the model is shown, however much is remembered."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC

from sqlalchemy.orm import Session

from webapp.capture.types import Existing
from webapp.llm.embeddings import StoredVector
from webapp.memory import search
from webapp.memory.write.captured import Remembered, Source, remembered


def related(
    session: Session, source: Source, said: str, model: str, vector: StoredVector, limit: int
) -> list[Existing]:
    """Up to `limit` live memories, global and of this agent, those most about `said` first, numbered from 1.

    By words and by `vector`, the vector of `said`: the ranking of recall, without its floor.
    """
    found = search.related(
        session, source.org_id, source.user_id, source.agent_id,
        message=said, said_on=source.occurred_at.astimezone(UTC).date(), model=model, vector=vector, limit=limit,
    )  # fmt: skip
    return numbered(remembered(session, source.org_id, source.user_id, found))


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
