"""An org with people and an agent, a scripted model, and a worker in this process: what tests of capture work with."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from flask import Flask
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.pool import NullPool

from jobs.worker import Process
from tests.model_server import ModelServer
from webapp import create_app
from webapp.access.actor import system
from webapp.db.session import db, installation, transaction
from webapp.inbox import claim
from webapp.inbox.accept import Exchange, accept_exchange
from webapp.inbox.types import Accepted, Item
from webapp.runtime import EXTENSION
from webapp.settings import Settings

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Place:
    """One org with memory on, one agent with memory on, and its users."""

    org_id: int
    agent_id: int
    users: tuple[int, ...]

    @property
    def user(self) -> int:
        """The first user."""
        return self.users[0]


@dataclass(frozen=True, slots=True)
class World:
    """The application over real stores, and what is remembered and waiting in it."""

    app: Flask
    settings: Settings
    model: ModelServer

    def place(self, users: int = 1) -> Place:
        """A new org. Call inside an application context."""
        with installation() as session:
            org = session.scalar(
                text("INSERT INTO org (key, name, enable_memsearch) VALUES (:key, :key, true) RETURNING id"),
                {"key": f"org-{next(_numbers)}-{time.monotonic_ns()}"},
            )
            ids = [_account(session) for _ in range(users)]
        with transaction(org) as session:
            for user_id in ids:
                key = {"org": org, "user": user_id}
                session.execute(text("INSERT INTO membership (org_id, user_id) VALUES (:org, :user)"), key)
                session.execute(text("INSERT INTO subject (org_id, user_id) VALUES (:org, :user)"), key)
            agent = session.scalar(
                text(
                    "INSERT INTO agent (org_id, slug, name, enable_memory_component) "
                    "VALUES (:org, 'tutor', 'Tutor', true) RETURNING id"
                ),
                {"org": org},
            )
        return Place(org, agent, tuple(ids))

    def say(
        self, place: Place, message: str, *, user: int | None = None, key: str | None = None, **more: Any
    ) -> Accepted:
        """Hand in an exchange as the system would."""
        settings = more.pop("settings", self.settings)
        exchange = Exchange(message, more.pop("reply", "I see."), **more)
        return accept_exchange(
            system(place.org_id, "test"),
            user_id=user or place.user,
            agent_id=place.agent_id,
            exchange=exchange,
            path="/exchanges/",
            idempotency_key=key,
            settings=settings,
        )

    def row(self, place: Place, item_id: int | None) -> Any:
        """The inbox row."""
        return self.rows(place, "SELECT * FROM inbox WHERE id = :id", id=item_id)[0]

    def rows(self, place: Place, statement: str, **given: Any) -> list[Any]:
        """Rows of one org."""
        with transaction(place.org_id) as session:
            return list(session.execute(text(statement), given))

    def execute(self, place: Place, statement: str, **given: Any) -> None:
        """Change rows of one org."""
        with transaction(place.org_id) as session:
            session.execute(text(statement), given)

    def memories(self, place: Place, user: int | None = None) -> list[str]:
        """The texts of the live memories, oldest first."""
        live = "SELECT content FROM memory WHERE user_id = :user AND deleted_at IS NULL AND superseded_at IS NULL ORDER BY id"
        return [row.content for row in self.rows(place, live, user=user or place.user)]

    def settled(self, place: Place, seconds: float = 20) -> None:
        """Wait until nothing of the org is waiting or running."""
        unfinished = "SELECT 1 FROM inbox WHERE state IN ('pending', 'claimed')"
        eventually(lambda: not self.rows(place, unfinished), seconds)

    @contextmanager
    def worker(self, **changes: Any) -> Iterator[Process]:
        """A worker in this process, with its own settings on request."""
        app = create_app(replace(self.settings, **changes)) if changes else self.app
        process = Process(app)
        process.start()
        try:
            yield process
        finally:
            process.stop()
            if app is not self.app:
                close(app)


def take(place: Place) -> list[Item]:
    """Claim what is due in an org, as a worker would."""
    return claim.claim(place.org_id, 10, lease_seconds=60, max_attempts=5)


def superuser(world: World) -> Connection:
    """A connection that sees every row of every org."""
    url = world.settings.database_owner_url.replace("memory_owner", "postgres")
    return create_engine(url, poolclass=NullPool).connect()


def close(app: Flask) -> None:
    """Close the connections that the application has opened."""
    app.extensions[EXTENSION].embedder.close()
    with app.app_context():
        db.engine.dispose()


def scripted(settings: Settings, model: ModelServer, **changes: Any) -> Settings:
    """Settings that point at the scripted model."""
    changed = {"openai_base_url": model.url, "openai_api_key": "test", "embedding_model": "scripted", **changes}
    return replace(settings, **changed)


def eventually(condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Wait for the condition; fail the test when it does not come."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition did not come"
        time.sleep(0.02)


def at(value: str) -> datetime:
    """A moment from ISO 8601."""
    return datetime.fromisoformat(value)


def _account(session: Any) -> int:
    name = f"user{next(_numbers)}x{time.monotonic_ns()}"
    found: int = session.scalar(
        text("INSERT INTO account (username, email) VALUES (:name, :email) RETURNING id"),
        {"name": name, "email": f"{name}@example.org"},
    )
    return found
