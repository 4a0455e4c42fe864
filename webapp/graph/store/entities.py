"""Entities, their names, who mentions them, and the vectors of their names."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from webapp.db.halfvec import Halfvec
from webapp.db.models import GraphEntity, GraphEntityName, GraphEntityVector, GraphMention
from webapp.graph.names import initials, key, loose_key
from webapp.graph.resolve import Nominee
from webapp.graph.types import Entity
from webapp.llm.embeddings import Embedder, Vector


def add(
    session: Session, org_id: int, group_id: int, uuid: str, name: str, summary: str = "", *, by_hand: bool = False
) -> int:
    """The new entity's id; its names are added by `add_name`."""
    row = GraphEntity(org_id=org_id, group_id=group_id, uuid=uuid, name=name, summary=summary, by_hand=by_hand)
    session.add(row)
    session.flush()
    return row.id


def change(
    session: Session, org_id: int, group_id: int, entity_id: int, *, uuid: str, name: str, summary: str | None
) -> list[str]:
    """Write what a person says of an entity over what was known; a summary of None stays as it is.

    The keys of the names it had come back: those that nothing uses any more are to be swept.
    """
    values = {"uuid": uuid, "name": name, "by_hand": True} | ({} if summary is None else {"summary": summary})
    session.execute(update(GraphEntity).where(*_one(org_id, group_id, entity_id)).values(**values))
    its_names = (
        GraphEntityName.org_id == org_id, GraphEntityName.group_id == group_id, GraphEntityName.entity_id == entity_id
    )  # fmt: skip
    loosened = update(GraphEntityName).where(*its_names).values(by_hand=False).returning(GraphEntityName.name_key)
    return list(session.scalars(loosened))


def add_name(session: Session, org_id: int, group_id: int, entity_id: int, name: str, *, by_hand: bool = False) -> bool:
    """Let an entity be known by a name. False where the name is another entity's."""
    row = insert(GraphEntityName).values(
        org_id=org_id,
        group_id=group_id,
        entity_id=entity_id,
        name=name,
        name_key=key(name),
        loose_key=loose_key(name),
        initials=initials(name),
        by_hand=by_hand,
    )
    known = row.on_conflict_do_update(
        index_elements=["org_id", "group_id", "name_key"],
        set_={"by_hand": GraphEntityName.by_hand | row.excluded.by_hand},
        where=GraphEntityName.entity_id == row.excluded.entity_id,
    )
    return session.execute(known.returning(GraphEntityName.entity_id)).first() is not None


def mention(session: Session, org_id: int, group_id: int, episode_id: int, names: Sequence[str]) -> None:
    """Note that an episode uses these names, which are known."""
    given = [
        {"org_id": org_id, "group_id": group_id, "episode_id": episode_id, "name_key": name_key}
        for name_key in {key(name) for name in names}
    ]
    if given:
        session.execute(insert(GraphMention).on_conflict_do_nothing(), given)


def named(session: Session, org_id: int, group_id: int, names: Sequence[str]) -> list[Nominee]:
    """The entities that one of these names may mean by its letters: equal or near (`graph.resolve` decides)."""
    loose = {loose_key(name) for name in names}
    given = {
        "org": org_id,
        "group": group_id,
        "keys": [key(name) for name in names],
        "loose": list(loose | {short for name in names if (short := initials(name))}),
        "initials": list(loose),
    }
    return [Nominee(row.entity_id, row.name) for row in session.execute(_NAMED, given)]


def familiar(session: Session, org_id: int, group_id: int, keys: Sequence[str]) -> list[str]:
    """Those of these name keys that are known, as they are written."""
    rows = session.execute(_FAMILIAR, {"org": org_id, "group": group_id, "keys": list(keys)})
    return [row.name for row in rows]


def similar(
    session: Session, org_id: int, group_id: int, embedder: Embedder, vector: Vector, limit: int
) -> list[tuple[Entity, float]]:
    """The entities whose names are nearest to a vector, with the cosine, nearest first."""
    given: dict[str, Any] = {"org": org_id, "group": group_id, "model": embedder.model, "limit": limit}
    given |= {"vector": Halfvec(embedder.stored(vector)), "length": embedder.stored_length}
    return [(_entity(row), 1.0 - float(row.distance)) for row in session.execute(_SIMILAR, given)]


