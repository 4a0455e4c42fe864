"""Fills the graph's tables for `bench.graph` past the API: COPY as the superuser, then copies of it by the server."""

from __future__ import annotations

import hashlib
from datetime import datetime

import psycopg

from bench._graph_data import Data
from webapp.graph.names import initials, key, loose_key
from webapp.terms import memory_terms, packed, unpacked

MODEL = "all-MiniLM-L6-v2"


def load(url: str, org_id: int, group: str, data: Data, owner_id: int) -> int:
    """One group with all of the data; its id."""
    with psycopg.connect(url, autocommit=True) as connection:
        made = connection.execute(
            "INSERT INTO graph_group (org_id, key, owner_id) VALUES (%s, %s, %s) RETURNING id",
            [org_id, group, owner_id],
        ).fetchone()
        assert made is not None
        group_id: int = made[0]
        entity_ids = _entities(connection, org_id, group_id, data)
        _facts(connection, org_id, group_id, data, entity_ids)
        connection.execute("VACUUM ANALYZE")  # as the server does by itself after so many new rows
        return group_id


def multiply(url: str, org_id: int, group_id: int, copies: int) -> None:
    """So many more groups that hold the same: what others have, which a search must not pay for."""
    with psycopg.connect(url, autocommit=True) as connection:
        for number in range(copies):
            connection.execute(_COPY_GROUP.format(org=org_id, group=group_id, key=f"other-{number}"))
        connection.execute("VACUUM ANALYZE")


def _entities(connection: psycopg.Connection, org_id: int, group_id: int, data: Data) -> list[int]:
    first = _reserve(connection, "graph_entity_id_seq", len(data.entities))
    ids = [first + place for place in range(len(data.entities))]
    _copy(connection, "graph_entity (org_id, group_id, id, uuid, name)",
          ((org_id, group_id, one, f"n{one}", name) for one, name in zip(ids, data.entities, strict=True)))  # fmt: skip
    _copy(connection, "graph_entity_name (org_id, group_id, name_key, entity_id, name, loose_key, initials)",
          ((org_id, group_id, key(name), one, name, loose_key(name), initials(name))
           for one, name in zip(ids, data.entities, strict=True)))  # fmt: skip
    return ids


def _facts(connection: psycopg.Connection, org_id: int, group_id: int, data: Data, entity_ids: list[int]) -> None:
    first = _reserve(connection, "graph_fact_id_seq", len(data.facts))
    rows, terms = [], []
    for place, one in enumerate(data.facts):
        source, target = entity_ids[one.source], entity_ids[one.target]
        words = f"{one.text} {data.entities[one.source]} {data.entities[one.target]} {one.relation.replace('_', ' ')}"
        held = packed(memory_terms(words, datetime.fromisoformat(one.valid_at).date()))
        statement = hashlib.sha256(f"{source}|{target}|{one.text}".encode()).hexdigest()
        rows.append((org_id, group_id, first + place, f"f{first + place}", source, target, one.relation, one.text,
                     statement, f"={statement}", one.valid_at, held))  # fmt: skip
        terms += [(org_id, group_id, term, first + place) for term in sorted(set(unpacked(held).view("<i4").tolist()))]
    _copy(connection, "graph_fact (org_id, group_id, id, uuid, source_id, target_id, relation, content, statement, slot, "
          "valid_at, terms)", rows)  # fmt: skip
    _copy(connection, "graph_term (org_id, group_id, term, fact_id)", sorted(terms))
    _copy(connection, "graph_fact_vector (org_id, group_id, fact_id, embedding_model, embedding)",
          ((org_id, group_id, first + place, MODEL, "[" + ",".join(f"{value:.4g}" for value in vector) + "]")
           for place, vector in enumerate(data.vectors.tolist())))  # fmt: skip
    connection.execute(
        "UPDATE graph_group SET fact_count = %s, term_count = %s WHERE id = %s", [len(rows), len(terms), group_id]
    )


def _reserve(connection: psycopg.Connection, sequence: str, count: int) -> int:
    row = connection.execute(f"SELECT nextval('{sequence}')").fetchone()
    assert row is not None
    connection.execute(f"SELECT setval('{sequence}', %s)", [row[0] + count])
    return int(row[0])


def _copy(connection: psycopg.Connection, target: str, rows: object) -> None:
    with connection.cursor().copy(f"COPY {target} FROM STDIN") as copy:
        for row in rows:  # type: ignore[attr-defined]
            copy.write_row(row)


_COPY_GROUP = """
    WITH made AS (
        INSERT INTO graph_group (org_id, key, fact_count, term_count)
        SELECT org_id, '{key}', fact_count, term_count FROM graph_group WHERE id = {group} RETURNING id
    ), entities AS (
        INSERT INTO graph_entity (org_id, group_id, id, uuid, name)
        SELECT org_id, made.id, e.id, uuid, name FROM graph_entity e, made WHERE e.group_id = {group} RETURNING 1
    ), facts AS (
        INSERT INTO graph_fact (org_id, group_id, id, uuid, source_id, target_id, relation, content, statement, slot,
            valid_at, terms)
        SELECT org_id, made.id, f.id, uuid, source_id, target_id, relation, content, statement, slot, valid_at, terms
        FROM graph_fact f, made WHERE f.group_id = {group} RETURNING 1
    ), terms AS (
        INSERT INTO graph_term (org_id, group_id, term, fact_id)
        SELECT org_id, made.id, term, fact_id FROM graph_term t, made WHERE t.group_id = {group} RETURNING 1
    )
    INSERT INTO graph_fact_vector (org_id, group_id, fact_id, embedding_model, embedding)
    SELECT org_id, made.id, fact_id, embedding_model, embedding FROM graph_fact_vector v, made WHERE v.group_id = {group}
"""
