"""What the operator's document says can be done as it is written."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskCliRunner
from sqlalchemy import create_engine, text
from sqlalchemy.exc import ProgrammingError

from webapp import create_app
from webapp.cli_backup import backup
from webapp.db.migrate import upgrade
from webapp.db.session import db
from webapp.embedded.cluster import SUPERUSER, binaries
from webapp.embedded.postgres import EmbeddedPostgres
from webapp.settings import Settings

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "operations.md"
ROLES = ("docs_owner", "docs_app", "docs_backup")
DATABASE = "docs"


def documented_sql() -> str:
    """The block of the document, with names that no other test uses."""
    found = re.search(r"```sql\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    assert found
    return re.sub(r"\bmemory\b", DATABASE, found[1].replace("memory_", "docs_"))


def psql(url: str, script: str) -> None:
    command = [binaries() / "psql", "--no-psqlrc", "--set=ON_ERROR_STOP=1", f"--dbname={url.replace('+psycopg', '')}"]
    done = subprocess.run(command, input=script, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def server(postgres_server: EmbeddedPostgres) -> Iterator[EmbeddedPostgres]:
    psql(postgres_server.url(SUPERUSER, "postgres"), documented_sql())
    yield postgres_server
    postgres_server.drop_database(DATABASE)
    psql(postgres_server.url(SUPERUSER, "postgres"), "".join(f"DROP ROLE {role};" for role in ROLES))


@pytest.fixture(scope="module")
def commands(server: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskCliRunner]:
    owner, app, reader = (server.url(role, DATABASE) for role in ROLES)
    upgrade(owner, app_role="docs_app")
    environ = {
        "DATA_DIR": str(tmp_path_factory.mktemp("data")),
        "DATABASE_URL": app,
        "DATABASE_OWNER_URL": owner,
        "DATABASE_BACKUP_URL": reader,
        "SECRET_KEY": "a secret for tests only",
    }
    made = create_app(Settings.from_env(environ, dotenv=None))
    yield made.test_cli_runner()
    with made.app_context():
        db.engine.dispose()


def test_the_documented_roles_are_enough_for_migrations_and_the_application(commands: FlaskCliRunner) -> None:
    ready = commands.app.test_client().get("/readyz")
    assert (ready.status_code, ready.json) == (200, {"status": "degraded", "database": "ok", "queue": "unreachable"})


@pytest.mark.usefixtures("commands")
def test_the_applications_role_owns_and_makes_nothing(server: EmbeddedPostgres) -> None:
    engine = create_engine(server.url("docs_app", DATABASE))
    with engine.connect() as connection, pytest.raises(ProgrammingError, match="permission denied"):
        connection.execute(text("CREATE TABLE mine ()"))
    engine.dispose()


def test_the_documented_role_can_back_up(commands: FlaskCliRunner, tmp_path: Path) -> None:
    done = commands.invoke(backup, [str(tmp_path / "backup.dump")])
    assert done.exit_code == 0, done.output
