"""Lists: whose rows, which filters, pages, order, and a number that is what the caller may see."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.functional.api.world import World
from webapp.memory.write import manual

OLGA = "/orgs/acme/users/olga"
TUTOR = "/agents/python-tutor"
DAYS = {"2023-05-07T23:59:59": "before", "2023-05-08T00:00:00": "first", "2023-05-09T23:59:59.999": "last",
        "2023-05-10T00:00:00": "after"}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def rows(world: World) -> None:
    """Memories of known days and texts, of Olga in both scopes and of Mira."""
    boss, agent_id = world.boss("acme"), world.agents["acme"]
    with world.app.app_context():
        for at, name in DAYS.items():
            when = datetime.fromisoformat(at).replace(tzinfo=UTC)
            for agent, slug in ((None, None), (agent_id, "learning_goals")):
                draft = manual.Draft(
                    world.users["olga"],
                    f"Said on the day {name}",
                    agent,
                    slug,
                    source_session_id=f"s-{name}",
                    created_at=when,
                )
                manual.add(boss, draft)
        for text in (
            "Likes 100% cotton",
            "Likes 100x cotton",
            "Knows snake_case names",
            "Knows snakeXcase names",
            "İstanbul ist schön",
        ):
            manual.add(boss, manual.Draft(world.users["olga"], text))


def contents(world: World, path: str, who: str = "olga") -> list[str]:
    answer = world.call(who, "GET", path)
    assert answer.status_code == 200, answer.text
    found = answer.json["results"]
    assert answer.json["count"] == len(found) or "page" in path
    return [memory["content"] for memory in found]


def owners(world: World, path: str, who: str) -> set[str]:
    found = world.call(who, "GET", path).json
    groups = found if isinstance(found, list) else [{"memories": found["results"]}]
    return {memory["username"] for group in groups for memory in group["memories"]}


@pytest.mark.parametrize(
    "path", [f"{OLGA}/global-memories/", f"{OLGA}/agent-memories/", f"{OLGA}{TUTOR}/agent-memories-list/"]
)
def test_days_are_whole_in_utc_and_both_included(world: World, path: str) -> None:
    assert contents(world, f"{path}?start_date=2023-05-08&end_date=2023-05-09") == [
        "Said on the day last",
        "Said on the day first",
    ]
    assert "Said on the day after" in contents(world, f"{path}?start_date=2023-05-10&page_size=100")
    assert contents(world, f"{path}?end_date=2023-05-07") == ["Said on the day before"]
    assert contents(world, f"{path}?start_date=2023-05-09&end_date=2023-05-08") == []


def test_grouped_rows_honour_the_same_filters(world: World) -> None:
    path = f"{OLGA}{TUTOR}/agent-memories/?start_date=2023-05-08&end_date=2023-05-09"
    found = world.call("olga", "GET", path).json
    assert [(group["category"]["slug"], group["count"]) for group in found] == [("learning_goals", 2)]
    assert [memory["content"] for memory in found[0]["memories"]] == ["Said on the day last", "Said on the day first"]
    assert world.call("olga", "GET", f"{path}&category=preferences").json == []


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ("100%25", ["Likes 100% cotton"]),
        ("snake_", ["Knows snake_case names"]),
        ("COTTON", ["Likes 100x cotton", "Likes 100% cotton"]),
        ("SCHÖN", ["İstanbul ist schön"]),
        ("%25", ["Likes 100% cotton"]),
        ("\\", []),
        ("'", []),
    ],
)
@pytest.mark.parametrize("name", ["content", "search"])
def test_a_part_of_the_text_is_taken_literally(world: World, name: str, part: str, found: list[str]) -> None:
    assert contents(world, f"{OLGA}/global-memories/?{name}={part}") == found


def test_filters_stack_and_empty_ones_count_as_absent(world: World) -> None:
    path = f"{OLGA}/global-memories/?session_id=s-first&content=day&user_id=&email=&start_date=&end_date="
    assert contents(world, path) == ["Said on the day first"]
    assert contents(world, f"{OLGA}/global-memories/?session_id=s-first&content=cotton") == []


@pytest.mark.parametrize("list_path", ["agent-memories/", "agent-memories-list/"])
def test_on_the_callers_own_path_one_agents_lists_show_everyone_they_may_read(world: World, list_path: str) -> None:
    def whose(who: str, query: str = "") -> set[str]:
        return owners(world, f"/orgs/acme/users/{who}{TUTOR}/{list_path}{query}", who)

    everyone = {"olga", "mira", "eddie", "ada"}
    assert whose("eddie") == everyone
    assert whose("vera") == everyone
    assert whose("ada") == everyone
    assert whose("mira") == {"mira"}
    assert whose("eddie", "?my_memory=true") == {"eddie"}
    assert whose("vera", "?my_memory=true") == set()
    assert whose("eddie", "?my_memory=false") == everyone
    for olga in (
        "user_id=olga",
        f"user_id={world.users['olga']}",
        "user_id=OLGA@example.org",
        "email=olga@Example.org",
    ):
        assert whose("eddie", f"?{olga}") == {"olga"}
    assert whose("eddie", "?user_id=olga&email=mira@example.org") == set()
    assert whose("mira", "?user_id=olga") == set()


def test_on_another_persons_path_it_is_that_person(world: World) -> None:
    assert owners(world, f"{OLGA}{TUTOR}/agent-memories/", "eddie") == {"olga"}
    assert owners(world, f"{OLGA}{TUTOR}/agent-memories-list/?user_id=mira", "eddie") == set()
    assert owners(world, f"{OLGA}{TUTOR}/agent-memories-list/?my_memory=true", "eddie") == {"eddie"}


def test_an_admin_reads_others_through_their_own_path(world: World) -> None:
    for row in ("global-memories", "agent-memories"):
        path = f"/orgs/acme/users/ada/{row}/"
        assert owners(world, path, "ada") == {"ada"}
        assert owners(world, f"{path}?user_id=olga", "ada") == {"olga"}
        assert owners(world, f"{path}?email=olga@example.org", "ada") == {"olga"}
        assert owners(world, f"{path}?user_id=nobody", "ada") == set()
        assert owners(world, f"{path}?user_id=oscar", "ada") == set()


def test_an_editor_sees_their_agents_rows_only(world: World) -> None:
    boss = world.boss("acme")
    with world.app.app_context():
        from webapp.directory.agents import get_agent

        desk = get_agent(boss, "help-desk").id
        manual.add(boss, manual.Draft(world.users["olga"], "Said at the help desk", desk, "preferences"))
    found = world.call("eddie", "GET", f"{OLGA}/agent-memories/?page_size=100").json
    assert {memory["agent"] for memory in found["results"]} == {"python-tutor"}
    assert found["count"] == len(found["results"])
    assert {memory["agent"] for memory in world.call("olga", "GET", f"{OLGA}/agent-memories/").json["results"]} == {
        "python-tutor", "help-desk",
    }  # fmt: skip
    assert contents(world, f"{OLGA}/agent-memories/?mentor=help-desk") == ["Said at the help desk"]
    assert contents(world, f"{OLGA}/agent-memories/?agent={world.uuids['acme']}&start_date=2024-01-01") == [
        "The user studies plantedolgaagentword now"
    ]
    assert contents(world, f"{OLGA}/agent-memories/?agent=no-agent") == []


def test_pages_have_all_four_keys_numbers_and_links(world: World) -> None:
    path = f"{OLGA}/global-memories/?page_size=4&content=s"
    seen: list[int] = []
    following: Any = path
    while following:
        answer = world.call("olga", "GET", following.partition("http://localhost")[2] or following).json
        assert set(answer) == {"count", "next", "previous", "results"}
        seen += [memory["id"] for memory in answer["results"]]
        following = answer["next"]
    assert len(seen) == len(set(seen)) == answer["count"]
    assert "page=2" in world.call("olga", "GET", f"{path}&page=3").json["previous"] if answer["count"] > 8 else True
    assert "content=s" in world.call("olga", "GET", path).json["next"]


def test_a_page_past_the_end_is_404_and_sizes_are_clamped(world: World) -> None:
    path = f"{OLGA}/global-memories/"
    past = world.call("olga", "GET", f"{path}?page=99")
    assert (past.status_code, past.json) == (404, {"detail": "Invalid page."})
    assert world.call("olga", "GET", f"{path}?page_size=1000").status_code == 200
    empty = world.call("olga", "GET", f"{path}?content=nothing-like-this").json
    assert empty == {"count": 0, "next": None, "previous": None, "results": []}


def test_newest_first_and_the_id_breaks_ties(world: World) -> None:
    boss, when = world.boss("acme"), datetime(2020, 1, 1, tzinfo=UTC)
    with world.app.app_context():
        ids = [
            manual.add(boss, manual.Draft(world.users["mira"], f"Tied memory {number}", created_at=when)).id
            for number in range(3)
        ]
        manual.add(boss, manual.Draft(world.users["mira"], "Tied but newer", created_at=when + timedelta(seconds=1)))
    found = world.call("mira", "GET", "/orgs/acme/users/mira/global-memories/?content=tied").json["results"]
    assert [memory["id"] for memory in found][1:] == ids[::-1]
    assert found[0]["content"] == "Tied but newer"


def test_a_group_holds_at_most_100_and_says_how_many_there_are(world: World) -> None:
    with world.app.app_context():
        from webapp.db.session import transaction

        boss = world.boss("acme")
        with transaction(world.orgs["acme"]) as session:
            for number in range(120):
                draft = manual.Draft(
                    world.users["vera"], f"One of many {number}", world.agents["acme"], "personal_context"
                )
                manual.insert(session, boss, draft)
    found = world.call("vera", "GET", f"/orgs/acme/users/vera{TUTOR}/agent-memories/?my_memory=true").json
    assert [(group["category"]["slug"], group["count"], len(group["memories"])) for group in found] == [
        ("personal_context", 120, 100)
    ]
    assert found[0]["memories"][0]["content"] == "One of many 119"


def test_an_inactive_category_keeps_its_memories_and_takes_no_new_ones(world: World) -> None:
    categories = "/orgs/acme/agents/python-tutor/memory-categories/"
    made = world.call("eddie", "POST", categories, json={"name": "Short lived"}).json
    body = {"content": "The user is short lived", "category_slug": "short_lived"}
    mine = f"{OLGA}{TUTOR}/agent-memories/"
    assert world.call("olga", "POST", mine, json=body).status_code == 201
    assert world.call("eddie", "DELETE", f"{categories}{made['id']}/").status_code == 204
    assert "short_lived" in {group["category"]["slug"] for group in world.call("olga", "GET", mine).json}
    refused = world.call("olga", "POST", mine, json=body | {"content": "The user lives on"})
    assert (refused.status_code, list(refused.json)) == (400, ["category_slug"])
    listed = {each["slug"] for each in world.call("eddie", "GET", categories).json["results"]}
    everything = {
        each["slug"] for each in world.call("eddie", "GET", f"{categories}?include_inactive=true").json["results"]
    }
    assert "short_lived" in everything - listed
    assert world.call("olga", "GET", f"{categories}?include_inactive=true").status_code == 403
    taken = world.call("eddie", "POST", categories, json={"name": "Short lived"})
    assert (taken.status_code, taken.json) == (409, {"error": "Category with this slug already exists"})
    again = world.call("eddie", "PATCH", f"{categories}{made['id']}/", json={"is_active": True})
    assert again.json["is_active"] is True
    assert world.call("olga", "POST", mine, json=body | {"content": "The user lives on"}).status_code == 201


def test_a_member_reads_categories_without_what_steers_capture(world: World) -> None:
    path = "/orgs/acme/agents/python-tutor/memory-categories/"
    for category in world.call("olga", "GET", path).json["results"]:
        assert set(category) == {"id", "name", "slug", "description"}


def test_reading_another_persons_memories_is_audited_once(world: World) -> None:
    count = "SELECT count(*) AS n FROM audit_event WHERE action = 'memory.read' AND actor_id = :reader AND target_user_id = :user"
    values = {"reader": world.users["vera"], "user": world.users["mira"]}
    before = world.row("acme", count, **values).n
    for _ in range(2):
        world.call("vera", "GET", f"/orgs/acme/users/mira{TUTOR}/agent-memories-list/")
    assert world.row("acme", count, **values).n == max(before, 1)
    own = {"reader": world.users["mira"], "user": world.users["mira"]}
    world.call("mira", "GET", f"/orgs/acme/users/mira{TUTOR}/agent-memories-list/")
    assert world.row("acme", count, **own).n == 0


def test_knowledge_over_the_budget_is_named(world: World) -> None:
    path = "/orgs/acme/agents/help-desk/agent-memories/"
    for number in (1, 2):
        answer = world.call("ada", "POST", path, json={"content": str(number) * 9_000})
    assert answer.headers["Knowledge-Not-Delivered"] == str(answer.json["id"])
    listed = world.call("ada", "GET", path)
    assert listed.headers["Knowledge-Not-Delivered"] == str(answer.json["id"])
    assert world.call("ada", "GET", f"{path}{answer.json['id']}/").headers["Knowledge-Not-Delivered"]
    context = world.call("olga", "POST", f"{OLGA}/agents/help-desk/context/", json={"message": "Hello there"}).json
    assert context["knowledge_left_out"] == [answer.json["id"]]
