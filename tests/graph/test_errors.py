"""Errors in the shapes that clients of this API parse, and input that is not what it should be."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.graph.world import PREFIX, GraphWorld

MESSAGE = {"content": "I work for Northwind.", "role_type": "user"}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/ingest/messages"),
        ("POST", "/ingest/entity-node"),
        ("DELETE", "/ingest/entity-edge/x"),
        ("DELETE", "/ingest/group/x"),
        ("DELETE", "/ingest/episode/x"),
        ("POST", "/ingest/clear"),
        ("PUT", "/ingest/group/x/owner"),
        ("POST", "/retrieve/search"),
        ("GET", "/retrieve/entity-edge/x"),
        ("GET", "/retrieve/episodes/x?last_n=1"),
        ("POST", "/retrieve/get-memory"),
    ],
)
def test_without_a_good_credential_401(world: GraphWorld, method: str, path: str) -> None:
    for header in ({}, {"Authorization": "Bearer nonsense"}, {"Authorization": "Basic eDp5"}):
        with httpx2.Client(base_url=world.address) as client:
            answer = client.request(method, PREFIX + path, headers=header, json={} if method != "GET" else None)
        assert (answer.status_code, answer.json()) == (401, {"detail": "Could not validate credentials"})
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_the_healthcheck_asks_for_nothing(world: GraphWorld) -> None:
    answer = world.call(None, "GET", "/healthcheck")
    assert (answer.status_code, answer.json()) == (200, {"status": "healthy"})


def test_a_missing_group_reads_as_documented(world: GraphWorld) -> None:
    answer = world.call("olga", "POST", "/ingest/messages", {"messages": [MESSAGE]})
    assert (answer.status_code, answer.json()) == (
        422,
        {"detail": [{"loc": ["body", "group_id"], "msg": "field required", "type": "value_error.missing"}]},
    )


def test_a_trailing_slash_changes_nothing(world: GraphWorld) -> None:
    assert world.call("olga", "POST", "/retrieve/search/", {"query": "x"}).status_code == 200


def test_a_wrong_method_is_405_in_json(world: GraphWorld) -> None:
    answer = world.call("olga", "GET", "/retrieve/search")
    assert answer.status_code == 405
    assert "detail" in answer.json()


def message(**changes: Any) -> dict[str, Any]:
    return {"group_id": "g", "messages": [MESSAGE | changes]}


@pytest.mark.parametrize(
    ("path", "body", "loc", "kind"),
    [
        ("/ingest/messages", {"group_id": "a b", "messages": [MESSAGE]}, ["body", "group_id"], "value_error.str.regex"),
        (
            "/ingest/messages",
            {"group_id": "x" * 129, "messages": [MESSAGE]},
            ["body", "group_id"],
            "value_error.str.regex",
        ),
        ("/ingest/messages", {"group_id": "g\n", "messages": [MESSAGE]}, ["body", "group_id"], "value_error.str.regex"),
        ("/ingest/messages", {"group_id": 5, "messages": [MESSAGE]}, ["body", "group_id"], "type_error.str"),
        ("/ingest/messages", {"group_id": "g", "messages": []}, ["body", "messages"], "value_error.list.min_items"),
        ("/ingest/messages", {"group_id": "g", "messages": "hello"}, ["body", "messages"], "type_error.list"),
        ("/ingest/messages", {"group_id": "g", "messages": [5]}, ["body", "messages", 0], "type_error.dict"),
        ("/ingest/messages", message(role_type="robot"), ["body", "messages", 0, "role_type"], "value_error.const"),
        ("/ingest/messages", message(content=""), ["body", "messages", 0, "content"], "value_error.any_str.min_length"),
        ("/ingest/messages", message(content="\u200b\u200b"), ["body", "content"], "value_error"),
        ("/ingest/messages", message(content="a\x00b"), ["body", "messages", 0, "content"], "value_error"),
        ("/ingest/messages", message(content=None), ["body", "messages", 0, "content"], "type_error.str"),
        ("/ingest/messages", message(timestamp="yesterday"), ["body", "messages", 0, "timestamp"], "value_error"),
        ("/ingest/messages", message(timestamp=5), ["body", "messages", 0, "timestamp"], "value_error"),
        ("/ingest/messages", message(timestamp="0001-01-01T00:00:00+14:00"), ["body", "timestamp"], "value_error"),
        ("/ingest/messages", message(uuid=""), ["body", "messages", 0, "uuid"], "value_error.any_str.min_length"),
        (
            "/ingest/messages",
            message(uuid="u" * 129),
            ["body", "messages", 0, "uuid"],
            "value_error.any_str.max_length",
        ),
        ("/ingest/entity-node", {"group_id": "g"}, ["body", "name"], "value_error.missing"),
        ("/ingest/entity-node", {"group_id": "g", "name": "…!"}, ["body", "name"], "value_error"),
        ("/retrieve/search", {}, ["body", "query"], "value_error.missing"),
        ("/retrieve/search", {"query": "x", "max_facts": 0}, ["body", "max_facts"], "value_error.number.not_ge"),
        ("/retrieve/search", {"query": "x", "max_facts": "ten"}, ["body", "max_facts"], "type_error.integer"),
        ("/retrieve/search", {"query": "x", "group_ids": ["a b"]}, ["body", "group_ids", 0], "value_error.str.regex"),
        ("/retrieve/search", {"query": "x", "as_of": "soon"}, ["body", "as_of"], "value_error"),
        ("/retrieve/get-memory", {"messages": []}, ["body", "group_id"], "value_error.missing"),
    ],
)
def test_a_broken_rule_names_its_place(world: GraphWorld, path: str, body: Any, loc: list[Any], kind: str) -> None:
    answer = world.call("olga", "POST", path, body)
    assert answer.status_code == 422, answer.text
    assert {"loc", "msg", "type"} == set(answer.json()["detail"][0])
    assert [(one["loc"], one["type"]) for one in answer.json()["detail"]] == [(loc, kind)]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"5", b"\xff", b"[" * 100_000, b'{"group_id": "\\ud800"}'])
def test_what_is_no_json_object_is_422(world: GraphWorld, body: bytes) -> None:
    with httpx2.Client(base_url=world.address) as client:
        headers = {"Authorization": f"Bearer {world.tokens['olga']}", "Content-Type": "application/json"}
        answer = client.post(f"{PREFIX}/ingest/messages", content=body, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"][0] == "body"


@pytest.mark.parametrize("query", ["", "last_n=0", "last_n=1001", "last_n=ten", "last_n=99999999999999999999"])
def test_the_number_of_episodes_is_checked(world: GraphWorld, query: str) -> None:
    answer = world.call("olga", "GET", f"/retrieve/episodes/g?{query}")
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["query", "last_n"]


@pytest.mark.parametrize("group", ["a%20b", "%00", "ü", "x" * 129])
def test_a_group_in_a_path_is_checked(world: GraphWorld, group: str) -> None:
    assert world.call("olga", "GET", f"/retrieve/episodes/{group}?last_n=1").status_code == 422
    assert world.call("olga", "DELETE", f"/ingest/group/{group}").status_code == 422


@pytest.mark.parametrize("uuid", ["none", "%00", "%ed%a0%80", "x" * 5000, "'; DROP TABLE org"])
def test_an_unknown_uuid_is_404(world: GraphWorld, uuid: str) -> None:
    for method, path, said in (
        ("GET", "/retrieve/entity-edge/", "Entity edge not found"),
        ("DELETE", "/ingest/entity-edge/", "Entity edge not found"),
        ("DELETE", "/ingest/episode/", "Episode not found"),
    ):
        answer = world.call("olga", method, path + uuid)
        assert (answer.status_code, answer.json()) == (404, {"detail": said})


def test_one_uuid_in_two_groups_is_409_until_the_group_is_named(world: GraphWorld) -> None:
    groups = [world.group(), world.group()]
    for group in groups:
        world.say("olga", group, {"content": "I work for Northwind.", "uuid": "twice"})
    answer = world.call("olga", "DELETE", "/ingest/episode/twice")
    assert answer.status_code == 409
    assert "group_id" in answer.json()["detail"]
    assert world.call("olga", "DELETE", f"/ingest/episode/twice?group_id={groups[0]}").status_code == 200
    assert world.call("olga", "DELETE", "/ingest/episode/twice").status_code == 200
