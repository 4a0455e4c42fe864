"""Vectors of each model get its own length and their padding back; what is compared stays as near as it was."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
import sqlalchemy as sa
from sqlalchemy import Connection, text

from tests.servers import Database
from webapp.db import migrate

OWN = {"all-MiniLM-L6-v2": 384, "text-embedding-3-small": 1536, "it's of 100": 100, "one odd row": 7}
EACH = 3
PEOPLE = """
    INSERT INTO org (id, key, name) VALUES (1, 'one', 'One'), (2, 'two', 'Two');
    INSERT INTO account (id, username, email) VALUES (1, 'p', 'p@example.org');
    INSERT INTO membership (org_id, user_id) VALUES (1, 1), (2, 1);
    INSERT INTO subject (org_id, user_id) VALUES (1, 1), (2, 1);
    INSERT INTO memory (org_id, id, user_id, content, content_hash, origin)
        SELECT 1 + n % 2, n, 1, 'text ' || n, sha256(CAST('text ' || n AS bytea)), 'manual' FROM generate_series(1, 3) n;
    INSERT INTO graph_group (org_id, id, key) VALUES (1, 1, 'g');
    INSERT INTO graph_entity (org_id, group_id, id, uuid, name) SELECT 1, 1, n, CAST(n AS text), 'e' || n FROM generate_series(1, 3) n;
"""
DISTANCES = """
    SELECT one.embedding <=> other.embedding FROM memory_vector one JOIN memory_vector other USING (embedding_model)
    ORDER BY embedding_model, one.memory_id, other.memory_id
"""
LENGTHS = "SELECT embedding_model, array_agg(DISTINCT vector_dims(embedding)) FROM {} GROUP BY 1"
STORED = """
    SELECT format_type(atttypid, atttypmod), attstorage::text, reloptions::text FROM pg_attribute a
    JOIN pg_class c ON c.oid = attrelid WHERE relname = 'memory_vector' AND attname = 'embedding'
"""


@pytest.fixture
def connection(database: Database) -> Iterator[Connection]:
    """As the owner, on the schema before the migration, with vectors in place."""
    migrate.downgrade(database.owner_url, app_role="memory_app", revision="0004")
    engine = sa.create_engine(database.owner_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as opened:
        opened.execute(text(PEOPLE))
        for model, length in OWN.items():
            for number, vector in enumerate(_vectors(length), 1):
                _insert(opened, model, number, vector)
        yield opened
    engine.dispose()


def test_each_model_gets_its_own_length_and_distances_stay(database: Database, connection: Connection) -> None:
    before = connection.scalars(text(DISTANCES)).all()
    assert {tuple(row) for row in connection.execute(text(STORED))} == {
        ("halfvec(1536)", "p", "{toast_tuple_target=8160}")
    }
    migrate.upgrade(database.owner_url, app_role="memory_app", revision="0005")
    for table in ("memory_vector", "graph_entity_vector"):
        assert _lengths(connection, table) == {model: [length] for model, length in OWN.items()}
    assert connection.scalars(text(DISTANCES)).all() == pytest.approx(before, abs=1e-6)
    assert len(before) == EACH * EACH * len(OWN)
    assert {tuple(row) for row in connection.execute(text(STORED))} == {("halfvec", "p", "{toast_tuple_target=8160}")}
    migrate.downgrade(database.owner_url, app_role="memory_app", revision="0004")
    assert _lengths(connection, "memory_vector") == {model: [1536] for model in OWN}
    assert _lengths(connection, "graph_entity_vector") == {model: [1536] for model in OWN} | {"all-MiniLM-L6-v2": [384]}
    assert connection.scalars(text(DISTANCES)).all() == pytest.approx(before, abs=1e-6)
    migrate.upgrade(database.owner_url, app_role="memory_app")


def _vectors(length: int) -> npt.NDArray[np.float32]:
    """The last row alone reaches to the end, and with a number whose second byte is zero."""
    made = np.random.default_rng(length).standard_normal((EACH, length), dtype=np.float32)
    made[:-1, -1] = 0
    made[-1, -1] = 1
    return made


def _insert(connection: Connection, model: str, number: int, vector: npt.NDArray[np.float32]) -> None:
    padded = str([*vector.tolist(), *[0] * (1536 - len(vector))])
    connection.execute(
        text("INSERT INTO memory_vector VALUES (:org, 1, :n, :model, NULL, CAST(:vector AS halfvec))"),
        {"org": 1 + number % 2, "n": number, "model": model, "vector": padded},
    )
    known = model == "all-MiniLM-L6-v2"
    connection.execute(
        text("INSERT INTO graph_entity_vector VALUES (1, 1, :n, :model, CAST(:vector AS halfvec))"),
        {"n": number, "model": model, "vector": str(vector.tolist()) if known else padded},
    )


def _lengths(connection: Connection, table: str) -> dict[str, list[int]]:
    return {model: lengths for model, lengths in connection.execute(text(LENGTHS.format(table)))}  # noqa: C416
