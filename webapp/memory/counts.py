"""How many live memories an agent holds, counted along with every change: counting millions of rows takes seconds."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import event, text
from sqlalchemy.orm import Session

from webapp.db.models import Memory

_WAITING = "memory counts"
Key = tuple[int, int, int, int]
"""Org, agent, category, person."""


def became_live(session: Session, row: Memory) -> None:
    """Count a memory that is live from now on."""
    _change(session, row, 1)


def no_longer_live(session: Session, row: Memory) -> None:
    """Count a memory that was live until now, under the category that it has."""
    _change(session, row, -1)


def of_agent(session: Session, org_id: int, agent_id: int, category_slug: str | None = None) -> dict[int, int]:
    """The agent's live memories per category id, of this category where given; without those that hold none."""
    rows = session.execute(_OF_AGENT, {"org": org_id, "agent": agent_id, "slug": category_slug})
    return {row.category_id: int(row.live) for row in rows}


def _change(session: Session, row: Memory, by: int) -> None:
    if row.agent_id is None or row.category_id is None:
        return
    if _WAITING not in session.info:
        session.info[_WAITING] = Counter()
        event.listen(session, "before_commit", _write)
    session.info[_WAITING][row.org_id, row.agent_id, row.category_id, row.user_id] += by


def _write(session: Session) -> None:
    """Last of all and in one order, so that nobody who holds a count waits for anything but another count."""
    waiting: Counter[Key] = session.info[_WAITING]
    if session.in_nested_transaction():
        return
    for org_id, agent_id, category_id, user_id in sorted(key for key, by in waiting.items() if by):
        by = waiting[org_id, agent_id, category_id, user_id]
        given = {"org": org_id, "agent": agent_id, "category": category_id, "user": user_id, "by": by}
        session.execute(_ADD, given)
    waiting.clear()


_ADD = text(
    """
    INSERT INTO memory_tally (org_id, agent_id, category_id, user_id, live) VALUES (:org, :agent, :category, :user, :by)
    ON CONFLICT (org_id, agent_id, category_id, user_id) DO UPDATE SET live = memory_tally.live + excluded.live
    """
)
_OF_AGENT = text(
    """
    SELECT t.category_id, sum(t.live) AS live FROM memory_tally t
    WHERE t.org_id = :org AND t.agent_id = :agent AND (CAST(:slug AS text) IS NULL OR t.category_id = (
        SELECT c.id FROM category c WHERE c.org_id = :org AND c.agent_id = :agent AND c.slug = :slug
    )) GROUP BY t.category_id HAVING sum(t.live) > 0 ORDER BY t.category_id
    """
)
