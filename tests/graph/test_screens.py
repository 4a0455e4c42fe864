"""The graph's screens over real HTTP: page and piece of every address, what is empty, what is refused, what a write does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import httpx2
import pytest

from tests.graph.test_screens_grid import signed_in
from tests.graph.world import GraphWorld
from webapp.access.actor import system
from webapp.directory import agents
from webapp.runtime import EXTENSION

PIECE = {"HX-Request": "true", "HX-Request-Type": "partial"}
NAVIGATION = {"HX-Request": "true"}
PIECES = {
    "": 'id="facts"', "/entities": 'id="entities"', "/picture": 'id="picture"', "/messages": 'id="messages"',
    "/facts/{fact}": "<dialog|data-dialog|class=\"panel", "/facts/{fact}/delete": "Delete this fact?",
    "/messages/{episode}/delete": "Delete this message?", "/delete": "Delete everything in", "/owner": "Whose is",
}  # fmt: skip
# Only there for a whole page: the frame with its skip link.
FRAME = "<!doctype html"


@dataclass
class Visitor:
    """Somebody who is signed in, over the socket."""

    client: httpx2.Client
    base: str
    token: str = field(default="", repr=False)

    def get(self, rest: str, **headers: str) -> httpx2.Response:
        return self.client.get(self.base + rest, headers=headers)

    def post(self, rest: str, headers: dict[str, str] | None = None, **form: str) -> httpx2.Response:
        """Send a form with the token that the screens carry."""
        if not self.token:
            found = re.search(r'"X-CSRFToken": "([^"]+)"', self.client.get("/account").text)
            assert found
            self.token = found[1]
        return self.client.post(self.base + rest, data=form, headers={"X-CSRFToken": self.token} | (headers or {}))


@contextmanager
def visiting(world: GraphWorld, who: str, group: str) -> Iterator[Visitor]:
    cookie = signed_in(world, who).get_cookie(world.app.config["SESSION_COOKIE_NAME"])
    assert cookie
    with httpx2.Client(base_url=world.address, timeout=60) as client:
        client.cookies.set(cookie.key, cookie.value, domain="127.0.0.1")
        yield Visitor(client, f"/orgs/acme/graph/{group}")


@pytest.fixture(scope="module")
def key(world: GraphWorld) -> str:
    """Olga's group: where John lived and lives, and for whom he works."""
    made = world.group()
    world.say(
        "olga",
        made,
        {"content": "I live in Paris.", "timestamp": "2020-01-01T10:00:00Z"},
        {"content": "I live in Rome.", "timestamp": "2022-01-01T10:00:00Z"},
        {"content": "Ann Smith works for Northwind.", "timestamp": "2022-02-01T10:00:00Z"},
    )
    return made


@pytest.fixture(scope="module")
def ids(world: GraphWorld, key: str) -> dict[str, str]:
    (fact,) = [row for row in world.facts("acme", key) if "Northwind" in row.content]
    (episode,) = world.rows("acme", "SELECT id FROM graph_episode WHERE content LIKE '%Northwind%'")[:1]
    return {"fact": str(fact.id), "episode": str(episode.id), "entity": str(fact.source_id)}


@pytest.mark.parametrize("rest", PIECES)
def test_page_and_piece(world: GraphWorld, key: str, ids: dict[str, str], rest: str) -> None:
    who = "ada" if rest == "/owner" else "olga"
    path = rest.format_map(ids)
    with visiting(world, who, key) as visitor:
        page, piece, followed = (visitor.get(path, **given) for given in ({}, PIECE, NAVIGATION))
    for answer in (page, piece, followed):
        assert answer.status_code == 200
        assert re.search(PIECES[rest], answer.text), rest
        assert "HX-Request" in answer.headers["Vary"]
    assert FRAME in page.text.lower()
    assert FRAME in followed.text.lower(), "a navigation by htmx wants the page"
    assert FRAME not in piece.text.lower()
    assert len(piece.text) < len(page.text)


