"""Messages while no worker takes them, while memory is off, and when their time is up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from tests.capture_world import eventually
from tests.graph.conftest import listening
from tests.graph.world import GraphWorld
from webapp import create_app
from webapp.db.session import db
from webapp.graph import remove
from webapp.runtime import EXTENSION
from webapp.settings import Settings

OFF = "Memory is switched off for this installation (DISABLE_MEMORY)."
MESSAGE = {"content": "I work for Northwind.", "role_type": "user", "role": "John", "timestamp": "2023-05-08"}


@contextmanager
def changed(world: GraphWorld, **settings: object) -> Iterator[GraphWorld]:
    """The same stores under other settings."""
    chosen: Settings = replace(world.settings, **settings)  # type: ignore[arg-type]
    app = create_app(chosen)
    vars(app.extensions[EXTENSION])["embedder"] = world.app.extensions[EXTENSION].embedder
    with listening(app) as address:
        yield replace(world, app=app, settings=chosen, address=address)
    vars(app.extensions[EXTENSION]).pop("embedder")
    with app.app_context():
        db.engine.dispose()


def test_a_message_deleted_before_it_is_processed_is_never_processed(idle_world: GraphWorld) -> None:
    world, group = idle_world, idle_world.group()
    uuid = f"{group}-early"
    world.say("olga", group, MESSAGE | {"uuid": uuid}, process=False)
    assert world.call("olga", "GET", f"/retrieve/episodes/{group}?last_n=1").json()[0]["status"] == "pending"
    assert world.call("olga", "DELETE", f"/ingest/episode/{uuid}").status_code == 200
    assert not world.rows("acme", "SELECT 1 FROM inbox WHERE kind = 'episode'")
    world.settle()
    assert world.facts("acme", group) == []


def test_the_queue_holds_no_text(idle_world: GraphWorld) -> None:
    world, group = idle_world, idle_world.group()
    world.say("olga", group, MESSAGE, process=False)
    (item,) = world.rows("acme", "SELECT body::text AS body, lane, path FROM inbox WHERE kind = 'episode'")
    assert "Northwind" not in item.body
    assert group not in item.lane + item.path
    world.settle()


def test_a_full_backlog_is_429(idle_world: GraphWorld) -> None:
    with changed(idle_world, backlog_limit=2) as world:
        group = world.group()
        messages = [MESSAGE | {"uuid": str(number)} for number in range(3)]
        answer = world.call("olga", "POST", "/ingest/messages", {"group_id": group, "messages": messages})
        assert answer.status_code == 429
        assert int(answer.headers["Retry-After"]) > 0
        assert not world.rows("acme", "SELECT 1 FROM graph_episode WHERE uuid = '0'")


def test_while_memory_is_off_nothing_goes_in_or_out_and_everything_stays(idle_world: GraphWorld) -> None:
    group = idle_world.group()
    idle_world.say("olga", group, MESSAGE)
    idle_world.say("olga", group, MESSAGE | {"content": "I live in Rome."}, process=False)
    (fact,) = idle_world.search("olga", "Northwind", [group])
    with changed(idle_world, disable_memory=True) as world:
        asked = {"group_id": group, "messages": [MESSAGE]}
        for method, path, body in (
            ("POST", "/ingest/messages", asked),
            ("POST", "/ingest/entity-node", {"group_id": group, "name": "Northwind"}),
            ("POST", "/retrieve/search", {"query": "Northwind"}),
            ("POST", "/retrieve/get-memory", asked),
            ("GET", f"/retrieve/entity-edge/{fact['uuid']}", None),
            ("GET", f"/retrieve/episodes/{group}?last_n=1", None),
        ):
            answer = world.call("olga", method, path, body)
            assert (answer.status_code, answer.json()) == (503, {"detail": OFF}), path
        assert world.call(None, "GET", "/healthcheck").status_code == 200
        with world.worker() as process:
            process.drain.wake()
            waiting = "SELECT state, attempts, error FROM inbox WHERE kind = 'episode' AND error = 'memory_disabled'"

            eventually(lambda: world.rows("acme", waiting))
        assert [(row.state, row.attempts) for row in world.rows("acme", waiting)] == [("pending", 0)]
    assert len(idle_world.facts("acme", group)) == 1
    idle_world.execute("acme", "UPDATE inbox SET next_at = now() WHERE state = 'pending'")
    idle_world.settle()
    assert len(idle_world.facts("acme", group)) == 2


@pytest.mark.parametrize(("age", "kept"), [("364 days 23:59:00", True), ("365 days 00:01:00", False)])
def test_episodes_are_purged_when_they_were_taken_in_longer_ago_than_they_are_kept(
    idle_world: GraphWorld, age: str, kept: bool
) -> None:
    world, group = idle_world, idle_world.group()
    world.say("olga", group, MESSAGE | {"timestamp": "1999-01-01"})
    world.execute(
        "acme",
        "UPDATE graph_episode SET created_at = now() - CAST(:age AS interval) "
        "WHERE group_id = (SELECT id FROM graph_group WHERE key = :key)",
        age=age,
        key=group,
    )
    with world.app.app_context():
        assert remove.purge_expired(world.orgs["acme"], days=0) == 0
        assert remove.purge_expired(world.orgs["acme"], days=365) == (0 if kept else 1)
    assert bool(world.facts("acme", group)) is kept
    assert bool(world.entities("acme", group)) is kept


def test_beyond_the_limit_the_oldest_messages_go(idle_world: GraphWorld) -> None:
    with changed(idle_world, max_episodes=3) as world:
        group = world.group()
        places = ["Rome", "Oslo", "Bern", "Lima", "Kyiv"]
        for number, place in enumerate(places):
            world.say("olga", group, MESSAGE | {"content": f"I met Ann in {place}.", "uuid": f"{group}{number}"})
        left = world.call("olga", "GET", f"/retrieve/episodes/{group}?last_n=9").json()
        assert [one["uuid"] for one in left] == [f"{group}{number}" for number in (2, 3, 4)]
        assert sorted(world.entities("acme", group)) == ["Ann", "Bern", "John", "Kyiv", "Lima"]
