"""Input that no honest client sends: answered by 4xx in the API's own shapes, never by 5xx."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.functional.api import grid
from tests.functional.api.grid import ACCESS, ROWS, Place
from tests.functional.api.world import World

OLGA = "/orgs/acme/users/olga"
GLOBALS = f"{OLGA}/global-memories/"
TUTOR = f"{OLGA}/agents/python-tutor"


def errors(answer: Any) -> dict[str, list[str]]:
    assert answer.status_code == 400, answer.text
    found: dict[str, list[str]] = answer.json
    assert all(isinstance(messages, list) for messages in found.values())
    return found


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("short", "Ensure this field has at least 10 characters."),
        ("   short    ", "Ensure this field has at least 10 characters."),
        ("", "This field may not be blank."),
        ("x" * 10_001, "Ensure this field has no more than 10000 characters."),
        ("NUL inside \x00 the text", "Null characters are not allowed."),
        ("\u200b" * 20, "Ensure this field has at least 10 characters."),
        (None, "This field may not be null."),
        (12345678901, "Not a valid string."),
        (["a list of texts"], "Not a valid string."),
        ({"a": "dictionary"}, "Not a valid string."),
        (True, "Not a valid string."),
    ],
)
def test_a_text_that_cannot_be_a_memory(world: World, value: Any, message: str) -> None:
    for who, path, more in (
        ("olga", GLOBALS, {}),
        ("olga", f"{TUTOR}/agent-memories/", {"category_slug": "preferences"}),
        ("eddie", "/orgs/acme/agents/python-tutor/agent-memories/", {}),
    ):
        found = errors(world.call(who, "POST", path, json={"content": value, **more}))
        assert list(found) == ["content"]
        if message != "This field may not be blank." and message != "This field may not be null.":
            assert found["content"] == [message]


def test_lone_surrogates_are_refused(world: World) -> None:
    raw = b'{"content": "half an emoji \\ud83d is here"}'
    assert list(errors(world.call("olga", "POST", GLOBALS, data=raw, content_type="application/json"))) == ["content"]


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"{", b"null", b"[]", b'"text"', b"12", b'{"content": "ten characters"', b"\xff\xfe\x00", b"{'content': 1}",
        b'{"content": "first of two", "content": "second of two"}', b'{"content": NaN}', b'{"content": Infinity}',
        b"[" * 100_000, b'{"content":' * 50_000, b'{"content": ' + b"9" * 5_000 + b"}",
    ],
    ids=lambda raw: repr(raw[:20]),
)  # fmt: skip
def test_broken_json(world: World, raw: bytes) -> None:
    errors(world.call("olga", "POST", GLOBALS, data=raw, content_type="application/json"))


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"]
)
def test_another_media_type_is_415(world: World, kind: str) -> None:
    answer = world.call("olga", "POST", GLOBALS, data=b'{"content": "ten characters"}', content_type=kind)
    assert answer.status_code == 415
    assert list(answer.json) == ["detail"]


def test_a_body_over_the_limit_is_413(world: World) -> None:
    answer = world.call("olga", "POST", GLOBALS, json={"content": "x" * 1_100_000})
    assert (answer.status_code, list(answer.json)) == (413, ["detail"])


@pytest.mark.parametrize("page", ["0", "-1", "1.5", "abc", "99999999999999999999", "9" * 5_000, "1e3", "", "٣", "%00"])
def test_absurd_pages(world: World, page: str) -> None:
    answer = world.call("olga", "GET", f"{GLOBALS}?page={page}")
    assert answer.status_code == (200 if page == "" else 404), answer.text


@pytest.mark.parametrize("size", ["0", "-1", "1.5", "abc", "1e3", "%00", "9" * 5_000])
def test_absurd_page_sizes(world: World, size: str) -> None:
    answer = world.call("olga", "GET", f"{GLOBALS}?page_size={size}")
    if size.isdigit() and size != "0":
        assert answer.status_code == 200
    else:
        assert list(errors(answer)) == ["page_size"]


@pytest.mark.parametrize("name", ["start_date", "end_date"])
@pytest.mark.parametrize(
    "value",
    [
        "2024-13-01",
        "2024-02-30",
        "yesterday",
        "2024-01-01T00:00:00Z",
        "20240101",
        "0000-01-01",
        "9999-12-31",
        "1-1-1",
        "%00",
        "-1",
    ],
)
def test_bad_dates_name_their_field(world: World, name: str, value: str) -> None:
    for path in (GLOBALS, f"{OLGA}/agent-memories/", f"{TUTOR}/agent-memories/", f"{TUTOR}/agent-memories-list/"):
        assert list(errors(world.call("olga", "GET", f"{path}?{name}={value}"))) == [name]
    knowledge = f"/orgs/acme/agents/python-tutor/agent-memories/?{name}={value}"
    assert list(errors(world.call("eddie", "GET", knowledge))) == [name]


@pytest.mark.parametrize("value", ["yes", "2", "null", "%00", "on"])
def test_bad_booleans_name_their_field(world: World, value: str) -> None:
    assert list(errors(world.call("olga", "GET", f"{TUTOR}/agent-memories/?my_memory={value}"))) == ["my_memory"]
    path = f"/orgs/acme/agents/python-tutor/memory-categories/?include_inactive={value}"
    assert list(errors(world.call("eddie", "GET", path))) == ["include_inactive"]


@pytest.mark.parametrize("name", ["session_id", "content", "search", "user_id", "email"])
def test_filters_refuse_nul_and_take_everything_else_literally(world: World, name: str) -> None:
    assert list(errors(world.call("olga", "GET", f"{GLOBALS}?{name}=%00"))) == [name]
    for value in ("%25", "_", "'%22;--", "%ED%A0%80", "9" * 400, "\U0001f600", "%5C", "@", "-1"):
        answer = world.call("olga", "GET", f"{GLOBALS}?{name}={value}")
        assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("body", [{"enable_memsearch": value} for value in ("true", 1, 0, None, "off", [], {})] + [{}])
def test_the_master_switch_is_a_strict_boolean(world: World, body: dict[str, Any]) -> None:
    assert list(errors(world.call("ada", "POST", f"{OLGA}/memsearch-config/", json=body))) == ["enable_memsearch"]


def test_changes_need_at_least_one_field(world: World) -> None:
    memory_id = world.memories["olga", "agent"]
    for path, method in ((f"{OLGA}/memsearch-settings/", "PUT"), (f"{TUTOR}/agent-memories/{memory_id}/", "PATCH")):
        for body in ({}, {"unknown": 1}):
            assert list(errors(world.call("olga", method, path, json=body))) == ["non_field_errors"]


@pytest.mark.parametrize(
    "value", ["today", "2024-13-01T00:00:00Z", 1700000000, True, "0001-01-01T00:00:00+14:00", "", ["x"]]
)
def test_bad_times_of_an_exchange(world: World, value: Any) -> None:
    body = {"user_message": "Hello", "occurred_at": value}
    assert list(errors(world.call("olga", "POST", f"{TUTOR}/exchanges/", json=body))) == ["occurred_at"]


@pytest.mark.parametrize("value", [-1, 101, "5", 1.5, 2**70, True])
def test_bad_numbers_of_a_context(world: World, value: Any) -> None:
    for name in ("max_global", "max_agent"):
        answer = world.call("olga", "POST", f"{TUTOR}/context/", json={"message": "Hello", name: value})
        assert list(errors(answer)) == [name]


@pytest.mark.parametrize("row_id", ["9223372036854775808", "9" * 30, "9" * 5_000, "-1", "0", "1.5", "abc", "%00", "٣"])
def test_ids_that_no_row_has(world: World, row_id: str) -> None:
    for name in ("get_global_memory", "edit_agent_memory", "delete_knowledge", "get_category", "get_exchange"):
        row = ROWS[name]
        place = Place(ids=dict.fromkeys(grid.MISSING, 424242))
        path = place.path(row).replace("424242", row_id)
        answer = world.call("ada", row.method, path, json=grid.body_of(ACCESS[name]) or {})
        assert (answer.status_code, answer.json) == (404, {"detail": "Not found."})


@pytest.mark.parametrize("value", ["%00", "%ED%A0%80", "..", "x" * 5_000, "'%22", "%25", "*"])
@pytest.mark.parametrize("place", ["org", "user", "agent"])
def test_names_that_nothing_has(world: World, place: str, value: str) -> None:
    named = {"org": "acme", "user": "olga", "agent": "python-tutor"} | {place: value}
    path = "/orgs/{org}/users/{user}/agents/{agent}/agent-memories/".format(**named)
    answer = world.call("ada", "GET", path)
    assert (answer.status_code, answer.json) == (404, {"detail": "Not found."})


@pytest.mark.parametrize("name", [name for name, access in ACCESS.items() if access.body is not None])
@pytest.mark.parametrize("value", [None, 7, "text", [], {}, True, "x\x00y", {"a": {"b": [{}]}}])
def test_every_field_of_every_body_with_every_type(world: World, name: str, value: Any) -> None:
    row = ROWS[name]
    assert row.body is not None
    for field in row.body.model_fields:
        place = Place(ids=grid.ids_of(world, row, "olga"), slug="help-desk")
        body = (grid.body_of(ACCESS[name]) or {}) | {field: value}
        answer = world.call("ada", row.method, place.path(row), json=body)
        assert answer.status_code < 500, (field, answer.text)
        if answer.status_code == 400:
            assert list(errors(answer)) in ([field], ["non_field_errors"])


@pytest.mark.parametrize(
    "header", ["", "Token", "Token ", "Basic abc", "Token am_\xff", "Bearer " + "x" * 5_000, "am_x"]
)
def test_broken_credentials_are_401(world: World, header: str) -> None:
    answer = world.call(None, "GET", GLOBALS, headers={"Authorization": header})
    assert (answer.status_code, answer.json) == (401, {"detail": "Invalid token."})
    assert answer.headers["WWW-Authenticate"]


def test_no_credential_is_401(world: World) -> None:
    answer = world.call(None, "GET", GLOBALS)
    assert answer.json == {"detail": "Authentication credentials were not provided."}
    assert answer.headers["WWW-Authenticate"]


def test_another_method_is_405_and_says_which_there_are(world: World) -> None:
    answer = world.call("olga", "PUT", GLOBALS, json={})
    assert (answer.status_code, answer.json) == (405, {"detail": 'Method "PUT" not allowed.'})
    assert {"GET", "POST"} <= set(answer.headers["Allow"].replace(" ", "").split(","))


def test_an_unknown_path_is_404_in_json(world: World) -> None:
    assert world.call("olga", "GET", "/orgs/acme/nonsense/").json == {"detail": "Not found."}


def test_idempotency_keys(world: World) -> None:
    path, body = f"{TUTOR}/exchanges/", {"user_message": "I said this once"}
    for given in (
        {"headers": {"Idempotency-Key": "key-1"}, "json": body},
        {"json": body | {"idempotency_key": "key-2"}},
    ):
        first, second = (world.call("olga", "POST", path, **given) for _ in range(2))
        assert (first.status_code, second.json["id"]) == (202, first.json["id"])
        other_prefix = "/dm/api/ai-mentor" + path.replace("agents", "mentors")
        assert world.call("olga", "POST", other_prefix, **given).json["id"] == first.json["id"]
        # Another credential has keys of its own.
        assert world.call("ada", "POST", path, **given).json["id"] != first.json["id"]
        changed = json.loads(json.dumps(given)) | {"json": given["json"] | {"user_message": "I said something else"}}
        refused = world.call("olga", "POST", path, **changed)
        assert (refused.status_code, list(refused.json)) == (422, ["detail"])
    long = world.call("olga", "POST", path, json=body, headers={"Idempotency-Key": "k" * 201})
    assert list(errors(long)) == ["idempotency_key"]


def test_a_private_exchange_leaves_nothing(world: World) -> None:
    count = "SELECT count(*) AS n FROM inbox"
    before = world.row("acme", count).n
    body = {"user_message": "Between us only", "private": True, "idempotency_key": "private"}
    answer = world.call("olga", "POST", f"{TUTOR}/exchanges/", json=body)
    assert answer.json == {"id": None, "status": "skipped", "reason": "private"}
    assert world.row("acme", count).n == before
