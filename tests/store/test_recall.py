"""Recall through all its gates: what comes up for a message, in what order, and what never does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event

from tests.capture_world import Place, at
from tests.model_server import error
from tests.store.recall_world import RecallWorld, recall_world, texts
from webapp.access.actor import Actor
from webapp.db.session import db
from webapp.errors import NotAllowed, NotVisible, Unavailable
from webapp.memory import categories, knowledge, user_switches
from webapp.memory.write import manual, organise, removal
from webapp.ranking import Outcome
from webapp.recall.recall import RecalledMemory
from webapp.runtime import runtime
from webapp.settings import Settings

DOWN = error(503, "down")


@pytest.fixture(scope="module")
def world(settings: Settings) -> Iterator[RecallWorld]:
    with recall_world(settings) as made:
        yield made


@pytest.fixture
def place(world: RecallWorld) -> Iterator[Place]:
    yield world.place(2)
    world.model.forget()


def named(found: list[RecalledMemory], text: str) -> RecalledMemory:
    return next(one for one in found if one.memory.content == text)


def test_both_scopes_and_knowledge_come_back(world: RecallWorld, place: Place) -> None:
    world.remember(place, "The user works as a baker")
    world.remember(place, "The user wants baker jokes", agent=True)
    knowledge.add(world.actor(place), place.agent_id, "Courses start in May")
    found = world.recall(place, "What does the baker do?")
    assert found.context == (
        "## Agent Knowledge\n- Courses start in May\n\n## User Information\n- The user works as a baker\n\n"
        "## Relevant Context from Previous Conversations\n- [Preferences] The user wants baker jokes"
    )
    (about,) = found.global_memories
    assert about.distance is not None
    assert 0.0 < about.distance < 1.0
    assert about.text > 0.0
    assert about.score == pytest.approx(about.text + 0.3 * (1.0 - about.distance), abs=1e-3)
    assert about.outcome is Outcome.CHOSEN


def test_no_more_than_the_places_come_the_best_first(world: RecallWorld, place: Place) -> None:
    towns = ("Rome", "Oslo", "Bonn", "Lyon", "Graz", "Kyiv", "Bern")
    world.remember(place, *(f"The user drew a map of {town}" for town in towns))
    found = world.recall(place, "the map of Graz")
    about, _ = texts(found)
    assert len(about) == 5
    assert about[0] == "The user drew a map of Graz"
    scores = [one.score for one in found.global_memories]
    assert scores == sorted(scores, reverse=True)
    assert {one.outcome for one in found.left_out} == {Outcome.NO_PLACE}
    assert len(found.left_out) == 2
    assert len(world.recall(place, "the map of Graz", max_global=2).global_memories) == 2
    assert world.recall(place, "the map of Graz", max_global=0).global_memories == []


def test_an_unrelated_message_brings_nothing_up(world: RecallWorld, place: Place) -> None:
    world.remember(place, "The user works as a baker")
    found = world.recall(place, "Who wrote Hamlet?")
    assert (found.context, found.global_memories) == ("", [])
    assert [one.outcome for one in found.left_out] == [Outcome.NOT_RELEVANT]
    assert world.recall(place, "  \u200b ").context == ""


def test_near_duplicates_do_not_fill_the_places(world: RecallWorld, place: Place) -> None:
    world.remember(place, *(f"The user's sister Anna lives in Berlin {mark}" for mark in ("!", "?", ";", ".", "...")))
    world.remember(place, "The user's sister plays the cello")
    found = world.recall(place, "Does my sister Anna in Berlin play the cello?", max_global=3)
    about, _ = texts(found)
    assert len(about) == 2
    assert "The user's sister plays the cello" in about
    assert [one.outcome for one in found.left_out] == [Outcome.NEAR_DUPLICATE] * 4


def test_places_are_filled_from_behind_many_near_duplicates(world: RecallWorld, place: Place) -> None:
    copies = [f"The user's sister Anna lives in Berlin {'!' * number}" for number in range(30)]
    world.remember(place, *copies, "The user's brother lives in Berlin")
    about, _ = texts(
        world.recall(place, "The user's sister Anna, or the brother, in Berlin?", max_global=2, explain=False)
    )
    assert len(about) == 2
    assert "The user's brother lives in Berlin" in about


def test_a_memory_that_differs_in_a_number_is_no_duplicate(world: RecallWorld, place: Place) -> None:
    world.remember(place, "The user was born in Berlin on March 5", "The user was born in Berlin on March 15")
    assert len(world.recall(place, "When was I born in Berlin in March?").global_memories) == 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("UPDATE org SET enable_memsearch = false WHERE id = :org", "org_off"),
        ("UPDATE agent SET enable_memory_component = false", "agent_off"),
        ("UPDATE agent SET archived_at = now()", "agent_archived"),
        ("UPDATE membership SET use_memory_in_responses = false", "user_use_off"),
        ("UPDATE membership SET removed_at = now()", "user_removed"),
    ],
)
def test_a_closed_gate_lets_nothing_through_and_sends_nothing_out(
    world: RecallWorld, place: Place, change: str, reason: str
) -> None:
    world.remember(place, "The user works as a baker")
    knowledge.add(world.actor(place), place.agent_id, "Courses start in May")
    assert world.recall(place, "What does any baker do?").global_memories
    given = {"org": place.org_id} if ":org" in change else {}
    world.execute(place, change, **given)
    calls = len(world.model.calls)
    for message in ("What does this gate's baker do?", "What does any baker do?", " "):
        found = world.recall(place, message)
        assert (found.context, found.global_memories, found.knowledge.entries) == ("", [], [])
        assert found.state.use_off is not None
        assert found.state.use_off.reason == reason
    assert len(world.model.calls) == calls


def test_capture_that_is_off_does_not_keep_memories_from_being_used(world: RecallWorld, place: Place) -> None:
    world.remember(place, "The user works as a baker")
    user_switches.change_settings(world.actor(place), place.user, auto_capture=False)
    assert texts(world.recall(place, "baker"))[0] == ["The user works as a baker"]


def test_memory_that_is_off_for_the_installation_is_unavailable(settings: Settings) -> None:
    with recall_world(settings, disable_memory=True) as off, pytest.raises(Unavailable, match="DISABLE_MEMORY"):
        off.recall(off.place(), "anything")


def test_nobody_elses_memories_come_up(world: RecallWorld, place: Place) -> None:
    world.remember(place, "The user keeps falcons", user=place.users[1])
    elsewhere = world.place()
    world.remember(elsewhere, "The user keeps falcons")
    found = world.recall(place, "falcons")
    assert (found.context, found.left_out) == ("", [])
    with pytest.raises(NotVisible):
        world.recall(place, "falcons", user_id=elsewhere.user)


def test_another_agents_memories_do_not_come_up(world: RecallWorld, place: Place) -> None:
    world.remember(place, "The user asked about falcons", agent=True)
    world.execute(
        place,
        "INSERT INTO agent (org_id, slug, name, enable_memory_component) VALUES (:org, 'second', 'Second', true)",
        org=place.org_id,
    )
    (second,) = world.rows(place, "SELECT id FROM agent WHERE slug = 'second'")
    assert world.recall(place, "falcons", agent_id=second.id).context == ""


def test_what_is_deleted_or_superseded_never_comes_up(world: RecallWorld, place: Place) -> None:
    gone, old, new = world.remember(place, "The user keeps falcons", "The user keeps owls", "The user feeds owls")
    removal.delete(world.actor(place), [gone])
    organise.merge(world.actor(place), [old, new], "The user keeps and feeds owls")
    assert world.recall(place, "falcons").context == ""
    assert texts(world.recall(place, "who keeps owls?"))[0] == ["The user keeps and feeds owls"]


def test_an_inactive_category_is_still_recalled(world: RecallWorld, place: Place) -> None:
    world.remember(place, "The user wants falcon diagrams", agent=True)
    categories.deactivate(world.actor(place), place.agent_id, world.slugs(place)["preferences"])
    assert texts(world.recall(place, "falcon diagrams"))[1] == ["The user wants falcon diagrams"]


def test_global_memories_are_used_for_whoever_may_not_read_them_but_not_shown(world: RecallWorld, place: Place) -> None:
    world.remember(place, "The user keeps falcons", "The user's uncle keeps falcons")
    world.remember(place, "The user asked about falcons", agent=True)
    curator = Actor(
        "person", place.org_id, "eddie", "account:1", account_id=place.users[1], org_role="member",
        agent_roles={place.agent_id: "editor"},
    )  # fmt: skip
    try:
        found = world.recall(place, "falcons", actor=curator)
    except NotAllowed:
        pytest.fail("an editor may try what their agent would be given")
    assert (found.global_memories, found.hidden_global) == ([], 2)
    assert all(one.memory.scope == "agent" for one in found.left_out)
    assert "keeps falcons" not in found.context
    assert texts(found)[1] == ["The user asked about falcons"]


def test_knowledge_over_the_budget_is_left_out_whole(settings: Settings) -> None:
    with recall_world(settings, knowledge_budget=60) as small:
        place = small.place()
        for text in ("A" * 40, "B" * 40, "C" * 15):
            knowledge.add(small.actor(place), place.agent_id, text)
        found = small.recall(place, "anything")
        assert found.context == f"## Agent Knowledge\n- {'A' * 40}\n- {'C' * 15}"
        assert len(found.knowledge.left_out) == 1


def test_what_is_known_takes_one_transaction_and_what_is_not_is_embedded_outside_of_one(
    world: RecallWorld, place: Place
) -> None:
    world.remember(place, "The user keeps falcons")
    pool, begun, held = db.engine.pool, [], []
    world.model.on_call = lambda _call: held.append(pool.checkedout())  # type: ignore[attr-defined]

    def note(*given: Any) -> None:
        begun.extend([given[2]] if given[2].startswith("BEGIN") else [])

    event.listen(db.engine, "before_cursor_execute", note)
    try:
        first = world.recall(place, "Does the user keep falcons in one transaction?")
        assert (len(begun), held) == (2, [0])
        begun.clear()
        again = world.recall(place, "Does the user keep falcons in one transaction?")
        assert (len(begun), held) == (1, [0])
    finally:
        event.remove(db.engine, "before_cursor_execute", note)
    assert first == again
    assert len(first.global_memories) == 1


def test_while_embedding_is_down_words_find_memories(world: RecallWorld, place: Place) -> None:
    world.remember(place, "The user keeps falcons")
    world.model.outage = DOWN
    found = world.recall(place, "Tell me of falcons, while it is down")
    assert [one.distance for one in found.global_memories] == [None]
    assert found.global_memories[0].text > 0.15


def test_a_memory_that_waits_for_its_vector_is_found_by_its_words(world: RecallWorld, place: Place) -> None:
    world.model.outage = DOWN
    world.remember(place, "The user keeps gerfalcons")
    world.model.outage = None
    found = world.recall(place, "Which gerfalcons?")
    assert texts(found)[0] == ["The user keeps gerfalcons"]
    assert found.global_memories[0].distance is None


def test_time_words_prefer_memories_of_that_time(world: RecallWorld, place: Place) -> None:
    for month in ("03", "04", "05", "06"):
        world.remember(place, f"The user went climbing, tour {month}", occurred_at=at(f"2023-{month}-11T10:00+00:00"))

    def best(when: str, now: str) -> str:
        message = f"The user went climbing where, on what tour, {when}?"
        return texts(world.recall(place, message, at=at(now)))[0][0][-7:]

    assert best("in May 2023", "2023-06-20T10:00+00:00") == "tour 05"
    assert best("last month", "2023-06-20T10:00+00:00") == "tour 05"
    assert best("last month", "2023-05-02T10:00+00:00") == "tour 04"


def test_what_was_said_beside_it_helps_a_memory(world: RecallWorld, place: Place) -> None:
    said = at("2023-05-07T10:00+00:00")
    world.remember(place, "The trip led to Lofoten", source_session_id="s", occurred_at=said)
    world.remember(place, "Seven whales were seen", source_session_id="s", occurred_at=at("2023-05-07T10:01+00:00"))
    world.remember(place, "Seven whales were seen there", source_session_id="t", occurred_at=said)
    found = world.recall(place, "The trip to Lofoten: whales seen?")
    beside, apart = (named([*found.global_memories, *found.left_out], text) for text in (
        "Seven whales were seen", "Seven whales were seen there",
    ))  # fmt: skip
    assert beside.text > apart.text + 0.05


def test_the_seeds_order_is_the_cosine_alone(settings: Settings) -> None:
    with recall_world(settings, ranking="cosine") as seed:
        place = seed.place()
        seed.remember(place, *(f"The user's sister Anna lives in Berlin {mark}" for mark in ("!", "?", ".")))
        seed.remember(place, "The user visited their sister Anna in Berlin in May 2023")
        found = seed.recall(place, "Does my sister Anna live in Berlin?")
        distances = [one.distance for one in found.global_memories]
        assert len(distances) == 4
        assert distances == sorted(distances)
        assert {one.text for one in found.global_memories} == {0.0}
        seed.model.outage = DOWN
        assert seed.recall(place, "Is Anna in Berlin, though it is down?").global_memories == []


def test_the_floor_is_a_setting(settings: Settings) -> None:
    with recall_world(settings, recall_floor=0.05) as strict:
        place = strict.place()
        strict.remember(place, "The user keeps falcons and sails on the Baltic in summer")
        assert strict.recall(place, "sails").global_memories == []
        assert runtime().recall_floor(replace(runtime().embedder.profile, recall_floor=0.9)) == 0.05


def test_an_edited_memory_comes_with_its_new_text(world: RecallWorld, place: Place) -> None:
    (memory_id,) = world.remember(place, "The user keeps falcons")
    manual.edit(world.actor(place), memory_id, content="The user keeps owls")
    assert world.recall(place, "falcons").context == ""
    assert texts(world.recall(place, "owls"))[0] == ["The user keeps owls"]
