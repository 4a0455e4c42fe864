"""Every address of the graph's screens, for everybody: a group is its owner's and the org's admins', and hidden else."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from tests.graph.world import GraphWorld
from webapp.access import sign_in
from webapp.db.session import installation, transaction

GET = (
    "", "/entities", "/entities/{entity}", "/picture", "/messages", "/facts/{fact}", "/facts/{fact}/delete",
    "/messages/{episode}/delete", "/delete", "/owner",
)  # fmt: skip
POST = ("/facts/{fact}/delete", "/messages/{episode}/delete", "/messages/{episode}/retry", "/delete", "/owner")
# 200: may open it, 404: is told that there is nothing.
READERS = {"olga": 200, "mira": 404, "ada": 200, "root": 200, "oscar": 404}
REFUSED = ("mira", "oscar")
# Only an org's admin says whose a group is.
OWNERS_FORM = READERS | {"olga": 403}
SECRET = "Plantedcorp"


@pytest.fixture(scope="module")
def group(world: GraphWorld) -> dict[str, str]:
    key = world.group()
    world.say("olga", key, f"I work for {SECRET} in Berlin.")
    ids = {"key": key}
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        for name in ("fact", "entity", "episode"):
            ids[name] = str(session.scalar(text(f"SELECT max(id) FROM graph_{name}")))
    return ids


def signed_in(world: GraphWorld, who: str) -> FlaskClient:
    client = world.app.test_client()
    with world.app.app_context(), installation() as session:
        secret = sign_in.open_session(session, world.users[who], hours=1)
    with client.session_transaction() as cookie:
        cookie["_user_id"] = secret
    return client


def address(group: dict[str, str], rest: str) -> str:
    return f"/orgs/acme/graph/{group['key']}" + rest.format_map(group)


@pytest.mark.parametrize("rest", GET)
def test_reading(world: GraphWorld, group: dict[str, str], rest: str) -> None:
    for who, status in (OWNERS_FORM if rest == "/owner" else READERS).items():
        answer = signed_in(world, who).get(address(group, rest))
        assert answer.status_code == status, who
        assert status == 200 or SECRET not in answer.text, who
    assert world.app.test_client().get(address(group, rest)).status_code == 303


@pytest.mark.parametrize("rest", POST)
def test_sending(world: GraphWorld, group: dict[str, str], rest: str) -> None:
    for who in REFUSED:
        client = signed_in(world, who)
        found = re.search(r'"X-CSRFToken": "([^"]+)"', client.get("/account").text)
        assert found
        answer = client.post(address(group, rest), headers={"X-CSRFToken": found[1]})
        assert answer.status_code == 404, who
        assert SECRET not in answer.text
    assert world.search("olga", SECRET, [group["key"]])


def test_the_list_of_groups_shows_the_readers_own(world: GraphWorld, group: dict[str, str]) -> None:
    for who, sees in (("olga", True), ("mira", False), ("ada", True)):
        assert (group["key"] in signed_in(world, who).get("/orgs/acme/graph").text) is sees, who
    assert signed_in(world, "oscar").get("/orgs/acme/graph").status_code == 404


def test_the_table_names_every_address(world: GraphWorld) -> None:
    rules = {
        (
            method,
            re.sub(
                r"<(?:[^<>]*:)?([a-z]+)_id>", r"{\1}", rule.rule.split("<group>")[-1] if "<group>" in rule.rule else ""
            ),
        )
        for rule in world.app.url_map.iter_rules()
        if rule.endpoint.split(".")[0] in ("graph", "graph_actions") and "<group>" in rule.rule
        for method in (rule.methods or set()) & {"GET", "POST"}
    }
    assert rules == {("GET", rest) for rest in GET} | {("POST", rest) for rest in POST}