def put_vectors(
    session: Session, org_id: int, group_id: int, embedder: Embedder, vectors: Sequence[tuple[int, Vector]]
) -> None:
    """Store the embeddings of entities' names, replacing older ones of the same model."""
    if not vectors:
        return
    row = insert(GraphEntityVector)
    session.execute(
        row.on_conflict_do_update(
            index_elements=["org_id", "group_id", "entity_id", "embedding_model"],
            set_={"embedding": row.excluded.embedding},
        ),
        [
            {"org_id": org_id, "group_id": group_id, "entity_id": entity_id, "embedding_model": embedder.model, "embedding": embedder.stored(vector)}
            for entity_id, vector in vectors
        ],
    )  # fmt: skip


def without_vector(session: Session, org_id: int, group_id: int, model: str, limit: int) -> list[Entity]:
    """Entities whose name is not embedded by this model."""
    return [_entity(row) for row in session.execute(
        _WITHOUT_VECTOR, {"org": org_id, "group": group_id, "model": model, "limit": limit}
    )]  # fmt: skip


def find(session: Session, org_id: int, uuid: str, group_ids: Sequence[int]) -> list[tuple[int, int]]:
    """(group, entity) of every entity of this uuid in these groups."""
    chosen = select(GraphEntity.group_id, GraphEntity.id).where(
        GraphEntity.org_id == org_id, GraphEntity.group_id.in_(group_ids), GraphEntity.uuid == uuid
    )
    return [(row.group_id, row.id) for row in session.execute(chosen)]


def load(session: Session, org_id: int, group_id: int, ids: Sequence[int]) -> dict[int, Entity]:
    """These entities by id."""
    if not ids:
        return {}
    rows = session.execute(_BY_ID, {"org": org_id, "group": group_id, "ids": list(ids)})
    return {row.id: _entity(row) for row in rows}


def all_of(session: Session, org_id: int, group_id: int) -> list[Entity]:
    """Every entity of a group, the oldest first."""
    return [_entity(row) for row in session.execute(_ALL, {"org": org_id, "group": group_id})]


def all_names(session: Session, org_id: int, group_id: int, entity_id: int | None = None) -> dict[int, list[str]]:
    """Entity → every name it is known by, the oldest first; of one entity where given."""
    chosen = select(GraphEntityName.entity_id, GraphEntityName.name).where(
        GraphEntityName.org_id == org_id, GraphEntityName.group_id == group_id
    )
    chosen = chosen if entity_id is None else chosen.where(GraphEntityName.entity_id == entity_id)
    found: dict[int, list[str]] = {}
    for row in session.execute(chosen.order_by(GraphEntityName.created_at, GraphEntityName.name_key)):
        found.setdefault(row.entity_id, []).append(row.name)
    return found


def names_used_by(session: Session, org_id: int, group_id: int, episode_ids: Sequence[int]) -> list[str]:
    """The keys of the names that these episodes use."""
    chosen = select(GraphMention.name_key).where(
        GraphMention.org_id == org_id, GraphMention.group_id == group_id, GraphMention.episode_id.in_(episode_ids)
    )
    return list(session.scalars(chosen.distinct()))


def sweep(session: Session, org_id: int, group_id: int, name_keys: Sequence[str]) -> int:
    """Delete those of these names that no message uses any more, and the entities that have none left; how many went.

    An entity that lost the name it is shown by gets the oldest one it has. What was written by hand stays.
    """
    if not name_keys:
        return 0
    given: dict[str, Any] = {"org": org_id, "group": group_id}
    touched = {row.entity_id for row in session.execute(_UNUSED_NAMES, given | {"keys": list(name_keys)})}
    if not touched:
        return 0
    about = given | {"ids": list(touched)}
    gone = len(session.execute(_NAMELESS, about).all())
    session.execute(_RENAMED, about)
    return gone


def _one(org_id: int, group_id: int, entity_id: int) -> tuple[Any, ...]:
    return GraphEntity.org_id == org_id, GraphEntity.group_id == group_id, GraphEntity.id == entity_id


