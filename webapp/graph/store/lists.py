"""Rows for the screens: pages of groups, facts, entities and messages, and the neighbourhood of an entity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from webapp.graph.types import Counted, Entity, FactState, Link


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a list."""

    limit: int
    offset: int


def fact_ids(
    session: Session, org_id: int, group_id: int, state: FactState, entity_id: int | None, window: Window
) -> tuple[list[int], int]:
    """Facts by what they say of time, the latest first, those of one entity where given; and how many there are."""
    given = {"org": org_id, "group": group_id, "entity": entity_id, "limit": window.limit, "offset": window.offset}
    rows = session.execute(_FACTS[state], given).all()
    total = session.scalar(_FACT_COUNTS[state], given) or 0
    return [row.id for row in rows], total


def entities(session: Session, org_id: int, group_id: int, words: str, window: Window) -> tuple[list[Counted], int]:
    """Entities with the most facts first, those that have a name with these letters; and how many there are."""
    given = {
        "org": org_id, "group": group_id, "like": f"%{_escaped(words)}%", "limit": window.limit,
        "offset": window.offset,
    }  # fmt: skip
    rows = session.execute(_ENTITIES, given).all()
    total = session.scalar(_ENTITY_COUNT, given) or 0
    return [Counted(_entity(row), row.facts) for row in rows], total


def around(session: Session, org_id: int, group_id: int, entity_id: int | None, limit: int) -> list[Counted]:
    """The entities to draw: the best connected ones, or one entity and those nearest to it."""
    given = {"org": org_id, "group": group_id, "center": entity_id, "limit": limit}
    statement = _BEST_CONNECTED if entity_id is None else _NEIGHBOURS
    return [Counted(_entity(row), row.facts) for row in session.execute(statement, given)]


def links(session: Session, org_id: int, group_id: int, entity_ids: Sequence[int]) -> list[Link]:
    """What connects these entities."""
    rows = session.execute(_LINKS, {"org": org_id, "group": group_id, "ids": list(entity_ids)})
    return [Link(row.source_id, row.target_id, row.facts, row.current) for row in rows]


def episode_ids(session: Session, org_id: int, group_id: int, failed: bool, window: Window) -> tuple[list[int], int]:
    """Messages, the one said last first, only those that failed where asked; and how many there are."""
    given = {"org": org_id, "group": group_id, "failed": failed, "limit": window.limit, "offset": window.offset}
    rows = session.execute(_EPISODES, given).all()
    return [row.id for row in rows], session.scalar(_EPISODE_COUNT, given) or 0


