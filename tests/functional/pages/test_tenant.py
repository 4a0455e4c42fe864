"""Tenant: the master switch, people and agents, a person, Activity, Audit."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import text

from tests.functional.api.world import World, word
from tests.functional.pages.conftest import Visit
from tests.functional.pages.visitor import is_fragment, words
from webapp.db.session import transaction
from webapp.directory import people
from webapp.memory.write import manual
from webapp.messages.audit import KINDS

TENANT = "/orgs/acme/memory"


def run(world: World, statement: str, **values: object) -> None:
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        session.execute(text(statement), values)


def test_the_master_switch_says_what_it_affects_and_what_off_means(visit: Visit) -> None:
    ada = visit("ada")
    assert re.search(r"2 agents have memory on, \d+ users", words(ada.get(TENANT)))
    off = ada.follow(f"{TENANT}/switch", value="false")
    assert "Memory setting updated: memory is off for Acme." in words(off)
    undo = re.search(r'<div class="toast.*?action="([^"]*)".*?name="value" value="(\w+)".*?Undo', off.text, re.DOTALL)
    assert undo is not None
    agents = words(ada.get("/orgs/acme/agents"))
    assert "On but memory is off for the organisation" in agents
    mine = ada.get("/orgs/acme/me/memory")
    assert re.search(f'<a href="{TENANT}">Open the switch</a>', mine.text), "no administrator is told to ask themselves"
    assert "An administrator can change that" in words(visit("olga").get("/orgs/acme/me/memory"))
    said = r"Off since \d\d:\d\d by Ada Example\. New conversations are not remembered and cannot be recovered later\."
    assert re.search(said, words(off))
    assert re.search(said, words(ada.get(f"{TENANT}/activity")))
    back = words(ada.follow(undo[1], value=undo[2]))
    assert re.search(r"agents have memory on", back)
    assert "memory is on for Acme." in back


def test_people_are_searched_on_the_server_and_paged_by_ten(visit: Visit) -> None:
    ada = visit("ada")
    piece = ada.get(f"{TENANT}?q=mir", partial=True)
    assert is_fragment(piece)
    assert "mira@example.org" in words(piece)
    assert "olga@example.org" not in words(piece)
    ada.post(f"{TENANT}/users/mira/settings/capture", value="false")
    assert "Learning off" in words(ada.get(f"{TENANT}?q=mir"))
    ada.post(f"{TENANT}/users/mira/settings/capture", value="true")
    assert "Learning off" not in words(ada.get(f"{TENANT}?q=mir"))
    assert "No person called “zzz%_”." in words(ada.get(f"{TENANT}?q=zzz%25_"))
    assert re.search(r"mira mira@example.org 1 ", words(piece)), "one global memory"


def test_the_agent_view_leads_to_an_agents_memories(visit: Visit) -> None:
    page = visit("ada").get(f"{TENANT}?view=agent")
    assert "/orgs/acme/agents/python-tutor/memory" in page.text
    piece = visit("ada").get(f"{TENANT}?view=agent&q=help", partial=True)
    assert "Help Desk" in words(piece)
    assert "Python-Tutor" not in words(piece)
    assert visit("ada").get(f"{TENANT}?view=nonsense").status_code == 200


@pytest.mark.parametrize("partial", [True, False])
def test_a_persons_page_manages_their_global_memories(visit: Visit, world: World, partial: bool) -> None:
    ada, path = visit("ada"), f"{TENANT}/users/olga"
    page = ada.get(path)
    assert "Global Memories — olga@example.org" in words(page)
    assert word("olga") in words(page)
    assert word("olga", "agent") not in words(page)
    assert re.search(r"<h1[^>]*>Olga Example</h1>", page.text)
    assert re.search(r"Python-Tutor \d+ memor", words(page)), "and what each agent remembers, as a number"
    there = ada.get(re.findall(r'href="([^"]*python-tutor/memory\?user=[^"]*)"', page.text)[0])
    assert word("olga", "agent") in words(there)
    assert word("mira", "agent") not in words(there)
    added = ada.post(f"{path}/global/new", partial=partial, content=f"Ada notes this, {partial}")
    assert f"Ada notes this, {partial}" in words(added if partial else ada.get(path))
    switched = ada.post(f"{path}/settings/use", partial=partial, value="false")
    assert switched.status_code == (200 if partial else 303)
    said = r"Nothing saved is used in responses: turned off by you, \d\d:\d\d\."
    assert re.search(said, words(switched if partial else ada.get(path)))
    ada.post(f"{path}/settings/use", value="true")
    noted = "SELECT count(*) AS n FROM audit_event WHERE action = 'memory.read' AND target_user_id = :u"
    assert world.row("acme", noted, u=world.users["olga"]).n >= 1


def test_a_persons_page_is_reached_by_e_mail_and_id_too(visit: Visit, world: World) -> None:
    for reference in ("olga@example.org", str(world.users["olga"]), "OLGA"):
        assert visit("ada").get(f"{TENANT}/users/{reference}").status_code == 200
    assert visit("ada").get(f"{TENANT}/users/nobody").status_code == 404
    assert visit("ada").get(f"{TENANT}/users/oscar").status_code == 404


def test_who_was_removed_has_a_page_while_something_is_kept(visit: Visit, world: World) -> None:
    ada, boss = visit("ada"), world.boss("acme")
    with world.app.app_context():
        gone = people.put_person(boss, "gone", people.PersonDraft(email="gone@example.org", full_name="Gone Girl"))[
            0
        ].id
        kept = manual.add(boss, manual.Draft(gone, "The user keeps bees in the garden")).id
        people.remove_person(boss, gone)
    shown = ada.get(f"{TENANT}?q=gone")
    assert "no longer a member" in words(shown)
    page = ada.get(f"{TENANT}/users/gone")
    assert "What is remembered is kept, and is not used." in words(page)
    assert "keeps bees" in words(page)
    assert "switch-capture" not in page.text
    assert visit("olga").get(f"{TENANT}/users/gone").status_code == 403
    assert ada.post(f"{TENANT}/users/gone/global/{kept}/delete", partial=True).status_code == 200
    assert "No person called “gone”." in words(ada.get(f"{TENANT}?q=gone"))


def test_activity_shows_the_queue_filters_and_retries(visit: Visit, world: World) -> None:
    ada, exchange = visit("ada"), world.exchanges["olga"]
    run(
        world, "UPDATE inbox SET state = 'failed', error = 'model_timeout', done_at = now() WHERE id = :id", id=exchange
    )
    page = words(ada.get(f"{TENANT}/activity"))
    assert re.search(r"1 failed", page)
    assert "The model did not answer in time." in page
    assert word("olga", "exchange") not in page, "the page never shows text"
    narrowed = ada.get(f"{TENANT}/activity?state=failed&user=olga&agent=python-tutor", partial=True)
    assert (is_fragment(narrowed), "1 entry" in words(narrowed)) == (True, True)
    assert "No person called “nobody”." in words(ada.get(f"{TENANT}/activity?user=nobody"))
    assert "Nothing matches" in words(ada.get(f"{TENANT}/activity?agent=nothing"))
    again = ada.follow(f"{TENANT}/activity/{exchange}/retry?state=failed")
    assert "Put back into the queue" in words(again)
    assert world.row("acme", "SELECT state FROM inbox WHERE id = :id", id=exchange).state == "pending"
    assert ada.post(f"{TENANT}/activity/{exchange}/retry").status_code == 409
    assert ada.post(f"{TENANT}/activity/999999999/retry").status_code == 404


def test_what_gave_nothing_is_not_called_captured(visit: Visit, world: World) -> None:
    ada, exchange = visit("ada"), world.exchanges["eddie"]
    done = "UPDATE inbox SET state = 'done', done_at = now(), created = :n, duplicates = :known, rejected = :no, "
    done += "rejections = CAST(:why AS jsonb) WHERE id = :id"

    def row(**counts: object) -> str:
        run(world, done, id=exchange, **({"n": 0, "known": 0, "no": 0, "why": "{}"} | counts))
        page = ada.get(f"{TENANT}/activity", query={"user": "eddie@example.org"}, partial=True)
        return words(page).partition("for the reason given.")[2]

    assert re.search(r"nothing new Eddie Example .*Nothing in it was worth remembering\.", row())
    shown = row(known=2, no=1, why='{"question": 1}')
    assert "2 already known · 1 not kept: a question (1)" in shown
    assert "captured" not in shown
    shown = row(n=1)
    assert re.search(r"captured Eddie Example .*1 new", shown)
    assert "0 " not in shown


def test_a_reason_leads_to_the_switch_behind_it(visit: Visit, world: World) -> None:
    ada = visit("ada")
    switches = {"user_capture_off": f"{TENANT}/users/mira", "agent_off": "/orgs/acme/agents/", "org_off": TENANT}
    for reason, url in switches.items():
        run(
            world, "UPDATE inbox SET state = 'skipped', reason = :why, done_at = now() WHERE id = :id",
            why=reason, id=world.exchanges["mira"],
        )  # fmt: skip
        found = re.search(r'<a href="([^"]*)">Open the ', ada.get(f"{TENANT}/activity", partial=True).text)
        assert found is not None, reason
        assert found[1].startswith(url)
        assert ada.get(found[1]).status_code == 200


def test_a_skipped_exchange_says_why(visit: Visit, world: World) -> None:
    run(
        world, "UPDATE inbox SET state = 'skipped', reason = 'user_capture_off', done_at = now() WHERE id = :id",
        id=world.exchanges["mira"],
    )  # fmt: skip
    assert "Learning was off for the person." in words(visit("ada").get(f"{TENANT}/activity")), "nobody knows by whom"


def test_audit_says_who_did_what_and_holds_no_text(visit: Visit) -> None:
    ada = visit("ada")
    visit("olga").post("/orgs/acme/me/memory/settings/capture", value="false")
    visit("olga").post("/orgs/acme/me/memory/settings/capture", value="true")
    visit("eddie").get("/orgs/acme/agents/python-tutor/memory")
    visit("eddie").post("/orgs/acme/agents/python-tutor/memory/enable", value="true")
    screen = ada.get(f"{TENANT}/audit")
    page = words(screen)
    assert "turned learning off" in page
    for link in (f"{TENANT}/users/olga", "/orgs/acme/agents/python-tutor/memory"):
        assert f'<a href="{link}"' in screen.text
    assert re.search(r'<time datetime="[^"]*Z" title="\d+ \w+ \d{4}, \d\d:\d\d · [^"]* UTC">', screen.text)
    assert re.search(r"Eddie Example eddie read another person’s memories Olga Example olga", page)
    for name in ("olga", "mira"):
        for scope in ("global", "agent", "exchange"):
            assert word(name, scope) not in page
    only = words(ada.get(f"{TENANT}/audit?kind=reading&actor=eddi", partial=True))
    assert "read another person’s memories" in only
    assert "turned learning" not in only
    assert "Nothing matches" in words(ada.get(f"{TENANT}/audit?actor=nobody"))
    assert ada.get(f"{TENANT}/audit?start=bad").status_code == 400


def test_every_recorded_action_has_words_and_a_kind(world: World) -> None:
    known = {action for actions in KINDS.values() for action in actions}
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        used = set(session.scalars(text("SELECT DISTINCT action FROM audit_event")))
    assert used <= known, used - known
