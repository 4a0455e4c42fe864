"""Makes the demo org look lived in: people, memories with their past, shared memory, conversations."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.db.models import Agent, AuditEvent, Category, InboxItem, Knowledge, Memory, Revision
from webapp.db.session import transaction
from webapp.directory import demo_texts as texts
from webapp.directory.agents import AgentDraft, put_agent
from webapp.directory.people import PersonDraft, put_person
from webapp.memory import categories, counts, store
from webapp.memory.content import content_hash
from webapp.memory.types import Origin

# How the conversations of the last two weeks ended, one letter each, the oldest day first.
DAYS = ("dd", "ddd", "dsd", "dddd", "d", "", "ddds", "ddddd", "dfd", "dddd", "ddsdd", "dd", "ddfddd", "dddd")
STATES = {"d": "done", "s": "skipped", "f": "failed"}


def tell(boss: Actor, users: Mapping[str, int]) -> None:
    """Fill the org. `users` are the ids of the demo's cast; `boss` may do everything and signs what capture did."""
    everyone = dict(users) | _people(boss)
    _agents(boss)
    with transaction(boss.org_id) as session:
        rows = session.execute(select(Agent.slug, Agent.id).where(Agent.org_id == boss.org_id))
        agents = {slug: agent_id for slug, agent_id in rows}  # noqa: C416  a Row is no pair to dict()
        story = _Story(session, boss, everyone, agents)
        story.remember()
        story.know()
        story.converse()


def _people(boss: Actor) -> dict[str, int]:
    made = {}
    for username, full_name in texts.MORE_PEOPLE:
        draft = PersonDraft(email=f"{username}@example.org", full_name=full_name, role="member")
        made[username] = put_person(boss, username, draft)[0].id
    return made


def _agents(boss: Actor) -> None:
    for slug, name, description, on, archived in texts.MORE_AGENTS:
        draft = AgentDraft(name=name, description=description, enable_memory_component=on, is_archived=archived)
        put_agent(boss, slug, draft)


