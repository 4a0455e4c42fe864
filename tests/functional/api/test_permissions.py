"""The grid: every row × every identity × every kind of object, over both credentials, with three oracles.

1. The status is the documented one. 2. The other org's rows stay as they are. 3. A word planted in one person's texts
appears in no answer, header, log line, Redis key or model prompt that is not theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from sqlalchemy import text

from tests.functional.api import grid
from tests.functional.api.grid import ACCESS, ROWS, Access, Place
from tests.functional.api.world import ACME, World
from webapp.access.actor import SCOPES
from webapp.api import RESOURCES
from webapp.db.base import Base
from webapp.db.session import transaction
from webapp.http.endpoint import ENDPOINTS, Endpoint

PEOPLE = ("olga", "mira", "eddie", "vera", "ada", "root")
OUTSIDERS = ("otto", "oscar", "foreign service")
NOBODY = (None, "revoked", "expired", "garbage", "dora")
SERVICES = ("service", "no scope", *(f"service {scope}" for scope in SCOPES))
# A token's last use is noted by the requests of this test themselves.
EVERYTHING = "SELECT to_jsonb(t) - 'last_used_at' FROM {} t WHERE org_id = :org"
PLANTED = re.compile(r"planted([a-z]+?)(global|agent|exchange|knowledge)word")


@pytest.fixture(scope="module", autouse=True)
def other_org_unchanged(world: World) -> Iterator[None]:
    """Oracle 2: whatever this module asks for, the other org's rows are the same before and after."""
    world.tokens["garbage"] = "am_garbage"
    before = _rows(world)
    yield
    assert _rows(world) == before


def _rows(world: World) -> dict[str, list[Any]]:
    """Every row of the other org, table by table, but for what its own people's requests note."""
    tables = [table.name for table in Base.metadata.sorted_tables if "org_id" in table.columns]
    with world.app.app_context(), transaction(world.orgs["other"]) as session:
        return {
            table: sorted(map(str, session.execute(text(EVERYTHING.format(table)), {"org": world.orgs["other"]})))
            for table in tables
        }


def expected(access: Access, row: Endpoint, who: str | None) -> int:
    """The documented status on Olga's path, with an object of hers."""
    if who in NOBODY:
        return 401
    assert who is not None
    if who in OUTSIDERS:
        return 404
    allowed = who in ("ada", "root") or who in access.members or who in ("service", f"service {access.scope}")
    return row.status if allowed else 403


def sees(who: str | None) -> set[str]:
    """Whose words may appear in an answer to somebody (oracle 3), as `name + scope`."""
    if who in NOBODY or who in OUTSIDERS:
        return set()
    everyone = {f"{name}{scope}" for name in ACME for scope in ("global", "agent", "exchange")} | {"acmeknowledge"}
    if who in ("ada", "root") or (who or "").startswith("service"):
        return everyone
    own = {f"{who}{scope}" for scope in ("global", "agent", "exchange")} | {"acmeknowledge"}
    return own | ({f"{name}agent" for name in ACME} if who in ("eddie", "vera") else set())


def ask(world: World, who: str | None, row: Endpoint, place: Place) -> Any:
    """One request by token, with oracle 3 on its answer."""
    answer = world.call(who, row.method, place.path(row), **_body(row))
    leaked = {f"{name}{scope}" for name, scope in PLANTED.findall(f"{answer.headers}{answer.text}")} - sees(who)
    assert not leaked, f"{who} was shown {leaked} by {row.name}"
    return answer


def _body(row: Endpoint) -> dict[str, Any]:
    body = grid.body_of(ACCESS[row.name])
    return {"json": body} if body is not None else {}


def test_every_row_is_classified(world: World) -> None:
    modules = {module.__name__.rpartition(".")[2] for module in RESOURCES}
    assert {row.name for row in ENDPOINTS if row.group in modules} == set(ACCESS)
    routed = {
        rule.endpoint.split(".")[1] for rule in world.app.url_map.iter_rules() if rule.endpoint.startswith("api.")
    }
    assert set(ACCESS) <= routed


def test_every_route_of_the_application_is_in_a_grid(world: World) -> None:
    """A new route fails here until somebody says which test asks who may use it."""
    elsewhere = {"api", "api1", "graph", "graph_api", "schema", "pages"}
    for rule in world.app.url_map.iter_rules():
        kind = rule.endpoint.split(".")[0]
        is_page = not rule.rule.startswith(("/api/", "/dm/"))
        assert is_page or kind in elsewhere, f"{rule.endpoint} {rule.rule} is in no grid"


@pytest.mark.parametrize("name", ROWS)
def test_the_status_is_the_documented_one(world: World, name: str) -> None:
    row, access = ROWS[name], ACCESS[name]
    for who in (*NOBODY, *OUTSIDERS, *PEOPLE, *SERVICES):
        answer = ask(world, who, row, Place(ids=grid.ids_of(world, row, "olga")))
        assert answer.status_code == expected(access, row, who), (who, answer.text)


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if "<user>" in row.rule])
def test_everybody_on_their_own_path(world: World, name: str) -> None:
    row, access = ROWS[name], ACCESS[name]
    for who in ("mira", "eddie", "vera", "ada"):
        allowed = access.own or who == "ada" or (who == "eddie" and who in access.members)
        ids = grid.ids_of(world, row, who)
        answer = ask(world, who, row, Place(user=who, ids=ids))
        missing = ids == grid.MISSING and "<int:" in row.rule
        assert answer.status_code == (403 if not allowed else 404 if missing else row.status), (who, answer.text)


