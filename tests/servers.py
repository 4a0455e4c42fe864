"""The real PostgreSQL and Valkey that tests run against: one PostgreSQL per run, shared by all xdist workers."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from webapp.db.migrate import upgrade
from webapp.embedded.cluster import SUPERUSER
from webapp.embedded.postgres import APP, OWNER, EmbeddedPostgres
from webapp.embedded.valkey import EmbeddedValkey

TEMPLATE = "memory_template"


@dataclass(frozen=True, slots=True)
class Database:
    """One migrated, empty database, and the URLs of the three roles in it."""

    name: str
    superuser_url: str
    owner_url: str
    app_url: str

    @property
    def url(self) -> str:
        """The application's role, as libpq takes it."""
        return self.app_url.replace("+psycopg", "")


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A short path (socket paths are limited) that an unprivileged server may enter; removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="am-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def postgres(folder: Path) -> Iterator[EmbeddedPostgres]:
    """The run's server: the first process to ask starts it, the others attach to it."""
    with EmbeddedPostgres(folder, fast=True) as server:
        yield server


@contextmanager
def valkey() -> Iterator[EmbeddedValkey]:
    """A queue of the caller's own, empty and kept nowhere."""
    with scratch_folder() as folder, EmbeddedValkey(folder, durable=False) as server:
        yield server


TALLY = """
    INSERT INTO memory_tally (org_id, agent_id, category_id, user_id, live)
    SELECT org_id, agent_id, category_id, user_id, count(*) FROM memory
    WHERE agent_id IS NOT NULL AND deleted_at IS NULL AND superseded_at IS NULL GROUP BY 1, 2, 3, 4
    ON CONFLICT (org_id, agent_id, category_id, user_id) DO UPDATE SET live = excluded.live
"""
"""Counts what was loaded past the product."""
MISCOUNTED = """
    WITH held AS (
        SELECT org_id, agent_id, category_id, user_id, count(*) AS live FROM memory
        WHERE agent_id IS NOT NULL AND deleted_at IS NULL AND superseded_at IS NULL GROUP BY 1, 2, 3, 4
    )
    SELECT * FROM held FULL JOIN memory_tally t USING (org_id, agent_id, category_id, user_id)
    WHERE coalesce(held.live, 0) <> coalesce(t.live, 0)
"""
"""Where the numbers that are counted along differ from the memories: nowhere, whatever tests have done."""


@contextmanager
def database(server: EmbeddedPostgres, name: str) -> Iterator[Database]:
    """A copy of the migrated template, dropped afterwards."""
    ensure_template(server)
    server.create_database(name, template=TEMPLATE)
    try:
        made = Database(name, server.url(SUPERUSER, name), server.url(OWNER, name), server.url(APP, name))
        yield made
        with psycopg.connect(made.superuser_url.replace("+psycopg", "")) as connection:
            assert connection.execute(MISCOUNTED).fetchall() == []
    finally:
        server.drop_database(name)


def ensure_template(server: EmbeddedPostgres) -> None:
    """Migrate the template once per run, whichever worker comes first."""
    with psycopg.connect(server.superuser_url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(hashtext(%s))", [TEMPLATE])
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [TEMPLATE]).fetchone():
            return
        server.drop_database("template_in_work")
        server.create_database("template_in_work")
        upgrade(server.url(OWNER, "template_in_work"), app_role=APP)
        connection.execute(f"ALTER DATABASE template_in_work RENAME TO {TEMPLATE}")