class _Story:
    """Rows with a past, inside one transaction. Vectors follow by the worker, as for everything that is due."""

    def __init__(self, session: Session, boss: Actor, users: Mapping[str, int], agents: Mapping[str, int]) -> None:
        self.session, self.boss, self.users, self.agents = session, boss, users, agents
        self.now = datetime.now(UTC)
        self.filed: dict[tuple[int, str], int] = {}

    def remember(self) -> None:
        """Memories, what they replaced, what was edited and what was deleted."""
        for slug in self.agents:
            self._seed(slug)
        for agent, user, category, text, ago, origin in texts.MEMORIES:
            row = self._memory(agent, user, category, text, ago, origin)  # type: ignore[arg-type]
            self._revise(row, "created", ago, after=text)
        for agent, user, category, old, new in texts.REPLACED:
            self._replace(agent, user, category, old, self._find(user, new))
        for _agent, user, before, now in texts.EDITED:
            self._edit(self._find(user, now), before)
        for agent, user, category, text, ago in texts.DELETED:
            self._delete(self._memory(agent, user, category, text, ago + 8, "captured"), ago)

    def know(self) -> None:
        """Shared memory, written by the curator."""
        for slug, text, ago in texts.KNOWLEDGE:
            row = Knowledge(
                org_id=self.boss.org_id,
                agent_id=self.agents[slug],
                content=text,
                content_hash=content_hash(text),
                created_by_id=self.users["curator"],
                created_at=self._at(ago),
                updated_at=self._at(ago),
            )
            self.session.add(row)
            self.session.flush()
            self._add_revision("knowledge", row.id, "created", ago, None, {"content": text}, agent_id=row.agent_id)
            self._audit("curator", "knowledge.created", "knowledge", row.id, ago)

    def converse(self) -> None:
        """What became of two weeks of conversations."""
        learners = ["learner", *(name for name, _full in texts.MORE_PEOPLE)]
        number = 0
        for day, outcomes in enumerate(DAYS):
            for letter in outcomes:
                ago = len(DAYS) - day - 0.9 + number % 7 * 0.11
                self._exchange(learners[number % len(learners)], STATES[letter], max(ago, 0.05), number)
                number += 1

    def _seed(self, slug: str) -> None:
        org, agent = self.boss.org_id, self.agents[slug]
        categories.seed(self.session, org, agent)
        if slug == "python-tutor":
            name = texts.CATEGORY
            row = Category(org_id=org, agent_id=agent, slug=name[0], name=name[1], description=name[2])
            self.session.add(row)
            self.session.flush()
        for each in categories.active(self.session, org, agent):
            self.filed[agent, each.slug] = each.id

    def _memory(
        self, agent: str | None, user: str, category: str | None, text: str, ago: float, origin: Origin
    ) -> Memory:
        agent_id = self.agents[agent] if agent else None
        new = store.NewMemory(
            org_id=self.boss.org_id,
            user_id=self.users[user],
            content=text,
            origin=origin,
            agent_id=agent_id,
            category_id=self.filed[agent_id, category] if agent_id and category else None,
            source_session_id=f"chat-{hashlib.sha256(f'{user}{ago:.0f}'.encode()).hexdigest()[:6]}"
            if origin == "captured"
            else None,
            occurred_at=self._at(ago),
            created_at=self._at(ago),
        )
        memory_id = store.insert_memory(self.session, new)
        assert memory_id is not None, "the demo says nothing twice"
        return self.session.get_one(Memory, {"org_id": self.boss.org_id, "id": memory_id})

    def _find(self, user: str, text: str) -> Memory:
        found = select(Memory).where(
            Memory.org_id == self.boss.org_id, Memory.user_id == self.users[user], Memory.content == text
        )
        return self.session.scalars(found).one()

    def _replace(self, agent: str | None, user: str, category: str | None, old: str, newer: Memory) -> None:
        row = self._memory(agent, user, category, old, 60.0, "captured")
        self._revise(row, "created", 60.0, after=old)
        store.supersede(self.session, self.boss.org_id, row.user_id, row.id, newer.id)
        self._revise(row, "superseded", 1.0, before=old)

    def _edit(self, row: Memory, before: str) -> None:
        row.edited_by, row.version = "curator", row.version + 1
        row.updated_at = self._at(0.1)
        self.session.flush()
        self._revise(row, "edited", 0.1, before=before, after=row.content, by="curator")
        self._audit("curator", "memory.edited", "memory", row.id, 0.1, user_id=row.user_id)

    def _delete(self, row: Memory, ago: float) -> None:
        self._revise(row, "created", ago + 8, after=row.content)
        row.deleted_at, row.deleted_by, row.delete_batch = self._at(ago), "curator", uuid4()
        row.embed_due_at, row.version = None, row.version + 1
        counts.no_longer_live(self.session, row)
        self.session.flush()
        self._revise(row, "deleted", ago, before=row.content, by="curator")
        self._audit("curator", "memory.deleted", "memory", row.id, ago, user_id=row.user_id)

    def _exchange(self, user: str, state: str, ago: float, number: int) -> None:
        failed, done = state == "failed", state == "done"
        agent = "help-desk" if number % 4 == 3 else "python-tutor"
        body = {"user_message": "Can you look at my exercise again?", "assistant_message": "Of course."}
        row = InboxItem(
            org_id=self.boss.org_id, kind="exchange", lane=f"user:{self.users[user]}", user_id=self.users[user],
            agent_id=self.agents[agent], session_id=f"chat-{number}", principal="demo", path="demo",
            body_hash=hashlib.sha256(str(number).encode()).digest(), body=body if failed else None, state=state,
            attempts=8 if failed else 1, reason="user_capture_off" if state == "skipped" else None,
            error="model_timeout" if failed else None, created=number % 3 if done else 0,
            duplicates=1 if done and number % 5 == 0 else 0, occurred_at=self._at(ago), created_at=self._at(ago),
            done_at=self._at(ago) + timedelta(seconds=3),
        )  # fmt: skip
        self.session.add(row)

    def _revise(
        self,
        row: Memory,
        action: str,
        ago: float,
        *,
        before: str | None = None,
        after: str | None = None,
        by: str | None = None,
    ) -> None:
        states = [{"content": text} if text is not None else None for text in (before, after)]
        self._add_revision(
            "memory", row.id, action, ago, *states, user_id=row.user_id, agent_id=row.agent_id, by=by,
            version=row.version,
        )  # fmt: skip

    def _add_revision(
        self,
        kind: str,
        object_id: int,
        action: str,
        ago: float,
        before: dict[str, Any] | None,
        after: dict[str, Any] | None,
        *,
        user_id: int | None = None,
        agent_id: int | None = None,
        by: str | None = "curator",
        version: int = 1,
    ) -> None:
        self.session.add(
            Revision(
                org_id=self.boss.org_id,
                object_kind=kind,
                object_id=object_id,
                user_id=user_id,
                agent_id=agent_id,
                action=action,
                version=version,
                before=before,
                after=after,
                actor_id=self.users[by] if by else None,
                actor_label=by or "capture",
                how="page" if by else "job",
                at=self._at(ago),
            )
        )

    def _audit(self, by: str, action: str, kind: str, target: int, ago: float, *, user_id: int | None = None) -> None:
        self.session.add(
            AuditEvent(
                org_id=self.boss.org_id,
                at=self._at(ago),
                actor_id=self.users[by],
                actor_label=by,
                action=action,
                target_kind=kind,
                target_id=target,
                target_user_id=user_id,
            )
        )

    def _at(self, ago: float) -> datetime:
        return self.now - timedelta(days=ago)
