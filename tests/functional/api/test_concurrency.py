"""Two at once, over real HTTP: versions, the same text twice, deleting twice."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from tests.functional.api import grid
from tests.functional.api.grid import ACCESS, ROWS, Place
from tests.functional.api.world import World

GLOBALS = "/api/ai-agent/orgs/acme/users/olga/global-memories/"
VERSIONED = (
    "edit_global_memory", "delete_global_memory", "edit_agent_memory", "delete_agent_memory", "edit_category",
    "deactivate_category", "edit_knowledge", "delete_knowledge",
)  # fmt: skip


def at_once(server: str, requests: list[dict[str, Any]]) -> list[httpx2.Response]:
    """All of them at the same time, each over its own connection."""

    def send(given: dict[str, Any]) -> httpx2.Response:
        with httpx2.Client(base_url=server) as client:
            return client.request(**given)

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(send, requests))


@pytest.mark.parametrize("name", VERSIONED)
def test_a_change_of_what_somebody_changed_meanwhile_is_412(world: World, http: httpx2.Client, name: str) -> None:
    row = ROWS[name]
    place = Place(ids=grid.ids_of(world, row, "olga"))
    path, editor = place.path(row), world.headers("ada")
    change = ACCESS[name.replace("delete", "edit").replace("deactivate", "edit")]
    read = http.get(path, headers=editor)
    edited = http.patch(path, headers=editor | {"If-Match": read.headers["ETag"]}, json=grid.body_of(change))
    assert edited.status_code == 200, edited.text
    assert edited.headers["ETag"] == '"2"'
    for tag in (read.headers["ETag"], '"7"', '"no version"', 'W/"2"'):
        overtaken = http.request(row.method, path, headers=editor | {"If-Match": tag}, json=grid.body_of(change))
        assert (overtaken.status_code, list(overtaken.json())) == (412, ["detail"])
    good = http.request(row.method, path, headers=editor | {"If-Match": '"2"'}, json=grid.body_of(change))
    assert good.status_code == row.status


def test_an_agent_has_a_version_too(world: World, http: httpx2.Client) -> None:
    path, admin = "/api/ai-agent/orgs/acme/agents/help-desk/", world.headers("ada")
    tag = http.get(path, headers=admin).headers["ETag"]
    assert http.put(path, headers=admin | {"If-Match": tag}, json={"description": "New"}).status_code == 200
    assert http.put(path, headers=admin | {"If-Match": tag}, json={"description": "Newer"}).status_code == 412
    unchanged = http.put(path, headers=admin, json={"description": "New"})
    assert unchanged.headers["ETag"] == http.get(path, headers=admin).headers["ETag"]


def test_any_version_and_a_missing_object(world: World, http: httpx2.Client) -> None:
    path = f"{GLOBALS}{grid.MISSING_ID}/"
    headers = world.headers("olga") | {"If-Match": '"1"'}
    assert http.patch(path, headers=headers, json={"content": "There is no such memory"}).status_code == 404
    made = http.post(GLOBALS, headers=world.headers("olga"), json={"content": "Any version will do"}).json()
    any_version = world.headers("olga") | {"If-Match": "*"}
    assert http.delete(f"{GLOBALS}{made['id']}/", headers=any_version).status_code == 204


def test_without_a_version_the_last_write_wins_and_both_are_in_history(
    world: World, server: str, http: httpx2.Client
) -> None:
    olga = world.headers("olga")
    made = http.post(GLOBALS, headers=olga, json={"content": "Written for a race"}).json()
    texts = [f"Written by racer {number}" for number in range(4)]
    answers = at_once(
        server,
        [
            {"method": "PATCH", "url": f"{GLOBALS}{made['id']}/", "headers": olga, "json": {"content": text}}
            for text in texts
        ],
    )
    assert {answer.status_code for answer in answers} == {200}
    assert sorted(answer.json()["version"] for answer in answers) == [2, 3, 4, 5]
    last = max(answers, key=lambda answer: answer.json()["version"]).json()["content"]
    assert http.get(f"{GLOBALS}{made['id']}/", headers=olga).json()["content"] == last
    kept = world.row(
        "acme", "SELECT array_agg(after->>'content') AS texts FROM revision WHERE object_kind = 'memory' AND object_id = :id",
        id=made["id"],
    )  # fmt: skip
    assert set(texts) < set(kept.texts)


@pytest.mark.parametrize(
    ("path", "who", "body"),
    [
        ("users/olga/global-memories/", "olga", {"content": "Two at once say this"}),
        (
            "users/olga/agents/python-tutor/agent-memories/",
            "olga",
            {"content": "Two at once", "category_slug": "preferences"},
        ),
        ("agents/python-tutor/agent-memories/", "eddie", {"content": "Two editors know this"}),
        ("agents/python-tutor/memory-categories/", "eddie", {"name": "Two editors"}),
    ],
)
def test_of_creates_of_one_text_one_is_made(
    world: World, server: str, path: str, who: str, body: dict[str, str]
) -> None:
    given = {"method": "POST", "url": f"/api/ai-agent/orgs/acme/{path}", "headers": world.headers(who)}
    variants = (
        [body | {"content": text} for text in (body["content"], body["content"].upper())]
        if "content" in body
        else [body]
    )
    answers = at_once(server, [given | {"json": variant} for variant in variants * 3])
    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: len(answers) - 1}
    expected = "Memory already exists" if "content" in body else "Category with this slug already exists"
    assert {answer.json()["error"] for answer in answers if answer.status_code == 409} == {expected}


@pytest.mark.parametrize("name", ["delete_global_memory", "delete_agent_memory", "delete_knowledge"])
def test_deleting_twice(world: World, server: str, name: str) -> None:
    row = ROWS[name]
    path = Place(ids=grid.ids_of(world, row, "olga")).path(row)
    answers = at_once(server, [{"method": "DELETE", "url": path, "headers": world.headers("ada")}] * 4)
    assert Counter(answer.status_code for answer in answers) == {204: 1, 404: 3}


def test_two_editors_who_take_the_same_slug(world: World, server: str) -> None:
    row = ROWS["edit_category"]
    paths = [Place(ids=grid.ids_of(world, row, "olga")).path(row) for _ in range(3)]
    answers = at_once(
        server,
        [
            {"method": "PATCH", "url": path, "headers": world.headers("eddie"), "json": {"slug": "raced"}}
            for path in paths
        ],
    )
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 2}


def test_the_same_exchange_at_once_is_accepted_once(world: World, server: str) -> None:
    url = "/api/ai-agent/orgs/acme/users/olga/agents/python-tutor/exchanges/"
    body = {"user_message": "Sent three times at once", "idempotency_key": "at-once"}
    answers = at_once(server, [{"method": "POST", "url": url, "headers": world.headers("olga"), "json": body}] * 3)
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["id"] for answer in answers}) == 1


def test_the_same_new_member_and_agent_at_once(world: World, server: str) -> None:
    admin = {"headers": world.headers("ada"), "method": "PUT"}
    people = at_once(
        server, [admin | {"url": "/api/ai-agent/orgs/acme/users/newcomer/", "json": {"email": "new@example.org"}}] * 3
    )
    assert Counter(answer.status_code for answer in people) == {201: 1, 200: 2}
    agents = at_once(server, [admin | {"url": "/api/ai-agent/orgs/acme/agents/newcomer/", "json": {"name": "New"}}] * 3)
    assert Counter(answer.status_code for answer in agents) == {201: 1, 200: 2}
