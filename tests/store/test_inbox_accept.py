"""Accepting work: what is committed, what is not stored at all, and what the same request again comes to."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from redis import Redis

from tests.capture_world import Place, World, at
from webapp.access.actor import Actor
from webapp.errors import Invalid, NotAllowed, NotVisible, TooMany, Unavailable, Unprocessable
from webapp.inbox import wake
from webapp.inbox.accept import Exchange, accept_exchange


def test_what_was_accepted_is_committed_with_its_text(world: World, place: Place) -> None:
    accepted = world.say(place, "I own 3 boats.", session_id="s1", user_name="Ada", occurred_at=at("2024-05-01T10:00"))
    row = world.row(place, accepted.id)
    assert (accepted.status, row.state, row.lane, row.session_id) == ("pending", "pending", f"user:{place.user}", "s1")
    assert row.body == {
        "user_message": "I own 3 boats.", "assistant_message": "I see.", "user_name": "Ada", "assistant_name": "",
    }  # fmt: skip
    assert row.occurred_at == at("2024-05-01T10:00+00:00")


def test_a_private_exchange_leaves_no_row_and_no_key(world: World, place: Place) -> None:
    accepted = world.say(place, "I own 3 boats.", private=True, key="k")
    assert (accepted.id, accepted.status, accepted.reason) == (None, "skipped", "private")
    assert world.rows(place, "SELECT 1 FROM inbox") == []
    assert world.say(place, "I own 4 boats.", key="k").status == "pending"


OFF = [
    ("UPDATE org SET enable_memsearch = false WHERE id = :org", "org_off"),
    ("UPDATE agent SET enable_memory_component = false", "agent_off"),
    ("UPDATE agent SET archived_at = now()", "agent_archived"),
    ("UPDATE membership SET auto_capture_enabled = false", "user_capture_off"),
    ("UPDATE membership SET removed_at = now()", "user_removed"),
]


@pytest.mark.parametrize(("statement", "reason"), OFF)
def test_while_capture_is_off_no_text_is_stored(world: World, place: Place, statement: str, reason: str) -> None:
    world.execute(place, statement, **({"org": place.org_id} if ":org" in statement else {}))
    accepted = world.say(place, "I own 3 boats.", key="k")
    row = world.row(place, accepted.id)
    assert (accepted.status, accepted.reason) == ("skipped", reason)
    assert (row.state, row.reason, row.body, row.done_at is None) == ("skipped", reason, None, False)
    assert world.say(place, "I own 3 boats.", key="k") == accepted


def test_what_was_said_before_an_erasure_is_not_stored(world: World, place: Place) -> None:
    world.execute(
        place, "UPDATE membership SET erased_at = '2025-01-02T00:00Z', epoch = 7 WHERE user_id = :u", u=place.user
    )
    before = world.say(place, "I own 3 boats.", occurred_at=at("2025-01-01T23:00"))
    after = world.say(place, "I own 3 boats.", occurred_at=at("2025-01-02T01:00"))
    assert (before.status, before.reason) == ("skipped", "dated_before_erasure")
    assert world.row(place, before.id).body is None
    assert (after.status, world.row(place, after.id).epoch) == ("pending", 7)


def test_the_same_key_answers_with_the_first_exchange(world: World, place: Place) -> None:
    first = world.say(place, "I own 3 boats.", key="k")
    assert world.say(place, "I own 3 boats.", key="k") == first
    world.execute(place, "UPDATE inbox SET state = 'done', claim = NULL WHERE id = :id", id=first.id)
    assert world.say(place, "I own 3 boats.", key="k") == replace(first, status="done")
    with pytest.raises(Unprocessable):
        world.say(place, "I own 4 boats.", key="k")
    with pytest.raises(Unprocessable):
        world.say(place, "I own 3 boats.", key="k", session_id="another")


def test_a_key_belongs_to_its_credential_and_path(world: World, place: Place) -> None:
    def say(credential: str, path: str) -> int | None:
        actor = replace(service(place), credential=credential)
        return accept_exchange(
            actor, user_id=place.user, agent_id=place.agent_id, exchange=Exchange("I own 3 boats.", "Fine."),
            path=path, idempotency_key="k", settings=world.settings,
        ).id  # fmt: skip

    ids = [say("token:1", "/a"), say("token:2", "/a"), say("token:1", "/b"), say("token:1", "/a")]
    assert len(set(ids)) == 3
    assert ids[0] == ids[3]


def test_fifty_identical_requests_at_once_are_one_exchange(world: World, place: Place) -> None:
    def say(_: int) -> int | None:
        with world.app.app_context():
            return world.say(place, "I own 3 boats.", key="k").id

    with ThreadPoolExecutor(16) as pool:
        ids = set(pool.map(say, range(50)))
    assert len(ids) == 1
    assert len(world.rows(place, "SELECT 1 FROM inbox")) == 1


def test_ids_of_a_lane_become_visible_in_order(world: World, place: Place) -> None:
    seen: list[int] = []

    def say(number: int) -> None:
        with world.app.app_context():
            world.say(place, f"I own {number} boats.")
            seen.append(max(row.id for row in world.rows(place, "SELECT id FROM inbox")))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(say, range(40)))
    visible = sorted(row.id for row in world.rows(place, "SELECT id FROM inbox"))
    order = [row.id for row in world.rows(place, "SELECT id FROM inbox ORDER BY age(xmin) DESC, id")]
    assert order == visible


def test_a_full_backlog_is_refused_before_anything_is_accepted(world: World, place: Place) -> None:
    small = replace(world.settings, backlog_limit=2)
    other = world.place()
    for number in range(2):
        world.say(place, f"I own {number} boats.", settings=small, user=place.users[number])
    with pytest.raises(TooMany) as refused:
        world.say(place, "I own 9 boats.", settings=small)
    assert refused.value.retry_after == 30
    assert len(world.rows(place, "SELECT 1 FROM inbox")) == 2
    assert world.say(other, "I own 9 boats.", settings=small).status == "pending"
    world.execute(place, "UPDATE inbox SET state = 'done'")
    assert world.say(place, "I own 9 boats.", settings=small).status == "pending"


def test_what_cannot_be_stored_is_cleaned_out(world: World, place: Place) -> None:
    accepted = world.say(place, "I own\x00 3 \ud800boats\u202e.", user_name="\x00Ada", session_id="s\x001")
    row = world.row(place, accepted.id)
    assert (row.body["user_message"], row.body["user_name"], row.session_id) == ("I own 3 boats.", "Ada", "s1")


def test_a_time_outside_the_calendar_is_a_field_error(world: World, place: Place) -> None:
    with pytest.raises(Invalid) as caught:
        world.say(place, "I own 3 boats.", occurred_at=at("0001-01-01T00:00+05:00"))
    assert "occurred_at" in caught.value.errors


def test_memory_off_for_the_installation(world: World, place: Place) -> None:
    with pytest.raises(Unavailable):
        world.say(place, "I own 3 boats.", settings=replace(world.settings, disable_memory=True))


def test_who_may_hand_in(world: World, place: Place) -> None:
    def say(actor: Actor, user_id: int, agent_id: int) -> None:
        accept_exchange(
            actor, user_id=user_id, agent_id=agent_id, exchange=Exchange("I own 3 boats.", "Fine."),
            path="/", idempotency_key=None, settings=world.settings,
        )  # fmt: skip

    own, other = place.users[:2]
    person = Actor("person", place.org_id, "ada", f"account:{own}", account_id=own, org_role="member")
    say(person, own, place.agent_id)
    with pytest.raises(NotAllowed):
        say(person, other, place.agent_id)
    with pytest.raises(NotAllowed):
        say(replace(service(place), scopes=frozenset()), own, place.agent_id)
    with pytest.raises(NotVisible):
        say(service(place), own, place.agent_id + 1_000_000)


def test_a_dead_queue_neither_fails_nor_slows_a_request(world: World, place: Place) -> None:
    dead = replace(world.settings, redis_url="redis://127.0.0.1:9/0")
    began = time.monotonic()
    for number in range(20):
        assert world.say(place, f"I own {number} boats.", settings=dead).status == "pending"
    assert time.monotonic() - began < 2


def test_about_two_tokens_per_worker_wait_at_most(world: World, place: Place) -> None:
    for number in range(10):
        world.say(place, f"I own {number} boats.")
    queue = wake.queue(Redis.from_url(world.settings.redis_url))
    tokens = queue.get_jobs()
    assert 1 <= len(tokens) <= 2
    assert {(token.func_name, tuple(token.args), token.description) for token in tokens} == {
        ("jobs.drain.drain", (), "drain")
    }
    queue.connection.close()


def service(place: Place) -> Actor:
    return Actor("service", place.org_id, "chat", "token:1", scopes=frozenset({"exchanges:write"}))
