"""What cannot be started says so in one line that tells what to do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from jobs.serve import ServeError, migrate
from tests import servers
from tests.functional.installation import FLASK, Installation
from webapp.db.migrate import MigrationError
from webapp.embedded.errors import EmbeddedError
from webapp.embedded.postgres import APP, OWNER, EmbeddedPostgres
from webapp.embedded.stores import Stores, open_stores
from webapp.settings import Settings

Make = Callable[..., Installation]


@pytest.fixture
def folder() -> Iterator[Path]:
    with servers.scratch_folder() as made:
        yield made


def external(database_url: str, owner_url: str) -> Stores:
    environ = {"DATABASE_URL": database_url, "DATABASE_OWNER_URL": owner_url, "REDIS_URL": "unix:///nowhere"}
    return Stores(Settings.from_env(environ, dotenv=None), ())


def test_a_folder_that_cannot_be_written(installation: Make) -> None:
    made = installation()
    made.folder = Path("/proc/agent-memory")
    said = made.refusal()
    assert said.startswith("Error: cannot use /proc/agent-memory (")
    assert said.endswith("): set DATA_DIR to a folder that you may write")


def test_a_wrong_setting(installation: Make) -> None:
    assert installation().refusal(MEMORY_WORKER="2").startswith("Error: MEMORY_WORKER: unknown setting; did you mean")


def test_gunicorn_alone_without_a_database(installation: Make) -> None:
    made = installation()
    done = made.run(FLASK[0], "-m", "gunicorn", "wsgi:app")
    assert done.returncode != 0
    assert "DATABASE_URL: not set" in done.stderr
    assert "Traceback" not in done.stderr


def test_data_of_a_newer_postgresql(folder: Path) -> None:
    with EmbeddedPostgres(folder / "postgres", fast=True) as server:
        version = server.data / "PG_VERSION"
    before = version.read_text()
    version.write_text("99\n")
    with pytest.raises(EmbeddedError, match=r"written by PostgreSQL 99, .* brings 18: use the release that wrote it"):
        EmbeddedPostgres(folder / "postgres").__enter__()
    version.write_text("9\n")
    with pytest.raises(EmbeddedError, match="restore a backup of the older release"):
        EmbeddedPostgres(folder / "postgres").__enter__()
    version.write_text(before)
    with EmbeddedPostgres(folder / "postgres", fast=True) as server:
        assert server.usable()


def test_a_schema_of_a_newer_version(database: servers.Database) -> None:
    with psycopg.connect(database.owner_url.replace("+psycopg", "")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'from_the_future'")
    with pytest.raises(MigrationError, match="from_the_future, newer than this version knows: run the newer version"):
        migrate(external(database.app_url, database.owner_url))


def test_a_database_without_the_extension(postgres_server: EmbeddedPostgres) -> None:
    with psycopg.connect(postgres_server.superuser_url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE bare OWNER {OWNER}")
    with pytest.raises(MigrationError, match="as a superuser run  CREATE EXTENSION vector;"):
        migrate(external(postgres_server.url(APP, "bare"), postgres_server.url(OWNER, "bare")))
    postgres_server.drop_database("bare")


def test_a_database_that_is_not_there() -> None:
    nowhere = "postgresql://somebody:hush@127.0.0.1:9/none"
    with pytest.raises(ServeError, match="the database of DATABASE_OWNER_URL cannot be used: ") as caught:
        migrate(external(nowhere, nowhere))
    assert "\n" not in str(caught.value)
    assert "hush" not in str(caught.value)


def test_an_owner_that_is_not_named() -> None:
    with pytest.raises(ServeError, match="DATABASE_OWNER_URL: not set"):
        migrate(external("postgresql://somebody@127.0.0.1:9/none", ""))


def test_a_server_that_gives_up_is_quoted(folder: Path) -> None:
    place = folder / "postgres"
    with EmbeddedPostgres(place, fast=True):
        pass
    (place / "data" / "global" / "pg_control").write_bytes(b"")
    with pytest.raises(EmbeddedError, match=r"PostgreSQL did not start: .*control.*server\.log"):
        EmbeddedPostgres(place, fast=True).__enter__()


@pytest.mark.skipif(os.geteuid() == 0, reason="root can use everybody's folder")
def test_a_folder_of_somebody_else() -> None:
    settings = Settings.from_env({"DATA_DIR": "/root/agent-memory"}, dotenv=None)
    with pytest.raises(EmbeddedError, match="set DATA_DIR to a folder that you may write"), open_stores(settings):
        pass


def test_a_queue_that_cannot_be_read(folder: Path) -> None:
    from webapp.embedded.valkey import EmbeddedValkey

    with EmbeddedValkey(folder / "valkey"):
        pass
    (manifest,) = (folder / "valkey" / "data").rglob("*.manifest")
    manifest.write_text("this is no manifest\n")
    with pytest.raises(EmbeddedError, match=r"Valkey did not start: .*server\.log"):
        EmbeddedValkey(folder / "valkey").__enter__()
