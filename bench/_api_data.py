"""Memories by the thousand for the API's benchmark, written by the superuser: real texts, terms and vectors.

Texts repeat from a pool, told apart by a number; vectors repeat from another pool. What a query costs does not depend
on whether another user has the same words.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import psycopg

from tests.model_server import vector
from tests.servers import TALLY
from webapp.terms import memory_terms, packed

MODEL = "scripted"
POOL = 2_000
VECTORS = 500
# The largest org holds a tenth of the largest table, the largest user a fifth of that; the rest is many of 200.
MEASURED = {"u200": 200, "u2000": 2_000, "u10000": 10_000, "u20000": 20_000}
ORG_LIMIT = 100_000
SMALL = 200
SUBJECTS = ("nurse", "pilot", "baker", "teacher", "potter", "cellist", "gardener", "sailor", "tailor", "miner")
PLACES = ("Berlin", "Lisbon", "Oslo", "Porto", "Turin", "Ghent", "Malmö", "Kraków", "Graz", "Lyon")
TOPICS = ("recursion", "sourdough", "Bach", "tomatoes", "statistics", "grammar", "knots", "glazes", "geometry", "tides")
PATTERNS = (
    "The user works as a {0} in {1}",
    "The user struggles with {2} when in {1}",
    "The user wants to learn {2} from a {0}",
    "The user prefers {2} to {1}",
)


@dataclass(frozen=True, slots=True)
class Person:
    """One user and how many memories they are to have; a quarter of them are global."""

    org_id: int
    agent_id: int
    category_id: int
    user_id: int
    memories: int


def prepare(connection: psycopg.Connection) -> None:
    """The pools, as tables that the inserts join."""
    choose = random.Random(7)
    texts = [
        choose.choice(PATTERNS).format(choose.choice(SUBJECTS), choose.choice(PLACES), choose.choice(TOPICS))
        for _ in range(POOL)
    ]
    connection.execute("CREATE UNLOGGED TABLE bench_text (n int PRIMARY KEY, content text, terms bytea)")
    connection.execute("CREATE UNLOGGED TABLE bench_vector (n int PRIMARY KEY, embedding halfvec)")
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO bench_text VALUES (%s, %s, %s)",
            [(n, text, packed(memory_terms(text, date(2024, 5, 1)))) for n, text in enumerate(texts)],
        )
        cursor.executemany(
            "INSERT INTO bench_vector VALUES (%s, %s)",
            [(n, str(vector(texts[n]))) for n in range(VECTORS)],
        )


def fill(connection: psycopg.Connection, people: list[Person]) -> None:
    """Write these people's memories, so that each person's rows lie together."""
    for person in people:
        first = connection.execute(_MEMORIES, vars_of(person)).fetchone()
        assert first is not None
        for statement in (_VECTORS, _TERMS):
            connection.execute(statement, vars_of(person) | {"first": first[0]})
    connection.execute(TALLY)


def vars_of(person: Person) -> dict[str, int]:
    """The statement's parameters."""
    return {
        "org": person.org_id,
        "agent": person.agent_id,
        "category": person.category_id,
        "user": person.user_id,
        "count": person.memories,
        "texts": POOL,
        "vectors": VECTORS,
    }


def strangers(connection: psycopg.Connection, count: int, start: int) -> Iterator[Person]:
    """People with 200 memories each in orgs of at most 100,000 memories; `start` is how many there are already."""
    per_org = ORG_LIMIT // SMALL
    for number in range(start, start + count):
        if number % per_org == 0 or number == start:
            org = _one(connection, _ORG, {"key": f"strangers-{number // per_org}"})
            agent = _one(connection, _AGENT, {"org": org})
            category = _one(connection, _CATEGORY, {"org": org, "agent": agent})
        user = _one(connection, _ACCOUNT, {"name": f"stranger-{number}"})
        connection.execute("INSERT INTO membership (org_id, user_id) VALUES (%s, %s)", (org, user))
        connection.execute("INSERT INTO subject (org_id, user_id) VALUES (%s, %s)", (org, user))
        yield Person(org, agent, category, user, SMALL)


def _one(connection: psycopg.Connection, statement: str, values: dict[str, object]) -> int:
    row = connection.execute(statement, values).fetchone()
    assert row is not None
    return int(row[0])


_ORG = """
INSERT INTO org (key, name, enable_memsearch) VALUES (%(key)s, %(key)s, true)
ON CONFLICT (key) DO UPDATE SET name = excluded.name RETURNING id
"""
_AGENT = """
INSERT INTO agent (org_id, slug, name, enable_memory_component) VALUES (%(org)s, 'bench', 'Bench', true)
ON CONFLICT (org_id, slug) DO UPDATE SET name = excluded.name RETURNING id
"""
_CATEGORY = """
INSERT INTO category (org_id, agent_id, name, slug) VALUES (%(org)s, %(agent)s, 'Bench', 'bench')
ON CONFLICT (org_id, agent_id, slug) DO UPDATE SET name = excluded.name RETURNING id
"""
_ACCOUNT = "INSERT INTO account (username, email) VALUES (%(name)s, %(name)s || '@bench.invalid') RETURNING id"
_MEMORIES = """
WITH made AS (
    INSERT INTO memory (org_id, user_id, agent_id, category_id, content, content_hash, origin, created_at, updated_at)
    SELECT %(org)s, %(user)s, CASE WHEN i %% 4 > 0 THEN %(agent)s::bigint END,
           CASE WHEN i %% 4 > 0 THEN %(category)s::bigint END, t.content || ' (' || i || ')',
           sha256(convert_to(%(user)s::text || ':' || i, 'UTF8')), 'captured', now() - i * interval '1 minute',
           now() - i * interval '1 minute'
    FROM generate_series(1, %(count)s) i JOIN bench_text t ON t.n = (i * 7919 + %(user)s) %% %(texts)s
    RETURNING id
)
SELECT min(id) FROM made
"""
_VECTORS = f"""
INSERT INTO memory_vector (org_id, user_id, memory_id, embedding_model, agent_id, embedding)
SELECT m.org_id, m.user_id, m.id, '{MODEL}', m.agent_id, v.embedding
FROM memory m JOIN bench_vector v ON v.n = m.id %% %(vectors)s
WHERE m.org_id = %(org)s AND m.user_id = %(user)s AND m.id >= %(first)s
"""
_TERMS = """
INSERT INTO memory_search (org_id, user_id, memory_id, agent_id, session_key, said_at, terms)
SELECT m.org_id, m.user_id, m.id, m.agent_id, 0, m.created_at, t.terms
FROM memory m JOIN bench_text t ON t.n = m.id %% %(texts)s
WHERE m.org_id = %(org)s AND m.user_id = %(user)s AND m.id >= %(first)s
"""
