"""Row-level security at work: what each role sees, and what migrations can change."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from flask import Flask
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.servers import Database
from webapp.access.actor import system
from webapp.db import migrate
from webapp.db.session import installation, transaction
from webapp.directory.agents import AgentDraft, put_agent
from webapp.directory.orgs import create_org
from webapp.directory.people import PersonDraft, put_person
from webapp.memory import knowledge


@pytest.fixture(scope="module")
def orgs(app: Flask) -> tuple[int, int]:
    with app.app_context():
        made = []
        for key in ("one", "two"):
            org = create_org(key)
            boss = system(org.id, "test")
            put_person(boss, f"user-{key}", PersonDraft(email=f"user@{key}.example"))
            agent, _created = put_agent(boss, "tutor", AgentDraft(name="Tutor"))
            knowledge.add(boss, agent.id, f"The word of {key} is planted here")
            made.append(org.id)
        return made[0], made[1]


def test_each_transaction_sees_its_own_org_only(app: Flask, orgs: tuple[int, int]) -> None:
    with app.app_context():
        for here, word in zip(orgs, ("one", "two"), strict=True):
            with transaction(here) as session:
                found = session.scalars(text("SELECT content FROM knowledge")).all()
            assert found == [f"The word of {word} is planted here"]


def test_without_an_org_no_row_is_seen(app: Flask, orgs: tuple[int, int], database: Database) -> None:
    with app.app_context(), installation() as session:
        assert session.scalar(text("SELECT count(*) FROM knowledge")) == 0
    with psycopg.connect(database.app_url.replace("+psycopg", "")) as connection:
        assert connection.execute("SELECT count(*) FROM membership").fetchone() == (0,)
        connection.commit()
        # After a transaction-local setting the next transaction sees '' and not NULL: still no rows and no error.
        connection.execute(f"SET LOCAL app.org_id = {orgs[0]}")
        assert connection.execute("SELECT count(*) FROM membership").fetchone() == (1,)
        connection.commit()
        assert connection.execute("SELECT count(*) FROM membership").fetchone() == (0,)


def test_nothing_can_be_written_into_another_org(app: Flask, orgs: tuple[int, int]) -> None:
    one, two = orgs
    with app.app_context():
        with pytest.raises(DBAPIError, match="row-level security"), transaction(one) as session:
            session.execute(
                text("INSERT INTO agent (org_id, slug, name) VALUES (:org, 'smuggled', 'Smuggled')"), {"org": two}
            )
        with transaction(one) as session:
            changed = session.execute(
                text("UPDATE knowledge SET content = 'x' WHERE org_id = :org RETURNING 1"), {"org": two}
            )
            assert changed.all() == []


def test_the_org_of_a_transaction_must_be_a_number(app: Flask) -> None:
    with app.app_context(), pytest.raises(ValueError, match="invalid literal"), transaction("1; DROP TABLE org"):  # type: ignore[arg-type]
        pass


def test_a_data_migration_by_the_owner_changes_rows(orgs: tuple[int, int], database: Database) -> None:
    engine = sa.create_engine(database.owner_url)
    with engine.begin() as connection:
        changed = connection.execute(text("UPDATE agent SET description = 'migrated' RETURNING org_id")).scalars().all()
    engine.dispose()
    assert sorted(changed) == sorted(orgs)


def test_migrations_run_both_ways_with_data_in_place(database: Database, orgs: tuple[int, int]) -> None:
    assert len(orgs) == 2
    revisions = sorted(path.name[:4] for path in (Path(migrate.FOLDER) / "versions").glob("0*.py"))
    for revision in [*reversed(revisions[:-1])]:
        migrate.downgrade(database.owner_url, app_role="memory_app", revision=revision)
        migrate.upgrade(database.owner_url, app_role="memory_app")
    engine = sa.create_engine(database.owner_url)
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM knowledge")) == 2
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == migrate.head()
    migrate.downgrade(database.owner_url, app_role="memory_app", revision="base")
    with engine.connect() as connection:
        left = connection.scalars(
            text("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'")
        ).all()
    engine.dispose()
    assert left == ["alembic_version"]
    migrate.upgrade(database.owner_url, app_role="memory_app")


def test_a_database_of_a_newer_version_is_refused_in_one_line(database: Database) -> None:
    engine = sa.create_engine(database.owner_url)
    with engine.begin() as connection:
        before = connection.scalar(text("SELECT version_num FROM alembic_version"))
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    try:
        with pytest.raises(migrate.MigrationError, match="newer than this version") as refused:
            migrate.upgrade(database.owner_url, app_role="memory_app")
        assert "\n" not in str(refused.value)
    finally:
        with engine.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = :v"), {"v": before})
        engine.dispose()
