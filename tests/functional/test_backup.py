"""A backup is whole, is nobody else's to read, and comes back with its walls."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskCliRunner
from sqlalchemy import MetaData, create_engine, func, select

from tests import servers
from webapp import create_app
from webapp.cli_backup import backup, restore
from webapp.directory import demo
from webapp.embedded.cluster import binaries
from webapp.embedded.postgres import OWNER, EmbeddedPostgres
from webapp.settings import Settings


@pytest.fixture(scope="module")
def filled(app: Flask, settings: Settings) -> Flask:
    with app.app_context():
        demo.create(settings.data_dir, "http://localhost")
    return app


def runner_over(database: servers.Database, data_dir: Path) -> FlaskCliRunner:
    environ = {
        "DATA_DIR": str(data_dir),
        "DATABASE_URL": database.app_url,
        "DATABASE_OWNER_URL": database.owner_url,
        "DATABASE_BACKUP_URL": database.superuser_url,
        "SECRET_KEY": "a secret for tests only",
    }
    return create_app(Settings.from_env(environ, dotenv=None)).test_cli_runner()


def rows(url: str) -> dict[str, int]:
    engine = create_engine(url)
    with engine.connect() as connection:
        found = MetaData()
        found.reflect(connection)
        counted = {
            name: connection.scalar(select(func.count()).select_from(table)) for name, table in found.tables.items()
        }
    engine.dispose()
    return {name: number or 0 for name, number in counted.items()}


def schema(database: servers.Database) -> list[str]:
    url = database.superuser_url.replace("+psycopg", "")
    command = [binaries() / "pg_dump", "--schema-only", f"--dbname={url}"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return sorted(line for line in said.splitlines() if not line.startswith(("\\", "--")))


def empty_copy(server: EmbeddedPostgres, name: str) -> servers.Database:
    server.drop_database(name)
    server.create_database(name)
    return servers.Database(name, server.url("postgres", name), server.url(OWNER, name), server.url("memory_app", name))


@pytest.mark.usefixtures("filled")
def test_what_is_restored_is_what_was_backed_up(
    database: servers.Database, postgres_server: EmbeddedPostgres, tmp_path: Path
) -> None:
    file = tmp_path / "backup.dump"
    done = runner_over(database, tmp_path).invoke(backup, [str(file)])
    assert done.exit_code == 0, done.output
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    other = empty_copy(postgres_server, f"{database.name}_restored")
    done = runner_over(other, tmp_path).invoke(restore, [str(file)])
    assert done.exit_code == 0, done.output
    before = rows(database.superuser_url)
    assert rows(other.superuser_url) == before
    assert before["org"] == 2
    assert before["account"] >= 6, "the demo's people"
    assert schema(other) == schema(database)
    postgres_server.drop_database(other.name)


def test_nothing_is_restored_over_something(database: servers.Database, tmp_path: Path) -> None:
    file = tmp_path / "backup.dump"
    runner = runner_over(database, tmp_path)
    assert runner.invoke(backup, [str(file)]).exit_code == 0
    done = runner.invoke(restore, [str(file)])
    assert done.output == "Error: the database is not empty: restore into a new DATA_DIR or an empty database\n"


def test_a_broken_file_leaves_the_database_empty(
    database: servers.Database, postgres_server: EmbeddedPostgres, tmp_path: Path
) -> None:
    file = tmp_path / "backup.dump"
    assert runner_over(database, tmp_path).invoke(backup, [str(file)]).exit_code == 0
    file.write_bytes(file.read_bytes()[:-2000])
    other = empty_copy(postgres_server, f"{database.name}_broken")
    done = runner_over(other, tmp_path).invoke(restore, [str(file)])
    assert done.exit_code == 1
    assert len(done.output.splitlines()) == 1
    assert rows(other.superuser_url) == {}
    postgres_server.drop_database(other.name)


@pytest.mark.usefixtures("filled")
def test_a_role_under_row_level_security_cannot_make_a_silently_empty_backup(
    database: servers.Database, tmp_path: Path
) -> None:
    app_only = servers.Database(database.name, database.owner_url, database.owner_url, database.app_url)
    file = tmp_path / "backup.dump"
    done = runner_over(app_only, tmp_path).invoke(backup, [str(file)])
    assert done.exit_code == 1
    assert "row-level security" in done.output
    assert list(tmp_path.glob("*dump*")) == []


def test_a_folder_that_is_not_there_is_one_line(database: servers.Database, tmp_path: Path) -> None:
    done = runner_over(database, tmp_path).invoke(backup, ["/proc/none/backup.dump"])
    assert done.output == "Error: cannot write /proc/none/backup.dump: No such file or directory\n"
