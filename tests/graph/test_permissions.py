"""Who reaches which group: the owner, an org's admin, a service by its scopes, and nobody else."""

from __future__ import annotations

import httpx2
import pytest

from tests.graph.world import GraphWorld

HELLO = [{"content": "I work for Northwind.", "role_type": "user", "role": "John", "timestamp": "2023-05-08"}]


def write(world: GraphWorld, who: str, group: str, **headers: str) -> httpx2.Response:
    return world.call(who, "POST", "/ingest/messages", {"group_id": group, "messages": HELLO}, **headers)


def detail(answer: httpx2.Response) -> object:
    return answer.status_code, answer.json()["detail"]


FORBIDDEN = (403, "Not enough permissions")


@pytest.fixture(scope="module")
def filled(world: GraphWorld) -> dict[str, str]:
    """A group of Olga's, one of Mira's, and one that a service began, each with a fact."""
    groups = {"olga": world.group(), "mira": world.group(), "service": world.group()}
    for who, group in groups.items():
        world.say(who, group, HELLO[0])
    return groups


@pytest.mark.parametrize(
    ("who", "sees"),
    [
        ("olga", {"olga"}),
        ("mira", {"mira"}),
        ("ada", {"olga", "mira", "service"}),
        ("service", {"olga", "mira", "service"}),
        ("reading", {"olga", "mira", "service"}),
        ("oscar", set()),
    ],
)
def test_a_search_without_groups_sees_all_that_the_caller_may(
    world: GraphWorld, filled: dict[str, str], who: str, sees: set[str]
) -> None:
    for groups in (None, [], list(filled.values())):
        found = world.search(who, "Northwind", groups, max_facts=100)
        assert {fact["group_id"] for fact in found} == {filled[name] for name in sees}


@pytest.mark.parametrize("who", ["mira", "oscar"])
def test_anothers_group_is_empty_to_read_and_forbidden_to_write(
    world: GraphWorld, filled: dict[str, str], who: str
) -> None:
    group = filled["olga"]
    assert world.search(who, "Northwind", [group]) == []
    assert world.call(who, "GET", f"/retrieve/episodes/{group}?last_n=5").json() == []
    asked = {"group_id": group, "messages": HELLO}
    assert world.call(who, "POST", "/retrieve/get-memory", asked).json() == {"facts": []}
    if who == "oscar":
        # In another org the key is free: it names a group of that org.
        assert write(world, who, group).status_code == 202
        return
    assert detail(write(world, who, group)) == FORBIDDEN
    node = {"group_id": group, "name": "Mallory"}
    assert detail(world.call(who, "POST", "/ingest/entity-node", node)) == FORBIDDEN
    assert detail(world.call(who, "DELETE", f"/ingest/group/{group}")) == FORBIDDEN
    assert len(world.search("olga", "Northwind", [group])) == 1


def test_anothers_fact_and_message_are_not_found(world: GraphWorld, filled: dict[str, str]) -> None:
    (fact,) = world.search("olga", "Northwind", [filled["olga"]])
    for who in ("mira", "oscar"):
        for method, path in (("GET", "/retrieve/entity-edge/"), ("DELETE", "/ingest/entity-edge/")):
            assert detail(world.call(who, method, path + fact["uuid"])) == (404, "Entity edge not found")
        episode = f"/ingest/episode/{fact['episodes'][0]}"
        assert detail(world.call(who, "DELETE", episode + f"?group_id={filled['olga']}")) == (404, "Episode not found")
    edge = world.call("olga", "GET", f"/retrieve/entity-edge/{fact['uuid']}").json()
    assert edge["relationship"] == "WORKS_FOR"
    assert (edge["source_uuid"], edge["target_uuid"]) == (fact["source_node_uuid"], fact["target_node_uuid"])
    assert edge["created_at"] == fact["created_at"]


