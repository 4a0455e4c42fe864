"""Lists cost a fixed number of statements and find their rows by an index, whatever the table holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from sqlalchemy import text

from tests import servers
from tests.functional.api.world import World
from webapp.db.session import transaction
from webapp.memory.write import manual

U = "/orgs/acme/users/{who}"
LISTS = {
    f"{U}/global-memories/": 8,
    f"{U}/agent-memories/": 8,
    f"{U}/agents/python-tutor/agent-memories/": 10,
    f"{U}/agents/python-tutor/agent-memories-list/": 10,
    "/orgs/acme/agents/python-tutor/memory-categories/": 10,
    "/orgs/acme/agents/python-tutor/agent-memories/": 10,
    "/orgs/acme/agents/": 9,
}
# What one request may cost beside its list: who asks, in which org, about what.
OTHERS = 30_000


@pytest.fixture(scope="module", autouse=True)
def many(world: World, database: servers.Database) -> None:
    """Some thousand memories of other people, in one org, of which PostgreSQL knows the statistics."""
    values = {
        "org": world.orgs["acme"], "mira": world.users["mira"], "agent": world.agents["acme"],
        "category": world.categories["acme"], "rows": OTHERS,
    }  # fmt: skip
    fill = text(
        """
        INSERT INTO memory (org_id, user_id, agent_id, category_id, content, content_hash, origin, created_at)
        SELECT :org, :mira, a.agent, a.category, 'Filler number ' || n, sha256(('filler' || n)::bytea), 'imported',
               now() - n * interval '1 minute'
        FROM generate_series(1, :rows) n,
             (VALUES (NULL::bigint, NULL::bigint, 10), (:agent, :category, 1)) a (agent, category, share)
        WHERE n % 10 < share
        """
    )
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        session.execute(fill, values)
        session.execute(text(servers.TALLY))

    with psycopg.connect(database.owner_url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


@contextmanager
def statements() -> Iterator[list[tuple[str, Any]]]:
    """What is sent to the database meanwhile, by whatever way, but for the mere beginning of a transaction."""
    sent: list[tuple[str, Any]] = []
    execute = psycopg.Cursor.execute

    def noted(cursor: Any, statement: Any, parameters: Any = None, **more: Any) -> Any:
        if statement != "BEGIN":
            sent.append((statement, parameters))
        return execute(cursor, statement, parameters, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Cursor, "execute", noted)
        yield sent


def asked(world: World, path: str, who: str) -> list[tuple[str, Any]]:
    world.call(who, "GET", path.format(who=who))
    with statements() as sent:
        answer = world.call(who, "GET", path.format(who=who))
    assert answer.status_code == 200
    return sent


@pytest.mark.parametrize(("path", "most"), LISTS.items())
def test_the_number_of_statements_does_not_depend_on_the_rows(world: World, path: str, most: int) -> None:
    few, many_rows = asked(world, path + "?page_size=1", "eddie"), asked(world, path + "?page_size=100", "eddie")
    assert len(few) == len(many_rows)
    assert len(many_rows) <= most, "\n".join(statement for statement, _ in many_rows)


def plans(world: World, sent: list[tuple[str, Any]]) -> str:
    """The plans of everything that reads memories, as the application's role has them."""
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        session.execute(text("SET LOCAL plan_cache_mode = force_custom_plan"))
        connection = session.connection()
        found = [
            "\n".join(row[0] for row in connection.exec_driver_sql(f"EXPLAIN {statement}", parameters))
            for statement, parameters in sent
            if "FROM memory" in statement
        ]
    assert found
    return "\n\n".join(found)


@pytest.mark.parametrize(
    ("path", "who", "index"),
    [
        (f"{U}/global-memories/", "olga", "ix_memory_user"),
        (f"{U}/global-memories/?content=word", "olga", "ix_memory_user"),
        (f"{U}/global-memories/?user_id=olga", "ada", "ix_memory_user"),
        (f"{U}/agent-memories/", "olga", "ix_memory_user"),
        (f"{U}/agents/python-tutor/agent-memories-list/", "olga", "ix_memory_user"),
        (f"{U}/agents/python-tutor/agent-memories-list/", "eddie", "ix_memory_agent"),
        (f"{U}/agents/python-tutor/agent-memories-list/?email=olga@example.org", "eddie", "ix_memory_user"),
        (f"{U}/agents/python-tutor/agent-memories/", "olga", "ix_memory_user"),
    ],
)
def test_a_list_is_read_by_its_index(world: World, path: str, who: str, index: str) -> None:
    plan = plans(world, asked(world, path, who))
    assert index in plan, plan
    assert "Seq Scan on memory " not in plan, plan


def test_an_agents_many_rows_are_paged_along_the_index_and_not_counted_anew(world: World) -> None:
    sent = [
        one for one in asked(world, f"{U}/agents/python-tutor/agent-memories-list/", "eddie") if "FROM memory" in one[0]
    ]
    count, page, _texts = (plans(world, [one]) for one in sent)
    assert "memory_tally" in count
    assert not re.search(r"on memory\s", count), count
    assert "Index Only Scan using ix_memory_agent" in page, page
    assert "Sort" not in page.partition("Limit")[2].partition("ix_memory_agent")[0], page


def test_writing_a_memory_costs_a_fixed_number_of_statements(world: World) -> None:
    with world.app.app_context():
        manual.add(world.boss("acme"), manual.Draft(world.users["olga"], "Warm up the connection"))
    with statements() as sent:
        world.call("olga", "POST", "/orgs/acme/users/olga/global-memories/", json={"content": "Count what this costs"})
    assert len(sent) <= 26, "\n".join(statement for statement, _ in sent)
