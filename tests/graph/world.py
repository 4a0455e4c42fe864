"""What the graph's tests work with: the application behind a real socket, people and tokens, and a worker on demand.

Acme: Olga and Mira are members, Ada is the admin, a service has both scopes, one may only read. Other: Oscar is a
member. Root runs the installation.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx2
from flask import Flask
from sqlalchemy import text

from jobs.worker import Process
from tests.capture_world import eventually
from tests.model_server import ModelServer
from webapp.access import tokens
from webapp.access.actor import system
from webapp.db.session import installation, transaction
from webapp.directory import orgs, people
from webapp.directory.accounts import create_superuser
from webapp.settings import Settings

PREFIX = "/api/v1/memory"
_numbers = itertools.count(1)
Json = dict[str, Any]
UNFINISHED = "SELECT 1 FROM inbox WHERE state IN ('pending', 'claimed')"


@dataclass
class GraphWorld:
    """The cast and how to call the API as one of them."""

    app: Flask
    settings: Settings
    model: ModelServer
    address: str
    orgs: dict[str, int] = field(default_factory=dict)
    users: dict[str, int] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    process: Process | None = None

    def call(self, who: str | None, method: str, path: str, json: Any = None, **headers: str) -> httpx2.Response:
        """One request over the socket."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if who:
            given["Authorization"] = f"Bearer {self.tokens[who]}"
        with httpx2.Client(base_url=self.address, timeout=60) as client:
            return client.request(method, PREFIX + path, json=json, headers=given)

    def post(self, who: str, path: str, **body: Any) -> Json:
        """A write or search that must succeed; its answer."""
        answer = self.call(who, "POST", path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def say(self, who: str, group: str, *texts: str | Json, process: bool = True) -> None:
        """Hand in messages, plain texts from John at a fixed time unless they say otherwise; wait until they are done."""
        messages = [self.message(one) for one in texts]
        self.post(who, "/ingest/messages", group_id=group, messages=messages)
        if not process:
            return
        self.settle()

    def message(self, one: str | Json) -> Json:
        given = {"content": one} if isinstance(one, str) else one
        return {"role_type": "user", "role": "John", "timestamp": "2023-05-08T10:30:00Z"} | given

    def search(self, who: str, query: str, groups: list[str] | None = None, **more: Any) -> list[Json]:
        """Facts found."""
        return self.post(who, "/retrieve/search", query=query, group_ids=groups, **more)["facts"]

    def facts(self, org: str, group: str) -> list[Any]:
        """Every fact of a group as it is kept, by id."""
        return self.rows(org, _FACTS, group=group)

    def entities(self, org: str, group: str) -> list[str]:
        """The names of a group's entities."""
        chosen = "SELECT e.name FROM graph_entity e JOIN graph_group g ON g.id = e.group_id WHERE g.key = :group ORDER BY e.id"
        return [row.name for row in self.rows(org, chosen, group=group)]

    def rows(self, org: str, statement: str, **given: Any) -> list[Any]:
        """Rows of one org."""
        with self.app.app_context(), transaction(self.orgs[org]) as session:
            return list(session.execute(text(statement), given))

    def execute(self, org: str, statement: str, **given: Any) -> None:
        """Change rows of one org."""
        with self.app.app_context(), transaction(self.orgs[org]) as session:
            session.execute(text(statement), given)

    def settle(self) -> None:
        """Wait until everything that was accepted is worked off, by the worker that is there or one of its own."""
        if self.process is None:
            with self.worker():
                self.settle()
            return
        # In place of the queue's token, which nobody takes here.
        self.process.drain.wake()
        for org in self.orgs:
            eventually(lambda org=org: not self.rows(org, UNFINISHED), 60)

    @contextmanager
    def worker(self) -> Iterator[Process]:
        """A worker in this process."""
        self.process = Process(self.app)
        self.process.start()
        try:
            yield self.process
        finally:
            self.process.stop()
            self.process = None

    def current(self, org: str, group: str) -> set[str]:
        """The sentences that hold now."""
        return {row.content for row in self.facts(org, group) if row.invalid_at is None}

    def group(self) -> str:
        """A group key that no other test uses."""
        return f"group-{next(_numbers)}"


def build(app: Flask, settings: Settings, model: ModelServer, address: str) -> GraphWorld:
    """The cast."""
    world = GraphWorld(app, settings, model, address)
    with app.app_context():
        for key, cast in (
            ("acme", {"ada": "admin", "olga": "member", "mira": "member"}),
            ("other", {"oscar": "member"}),
        ):
            org = orgs.create_org(key, by="test")
            world.orgs[key] = org.id
            for name, role in cast.items():
                draft = people.PersonDraft(email=f"{name}@example.org", full_name=name.title(), role=role)  # type: ignore[arg-type]
                world.users[name] = people.put_person(system(org.id, "test"), name, draft)[0].id
                world.tokens[name] = _token(org.id, world.users[name])
            scopes = {
                "service": ("graph:read", "graph:write"),
                "reading": ("graph:read",),
                "writing": ("graph:write",),
                "scopeless": (),
            }
            for name, given in scopes.items() if key == "acme" else ():
                world.tokens[name] = _token(org.id, None, given)
        world.users["root"] = create_superuser("root", "root@example.org")
        world.tokens["root"] = _token(None, world.users["root"])
    return world


def _token(org_id: int | None, account_id: int | None, scopes: tuple[str, ...] = ()) -> str:
    with installation() as session:
        made = tokens.create(
            session, name="Test", created_by="test", org_id=org_id, account_id=account_id, scopes=scopes,
            lifetime=timedelta(days=1),
        )  # fmt: skip
        return made.secret


_FACTS = """
    SELECT f.*, s.name AS source, t.name AS target FROM graph_fact f
    JOIN graph_group g ON g.org_id = f.org_id AND g.id = f.group_id
    JOIN graph_entity s ON s.id = f.source_id JOIN graph_entity t ON t.id = f.target_id
    WHERE g.key = :group ORDER BY f.id
"""
