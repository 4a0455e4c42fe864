"""The product over an empty embedded PostgreSQL of the benchmark's own, with the built-in embedding model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from flask import Flask

from tests import servers
from webapp import create_app
from webapp.access.actor import Actor, system
from webapp.db.session import db
from webapp.directory import agents, orgs, people
from webapp.embedded.stores import embedding_process
from webapp.memory import enablement
from webapp.settings import Settings


@dataclass(frozen=True, slots=True)
class Application:
    """The application, its settings, the superuser's URL, and an org with one agent, memory on everywhere."""

    app: Flask
    settings: Settings
    superuser_url: str
    actor: Actor
    agent_id: int

    def user(self, name: str) -> int:
        """A new member of the org."""
        return people.put_person(self.actor, name, people.PersonDraft(email=f"{name}@bench.invalid"))[0].id


@contextmanager
def application(*, with_model: bool = True, **environ: str) -> Iterator[Application]:
    """Yield it inside an application context; nothing is left afterwards. Memory speed: the database does not sync."""
    with ExitStack() as stack:
        folder = stack.enter_context(servers.scratch_folder())
        server = stack.enter_context(servers.postgres(folder))
        database = stack.enter_context(servers.database(server, "bench"))
        given = {
            "DATA_DIR": str(folder / "data"),
            "DATABASE_URL": database.app_url,
            "DATABASE_OWNER_URL": database.owner_url,
            "SECRET_KEY": "a secret for benchmarks only",
            "RATE_LIMIT": "none",
            "RATE_LIMIT_ADDRESS": "none",
        }
        settings = Settings.from_env(given | environ, dotenv=None)
        if with_model:
            stack.enter_context(embedding_process(settings))
        app = create_app(settings)
        stack.enter_context(app.app_context())
        stack.callback(db.engine.dispose)
        org = orgs.create_org("bench", name="Bench", by="bench")
        actor = system(org.id, "bench", how="command")
        enablement.switch_org(actor, True)
        draft = agents.AgentDraft(name="Bench", enable_memory_component=True)
        yield Application(app, settings, database.superuser_url, actor, agents.put_agent(actor, "bench", draft)[0].id)
