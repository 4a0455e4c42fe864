"""Tenant → Audit: who is named and how, and what an event leads to."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from sqlalchemy import text

from tests.functional.api.world import World
from tests.functional.pages.conftest import Visit
from tests.functional.pages.visitor import words
from webapp.db.session import transaction

AUDIT = "/orgs/acme/memory/audit"


def run(world: World, statement: str, **values: object) -> None:
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        session.execute(text(statement), values)


@pytest.fixture
def rows(visit: Visit) -> Callable[..., list[str]]:
    """The events that a search shows, newest first, as what a reader sees of each."""

    def shown(**query: str) -> list[str]:
        page = visit("ada").get(AUDIT, query=query, partial=True)
        return [words_of(row) for row in re.findall(r"<tr>.*?</tr>", page.text, re.DOTALL)[1:]]

    return shown


def words_of(markup: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", markup)).strip()


def test_people_have_their_full_names_and_their_usernames_beside_them(
    visit: Visit, rows: Callable[..., list[str]]
) -> None:
    visit("ada").post("/orgs/acme/memory/users/mira/settings/use", value="false")
    visit("ada").post("/orgs/acme/memory/users/mira/settings/use", value="true")
    assert rows()[0].endswith("Ada Example ada turned use in responses on Mira Example mira")


def test_who_has_no_full_name_has_one_name(visit: Visit, world: World, rows: Callable[..., list[str]]) -> None:
    run(world, "UPDATE account SET full_name = '' WHERE id = :mira", mira=world.users["mira"])
    visit("mira").post("/orgs/acme/me/memory/settings/use", value="false")
    run(world, "UPDATE account SET full_name = 'Mira Example' WHERE id = :mira", mira=world.users["mira"])
    assert rows()[0].endswith("Mira Example mira turned use in responses off Mira Example mira")
    run(world, "UPDATE account SET full_name = '' WHERE id = :mira", mira=world.users["mira"])
    assert re.search(r"mira turned use in responses off mira$", rows()[0])
    assert "mira mira" not in rows()[0]


def test_a_service_that_is_called_like_a_person_is_not_that_person(
    world: World, rows: Callable[..., list[str]]
) -> None:
    run(
        world,
        "INSERT INTO audit_event (org_id, actor_label, action, target_kind) VALUES (:org, 'ada', 'agent.edited', 'org')",
        org=world.orgs["acme"],
    )
    assert re.search(r"(?<!Example )ada edited an agent", rows()[0])


def test_who_did_it_is_found_by_any_name(visit: Visit, rows: Callable[..., list[str]]) -> None:
    visit("vera").post("/orgs/acme/me/memory/settings/use", value="false")
    for typed in ("vera", "Vera Exam", "example vera", "vera@example.org"):
        found = rows(actor=typed)
        assert found, typed
        assert all("Vera Example" in row for row in found), typed
    assert "Nothing matches" in words(visit("ada").get(f"{AUDIT}?actor=nobody"))


def test_an_erased_person_has_no_name_and_is_found_by_none(visit: Visit, rows: Callable[..., list[str]]) -> None:
    olga = visit("olga")
    olga.post("/orgs/acme/me/memory/settings/use", value="false")
    assert rows(actor="Olga Example")
    assert olga.post("/orgs/acme/me/memory/erase", username="olga").status_code == 200
    assert rows(actor="Olga Example") == []
    assert any(re.search(r"erased person turned use in responses off erased person", row) for row in rows())
    assert not any("Olga" in row for row in rows(kind="switches"))