def test_the_list_of_groups_as_a_piece(world: GraphWorld, key: str) -> None:
    with visiting(world, "olga", key) as visitor:
        piece = visitor.client.get("/orgs/acme/graph", headers=PIECE).text
        nothing = visitor.client.get("/orgs/acme/graph?q=zebra", headers=PIECE).text
    assert key in piece
    assert FRAME not in piece.lower()
    assert key not in nothing
    assert "0 groups" in nothing


def test_current_and_ended_are_told_apart(world: GraphWorld, key: str) -> None:
    with visiting(world, "olga", key) as visitor:
        every, current, ended = (visitor.get(f"?state={state}", **PIECE).text for state in ("all", "current", "ended"))
    assert "I live in Paris" in every
    assert "I live in Rome" in every
    assert "I live in Rome" in current
    assert "I live in Paris" not in current
    assert "I live in Paris" in ended
    assert "I live in Rome" not in ended
    assert "ended" in ended


def test_a_search_names_what_it_found_and_says_when_nothing_matches(world: GraphWorld, key: str) -> None:
    with visiting(world, "ada", key) as visitor:
        found = visitor.get("?q=Northwind", **PIECE).text
        nothing = visitor.get("?q=%2A%26%7C", **PIECE).text
        ended = visitor.get("?q=Northwind&state=ended", **PIECE).text
    assert "1 fact found, the best first" in found
    assert "Ann Smith works for Northwind." in found
    assert "0 facts" in nothing
    assert "Northwind." not in nothing + ended


def test_a_timeline_and_the_messages_of_a_fact(world: GraphWorld, key: str, ids: dict[str, str]) -> None:
    with visiting(world, "olga", key) as visitor:
        entity = visitor.get(f"/entities/{ids['entity']}").text
        fact = visitor.get(f"/facts/{ids['fact']}", **PIECE).text
        assert visitor.get("/entities/999999999").status_code == 404
        assert visitor.get("/facts/999999999").status_code == 404
        assert visitor.get("/messages/999999999/delete").status_code == 404
    assert "Ann Smith works for Northwind." in entity
    assert f"/facts/{ids['fact']}" in entity
    assert fact.count("Ann Smith works for Northwind.") >= 2, "the fact, and the message that says it"


def test_a_group_in_which_nothing_was_found_says_so(world: GraphWorld) -> None:
    empty = world.group()
    world.say("olga", empty, "Hello!")
    with visiting(world, "olga", empty) as visitor:
        texts = {
            rest: visitor.get(rest, **PIECE).text for rest in ("", "/entities", "/picture", "/messages?failed=true")
        }
    assert "No facts yet" in texts[""]
    assert "No entities yet" in texts["/entities"]
    assert "There is nothing to draw yet" in texts["/picture"]
    assert "No messages" in texts["/messages?failed=true"]


@pytest.mark.parametrize("rest", ["?page=0", "?page=99", "?page=x", "?state=no", "/picture?center=-1", "/picture?center=" + "9" * 30, "/entities?page=99"])  # fmt: skip
def test_what_stands_wrongly_in_an_address_is_no_error(world: GraphWorld, key: str, rest: str) -> None:
    with visiting(world, "olga", key) as visitor:
        answer = visitor.get(rest)
    assert answer.status_code in (200, 404)


def test_while_memory_is_off_the_screens_stay_and_say_so(world: GraphWorld, key: str) -> None:
    run = world.app.extensions[EXTENSION]
    before = run.settings
    vars(run)["settings"] = replace(before, disable_memory=True)
    try:
        with visiting(world, "olga", key) as visitor:
            answer = visitor.get("?q=Northwind")
    finally:
        vars(run)["settings"] = before
    assert answer.status_code == 200
    assert "Memory is switched off for the whole installation" in answer.text
    assert "I live in Rome" in answer.text


