"""Fixtures that every kind of test may use. Each module gets a database of its own, copied from a migrated template."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import hypothesis
import pytest
from flask import Flask

from tests import servers
from webapp.embedded.postgres import EmbeddedPostgres
from webapp.embedded.valkey import EmbeddedValkey
from webapp.settings import Settings

# A deadline would make every property a timing test. In CI the examples are the same each time, so that a red run can
# be repeated; elsewhere they are new ones each time.
hypothesis.settings.register_profile("all", deadline=None, derandomize=os.environ.get("CI") == "true")
hypothesis.settings.load_profile("all")

_numbers = itertools.count(1)
_run = ExitStack()
_folder = pytest.StashKey[Path]()


class Controller:
    """Under xdist the controller outlives the workers, so it is the one that owns PostgreSQL."""

    def pytest_configure_node(self, node: pytest.Session) -> None:
        """Start the server before the first worker, and tell each where it is."""
        config = node.config
        if _folder not in config.stash:
            config.stash[_folder] = _run.enter_context(servers.scratch_folder())
            _run.enter_context(servers.postgres(config.stash[_folder]))
        node.workerinput["postgres_folder"] = str(config.stash[_folder])  # type: ignore[attr-defined]


def pytest_configure(config: pytest.Config) -> None:
    """Only with xdist there are nodes to configure."""
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(Controller())


def pytest_unconfigure() -> None:
    """Stop what the controller started."""
    _run.close()


@pytest.fixture(scope="session")
def postgres_server(request: pytest.FixtureRequest) -> Iterator[EmbeddedPostgres]:
    """The run's PostgreSQL server."""
    with ExitStack() as stack:
        given = getattr(request.config, "workerinput", {}).get("postgres_folder")
        folder = Path(given) if given else stack.enter_context(servers.scratch_folder())
        yield stack.enter_context(servers.postgres(folder))


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[EmbeddedValkey]:
    """This worker's queue server."""
    with servers.valkey() as server:
        yield server


@pytest.fixture(scope="module")
def database(postgres_server: EmbeddedPostgres) -> Iterator[servers.Database]:
    """An empty, migrated database for one module."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    with servers.database(postgres_server, f"memory_{worker}_{next(_numbers)}") as made:
        yield made


@pytest.fixture(scope="module")
def valkey_url(valkey_server: EmbeddedValkey) -> str:
    """An empty queue for one module."""
    valkey_server.empty()
    return valkey_server.url


@pytest.fixture(scope="module")
def settings(database: servers.Database, valkey_url: str, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings that point at this module's stores; no model key, so the built-in parts are chosen."""
    environ = {
        "DATA_DIR": str(tmp_path_factory.mktemp("data")),
        "DATABASE_URL": database.app_url,
        "DATABASE_OWNER_URL": database.owner_url,
        "REDIS_URL": valkey_url,
        "SECRET_KEY": "a secret for tests only",
        "DEMO": "0",
    }
    return Settings.from_env(environ, dotenv=None)


@pytest.fixture(scope="module")
def app(settings: Settings) -> Iterator[Flask]:
    """The application over this module's stores."""
    from webapp import create_app
    from webapp.db.session import db

    made = create_app(settings)
    yield made
    with made.app_context():
        db.engine.dispose()