@pytest.mark.parametrize(
    ("who", "reads", "writes"),
    [("service", True, True), ("reading", True, False), ("writing", False, True), ("scopeless", False, False)],
)
def test_a_service_does_what_its_scopes_say(
    world: GraphWorld, filled: dict[str, str], who: str, reads: bool, writes: bool
) -> None:
    group = filled["service"]
    read = [
        world.call(who, "POST", "/retrieve/search", {"query": "Northwind"}),
        world.call(who, "GET", f"/retrieve/episodes/{group}?last_n=1"),
        world.call(who, "POST", "/retrieve/get-memory", {"group_id": group, "messages": HELLO}),
    ]
    written = [
        write(world, who, group),
        world.call(who, "POST", "/ingest/entity-node", {"group_id": group, "name": "Northwind"}),
        world.call(who, "DELETE", "/ingest/group/nothing-here"),
    ]
    assert {answer.status_code < 300 for answer in read} == {reads}
    assert {answer.status_code < 300 for answer in written} == {writes}
    gone = world.call(who, "DELETE", "/ingest/entity-edge/none")
    assert gone.status_code == (404 if writes else 403)
    assert world.call(who, "GET", "/retrieve/entity-edge/none").status_code == (404 if reads else 403)


@pytest.mark.parametrize("key", ["mira", "MIRA", "{mira}"])
def test_nobody_may_make_a_group_named_after_another_member(world: GraphWorld, key: str) -> None:
    key = key.format(**{name: str(id) for name, id in world.users.items()})
    assert detail(write(world, "olga", key)) == FORBIDDEN
    assert detail(world.call("olga", "DELETE", f"/ingest/group/{key}")) == FORBIDDEN
    assert write(world, "service", key).status_code == 202
    owners = world.rows("acme", "SELECT owner_id FROM graph_group WHERE key = :key", key=key)
    assert [row.owner_id for row in owners] == [world.users["mira"]]
    assert write(world, "mira", key).status_code == 202
    assert detail(write(world, "olga", key)) == FORBIDDEN


def test_the_first_writer_owns_the_group(world: GraphWorld) -> None:
    group = world.group()
    assert write(world, "olga", group).status_code == 202
    assert detail(write(world, "mira", group)) == FORBIDDEN
    assert write(world, "ada", group).status_code == 202


def test_a_services_group_has_no_owner_until_an_admin_sets_it(world: GraphWorld) -> None:
    group = world.group()
    world.say("service", group, HELLO[0])
    assert world.search("olga", "Northwind", [group]) == []
    body = {"username": "olga"}
    for who in ("olga", "mira", "service"):
        assert detail(world.call(who, "PUT", f"/ingest/group/{group}/owner", body)) == FORBIDDEN
    given = world.call("ada", "PUT", f"/ingest/group/{group}/owner", body)
    assert (given.status_code, given.json()) == (200, {"group_id": group, "username": "olga"})
    assert len(world.search("olga", "Northwind", [group])) == 1
    assert detail(world.call("ada", "PUT", "/ingest/group/nothing-here/owner", body)) == (404, "Group not found")
    nobody = world.call("ada", "PUT", f"/ingest/group/{group}/owner", {"username": "oscar"})
    assert nobody.status_code == 422
    assert nobody.json()["detail"][0]["loc"] == ["body", "username"]


def test_a_superuser_names_the_org(world: GraphWorld, filled: dict[str, str]) -> None:
    asked = {"query": "Northwind", "max_facts": 100}
    missing = world.call("root", "POST", "/retrieve/search", asked)
    assert missing.status_code == 422
    assert missing.json()["detail"][0]["loc"] == ["header", "X-Org"]
    found = world.call("root", "POST", "/retrieve/search", asked, X_Org="acme").json()["facts"]
    assert {filled["olga"], filled["mira"]} <= {fact["group_id"] for fact in found}
    assert world.call("root", "POST", "/retrieve/search", asked, X_Org="nowhere").status_code == 404


def test_a_token_opens_its_own_org_only(world: GraphWorld) -> None:
    assert world.call("olga", "POST", "/retrieve/search", {"query": "x"}, X_Org="acme").status_code == 200
    assert world.call("olga", "POST", "/retrieve/search", {"query": "x"}, X_Org="other").status_code == 404


def test_clearing_is_for_superusers(world: GraphWorld) -> None:
    for who in ("olga", "ada", "service", "oscar"):
        assert detail(world.call(who, "POST", "/ingest/clear")) == FORBIDDEN
