"""A switch that is off before an exchange's last transaction commits wins, whichever of the two comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest
from sqlalchemy import text

from tests.capture_world import Place, World, eventually, superuser, take
from webapp.access.actor import Actor, system
from webapp.capture.commit import Found, Rules, commit
from webapp.capture.types import Candidate
from webapp.db.session import transaction
from webapp.directory.agents import AgentDraft, put_agent
from webapp.inbox import claim
from webapp.inbox.types import Item
from webapp.memory import audit, categories, enablement, user_switches
from webapp.memory.write.captured import Source
from webapp.privacy.erase import erase
from webapp.runtime import EXTENSION

BOATS = "The user owns 3 boats."
RULES = Rules("scripted", 0.1, "a secret for tests only")
Switch = Callable[[Actor, Place], object]
SWITCHES: dict[str, Switch] = {
    "org_off": lambda actor, _: enablement.switch_org(actor, False),
    "agent_off": lambda actor, place: enablement.switch_agent(actor, place.agent_id, False),
    "agent_archived": lambda actor, _: put_agent(actor, "tutor", AgentDraft(is_archived=True)),
}


@pytest.fixture(params=SWITCHES)
def reason(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def claimed(world: World, place: Place) -> Item:
    world.say(place, "I own 3 boats.")
    (item,) = take(place)
    return item


def write(world: World, place: Place, item: Item, said: str = BOATS, category: str | None = None) -> None:
    """The last transaction of an exchange that found one memory."""
    source = Source(
        place.org_id, item.user_id or 0, place.agent_id, item.id, None, item.occurred_at, item.created_at
    )  # fmt: skip
    vector = world.app.extensions[EXTENSION].embedder.embed_one(said)
    candidate = Candidate(said, "agent" if category else "global", category, None)
    commit(item, source, Found([(candidate, vector)]), RULES)


@contextmanager
def in_threads(world: World) -> Iterator[Callable[..., Future[Any]]]:
    def inside(verb: Callable[..., object], *given: Any) -> object:
        with world.app.app_context():
            return verb(*given)

    with ThreadPoolExecutor(8) as pool:
        yield lambda verb, *given: pool.submit(inside, verb, *given)


@contextmanager
def held_open(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> Iterator[Event]:
    """Stop whoever comes by this function, in the midst of its transaction, until the block ends."""
    came, go = Event(), Event()
    original = getattr(owner, name)

    def wait(*given: Any, **named: Any) -> Any:
        found = original(*given, **named)
        came.set()
        assert go.wait(30)
        return found

    monkeypatch.setattr(owner, name, wait)
    try:
        yield came
    finally:
        go.set()


def waits_for_a_lock(world: World) -> bool:
    with superuser(world) as connection:
        waiting = (
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return bool(connection.scalar(text(waiting)))


def test_a_switch_that_is_being_turned_off_is_waited_for_and_wins(
    world: World, place: Place, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    item, actor = claimed(world, place), system(place.org_id, "test")
    with in_threads(world) as start:
        with held_open(monkeypatch, audit, "record") as came:
            switched = start(SWITCHES[reason], actor, place)
            assert came.wait(30)
            written = start(write, world, place, item)
            eventually(lambda: waits_for_a_lock(world))
        switched.result(30)
        written.result(30)
    row = world.row(place, item.id)
    assert (row.state, row.reason, row.body) == ("skipped", reason, None)
    assert world.memories(place) == []


def test_a_switch_waits_for_what_is_being_written(
    world: World, place: Place, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the switch is answered nothing is on its way any more: what is there then is all that will be there."""
    item, actor = claimed(world, place), system(place.org_id, "test")

    def switch() -> list[str]:
        SWITCHES[reason](actor, place)
        return world.memories(place)

    with in_threads(world) as start:
        with held_open(monkeypatch, claim, "finish") as came:
            written = start(write, world, place, item)
            assert came.wait(30)
            switched = start(switch)
            eventually(lambda: waits_for_a_lock(world))
            assert not switched.done()
        written.result(30)
        assert switched.result(30) == [BOATS]
    assert world.row(place, item.id).state == "done"


def test_a_switch_that_waits_has_locked_no_row_yet(
    world: World, place: Place, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this order everywhere: who held a row while waiting for an exchange could be waited for by that exchange."""
    item, actor = claimed(world, place), system(place.org_id, "test")
    with in_threads(world) as start:
        with held_open(monkeypatch, claim, "finish") as came:
            written = start(write, world, place, item)
            assert came.wait(30)
            switched = start(SWITCHES[reason], actor, place)
            eventually(lambda: waits_for_a_lock(world))
            with superuser(world) as connection:
                for table in ("org WHERE id = :org", "agent WHERE org_id = :org"):
                    connection.execute(text(f"SELECT 1 FROM {table} FOR UPDATE NOWAIT"), {"org": place.org_id})
        written.result(30)
        switched.result(30)


def test_exchanges_of_one_org_do_not_wait_for_each_other(
    world: World, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for user in place.users[:2]:
        world.say(place, "I own 3 boats.", user=user)
    first, second = take(place)
    with in_threads(world) as start:
        with held_open(monkeypatch, claim, "finish") as came:
            one = start(write, world, place, first)
            assert came.wait(30)
            monkeypatch.undo()
            start(write, world, place, second).result(30)
            assert not one.done()
        one.result(30)


def test_switching_editing_and_erasing_beside_exchanges_never_deadlocks(world: World) -> None:
    """Everything that locks what an exchange locks, at once and over and over."""
    place = world.place(6)
    actor = system(place.org_id, "test")
    with transaction(place.org_id) as session:
        categories.seed(session, place.org_id, place.agent_id)

    def exchanges(user: int) -> None:
        for number in range(30):
            world.say(place, f"I own {number} boats.", user=user)
            for item in take(place):
                write(world, place, item, f"The user owns boat {item.id}.", "preferences")

    def switches() -> None:
        for number in range(60):
            enablement.switch_org(actor, number % 9 != 1)
            enablement.switch_agent(actor, place.agent_id, number % 9 != 4)
            put_agent(actor, "tutor", AgentDraft(name=f"T {number}", is_archived=number % 9 == 7, editors=[]))

    def people() -> None:
        for number in range(60):
            user_switches.change_settings(actor, place.users[number % 6], auto_capture=True)
            erase(actor, place.users[number % 6])

    with in_threads(world) as start:
        running = [start(exchanges, user) for user in place.users] + [start(switches), start(people)]
        failures = [repr(one.exception(60)) for one in running if one.exception(60) is not None]
    assert [one for one in failures if "Fenced" not in one] == []
