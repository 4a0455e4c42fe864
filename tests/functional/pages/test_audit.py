"""Tenant → Audit: who is named and how, and what an event leads to."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from sqlalchemy import text

from tests.functional.api.test_queries import statements
from tests.functional.api.world import World, word
from tests.functional.pages.conftest import Visit
from tests.functional.pages.visitor import words
from webapp.db.session import transaction
from webapp.memory import knowledge, knowledge_archive
from webapp.memory.write import manual, removal

AUDIT, TUTOR = "/orgs/acme/memory/audit", "/orgs/acme/agents/python-tutor/memory"


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


def link_to(visit: Visit, thing: str) -> str | None:
    """The address that the newest event about it leads to."""
    page = visit("ada").get(AUDIT)
    assert f">{thing}<" in page.text
    found = re.search(rf'<a href="([^"]*)"[^>]*>{thing}</a>', page.text)
    return found[1] if found else None


@pytest.mark.parametrize("scope", ["global", "agent"])
def test_a_memory_leads_to_its_history_until_it_is_purged(visit: Visit, world: World, scope: str) -> None:
    agent = (world.agents["acme"], "preferences") if scope == "agent" else (None, None)
    boss, content = world.boss("acme"), f"The user plays the {word('audit', scope)}"
    with world.app.app_context():
        memory_id = manual.add(boss, manual.Draft(world.users["olga"], content, *agent)).id
    url = link_to(visit, f"memory {memory_id}")
    assert url == f"{TUTOR if scope == 'agent' else '/orgs/acme/memory/users/olga/global'}/{memory_id}/history"
    assert content in words(visit("ada").get(url))
    with world.app.app_context():
        removal.delete(boss, [memory_id])
    assert link_to(visit, f"memory {memory_id}") == url
    assert content in words(visit("ada").get(url))
    with world.app.app_context():
        removal.purge(boss, [memory_id])
    assert link_to(visit, f"memory {memory_id}") is None


def test_shared_memory_leads_to_its_history_until_it_is_purged(visit: Visit, world: World) -> None:
    boss, agent_id, content = world.boss("acme"), world.agents["acme"], "The library closes at eight"
    with world.app.app_context():
        entry_id = knowledge.add(boss, agent_id, content).id
        knowledge.delete(boss, agent_id, entry_id)
    url = link_to(visit, f"shared memory {entry_id}")
    assert url == f"{TUTOR}/shared/{entry_id}/history"
    assert content in words(visit("ada").get(url))
    with world.app.app_context():
        knowledge_archive.purge(boss, agent_id, entry_id)
    assert link_to(visit, f"shared memory {entry_id}") is None


def test_no_event_leads_into_another_organisation(visit: Visit, world: World) -> None:
    about = "INSERT INTO audit_event (org_id, actor_label, action, target_kind, target_id) "
    about += "VALUES (:org, 'test', :kind || '.edited', :kind, :id)"
    for kind, theirs in (("memory", world.memories["oscar", "global"]), ("knowledge", world.knowledge["other"])):
        run(world, about, org=world.orgs["acme"], kind=kind, id=theirs)
        assert link_to(visit, f"{'memory' if kind == 'memory' else 'shared memory'} {theirs}") is None


def test_more_events_are_no_more_statements(visit: Visit, world: World) -> None:
    def sent_for(path: str) -> int:
        visit("ada").get(path)
        with statements() as sent:
            assert visit("ada").get(path).status_code == 200
        return len(sent)

    few = sent_for(f"{AUDIT}?kind=memories")
    with world.app.app_context():
        for n in range(20):
            manual.add(world.boss("acme"), manual.Draft(world.users["mira"], f"The user owns {n} green bicycles"))
    assert sent_for(f"{AUDIT}?kind=memories") == few > 0


def test_an_erased_person_has_no_name_and_is_found_by_none(visit: Visit, rows: Callable[..., list[str]]) -> None:
    olga = visit("olga")
    olga.post("/orgs/acme/me/memory/settings/use", value="false")
    assert rows(actor="Olga Example")
    assert olga.post("/orgs/acme/me/memory/erase", username="olga").status_code == 200
    assert rows(actor="Olga Example") == []
    assert any(re.search(r"erased person turned use in responses off erased person", row) for row in rows())
    assert not any("Olga" in row for row in rows(kind="switches"))
