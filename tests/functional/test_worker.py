"""A worker over real stores and a scripted model: what it does when things go well, and when they do not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from tests.capture_world import Place, World, close, eventually, scripted
from tests.model_server import Reply, error, repeat_facts, running
from webapp import create_app
from webapp.inbox import claim, wake
from webapp.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
FACT = "The user owns 3 boats 1."


@pytest.fixture(scope="module")
def world(settings: Settings) -> Iterator[World]:
    with running() as model:
        chosen = scripted(settings, model, model_timeout=5.0, lanes=12)
        app = create_app(chosen)
        with app.app_context():
            yield World(app, chosen, model)
        close(app)


@pytest.fixture
def place(world: World) -> Place:
    world.model.forget()
    return world.place()


def test_an_exchange_becomes_a_memory_with_its_source(world: World, place: Place) -> None:
    accepted = world.say(place, "I own 3 boats 1.", session_id="s1")
    with world.worker():
        world.settled(place)
    row = world.row(place, accepted.id)
    assert (row.state, row.created, row.error) == ("done", 1, None)
    assert (row.model, row.tokens_in, row.tokens_out) == ("scripted", 100, 10)
    (memory,) = world.rows(place, "SELECT * FROM memory")
    assert (memory.content, memory.origin, memory.agent_id) == (FACT, "captured", None)
    assert (memory.source_exchange_id, memory.source_session_id) == (accepted.id, "s1")
    assert memory.embed_due_at is None
    assert [row.embedding_model for row in world.rows(place, "SELECT * FROM memory_vector")] == ["scripted"]


def test_a_token_wakes_the_worker_at_once(world: World, place: Place) -> None:
    with world.worker() as process:
        world.say(place, "I own 3 boats 0.")
        world.settled(place)
        waited = []
        for number in range(1, 6):
            began = time.monotonic()
            world.say(place, f"I own 3 boats {number}.")
            process.drain.wake()
            eventually(lambda: len(world.memories(place)) > len(waited) + 1)
            waited.append(time.monotonic() - began)
    assert sorted(waited)[2] < 0.7


def test_without_a_token_the_workers_own_tick_finds_the_work(world: World, place: Place) -> None:
    with world.worker():
        world.say(place, "I own 3 boats 1.", settings=scripted(world.settings, world.model, redis_url=""))
        world.settled(place, 10)
    assert world.memories(place) == [FACT]


def test_many_model_calls_are_in_flight_at_once(world: World) -> None:
    world.model.forget()
    place = world.place(40)
    world.model.script("Observation date", *[Reply(repeat_facts("I own 3 boats 1."), delay=1.0)])
    for user in place.users:
        world.say(place, "I own 3 boats 1.", user=user)
    world.model.most_in_flight = 0
    with world.worker(lanes=40):
        world.settled(place, 30)
    # Requests for vectors are counted too.
    assert world.model.most_in_flight >= 40


def test_orgs_get_fair_turns(world: World) -> None:
    world.model.forget()
    large, small = world.place(30), world.place()
    for user in large.users:
        world.say(large, "I own 3 boats 1.", user=user)
    world.say(small, "I own 3 boats 1.")
    world.model.script("Observation date", Reply(repeat_facts("I own 3 boats 1."), delay=0.2))
    with world.worker(lanes=2):
        world.settled(small)
        waiting = world.rows(large, "SELECT 1 FROM inbox WHERE state = 'pending'")
        world.settled(large, 30)
    assert len(waiting) > 20


OUTAGES = [error(503), error(500), error(401), error(404), error(429), Reply(way="reset"), Reply(body=b"<html>")]


@pytest.mark.parametrize("outage", OUTAGES, ids=lambda reply: f"{reply.status}-{reply.way}")
def test_an_outage_burns_no_attempt(world: World, place: Place, outage: Reply) -> None:
    world.model.outage = outage
    accepted = world.say(place, "I own 3 boats 1.")
    with world.worker(max_attempts=2):
        eventually(lambda: world.row(place, accepted.id).error)
        calls = len(world.model.calls)
        time.sleep(0.5)
        assert len(world.model.calls) <= calls + 2
        row = world.row(place, accepted.id)
        assert (row.state, row.attempts) == ("pending", 0)
        world.model.outage = None
        world.settled(place, 30)
    row = world.row(place, accepted.id)
    assert (row.state, row.attempts, row.error) == ("done", 1, None)


def test_what_breaks_while_the_server_is_well_is_tried_again_and_then_failed(world: World, place: Place) -> None:
    world.model.script("POISON", error(500))
    poison = world.say(place, "POISON I own 3 boats 1.")
    behind = world.say(place, "I own 3 boats 2.")
    with world.worker(max_attempts=2):
        world.settled(place, 30)
    row = world.row(place, poison.id)
    assert (row.state, row.error, row.attempts, row.body is None) == ("failed", "model_server_error", 2, False)
    assert world.row(place, behind.id).state == "done"


def test_what_a_second_try_mends_is_done(world: World, place: Place) -> None:
    world.model.script("ONCE", error(500), Reply(repeat_facts("I own 3 boats 1.")))
    accepted = world.say(place, "ONCE I own 3 boats 1.")
    with world.worker():
        world.settled(place, 30)
    row = world.row(place, accepted.id)
    assert (row.state, row.attempts, row.error) == ("done", 2, None)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (error(400, "You cannot.", code="content_filter"), "model_bad_request"),
        (Reply("", message={"refusal": "No."}), "model_refused"),
        (Reply(""), "model_empty_answer"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_another_try_cannot_mend_fails_at_once(world: World, place: Place, reply: Reply, code: str) -> None:
    world.model.script("BAD", reply)
    accepted = world.say(place, "BAD I own 3 boats 1.")
    with world.worker():
        world.settled(place)
    row = world.row(place, accepted.id)
    assert (row.state, row.error, row.attempts) == ("failed", code, 1)
    assert world.memories(place) == []


def test_a_program_error_leaves_an_honest_state(world: World, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    accepted = world.say(place, "I own 3 boats 1.")
    monkeypatch.setattr(claim, "backoff_seconds", lambda _: 0.1)
    with world.worker(max_attempts=2) as process:
        monkeypatch.setattr(process.pipeline, "_embedder", None)
        world.settled(place)
    row = world.row(place, accepted.id)
    assert (row.state, row.error, row.attempts) == ("failed", "internal", 2)


def test_stopping_finishes_what_is_in_flight_and_claims_no_more(world: World, place: Place) -> None:
    world.model.script("Observation date", Reply(repeat_facts("I own 3 boats 1."), delay=1.0))
    first, second = world.say(place, "I own 3 boats 1."), world.say(place, "I own 3 boats 1.")
    with world.worker():
        eventually(lambda: world.row(place, first.id).state == "claimed")
    assert world.row(place, first.id).state == "done"
    assert (world.row(place, second.id).state, world.row(place, second.id).attempts) == ("pending", 0)


def test_stopping_gives_back_untried_what_does_not_end(world: World, place: Place) -> None:
    world.model.script("Observation date", Reply(way="hang"))
    accepted = world.say(place, "I own 3 boats 1.")
    with world.worker(model_timeout=60.0) as process:
        eventually(lambda: world.model.chats("Observation date"))
        began = time.monotonic()
        process.stop(grace_seconds=0.2)
        assert time.monotonic() - began < 5
        row = world.row(place, accepted.id)
    assert (row.state, row.attempts, row.error, row.claim) == ("pending", 0, None, None)


@pytest.fixture
def command(world: World, place: Place) -> Iterator[subprocess.Popen[bytes]]:
    """The real `flask worker`."""
    env = os.environ | world.settings.environment()
    arguments = [sys.executable, "-m", "flask", "--app", "jobs.cli", "worker"]
    process = subprocess.Popen(arguments, env=env, cwd=ROOT, start_new_session=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
    assert place


def test_the_command_works_off_tokens_and_stops_on_sigterm(
    world: World, place: Place, command: subprocess.Popen[bytes]
) -> None:
    world.say(place, "I own 3 boats 1.")
    world.settled(place, 60)
    queue = wake.queue(Redis.from_url(world.settings.redis_url))
    eventually(lambda: queue.connection.smembers("rq:workers"), 30)
    world.say(place, "I own 3 boats 2.")
    world.settled(place)
    eventually(lambda: len(queue) == 0)
    assert len(queue.failed_job_registry) == 0
    assert not [key for key in queue.connection.keys("rq:job:*") if b"boats" in queue.connection.dump(key)]
    queue.connection.close()
    command.send_signal(signal.SIGTERM)
    assert command.wait(20) == 0


def test_the_command_needs_no_queue(world: World, place: Place) -> None:
    env = os.environ | scripted(world.settings, world.model, redis_url="redis://127.0.0.1:9/0").environment()
    arguments = [sys.executable, "-m", "flask", "--app", "jobs.cli", "worker"]
    process = subprocess.Popen(arguments, env=env, cwd=ROOT, start_new_session=True)
    try:
        world.say(place, "I own 3 boats 1.")
        world.settled(place, 60)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
