"""What was deleted long enough ago goes for good by the clock, knowledge as well as memories, and nothing else does."""

from __future__ import annotations

from flask import Flask
from sqlalchemy import text

from jobs import schedule
from webapp.access.actor import system
from webapp.db.session import transaction
from webapp.directory.agents import AgentDraft, put_agent
from webapp.directory.orgs import create_org
from webapp.memory import knowledge


def test_deleted_knowledge_is_purged_after_the_restore_days(app: Flask) -> None:
    with app.app_context():
        org = create_org("kept")
        boss = system(org.id, "test")
        agent, _created = put_agent(boss, "tutor", AgentDraft(name="Tutor"))
        old, fresh, live = (knowledge.add(boss, agent.id, f"Entry number {n} of the tutor") for n in range(3))
        knowledge.delete(boss, agent.id, old.id)
        knowledge.delete(boss, agent.id, fresh.id)
        with transaction(org.id) as session:
            session.execute(
                text("UPDATE knowledge SET deleted_at = now() - interval '31 days' WHERE id = :id"), {"id": old.id}
            )
        schedule.purge_deleted_memories()
        with transaction(org.id) as session:
            left = session.scalars(text("SELECT id FROM knowledge ORDER BY id")).all()
            told = session.scalars(
                text("SELECT DISTINCT object_id FROM revision WHERE object_kind = 'knowledge'")
            ).all()
    assert left == [fresh.id, live.id]
    assert sorted(told) == [fresh.id, live.id]
