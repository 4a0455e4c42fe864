"""Which vectors the graph lacks, and those of a former model."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.orm import Session


def missing(session: Session, org_id: int, model: str) -> dict[int, int]:
    """How many entities and facts have no vector of this model, by group."""
    return {row.group_id: row.missing for row in session.execute(_MISSING, {"org": org_id, "model": model})}


def drop_others(session: Session, org_id: int, group_id: int, model: str) -> int:
    """Delete other models' vectors of what this one has embedded in a group; how many went."""
    given = {"org": org_id, "group": group_id, "model": model}
    return sum(len(session.execute(statement, given).all()) for statement in _OTHERS)


_OWNERS = (("entity", "graph_entity_vector"), ("fact", "graph_fact_vector"))
_MISSING = text(
    "SELECT group_id, count(*) AS missing FROM ("
    + " UNION ALL ".join(
        f"SELECT o.group_id FROM graph_{owner} o WHERE o.org_id = :org AND NOT EXISTS ("
        f"SELECT FROM {table} v WHERE v.org_id = :org AND v.group_id = o.group_id AND v.{owner}_id = o.id "
        "AND v.embedding_model = :model)"
        for owner, table in _OWNERS
    )
    + ") unembedded GROUP BY group_id ORDER BY group_id"
)
_OTHERS = tuple(
    text(
        f"DELETE FROM {table} v WHERE v.org_id = :org AND v.group_id = :group AND v.embedding_model <> :model AND EXISTS ("
        f"SELECT FROM {table} kept WHERE kept.org_id = :org AND kept.group_id = :group AND kept.{owner}_id = v.{owner}_id "
        f"AND kept.embedding_model = :model) RETURNING v.{owner}_id"
    )
    for owner, table in _OWNERS
)
