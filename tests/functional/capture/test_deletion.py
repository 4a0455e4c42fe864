"""What is deleted stays deleted, and what is erased leaves nothing behind."""

from __future__ import annotations

from typing import Any

import pytest
from redis import Redis
from sqlalchemy import text

from jobs.worker import Process
from tests.capture_world import Place, World, at, superuser, take
from tests.model_server import Call, answer
from webapp.access.actor import system
from webapp.inbox import claim
from webapp.memory.write import manual, removal
from webapp.privacy.erase import erase

Counted = tuple[str, int, int, int, int]


def answers(world: World, *texts: Any, **slugs: Any) -> None:
    """What the model finds in whatever it is asked next."""
    world.model.script("Observation date", answer(*texts, **slugs))


def counted(row: Any) -> Counted:
    return row.state, row.created, row.superseded, row.duplicates, row.rejected


def test_erasing_while_the_model_works_leaves_nothing(world: World, place: Place, process: Process) -> None:
    accepted = world.say(place, "I own the boat Kestrel 1.")
    (taken,) = take(place)

    def erase_now(call: Call) -> None:
        if call.endpoint == "chat":
            with world.app.app_context():
                erase(system(place.org_id, "test"), place.user)

    world.model.on_call = erase_now
    with pytest.raises(claim.Fenced):
        process.pipeline.process(taken)
    assert world.memories(place) == []
    assert world.rows(place, "SELECT 1 FROM inbox WHERE id = :id", id=accepted.id) == []


def test_what_was_deleted_does_not_come_back_unless_it_is_said_anew(
    world: World, place: Place, capture: Any, process: Process
) -> None:
    answers(world, "The user lives in Lisbon.")
    before = world.say(place, "By the way, I live in Lisbon.", user=place.user)
    (waiting,) = take(place)
    boss = system(place.org_id, "test")
    added = manual.add(boss, manual.Draft(place.user, "The user lives in Lisbon."))
    removal.delete(boss, [added.id])
    process.pipeline.process(waiting)
    row = world.row(place, before.id)
    assert (row.created, row.rejections) == (0, {"deleted_before": 1})
    dated = capture("I live in Lisbon.", occurred_at=at("2020-01-01T00:00"))
    assert (dated.created, dated.rejections) == (0, {"deleted_before": 1})
    assert counted(capture("I live in Lisbon.")) == ("done", 1, 0, 0, 0)
    assert world.memories(place) == ["The user lives in Lisbon."]


def test_asking_to_forget_deletes_with_history_and_is_not_learned_from(
    world: World, place: Place, capture: Any
) -> None:
    answers(world, "The user lives in Lisbon.", preferences=["The user likes green tea."])
    capture("I live in Lisbon. I like green tea.")
    row = capture("Please forget that I live in Lisbon.")
    assert (row.state, row.reason, row.created) == ("done", "forgot", 0)
    assert world.memories(place) == ["The user likes green tea."]
    (gone,) = world.rows(place, "SELECT * FROM memory WHERE deleted_at IS NOT NULL")
    assert (gone.content, gone.deleted_by) == ("The user lives in Lisbon.", "capture")
    assert len(world.rows(place, "SELECT 1 FROM tombstone")) == 1
    assert (
        len(world.rows(place, "SELECT 1 FROM revision WHERE object_id = :id AND action = 'deleted'", id=gone.id)) == 1
    )
    removal.restore(system(place.org_id, "test"), gone.id)
    assert "The user lives in Lisbon." in world.memories(place)
    assert capture("Forget about my yacht, please.").reason == "nothing_to_forget"


def test_forgetting_reaches_only_ones_own_memories(world: World, place: Place, capture: Any) -> None:
    answers(world, "The user lives in Lisbon.")
    for user in place.users:
        capture("I live in Lisbon.", user=user)
    capture("Forget that I live in Lisbon.", user=place.users[0])
    assert world.memories(place, place.users[0]) == []
    assert world.memories(place, place.users[1]) == ["The user lives in Lisbon."]


def test_a_planted_word_is_nowhere_after_erasing(world: World, place: Place, capture: Any) -> None:
    word = "Quibblewort"
    answers(world, f"The user owns the boat {word} 7.")
    capture(f"I own the boat {word} 7.", session_id=f"about {word}")
    world.say(place, f"I own the boat {word} 8.")
    assert word in residue(world)
    removal.delete(system(place.org_id, "test"), [row.id for row in world.rows(place, "SELECT id FROM memory")])
    erase(system(place.org_id, "test"), place.user)
    assert residue(world) == ""
    queue = Redis.from_url(world.settings.redis_url)
    assert not [key for key in queue.keys("*") if word.encode() in (queue.dump(key) or b"") + key]
    queue.close()


def residue(world: World) -> str:
    """Every row of every table that still holds the planted word, as text."""
    found = []
    with superuser(world) as connection:
        tables = connection.scalars(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).all()
        for table in tables:
            rows = connection.scalars(text(f"SELECT t::text FROM {table} t WHERE t::text ILIKE '%quibblewort%'")).all()
            found += rows
    return "\n".join(found)