def _entity(row: Row[Any]) -> Entity:
    created: datetime = row.created_at
    return Entity(row.id, row.uuid, row.group_key, row.name, row.summary, row.by_hand, created)


_SHOWN = "e.id, e.uuid, g.key AS group_key, e.name, e.summary, e.by_hand, e.created_at"
_FROM = "graph_entity e JOIN graph_group g ON g.org_id = e.org_id AND g.id = e.group_id"
_BY_ID = text(
    f"SELECT {_SHOWN} FROM {_FROM} WHERE e.org_id = :org AND e.group_id = :group AND e.id = ANY(CAST(:ids AS bigint[]))"
)
_ALL = text(f"SELECT {_SHOWN} FROM {_FROM} WHERE e.org_id = :org AND e.group_id = :group ORDER BY e.id")
_NAMED = text(
    """
    SELECT entity_id, name FROM graph_entity_name WHERE org_id = :org AND group_id = :group AND name_key = ANY(CAST(:keys AS text[]))
    UNION SELECT entity_id, name FROM graph_entity_name WHERE org_id = :org AND group_id = :group AND loose_key = ANY(CAST(:loose AS text[]))
    UNION SELECT entity_id, name FROM graph_entity_name
    WHERE org_id = :org AND group_id = :group AND initials = ANY(CAST(:initials AS text[]))
    """
)
_FAMILIAR = text(
    "SELECT name FROM graph_entity_name WHERE org_id = :org AND group_id = :group AND name_key = ANY(CAST(:keys AS text[]))"
)
_SIMILAR = text(
    f"""
    SELECT {_SHOWN}, v.embedding <=> CAST(:vector AS halfvec) AS distance
    FROM (
        SELECT * FROM graph_entity_vector WHERE org_id = :org AND group_id = :group AND embedding_model = :model
            AND vector_dims(embedding) = :length
        ORDER BY embedding <=> CAST(:vector AS halfvec), entity_id LIMIT :limit
    ) v JOIN {_FROM} ON e.org_id = :org AND e.group_id = :group AND e.id = v.entity_id
    ORDER BY distance, e.id
    """
)
_WITHOUT_VECTOR = text(
    f"""
    SELECT {_SHOWN} FROM {_FROM} WHERE e.org_id = :org AND e.group_id = :group AND NOT EXISTS (
        SELECT FROM graph_entity_vector v
        WHERE v.org_id = :org AND v.group_id = :group AND v.entity_id = e.id AND v.embedding_model = :model
    ) ORDER BY e.id LIMIT :limit
    """
)
_UNUSED_NAMES = text(
    """
    DELETE FROM graph_entity_name n
    WHERE n.org_id = :org AND n.group_id = :group AND n.name_key = ANY(CAST(:keys AS text[])) AND NOT n.by_hand AND NOT EXISTS (
        SELECT FROM graph_mention m WHERE m.org_id = :org AND m.group_id = :group AND m.name_key = n.name_key
    ) RETURNING n.entity_id
    """
)
_NAMELESS = text(
    """
    DELETE FROM graph_entity e
    WHERE e.org_id = :org AND e.group_id = :group AND e.id = ANY(CAST(:ids AS bigint[])) AND NOT e.by_hand AND NOT EXISTS (
        SELECT FROM graph_entity_name n WHERE n.org_id = :org AND n.group_id = :group AND n.entity_id = e.id
    ) RETURNING e.id
    """
)
_RENAMED = text(
    """
    UPDATE graph_entity e SET name = left_over.name FROM (
        SELECT DISTINCT ON (n.entity_id) n.entity_id, n.name FROM graph_entity_name n
        WHERE n.org_id = :org AND n.group_id = :group AND n.entity_id = ANY(CAST(:ids AS bigint[]))
        ORDER BY n.entity_id, n.created_at, n.name_key
    ) left_over
    WHERE e.org_id = :org AND e.group_id = :group AND NOT e.by_hand AND left_over.entity_id = e.id AND NOT EXISTS (
        SELECT FROM graph_entity_name n
        WHERE n.org_id = :org AND n.group_id = :group AND n.entity_id = e.id AND n.name = e.name
    )
    """
)
