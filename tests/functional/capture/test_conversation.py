"""What becomes of a conversation: once, in the user's words, with its source."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from jobs.worker import Process
from tests.capture_world import Place, World, at, superuser, take
from tests.model_server import Call, answer
from webapp.capture.commit import Rules
from webapp.db.session import transaction

Counted = tuple[str, int, int, int, int]


def answers(world: World, *texts: Any, **slugs: Any) -> None:
    """What the model finds in whatever it is asked next."""
    world.model.script("Observation date", answer(*texts, **slugs))


def counted(row: Any) -> Counted:
    return row.state, row.created, row.superseded, row.duplicates, row.rejected


def item(content: str, kind: str = "none", number: int | None = None, quote: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {"text": content, "relation": {"kind": kind, "n": number}}
    return {**found, "evidence": {"message": 0, "quote": quote}} if quote else found


def test_what_the_user_said_is_filed_with_its_evidence(world: World, place: Place, capture: Any) -> None:
    answers(world, "The user lives in Lisbon.", learning_goals=["The user wants to learn Portuguese."])
    row = capture("I live in Lisbon. I want to learn Portuguese.", occurred_at=at("2024-03-01T09:00"), session_id="s")
    assert counted(row) == ("done", 2, 0, 0, 0)
    home, goal = world.rows(
        place,
        "SELECT m.*, c.slug FROM memory m LEFT JOIN category c ON c.org_id = m.org_id AND c.id = m.category_id ORDER BY m.id",
    )
    assert (home.agent_id, home.slug, home.evidence) == (None, None, "I live in Lisbon.")
    assert (goal.agent_id, goal.slug) == (place.agent_id, "learning_goals")
    assert {home.occurred_at, goal.occurred_at} == {at("2024-03-01T09:00+00:00")}


def test_saying_it_again_adds_nothing(world: World, place: Place, capture: Any) -> None:
    answers(world, "The user lives in Lisbon.")
    capture("I live in Lisbon.")
    assert counted(capture("As I said, I live in Lisbon.")) == ("done", 0, 0, 1, 0)
    assert world.memories(place) == ["The user lives in Lisbon."]


def test_a_newer_fact_supersedes_with_history(world: World, place: Place, capture: Any) -> None:
    answers(world, "The user works at Orbit as a nurse.")
    capture("I work at Orbit as a nurse.", occurred_at=at("2024-01-01T00:00"))
    answers(world, item("The user works at Acme as a nurse.", "supersedes", 1))
    row = capture("I now work at Acme as a nurse.", occurred_at=at("2024-06-01T00:00"))
    assert counted(row) == ("done", 1, 1, 0, 0)
    assert world.memories(place) == ["The user works at Acme as a nurse."]
    old = world.rows(place, "SELECT * FROM memory WHERE superseded_at IS NOT NULL")[0]
    assert old.content == "The user works at Orbit as a nurse."
    revision = world.rows(place, "SELECT * FROM revision WHERE object_id = :id AND action = 'superseded'", id=old.id)[0]
    assert revision.before["content"] == old.content
    assert world.rows(place, "SELECT 1 FROM memory_vector WHERE memory_id = :id", id=old.id) == []


def test_old_news_does_not_supersede(world: World, place: Place, capture: Any) -> None:
    answers(world, "The user works at Acme as a nurse.")
    capture("I work at Acme as a nurse.", occurred_at=at("2024-06-01T00:00"))
    answers(world, item("The user works at Orbit as a nurse.", "supersedes", 1))
    row = capture("I work at Orbit as a nurse.", occurred_at=at("2023-06-01T00:00"))
    assert row.superseded == 0
    assert "The user works at Acme as a nurse." in world.memories(place)


def test_the_model_sees_what_is_related_and_no_more_however_much_is_stored(world: World, capture: Any) -> None:
    lengths = []
    for count in (50, 5_000):
        where = world.place()
        fill = """
            INSERT INTO memory (org_id, user_id, content, content_hash, origin)
            SELECT :org, :user, 'The user owns the book number ' || (100000 + n), int8send(n), 'manual'
            FROM generate_series(1, :count) n
        """
        world.execute(where, fill, org=where.org_id, user=where.user, count=count)
        world.execute(
            where,
            "INSERT INTO memory_search (org_id, user_id, memory_id, said_at, terms, session_key) "
            "SELECT org_id, user_id, id, now(), '\\x01020304', 0 FROM memory",
        )
        world.model.calls.clear()
        capture("I own the book number 3.", place=where)
        lengths.append(len(world.model.chats("Observation date")[0].prompt))
    assert abs(lengths[0] - lengths[1]) < 50


def test_a_fact_in_the_middle_of_sixty_thousand_characters_is_found_once(world: World, capture: Any) -> None:
    fact = "I own the boat Kestrel 4711. "
    padding = "We talked about the weather in town and about nothing else for a while. " * 420
    row = capture(padding[:30_000] + ". " + fact + padding[:30_000])
    assert counted(row) == ("done", 1, 0, 0, 0)
    calls = world.model.chats("Observation date")
    assert 3 <= len(calls) <= 6
    assert (row.tokens_in, row.tokens_out) == (100 * len(calls), 10 * len(calls))
    assert sum(fact.strip() in call.prompt for call in calls) == 1


LANGUAGES = {
    "German": ("Ich wohne seit 2019 in Köln und habe zwei Katzen.", "Der Nutzer wohnt seit 2019 in Köln."),
    "French": ("J'habite à Lyon depuis 2015.", "L'utilisateur habite à Lyon depuis 2015."),
    "Spanish": ("Vivo en Sevilla desde 2020.", "El usuario vive en Sevilla desde 2020."),
    "Russian": ("Я живу в Казани с 2018 года.", "Пользователь живёт в Казани с 2018 года."),
    "Chinese": ("我从2017年起住在成都。", "用户从2017年起住在成都。"),
    "Japanese": ("私は2016年から京都に住んでいます。", "ユーザーは2016年から京都に住んでいます。"),
    "Arabic": ("أعيش في عمان منذ 2014.", "يعيش المستخدم في عمان منذ 2014."),
    "Hindi": ("मैं 2013 से पुणे में रहता हूँ।", "उपयोगकर्ता 2013 से पुणे में रहता है।"),
    "Korean": ("저는 2012년부터 부산에 살고 있습니다.", "사용자는 2012년부터 부산에 살고 있습니다."),
    "Turkish": ("2011'den beri İzmir'de yaşıyorum.", "Kullanıcı 2011'den beri İzmir'de yaşıyor."),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_memory_stays_in_the_language_it_was_said_in(world: World, place: Place, capture: Any, language: str) -> None:
    said, remembered = LANGUAGES[language]
    answers(world, remembered)
    assert counted(capture(said))[:2] == ("done", 1)
    assert world.memories(place) == [remembered]


def test_a_translation_is_turned_away(world: World, place: Place, capture: Any) -> None:
    answers(world, "The user has been living in Chengdu since 2017.")
    row = capture("我从2017年起住在成都。")
    assert (row.created, row.rejected) == (0, 1)
    assert world.memories(place) == []


def test_what_was_recalled_is_not_captured_again(world: World, capture: Any) -> None:
    block = "## User Information\n- The user lives in Lisbon.\n\nWhat should I cook?"
    answers(world, "The user lives in Lisbon.")
    row = capture(block, reply="Since you live in Lisbon, try bacalhau.")
    assert (row.created, row.rejected) == (0, 1)
    assert "User Information" not in world.model.chats("Observation date")[0].prompt


def test_characters_that_cannot_be_stored_do_no_harm(world: World, place: Place, capture: Any) -> None:
    answers(world, "The user lives in\x00 Lis\u200bbon\ud800.")
    assert capture("I live in\x00 Lis\u200bbon\ud800.").state == "done"
    assert world.memories(place) == ["The user lives in Lisbon."]


def test_capture_checks_the_switches_when_it_runs(world: World, place: Place, process: Process) -> None:
    accepted = world.say(place, "I own the boat Kestrel 1.")
    world.execute(place, "UPDATE membership SET auto_capture_enabled = false")
    (taken,) = take(place)
    process.pipeline.process(taken)
    row = world.row(place, accepted.id)
    assert (row.state, row.reason, row.body) == ("skipped", "user_capture_off", None)
    assert world.model.calls == []


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("UPDATE membership SET auto_capture_enabled = false", "user_capture_off"),
        ("UPDATE agent SET enable_memory_component = false", "agent_off"),
        ("UPDATE org SET enable_memsearch = false WHERE id = :org", "org_off"),
    ],
)
def test_and_again_after_the_model_has_answered(
    world: World, place: Place, process: Process, statement: str, reason: str
) -> None:
    def switch_off(call: Call) -> None:
        if call.endpoint == "chat":
            with world.app.app_context(), transaction(place.org_id) as session:
                session.execute(text(statement), {"org": place.org_id} if ":org" in statement else {})

    accepted = world.say(place, "I own the boat Kestrel 1.")
    world.model.on_call = switch_off
    (taken,) = take(place)
    process.pipeline.process(taken)
    row = world.row(place, accepted.id)
    assert (row.state, row.reason, row.body, row.tokens_in) == ("skipped", reason, None, 100)
    assert world.memories(place) == []


def test_a_category_that_was_switched_off_gets_nothing_new(world: World, place: Place, capture: Any) -> None:
    capture("Hello there, how are you?")
    world.execute(place, "UPDATE category SET is_active = false WHERE slug = 'preferences'")
    answers(world, "The user lives in Lisbon.", preferences=["The user prefers tea in Lisbon."])
    row = capture("I live in Lisbon and prefer tea.")
    assert (row.created, row.rejections) == (1, {"inactive_category": 1})


def test_two_candidates_of_one_exchange_do_not_both_become_the_same_memory(world: World, capture: Any) -> None:
    answers(
        world, "The user lives in Lisbon.", "The user lives in  LISBON.", personal_context=["The user lives in Lisbon."]
    )
    assert counted(capture("I live in Lisbon.")) == ("done", 1, 0, 2, 0)


def test_a_lost_connection_at_the_end_costs_no_second_call(
    world: World, place: Place, process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server throws everybody out between the model's answer and the transaction."""
    accepted = world.say(place, "I own the boat Kestrel 1.")
    (taken,) = take(place)

    def cut_off(call: Call) -> None:
        if call.endpoint == "chat":
            with superuser(world) as connection:
                connection.execute(
                    text(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'memory_app' AND datname = current_database()"
                    )
                )

    world.model.on_call = cut_off
    monkeypatch.setattr("webapp.capture.pipeline.COMMIT_PAUSE_SECONDS", 0.05)
    process.pipeline.process(taken)
    assert world.row(place, accepted.id).state == "done"
    assert len(world.model.chats("Observation date")) == 1


def test_mutating_the_threshold_changes_nothing_for_different_numbers(
    world: World, place: Place, process: Process
) -> None:
    """However near two vectors are, a different number is a different fact."""
    wide = Rules("scripted", 2.0, world.settings.secret_key)
    pipeline = type(process.pipeline)(
        process.pipeline._extractor, process.pipeline._embedder, wide, process.pipeline._limits
    )
    for number in (1, 2):
        world.say(place, f"I own the boat Kestrel {number}.")
        (taken,) = take(place)
        pipeline.process(replace(taken))
    assert len(world.memories(place)) == 2
