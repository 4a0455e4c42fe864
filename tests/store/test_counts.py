"""What an agent holds is counted along: the numbers are those of counting, whatever happens and side by side."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from sqlalchemy import text

from tests.capture_world import Place
from tests.servers import MISCOUNTED
from tests.store.recall_world import CATEGORY, RecallWorld, recall_world
from webapp.access.actor import Actor
from webapp.db.models import Memory
from webapp.db.session import transaction
from webapp.errors import Conflict
from webapp.memory import counts, filters, queries, store
from webapp.memory.filters import MemoryFilter
from webapp.memory.write import captured, manual, organise, removal
from webapp.privacy.erase import erase
from webapp.runtime import runtime
from webapp.settings import Settings

OTHER = "learning_goals"


@pytest.fixture(scope="module")
def world(settings: Settings) -> Iterator[RecallWorld]:
    with recall_world(settings) as made:
        yield made


@pytest.fixture
def place(world: RecallWorld) -> Place:
    return world.place(2)


def held(world: RecallWorld, place: Place) -> dict[str, int]:
    """By category: what the tabs show, what the lists say, and what counting gives; all the same."""
    wanted = MemoryFilter(scope="agent", agent_id=place.agent_id)
    slugs = {number: slug for slug, number in world.slugs(place).items()}
    by_tab = {slugs[one]: count for one, count in queries.count_by_category(world.actor(place), wanted).items()}
    with transaction(place.org_id) as session:
        assert session.execute(text(MISCOUNTED)).all() == []
    assert queries.list_memories(world.actor(place), wanted).count == sum(by_tab.values())
    for slug in slugs.values():
        only = MemoryFilter(scope="agent", agent_id=place.agent_id, category_slug=slug)
        assert queries.list_memories(world.actor(place), only).count == by_tab.get(slug, 0)
        grouped = queries.list_grouped(world.actor(place), only)
        assert [one.count for one in grouped] == ([by_tab[slug]] if slug in by_tab else [])
    return by_tab


def test_every_change_is_counted(world: RecallWorld, place: Place) -> None:
    actor = world.actor(place)
    assert held(world, place) == {}
    first, second, third = world.remember(place, "Likes owls", "Likes elks", "Likes eels", agent=True)
    world.remember(place, "Likes ants", agent=True, user=place.users[1])
    world.remember(place, "Lives in Rome")
    assert held(world, place) == {CATEGORY: 4}
    batch = removal.delete(actor, [first, second]).batch
    assert held(world, place) == {CATEGORY: 2}
    removal.restore(actor, first)
    assert held(world, place) == {CATEGORY: 3}
    removal.restore_batch(actor, batch)
    assert held(world, place) == {CATEGORY: 4}
    organise.move(actor, [first, third], OTHER)
    assert held(world, place) == {CATEGORY: 2, OTHER: 2}
    manual.edit(actor, first, category_slug=CATEGORY)
    manual.edit(actor, first, category_slug=CATEGORY)
    manual.edit(actor, first, content="Likes tawny owls")
    assert held(world, place) == {CATEGORY: 3, OTHER: 1}
    organise.merge(actor, [first, second], "Likes owls and elks")
    assert held(world, place) == {CATEGORY: 2, OTHER: 1}
    removal.delete(actor, [third])
    removal.purge(actor, [third])
    assert held(world, place) == {CATEGORY: 2}
    erase(actor, place.user)
    assert held(world, place) == {CATEGORY: 1}


def test_what_fails_is_not_counted(world: RecallWorld, place: Place) -> None:
    actor = world.actor(place)
    (memory_id,) = world.remember(place, "Likes owls", agent=True)
    with pytest.raises(Conflict):
        world.remember(place, "likes owls", agent=True)
    removal.delete(actor, [memory_id])
    world.remember(place, "Likes owls", agent=True)
    with pytest.raises(Conflict):
        removal.restore(actor, memory_id)
    (other,) = world.remember(place, "Likes elks", agent=True)
    with pytest.raises(Conflict):
        manual.edit(actor, other, content="Likes owls", category_slug=OTHER)
    assert held(world, place) == {CATEGORY: 2}


def test_it_is_written_last_of_all(world: RecallWorld, place: Place) -> None:
    """Whoever holds a count waits for nothing but another count, so that no order of locks is broken by it."""
    (memory_id,) = world.remember(place, "Likes owls", agent=True)
    with transaction(place.org_id) as session:
        row = store.load(session, place.org_id, memory_id, lock=True)
        assert row is not None
        store.mark_deleted(session, place.org_id, [row], "test", uuid4())
        with session.begin_nested():
            session.execute(text("SELECT 1"))
        assert counts.of_agent(session, place.org_id, place.agent_id) == {row.category_id: 1}
    assert held(world, place) == {}


def test_what_capture_takes_back_is_not_counted(world: RecallWorld, place: Place) -> None:
    """It was said before it was deleted: written, found buried, and taken back in the same transaction."""
    (memory_id,) = world.remember(place, "Likes owls", agent=True)
    removal.delete(world.actor(place), [memory_id])
    embedder, said = runtime().embedder, datetime.now(UTC) - timedelta(days=1)
    source = captured.Source(place.org_id, place.user, place.agent_id, 1, None, said, said)
    vector = embedder.stored(embedder.embed_one("Likes owls"))
    new = captured.Captured("Likes owls", place.agent_id, world.slugs(place)[CATEGORY], None, vector)
    with transaction(place.org_id) as session:
        secret = runtime().settings.secret_key
        assert captured.add(session, source, new, model=embedder.model, secret_key=secret) is None
    assert held(world, place) == {}


def test_people_side_by_side_are_counted(world: RecallWorld, place: Place) -> None:
    world.slugs(place)

    def write(number: int) -> None:
        with world.app.app_context():
            (one,) = world.remember(place, f"Likes owl {number}", agent=True, user=place.users[number % 2])
            if number % 3 == 0:
                removal.delete(world.actor(place), [one])
            elif number % 3 == 1:
                organise.move(world.actor(place), [one], OTHER)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(30)))
    assert held(world, place) == {CATEGORY: 10, OTHER: 10}


def test_only_all_of_an_agent_is_taken_from_the_counts(world: RecallWorld, place: Place) -> None:
    whole = MemoryFilter(scope="agent", agent_id=place.agent_id)
    actor = world.actor(place)
    mira = place.users[1]
    stranger = Actor("person", place.org_id, "mira", f"account:{mira}", account_id=mira, org_role="member")
    editor = replace(stranger, agent_roles={place.agent_id: "editor"})
    assert filters.is_whole_agent(actor, whole)
    assert filters.is_whole_agent(editor, whole)
    assert not filters.is_whole_agent(stranger, whole)
    world.remember(place, "Likes owls", "Likes elks", agent=True)
    (own,) = world.remember(place, "Likes ants", agent=True, user=place.users[1])
    found = queries.list_memories(stranger, whole)
    assert (found.count, [one.id for one in found.rows]) == (1, [own])
    assert sum(queries.count_by_category(stranger, whole).values()) == 1
    assert sum(queries.count_by_category(editor, whole).values()) == 3
    narrowed = (
        MemoryFilter(scope="agent", agent_id=place.agent_id, user_id=place.user),
        MemoryFilter(scope="agent", agent_id=place.agent_id, text="owls"),
        MemoryFilter(scope="agent", agent_id=place.agent_id, origin="captured"),
        MemoryFilter(scope="agent", agent_id=place.agent_id, state="deleted"),
        MemoryFilter(scope="agent"),
    )
    assert not any(filters.is_whole_agent(actor, one) for one in narrowed)
    assert queries.list_memories(actor, narrowed[1]).count == 1


def test_two_changes_of_one_memory_come_to_nothing(world: RecallWorld, place: Place) -> None:
    (memory_id,) = world.remember(place, "Likes owls", agent=True)
    with transaction(place.org_id) as session:
        row = session.get_one(Memory, {"org_id": place.org_id, "id": memory_id})
        counts.no_longer_live(session, row)
        counts.became_live(session, row)
    assert held(world, place) == {CATEGORY: 1}
