"""Episodes: one row per message, with the state of its processing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Row, Select, delete, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from webapp.db.models import GraphClaim, GraphEpisode, InboxItem
from webapp.graph.types import Episode, RoleType


@dataclass(frozen=True, slots=True)
class NewEpisode:
    """A message to be kept. Texts are as they may be stored: no NUL, no lone surrogate.

    ``occurred_at`` is aware; None means now.
    """

    uuid: str
    content: str
    role_type: RoleType
    occurred_at: datetime | None = None
    name: str = ""
    role: str = ""
    source_description: str = ""


def add(session: Session, org_id: int, group_id: int, new: NewEpisode) -> int | None:
    """The new row's id, or None where the group has an episode of this uuid."""
    row = insert(GraphEpisode).values(
        org_id=org_id,
        group_id=group_id,
        uuid=new.uuid,
        name=new.name,
        content=new.content,
        role_type=new.role_type,
        role=new.role,
        source_description=new.source_description,
        occurred_at=new.occurred_at or func.now(),
    )
    unless_there = row.on_conflict_do_nothing(index_elements=["org_id", "group_id", "uuid"])
    return session.scalar(unless_there.returning(GraphEpisode.id))


def set_work(session: Session, org_id: int, group_id: int, episode_id: int, inbox_id: int) -> None:
    """Note which accepted work processes an episode."""
    session.execute(
        text("UPDATE graph_episode SET inbox_id = :item WHERE org_id = :org AND group_id = :group AND id = :id"),
        {"item": inbox_id, "org": org_id, "group": group_id, "id": episode_id},
    )


def load(session: Session, org_id: int, group_id: int, episode_id: int) -> Episode | None:
    """By its id."""
    row = session.execute(_shown(org_id, group_id).where(GraphEpisode.id == episode_id)).one_or_none()
    return _episode(row) if row else None


def newest(session: Session, org_id: int, group_id: int, limit: int, *, before: int | None = None) -> list[Episode]:
    """The messages said last, oldest first; with `before`, those that were said before that episode."""
    chosen = _shown(org_id, group_id).order_by(GraphEpisode.occurred_at.desc(), GraphEpisode.id.desc()).limit(limit)
    if before is not None:
        this = select(GraphEpisode.occurred_at, GraphEpisode.id).where(
            GraphEpisode.org_id == org_id, GraphEpisode.group_id == group_id, GraphEpisode.id == before
        )
        place = func.row(GraphEpisode.occurred_at, GraphEpisode.id)
        chosen = chosen.where(place < this.scalar_subquery())
    return [_episode(row) for row in reversed(session.execute(chosen).all())]


def all_of(session: Session, org_id: int, group_id: int) -> list[Episode]:
    """Every episode of a group, oldest first."""
    chosen = _shown(org_id, group_id).order_by(GraphEpisode.occurred_at, GraphEpisode.id)
    return [_episode(row) for row in session.execute(chosen)]


def some(session: Session, org_id: int, group_id: int, ids: Sequence[int]) -> list[Episode]:
    """These episodes."""
    return [_episode(row) for row in session.execute(_shown(org_id, group_id).where(GraphEpisode.id.in_(ids)))]


def of_fact(session: Session, org_id: int, group_id: int, fact_id: int) -> list[Episode]:
    """The messages that say a fact, oldest first."""
    saying = select(GraphClaim.episode_id).where(
        GraphClaim.org_id == org_id, GraphClaim.group_id == group_id, GraphClaim.fact_id == fact_id
    )
    chosen = _shown(org_id, group_id).where(GraphEpisode.id.in_(saying))
    return [_episode(row) for row in session.execute(chosen.order_by(GraphEpisode.occurred_at, GraphEpisode.id))]


def unfinished(session: Session, org_id: int, group_id: int, limit: int) -> list[Episode]:
    """Episodes that failed, or wait to be worked off; failed ones first, then in order of acceptance."""
    chosen = _shown(org_id, group_id).where(InboxItem.state.in_(["failed", "pending", "claimed"]))
    chosen = chosen.order_by(InboxItem.state != "failed", GraphEpisode.id).limit(limit)
    return [_episode(row) for row in session.execute(chosen)]


def find(session: Session, org_id: int, uuid: str, group_ids: Sequence[int]) -> list[tuple[int, int]]:
    """(group, episode) of every episode of this uuid in these groups."""
    chosen = select(GraphEpisode.group_id, GraphEpisode.id).where(
        GraphEpisode.org_id == org_id, GraphEpisode.group_id.in_(group_ids), GraphEpisode.uuid == uuid
    )
    return [(row.group_id, row.id) for row in session.execute(chosen)]


def over_limit(session: Session, org_id: int, group_id: int, keep: int) -> list[int]:
    """The episodes beyond the newest `keep`, by order of ingestion."""
    chosen = select(GraphEpisode.id).where(GraphEpisode.org_id == org_id, GraphEpisode.group_id == group_id)
    return list(session.scalars(chosen.order_by(GraphEpisode.id.desc()).offset(keep)))


def expired(session: Session, org_id: int, days: int, limit: int) -> list[tuple[int, int]]:
    """(group, episode) of episodes ingested longer ago than so many days, by the database's clock; oldest first."""
    over = GraphEpisode.created_at < func.now() - func.make_interval(0, 0, 0, days)
    chosen = select(GraphEpisode.group_id, GraphEpisode.id).where(GraphEpisode.org_id == org_id, over)
    rows = session.execute(chosen.order_by(GraphEpisode.created_at, GraphEpisode.id).limit(limit))
    return [(row.group_id, row.id) for row in rows]


def remove(session: Session, org_id: int, group_id: int, ids: Sequence[int]) -> int:
    """Delete episodes with their mentions, claims and accepted work; how many there were."""
    chosen = (GraphEpisode.org_id == org_id, GraphEpisode.group_id == group_id, GraphEpisode.id.in_(ids))
    work = list(session.scalars(select(GraphEpisode.inbox_id).where(*chosen, GraphEpisode.inbox_id.is_not(None))))
    if work:
        session.execute(delete(InboxItem).where(InboxItem.org_id == org_id, InboxItem.id.in_(work)))
    return len(session.execute(delete(GraphEpisode).where(*chosen).returning(GraphEpisode.id)).all())


def _shown(org_id: int, group_id: int) -> Select[GraphEpisode, str, str | None]:
    work = (InboxItem.org_id == GraphEpisode.org_id) & (InboxItem.id == GraphEpisode.inbox_id)
    return (
        select(GraphEpisode, InboxItem.state, InboxItem.error)
        .outerjoin(InboxItem, work)
        .where(GraphEpisode.org_id == org_id, GraphEpisode.group_id == group_id)
    )


def _episode(row: Row[GraphEpisode, str, str | None]) -> Episode:
    kept = row[0]
    return Episode(
        kept.id, kept.uuid, kept.name, kept.content, kept.role_type, kept.role, kept.source_description,  # type: ignore[arg-type]
        kept.occurred_at, kept.created_at, row.state or "done", row.error, kept.inbox_id,
    )  # fmt: skip
