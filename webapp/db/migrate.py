"""Runs the migrations as the tables' owner and grants the application's role what it needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ProgrammingError

FOLDER = Path(__file__).resolve().parents[2] / "migrations"
# Any constant will do: it only has to be the same for every process that migrates.
_MIGRATION_LOCK = 7_253_001


class MigrationError(Exception):
    """The database cannot be migrated. One line that says what to do."""


def upgrade(owner_url: str, *, app_role: str, revision: str = "head") -> None:
    """Bring the schema to `revision` and grant `app_role` its rights. Safe to run from several processes at once.

    Raises MigrationError when the extension is missing, or the database is newer than this version of the program.
    """
    with _connection(owner_url) as connection:
        _check_known(connection)
        _check_extension(connection)
        command.upgrade(_config(connection, app_role), revision)
        _grant(connection, app_role)


def downgrade(owner_url: str, *, app_role: str, revision: str) -> None:
    """Take the schema back to `revision`; used by the tests that run each migration both ways."""
    with _connection(owner_url) as connection:
        command.downgrade(_config(connection, app_role), revision)


def head() -> str:
    """The newest revision that this version of the program knows."""
    return ScriptDirectory.from_config(_config(None, "")).get_current_head() or ""


def role_of(url: str) -> str:
    """The role a database URL signs in as."""
    return make_url(url).username or "memory_app"


@contextmanager
def _connection(owner_url: str) -> Iterator[Connection]:
    engine = create_engine(owner_url)
    try:
        with engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            yield connection
    finally:
        engine.dispose()


def _config(connection: Connection | None, app_role: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    config.attributes["app_role"] = app_role
    return config


def _check_known(connection: Connection) -> None:
    if not connection.execute(text("SELECT to_regclass('alembic_version')")).scalar():
        return
    current = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    known = {script.revision for script in ScriptDirectory(str(FOLDER)).walk_revisions()}
    if current and current not in known:
        raise MigrationError(
            f"The database is at schema {current}, newer than this version knows: run the newer version."
        )


def _check_extension(connection: Connection) -> None:
    if connection.execute(text("SELECT 1 FROM pg_extension WHERE extname = 'vector'")).scalar():
        return
    try:
        with connection.begin_nested():
            connection.execute(text("CREATE EXTENSION vector"))
    except ProgrammingError as error:
        raise MigrationError(
            "The extension pgvector is missing: as a superuser run  CREATE EXTENSION vector;  in this database."
        ) from error


def _grant(connection: Connection, app_role: str) -> None:
    """Grant on what the owner owns, and nothing an extension brought along."""
    role = connection.dialect.identifier_preparer.quote(app_role)
    connection.execute(text(f"GRANT USAGE ON SCHEMA public TO {role}"))
    for kind, name in connection.execute(_OWNED):
        rights = _RIGHTS[kind] if name != "alembic_version" else "SELECT"
        connection.execute(text(f"GRANT {rights} ON {_KIND_WORD[kind]} {name} TO {role}"))


_RIGHTS = {"r": "SELECT, INSERT, UPDATE, DELETE", "p": "SELECT, INSERT, UPDATE, DELETE", "S": "USAGE", "f": "EXECUTE"}
_KIND_WORD = {"r": "TABLE", "p": "TABLE", "S": "SEQUENCE", "f": "FUNCTION"}
_OWNED = text(
    """
    SELECT relkind::text, oid::regclass::text FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relowner = current_user::regrole AND relkind IN ('r', 'p', 'S')
    UNION ALL
    SELECT 'f', oid::regprocedure::text FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND proowner = current_user::regrole
    """
)