def test_while_the_embeddings_are_away_a_search_goes_by_words(world: GraphWorld, key: str) -> None:
    from tests.model_server import error

    world.model.outage = error(503, "down")
    try:
        with visiting(world, "olga", key) as visitor:
            answer = visitor.get("?q=Northwind+never+asked+before", **PIECE)
    finally:
        world.model.outage = None
    assert "Ann Smith works for Northwind." in answer.text


@pytest.mark.parametrize("who", ["olga", "ada"])
def test_the_owner_and_an_admin_delete_a_fact_a_message_and_a_group(world: GraphWorld, who: str) -> None:
    group = world.group()
    world.say("olga", group, "I live in Oslo.", "Bob Stone works for Orbit.")
    facts = {row.content: row for row in world.facts("acme", group)}
    with visiting(world, who, group) as visitor:
        done = visitor.post(f"/facts/{facts['John: I live in Oslo.'].id}/delete", PIECE)
        assert (done.status_code, done.headers["HX-Location"]) == (200, visitor.base)
        assert {row.content for row in world.facts("acme", group)} == {"Bob Stone works for Orbit."}
        statement = "SELECT e.id FROM graph_episode e JOIN graph_group g ON g.id = e.group_id WHERE g.key = :key AND content LIKE 'Bob%'"
        (episode,) = world.rows("acme", statement, key=group)
        plain = visitor.post(f"/messages/{episode.id}/delete")
        assert plain.status_code == 303
        assert plain.headers["Location"].endswith("/messages")
        assert world.facts("acme", group) == []
        wrong = visitor.post("/delete", PIECE, name="something else")
        assert wrong.status_code == 422
        assert "That is not the name of the group." in wrong.text
        assert world.rows("acme", "SELECT 1 FROM graph_group WHERE key = :key", key=group)
        assert visitor.post("/delete", PIECE, name=group).headers["HX-Location"] == "/orgs/acme/graph"
        assert visitor.get("").status_code == 404
    assert not world.rows("acme", "SELECT 1 FROM graph_group WHERE key = :key", key=group)


def test_only_an_admin_says_whose_a_group_is(world: GraphWorld) -> None:
    group = world.group()
    world.say("olga", group, "I live in Oslo.")
    with visiting(world, "olga", group) as visitor:
        assert visitor.post("/owner", PIECE, username="mira").status_code == 403
    with visiting(world, "ada", group) as visitor:
        unknown = visitor.post("/owner", PIECE, username="nobody")
        assert unknown.status_code == 422
        assert "There is no member of this name." in unknown.text
        assert 'value="nobody"' in unknown.text
        assert visitor.post("/owner", PIECE, username="mira").status_code == 200
    with visiting(world, "mira", group) as visitor:
        assert visitor.get("").status_code == 200
    with visiting(world, "olga", group) as visitor:
        assert visitor.get("").status_code == 404


def test_who_curates_an_agent_sees_nobodys_graph(world: GraphWorld, key: str, ids: dict[str, str]) -> None:
    with world.app.app_context():
        actor = system(world.orgs["acme"], "test")
        agents.put_agent(actor, "tutor", agents.AgentDraft(name="Tutor", editors=["mira"]))
    with visiting(world, "mira", key) as visitor:
        for rest in PIECES:
            answer = visitor.get(rest.format_map(ids), **PIECE)
            assert answer.status_code == 404, rest
            assert "Northwind" not in answer.text
        assert visitor.post(f"/facts/{ids['fact']}/delete", PIECE).status_code == 404
    assert world.search("olga", "Northwind", [key])


def test_a_form_without_its_token_changes_nothing(world: GraphWorld, key: str, ids: dict[str, str]) -> None:
    with visiting(world, "olga", key) as visitor:
        answer = visitor.client.post(visitor.base + f"/facts/{ids['fact']}/delete")
    assert answer.status_code in (400, 403)
    assert world.search("olga", "Northwind", [key])