@pytest.mark.parametrize("name", ROWS)
def test_what_is_foreign_reads_like_what_is_missing(world: World, name: str) -> None:
    row = ROWS[name]
    for who in ("olga", "eddie", "ada", "root", "service"):
        for foreign, missing in grid.everything_foreign(world, row):
            if who == "root" and foreign.org == "other":
                continue
            one, other = ask(world, who, row, foreign), ask(world, who, row, missing)
            assert (one.status_code, _timeless(one)) == (other.status_code, _timeless(other))
            about_nobody = name in grid.NOT_ABOUT_THE_USER and who in grid.MEMBERS and foreign.org == "acme"
            assert one.status_code in ({row.status, 404} if about_nobody else {403, 404}), (who, foreign, one.text)


def _timeless(answer: Any) -> Any:
    found = answer.get_json(silent=True)
    return {name: value for name, value in found.items() if name != "updated_at"} if isinstance(found, dict) else found


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if "<user>" in row.rule])
def test_another_member_is_refused_before_any_look_up(world: World, name: str) -> None:
    row = ROWS[name]
    ids = grid.ids_of(world, row, "olga")
    answers = [
        ask(world, "mira", row, Place(user=user, agent=agent, ids=ids)) for user, agent in (
            ("olga", "python-tutor"), ("nobody", "python-tutor"), ("oscar", "python-tutor"),
            ("olga", "no-agent"), ("nobody", "no-agent"),
        )
    ]  # fmt: skip
    if name in grid.NOT_ABOUT_THE_USER:
        assert {answer.status_code for answer in answers} == {row.status}
    else:
        assert {(answer.status_code, answer.text) for answer in answers} == {(403, answers[0].text)}


@pytest.mark.parametrize("name", ROWS)
def test_a_browsers_sign_in_may_the_same_and_needs_csrf_to_write(world: World, name: str) -> None:
    row, access = ROWS[name], ACCESS[name]
    for who in (*PEOPLE, "otto", "dora"):
        client, csrf = world.browser(who)
        place = Place(ids=grid.ids_of(world, row, "olga"))
        if row.method != "GET":
            refused = client.open(place.path(row), method=row.method, **_body(row))
            assert refused.status_code == (401 if who == "dora" else 403), (who, refused.text)
        answer = client.open(place.path(row), method=row.method, headers=csrf, **_body(row))
        assert answer.status_code == expected(access, row, who), (who, answer.text)
        leaked = {f"{name}{scope}" for name, scope in PLANTED.findall(answer.text)} - sees(who)
        assert not leaked, (who, leaked)


@pytest.mark.parametrize("name", [name for name, access in ACCESS.items() if access.body is not None])
def test_ids_and_read_only_fields_in_a_body_change_nothing(world: World, name: str) -> None:
    """Each id is sent for a foreign object, each read-only field with a value of ours: all are ignored."""
    row = ROWS[name]
    foreign = {
        "id": world.memories["oscar", "global"], "org_id": world.orgs["other"], "org": "other", "platform": "other",
        "user_id": world.users["oscar"], "user": "oscar", "username": "oscar", "agent_id": world.agents["other"],
        "mentor_id": world.uuids["other"], "agent": "other-agent", "mentor": "other-agent",
        "category": {"id": world.categories["other"]}, "category_id": world.categories["other"],
        "created_by": "oscar", "is_auto_generated": True, "version": 77, "created_at": "2001-01-01T00:00:00Z",
        "updated_at": "2001-01-01T00:00:00Z", "source_session_id": "forged", "source_exchange_id": 1,
        "status": "done", "unique_id": world.uuids["other"],
    }  # fmt: skip
    place = Place(ids=grid.ids_of(world, row, "olga"))
    body = foreign | (grid.body_of(ACCESS[name]) or {})
    answer = world.call("ada", row.method, place.path(row), json=body)
    assert answer.status_code == row.status, answer.text
    kept = answer.get_json()
    for field in (
        "version",
        "created_at",
        "is_auto_generated",
        "source_session_id",
        "platform",
        "username",
        "mentor_id",
    ):
        if field in kept and kept[field] is not None:
            assert kept[field] != foreign[field], field


def test_a_foreign_category_is_no_category(world: World) -> None:
    foreign = world.row("other", "SELECT slug FROM category WHERE id = :id", id=world.categories["other"]).slug
    world.call("eddie", "PATCH", f"/orgs/acme/agents/python-tutor/memory-categories/{world.categories['acme']}/",
               json={"slug": "renamed"})  # fmt: skip
    body = {"content": "The user files under a stranger", "category_slug": foreign}
    answer = world.call("olga", "POST", "/orgs/acme/users/olga/agents/python-tutor/agent-memories/", json=body)
    assert (answer.status_code, list(answer.json)) == (400, ["category_slug"])


def test_nobody_from_another_org_becomes_an_editor(world: World) -> None:
    body = {"editors": ["oscar"]}
    answer = world.call("ada", "PUT", "/orgs/acme/agents/help-desk/", json=body)
    assert (answer.status_code, list(answer.json)) == (400, ["editors"])


def test_nothing_planted_is_in_redis_or_in_the_log(
    world: World, valkey_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for row in ROWS.values():
        ask(world, "ada", row, Place(ids=grid.ids_of(world, row, "olga")))
        ask(world, "mira", row, Place(ids=grid.ids_of(world, row, "olga")))
    assert "planted" not in "".join(capfd.readouterr())
    with redis.Redis.from_url(valkey_url) as queue:
        held = [*queue.scan_iter(), *(queue.dump(key) or b"" for key in queue.scan_iter())]
    assert not [value for value in held if b"planted" in value or b"olga" in value]
