"""Rows 11–15 and 24: whose switches they are, what they do, and what the effective state says."""

from __future__ import annotations

from tests.functional.api.world import World

OLGA, MIRA = "/orgs/acme/users/olga", "/orgs/acme/users/mira"


def test_never_saved_switches_are_on_and_without_a_date(world: World) -> None:
    assert world.call("vera", "GET", "/orgs/acme/users/vera/memsearch-settings/").json == {
        "auto_capture_enabled": True, "use_memory_in_responses": True, "updated_at": None,
    }  # fmt: skip


def test_one_field_changes_one_switch_and_the_date(world: World) -> None:
    changed = world.call("olga", "PUT", f"{OLGA}/memsearch-settings/", json={"use_memory_in_responses": False}).json
    assert (changed["auto_capture_enabled"], changed["use_memory_in_responses"]) == (True, False)
    assert changed["updated_at"].endswith("Z")
    back = world.call("olga", "PATCH", f"{OLGA}/memsearch-settings/", json={"use_memory_in_responses": True}).json
    assert back["use_memory_in_responses"] is True
    assert back["updated_at"] > changed["updated_at"]


def test_somebody_elses_settings_resolve_to_the_callers_own(world: World) -> None:
    for name in ("olga", "nobody"):
        path = f"/orgs/acme/users/{name}/memsearch-settings/"
        answer = world.call("mira", "PUT", path, json={"auto_capture_enabled": False})
        assert answer.status_code == 200
        assert answer.headers["Content-Location"] == f"/api/ai-agent{MIRA}/memsearch-settings/"
        assert world.call("mira", "GET", f"{MIRA}/memsearch-settings/").json["auto_capture_enabled"] is False
        assert world.call("olga", "GET", f"{OLGA}/memsearch-settings/").json["auto_capture_enabled"] is True
    own = world.call("mira", "GET", f"{MIRA}/memsearch-settings/")
    assert "Content-Location" not in own.headers
    world.call("mira", "PUT", f"{MIRA}/memsearch-settings/", json={"auto_capture_enabled": True})


def test_an_admin_and_a_service_change_the_persons_own(world: World) -> None:
    for who, value in (("ada", False), ("service", True)):
        answer = world.call(who, "PUT", f"{MIRA}/memsearch-settings/", json={"auto_capture_enabled": value})
        assert "Content-Location" not in answer.headers
        assert world.call("mira", "GET", f"{MIRA}/memsearch-settings/").json["auto_capture_enabled"] is value
    assert world.call("ada", "GET", "/orgs/acme/users/nobody/memsearch-settings/").status_code == 404


def test_the_master_switch_stops_capture_and_use_and_says_who_did(world: World) -> None:
    config, tutor = "/orgs/acme/users/ada/memsearch-config/", f"{OLGA}/agents/python-tutor"
    assert world.call("ada", "POST", config, json={"enable_memsearch": False}).json == {"enable_memsearch": False}
    try:
        assert world.call("mira", "GET", f"{OLGA}/memsearch-status/").json == {"enable_memsearch": False}
        context = world.call("olga", "POST", f"{tutor}/context/", json={"message": "What do I like?"}).json
        assert (context["context"], context["memories"], context["knowledge"]) == ("", [], [])
        assert context["state"]["use"]["reason"] == "org_off"
        assert "ada" in context["state"]["use"]["detail"]
        exchange = world.call(
            "olga", "POST", f"{tutor}/exchanges/", json={"user_message": "Nobody will learn this"}
        ).json
        assert (exchange["status"], exchange["reason"]) == ("skipped", "org_off")
        kept = world.row("acme", "SELECT body FROM inbox WHERE id = :id", id=exchange["id"])
        assert kept.body is None
        assert world.call("olga", "GET", f"{tutor}/exchanges/{exchange['id']}/").json["reason"] == "org_off"
    finally:
        world.call("ada", "POST", config, json={"enable_memsearch": True})


def test_an_agents_switch(world: World) -> None:
    path = "/orgs/acme/users/eddie/agents/python-tutor/settings/"
    assert world.call("eddie", "PUT", path, json={}).json == {"enable_memory_component": True}
    assert world.call("eddie", "PUT", path, json={"enable_memory_component": False}).json == {
        "enable_memory_component": False
    }
    try:
        assert world.call("olga", "GET", f"{OLGA}/agents/python-tutor/settings/").json == {
            "enable_memory_component": False
        }
        context = world.call("olga", "POST", f"{OLGA}/agents/python-tutor/context/", json={"message": "Hello"}).json
        assert context["state"]["capture"] == context["state"]["use"]
        assert context["state"]["use"]["reason"] == "agent_off"
    finally:
        world.call("eddie", "PUT", path, json={"enable_memory_component": True})


def test_an_editor_sees_only_the_number_of_somebodys_global_memories(world: World) -> None:
    body = {"message": "What does the user like very much?"}
    mine = world.call("olga", "POST", f"{OLGA}/agents/python-tutor/context/", json=body).json
    assert {memory["scope"] for memory in mine["memories"]} >= {"global"}
    assert mine["hidden_global_memories"] == 0
    theirs = world.call("eddie", "POST", f"{OLGA}/agents/python-tutor/context/", json=body).json
    assert {memory["scope"] for memory in theirs["memories"]} <= {"agent"}
    assert theirs["hidden_global_memories"] == len([one for one in mine["memories"] if one["scope"] == "global"])
    assert "## User Information" not in theirs["context"]
