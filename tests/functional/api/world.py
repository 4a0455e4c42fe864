"""Two orgs with a fixed cast, over a real database: who may see what is the subject of these tests.

Acme: Olga owns memories, Mira is another member, Eddie edits the agent `python-tutor`, Vera views it, Ada is the admin,
Dora's account is disabled. Other: Otto is its admin, Oscar a member. Root runs the installation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from flask_wtf.csrf import generate_csrf
from sqlalchemy import text

from webapp.access import sign_in, tokens
from webapp.access.actor import SCOPES, Actor, system
from webapp.db.session import installation, transaction
from webapp.directory import agents, demo, orgs, people
from webapp.inbox.accept import Exchange, accept_exchange
from webapp.memory import categories, enablement, knowledge
from webapp.memory.write import manual
from webapp.runtime import runtime

ACME = {"ada": "admin", "olga": "member", "mira": "member", "eddie": "member", "vera": "member", "dora": "member"}
OTHER = {"otto": "admin", "oscar": "member"}


def word(name: str, scope: str = "global") -> str:
    """A word that stands only in texts of this scope about this person, or in this org's knowledge."""
    return f"planted{name}{scope}word"


@dataclass
class World:
    """Ids, secrets and objects of the cast."""

    app: Flask
    orgs: dict[str, int] = field(default_factory=dict)
    users: dict[str, int] = field(default_factory=dict)
    agents: dict[str, int] = field(default_factory=dict)
    uuids: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    memories: dict[tuple[str, str], int] = field(default_factory=dict)
    knowledge: dict[str, int] = field(default_factory=dict)
    categories: dict[str, int] = field(default_factory=dict)
    exchanges: dict[str, int] = field(default_factory=dict)

    def headers(self, who: str) -> dict[str, str]:
        """The header that makes a request somebody's."""
        return {"Authorization": f"Token {self.tokens[who]}"}

    def call(self, who: str | None, method: str, path: str, **given: Any) -> Any:
        """One request in a browser-less client; `path` begins after the prefix unless it is a whole address."""
        address = path if path.startswith(("/api", "/dm", "/orgs/")) and "/api/" in path else f"/api/ai-agent{path}"
        headers = (self.headers(who) if who else {}) | given.pop("headers", {})
        return self.app.test_client().open(address, method=method, headers=headers, **given)

    def boss(self, org: str) -> Actor:
        """An actor that may do everything in the org."""
        return system(self.orgs[org], "test", how="command")

    def browser(self, who: str) -> tuple[FlaskClient, dict[str, str]]:
        """A client that is signed in, and the header that its writes need."""
        with self.app.app_context(), installation() as session:
            secret = sign_in.open_session(session, self.users[who], hours=1)
        client = self.app.test_client()
        with client.session_transaction() as cookie:
            cookie["_user_id"] = secret
            cookie["_fresh"] = True
            raw = cookie["csrf_token"] = "0" * 40
        with self.app.test_request_context():
            from flask import session as request_session

            request_session["csrf_token"] = raw
            return client, {"X-CSRFToken": generate_csrf()}

    def row(self, org: str, statement: str, **values: Any) -> Any:
        """One row of a query inside an org."""
        with self.app.app_context(), transaction(self.orgs[org]) as session:
            return session.execute(text(statement), values).one_or_none()


def build(app: Flask) -> World:
    """The cast with memories of both scopes, knowledge, a category and an exchange for each org."""
    world = World(app)
    with app.app_context():
        for key, cast in (("acme", ACME), ("other", OTHER)):
            _org(world, key, cast)
        world.users["root"] = demo.create_superuser("root", "root@example.org")
        _tokens(world)
        for name in ("olga", "mira", "eddie", "ada", "oscar"):
            _remember(world, "other" if name in OTHER else "acme", name)
        with installation() as session:
            session.execute(text("UPDATE account SET disabled_at = now() WHERE username = 'dora'"))
    return world


def _org(world: World, key: str, cast: dict[str, Any]) -> None:
    org = orgs.create_org(key, name=key.title(), by="test")
    world.orgs[key] = org.id
    boss = world.boss(key)
    for name, role in cast.items():
        draft = people.PersonDraft(email=f"{name}@example.org", full_name=f"{name.title()} Example", role=role)
        world.users[name] = people.put_person(boss, name, draft)[0].id
    enablement.switch_org(boss, True)
    slug = "python-tutor" if key == "acme" else "other-agent"
    roles = {"editors": ["eddie"], "viewers": ["vera"]} if key == "acme" else {}
    draft = agents.AgentDraft(name=slug.title(), enable_memory_component=True, **roles)
    agent = agents.put_agent(boss, slug, draft)[0]
    world.agents[key], world.uuids[key] = agent.id, str(agent.unique_id)
    if key == "acme":
        agents.put_agent(boss, "help-desk", agents.AgentDraft(name="Help Desk", enable_memory_component=True))
    made = categories.create(boss, agent.id, name="Project Ideas", description=f"Ideas of {key}")
    world.categories[key] = made.id
    world.knowledge[key] = knowledge.add(boss, agent.id, f"The refund window of {word(key, 'knowledge')} is 30 days").id


def _tokens(world: World) -> None:
    with installation() as session:

        def make(name: str, **given: Any) -> None:
            world.tokens[name] = tokens.create(session, name=name, created_by="test", **given).secret

        acme, other = world.orgs["acme"], world.orgs["other"]
        for name, user_id in world.users.items():
            org = None if name == "root" else other if name in OTHER else acme
            make(name, org_id=org, account_id=user_id)
        make("service", org_id=acme, scopes=SCOPES)
        make("foreign service", org_id=other, scopes=SCOPES)
        make("no scope", org_id=acme)
        for scope in SCOPES:
            make(f"service {scope}", org_id=acme, scopes=[scope])
        make("expired", org_id=acme, account_id=world.users["ada"], lifetime=timedelta(seconds=-1))
        revoked = tokens.create(session, name="revoked", created_by="test", org_id=acme, account_id=world.users["ada"])
        tokens.revoke(session, revoked.info.id, org_id=acme, account_id=world.users["ada"])
        world.tokens["revoked"] = revoked.secret


def _remember(world: World, org: str, name: str) -> None:
    boss, user_id, agent_id = world.boss(org), world.users[name], world.agents[org]
    about = manual.add(boss, manual.Draft(user_id, f"The user likes {word(name)} very much"))
    filed = manual.add(
        boss, manual.Draft(user_id, f"The user studies {word(name, 'agent')} now", agent_id, "preferences")
    )
    world.memories[name, "global"], world.memories[name, "agent"] = about.id, filed.id
    accepted = accept_exchange(
        boss,
        user_id=user_id,
        agent_id=agent_id,
        exchange=Exchange(f"I said {word(name, 'exchange')}", "Good."),
        path="test",
        idempotency_key=name,
        settings=runtime().settings,
    )
    assert accepted.id is not None
    world.exchanges[name] = accepted.id