def unfinished(session: Session, org_id: int, lanes: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Lane → how many messages wait or run, and how many failed."""
    rows = session.execute(_UNFINISHED, {"org": org_id, "lanes": list(lanes)})
    return {row.lane: (row.waiting, row.failed) for row in rows}


def _escaped(words: str) -> str:
    return words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _entity(row: Row[Any]) -> Entity:
    return Entity(row.id, row.uuid, row.group_key, row.name, row.summary, row.by_hand, row.created_at)


_HERE = "org_id = :org AND group_id = :group"
_ENDED = "(f.invalid_at IS NOT NULL AND f.invalid_at <= now())"
_STATES: dict[FactState, str] = {"all": "", "current": f"AND NOT {_ENDED}", "ended": f"AND {_ENDED}"}
_OF = "(CAST(:entity AS bigint) IS NULL OR f.source_id = :entity OR f.target_id = :entity)"
_FACTS = {
    state: text(
        f"SELECT f.id FROM graph_fact f WHERE f.{_HERE.replace('AND ', 'AND f.')} AND {_OF} {condition} "
        "ORDER BY f.valid_at DESC NULLS LAST, f.id DESC LIMIT :limit OFFSET :offset"
    )
    for state, condition in _STATES.items()
}
_FACT_COUNTS = {
    state: text(f"SELECT count(*) FROM graph_fact f WHERE f.{_HERE.replace('AND ', 'AND f.')} AND {_OF} {condition}")
    for state, condition in _STATES.items()
}
_DEGREES = f"""
    degrees AS (
        SELECT entity_id, count(*) AS facts FROM (
            SELECT source_id AS entity_id FROM graph_fact WHERE {_HERE}
            UNION ALL SELECT target_id FROM graph_fact WHERE {_HERE} AND target_id <> source_id
        ) ends GROUP BY entity_id
    )
"""
_SHOWN = """
    e.id, e.uuid, (SELECT key FROM graph_group g WHERE g.org_id = :org AND g.id = :group) AS group_key, e.name, e.summary,
    e.by_hand, e.created_at, coalesce(d.facts, 0) AS facts
"""
_NAMED = """
    EXISTS (
        SELECT FROM graph_entity_name n
        WHERE n.org_id = :org AND n.group_id = :group AND n.entity_id = e.id AND n.name ILIKE :like
    )
"""
_OF_GROUP = "e.org_id = :org AND e.group_id = :group"
_ENTITIES = text(
    f"""
    WITH {_DEGREES} SELECT {_SHOWN} FROM graph_entity e LEFT JOIN degrees d ON d.entity_id = e.id
    WHERE {_OF_GROUP} AND {_NAMED} ORDER BY facts DESC, lower(e.name), e.id LIMIT :limit OFFSET :offset
    """
)
_ENTITY_COUNT = text(f"SELECT count(*) FROM graph_entity e WHERE {_OF_GROUP} AND {_NAMED}")
_BEST_CONNECTED = text(
    f"""
    WITH {_DEGREES} SELECT {_SHOWN} FROM graph_entity e JOIN degrees d ON d.entity_id = e.id
    WHERE {_OF_GROUP} ORDER BY facts DESC, e.id LIMIT :limit
    """
)
_NEIGHBOURS = text(
    f"""
    WITH {_DEGREES}, near AS (
        SELECT entity_id, count(*) AS shared FROM (
            SELECT target_id AS entity_id FROM graph_fact WHERE {_HERE} AND source_id = :center
            UNION ALL SELECT source_id FROM graph_fact WHERE {_HERE} AND target_id = :center
        ) others WHERE entity_id <> :center GROUP BY entity_id
    )
    SELECT {_SHOWN} FROM graph_entity e LEFT JOIN degrees d ON d.entity_id = e.id LEFT JOIN near n ON n.entity_id = e.id
    WHERE {_OF_GROUP} AND (e.id = :center OR n.entity_id IS NOT NULL)
    ORDER BY e.id <> :center, n.shared DESC, facts DESC, e.id LIMIT :limit
    """
)
_LINKS = text(
    f"""
    SELECT least(f.source_id, f.target_id) AS source_id, greatest(f.source_id, f.target_id) AS target_id,
        count(*) AS facts, count(*) FILTER (WHERE NOT {_ENDED}) AS current
    FROM graph_fact f WHERE f.org_id = :org AND f.group_id = :group AND f.source_id <> f.target_id
        AND f.source_id = ANY(CAST(:ids AS bigint[])) AND f.target_id = ANY(CAST(:ids AS bigint[]))
    GROUP BY 1, 2 ORDER BY 1, 2
    """
)
_FAILED = """
    (NOT :failed OR EXISTS (SELECT FROM inbox i WHERE i.org_id = :org AND i.id = p.inbox_id AND i.state = 'failed'))
"""
_EPISODES = text(
    f"""
    SELECT p.id FROM graph_episode p WHERE p.org_id = :org AND p.group_id = :group AND {_FAILED}
    ORDER BY p.occurred_at DESC, p.id DESC LIMIT :limit OFFSET :offset
    """
)
_EPISODE_COUNT = text(
    f"SELECT count(*) FROM graph_episode p WHERE p.org_id = :org AND p.group_id = :group AND {_FAILED}"
)
_UNFINISHED = text(
    """
    SELECT lane, count(*) FILTER (WHERE state IN ('pending', 'claimed')) AS waiting,
        count(*) FILTER (WHERE state = 'failed') AS failed
    FROM inbox WHERE org_id = :org AND lane = ANY(CAST(:lanes AS text[])) AND state IN ('pending', 'claimed', 'failed')
    GROUP BY lane
    """
)
