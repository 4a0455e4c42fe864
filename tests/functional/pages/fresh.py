"""Objects for addresses, made anew at each use, so that a form that was let through spoils nothing for the next."""

from __future__ import annotations

import itertools

from sqlalchemy import text

from tests.functional.api.world import World, word
from webapp.access import tokens
from webapp.db.session import installation, transaction
from webapp.directory import people
from webapp.memory import knowledge
from webapp.memory.write import manual, removal


class Fresh(dict[str, int]):
    """`address.format_map(Fresh(world))` fills in ids: of people by name, and of objects that are made for it.

    `olga_global`, `olga_agent`, `knowledge` and the same with `_binned`; `revision` is one of the object before it.
    """

    numbers = itertools.count()

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world, self.boss, self.last = world, world.boss("acme"), ("memory", 0)

    def __missing__(self, key: str) -> int:
        with self.world.app.app_context():
            return self._make(key)

    def memory(self, *, agent: bool, binned: bool = False) -> int:
        """One of olga's, inside an application context."""
        scope = (self.world.agents["acme"], "preferences") if agent else (None, None)
        content = f"{word('olga', 'agent' if agent else 'global')} number {next(self.numbers)}"
        made = manual.add(self.boss, manual.Draft(self.world.users["olga"], content, *scope)).id
        if binned:
            removal.delete(self.boss, [made])
        self.last = ("memory", made)
        return made

    def _make(self, key: str) -> int:
        if key in self.world.users:
            return self.world.users[key]
        if key == "leaver":
            name = f"leaver{next(self.numbers)}"
            return people.put_person(self.boss, name, people.PersonDraft(email=f"{name}@example.org"))[0].id
        if key.startswith("knowledge"):
            return self._knowledge(binned=key.endswith("binned"))
        if key.endswith("token"):
            return self._token(service=key.startswith("service"))
        if key.startswith("olga_"):
            return self.memory(agent="agent" in key, binned=key.endswith("binned"))
        if key == "revision":
            return self._revision()
        return self.world.categories["acme"] if key == "category" else self._failed_exchange()

    def _knowledge(self, *, binned: bool) -> int:
        agent = self.world.agents["acme"]
        made = knowledge.add(self.boss, agent, f"{word('acme', 'knowledge')} number {next(self.numbers)}").id
        if binned:
            knowledge.delete(self.boss, agent, made)
        self.last = ("knowledge", made)
        return made

    def _revision(self) -> int:
        kind, made = self.last
        content = f"Something else, number {next(self.numbers)}"
        if kind == "memory":
            manual.edit(self.boss, made, content=content)
        else:
            knowledge.edit(self.boss, self.world.agents["acme"], made, content)
        return self._one(
            "SELECT max(id) FROM revision WHERE object_kind = :kind AND object_id = :id", kind=kind, id=made
        )

    def _token(self, *, service: bool) -> int:
        user = None if service else self.world.users["olga"]
        org = self.world.orgs["acme"]
        with installation() as session:
            return tokens.create(session, name="grid", created_by="test", org_id=org, account_id=user).info.id

    def _failed_exchange(self) -> int:
        exchange = self.world.exchanges["olga"]
        return self._one("UPDATE inbox SET state = 'failed' WHERE id = :id RETURNING id", id=exchange)

    def _one(self, statement: str, **values: object) -> int:
        with transaction(self.world.orgs["acme"]) as session:
            return int(session.execute(text(statement), values).scalar_one())
