"""Everything that happens by the clock, in one list. Each piece of work may run in several workers at once."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Event, Thread

import structlog
from flask import Flask
from sqlalchemy import text

from webapp.access.actor import system
from webapp.db.session import installation
from webapp.graph import embedding as graph_embedding
from webapp.graph import remove
from webapp.inbox import activity
from webapp.memory import embedding, knowledge_archive
from webapp.memory.write import removal
from webapp.runtime import runtime

HOUR = 3600.0
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Periodic:
    """Work to be done about every so many seconds."""

    name: str
    every_seconds: float
    run: Callable[[], None]


def purge_exchange_texts() -> None:
    """Drop the texts of exchanges that ended long enough ago."""
    days = runtime().settings.exchange_days
    for org_id in _orgs():
        while activity.purge_texts(org_id, days=days):
            pass


def purge_deleted_memories() -> None:
    """Purge memories and knowledge that can no longer be restored."""
    days = runtime().settings.restore_days
    for org_id in _orgs():
        while removal.purge_expired(system(org_id, "retention"), days=days):
            pass
        while knowledge_archive.purge_expired(system(org_id, "retention"), days=days):
            pass


def embed_waiting_memories() -> None:
    """Embed what was saved while the embedding service was down."""
    with installation() as session:
        orgs = list(session.scalars(text("SELECT * FROM orgs_with_unembedded()")))
    for org_id in orgs:
        while embedding.embed_due(org_id):
            pass


def purge_expired_episodes() -> None:
    """Purge graph messages that were taken in long enough ago, with what they support alone."""
    days = runtime().settings.retention_days
    for org_id in _orgs():
        while remove.purge_expired(org_id, days=days):
            pass


def embed_missing_graph() -> None:
    """Embed graph entities and facts that the current model has not embedded."""
    for org_id in _orgs():
        while graph_embedding.embed_missing(org_id):
            pass


PERIODIC = (
    Periodic("embed_waiting_memories", 5.0, embed_waiting_memories),
    Periodic("purge_exchange_texts", HOUR, purge_exchange_texts),
    Periodic("purge_deleted_memories", HOUR, purge_deleted_memories),
    Periodic("purge_expired_episodes", HOUR, purge_expired_episodes),
    Periodic("embed_missing_graph", HOUR, embed_missing_graph),
)


class Schedule:
    """Runs the list in a thread of its own. What fails is logged and comes round again."""

    def __init__(self, app: Flask, periodic: tuple[Periodic, ...] = PERIODIC) -> None:
        self._app = app
        self._due = {work: time.monotonic() + random.uniform(0, min(work.every_seconds, 60)) for work in periodic}
        self._stopping = Event()
        self._thread = Thread(target=self._loop, name="schedule", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Start nothing more. What is running is safe to be cut short: it works in small transactions."""
        self._stopping.set()

    def _loop(self) -> None:
        while not self._stopping.wait(1.0):
            for work in [work for work, at in self._due.items() if at <= time.monotonic()]:
                self._due[work] = time.monotonic() + work.every_seconds
                self._run(work)

    def _run(self, work: Periodic) -> None:
        try:
            with self._app.app_context():
                work.run()
        except Exception as error:
            log.warning("periodic_work_failed", work=work.name, error=type(error).__name__)


def _orgs() -> Iterator[int]:
    with installation() as session:
        orgs = list(session.scalars(text("SELECT id FROM org ORDER BY id")))
    yield from orgs
