"""Setting up: people, agents, service tokens; an invitation that is mailed."""

from __future__ import annotations

import re
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from tests.functional.api.world import World, word
from tests.functional.pages.conftest import Visit
from tests.functional.pages.visitor import is_fragment, words
from webapp.db.session import installation, transaction

PEOPLE, AGENTS = "/orgs/acme/people", "/orgs/acme/agents"


def account(world: World, name: str) -> Any:
    with world.app.app_context(), installation() as session:
        found = session.execute(text("SELECT * FROM account WHERE username = :name"), {"name": name})
        return found.one_or_none()


def membership(world: World, name: str) -> Any:
    return world.row("acme", "SELECT * FROM membership WHERE user_id = :u", u=account(world, name).id)


@pytest.mark.parametrize("partial", [True, False])
def test_inviting_makes_a_link_that_is_shown_once_and_sets_a_password(
    visit: Visit, world: World, partial: bool
) -> None:
    ada, name = visit("ada"), f"newcomer{partial}".lower()
    agent = world.agents["acme"]
    fields = {"email": f"{name}@example.org", "username": name, "full_name": "New Comer", "role": "member"}
    made = ada.post(f"{PEOPLE}/invite", partial=partial, **fields, **{f"agent_{agent}": "editor"})
    assert (made.status_code, is_fragment(made)) == (200, partial)
    link = re.search(r'value="http://[^/"]+(/set-password/[^"]+)"', made.text)
    assert link
    assert link[1] not in ada.get(PEOPLE).text
    assert re.search(rf"{name}@example.org Member Python-Tutor \(Editor\) invited", words(ada.get(PEOPLE)))
    client = world.app.test_client()
    token = re.search(r'name="csrf_token" value="([^"]+)"', client.get(link[1]).text)
    assert token
    data = {"password": "a long enough password", "again": "a long enough password", "csrf_token": token[1]}
    assert client.post(link[1], data=data).status_code == 303
    assert client.get("/orgs/acme/agents/python-tutor/memory/categories").status_code == 200


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"email": "nonsense"}, "email"),
        ({"email": "olga@example.org"}, "email"),
        ({"username": "12345"}, "username"),
        ({"username": "a@b"}, "username"),
        ({"username": "olga"}, "username"),
        ({"username": "a\x00b"}, "username"),
        ({"role": "emperor"}, "role"),
        ({"full_name": "x" * 201}, "full_name"),
    ],
)
def test_a_bad_invitation_is_refused_beside_its_field(
    visit: Visit, world: World, changes: dict[str, str], field: str
) -> None:
    fields = {"email": "fresh@example.org", "username": "fresh", "full_name": "", "role": "member"} | changes
    answer = visit("ada").post(f"{PEOPLE}/invite", partial=True, **fields)
    assert answer.status_code == 422
    assert f'id="f-{field}-error"' in answer.text
    assert account(world, "fresh") is None


def test_whose_learning_is_off_is_marked_and_leads_to_the_switch(visit: Visit) -> None:
    ada, person = visit("ada"), "/orgs/acme/memory/users/vera"
    ada.post(f"{person}/settings/capture", value="false")
    shown = ada.get(PEOPLE)
    assert words(shown).count("Learning off") == 1
    assert re.search(r"vera@example.org Member Python-Tutor \(Viewer\) invited Learning off", words(shown))
    assert f'<a class="chip warn" href="{person}" aria-label="Learning off for Vera Example' in shown.text
    ada.post(f"{person}/settings/capture", value="true")
    assert "Learning off" not in words(ada.get(PEOPLE))


def test_roles_are_changed_and_audited(visit: Visit, world: World) -> None:
    ada, agent = visit("ada"), world.agents["acme"]
    edit = f"{PEOPLE}/{world.users['mira']}/edit"
    assert 'value="mira@example.org"' not in ada.get(edit, partial=True).text
    fields = {"full_name": "Mira Example", "role": "admin", f"agent_{agent}": "viewer"}
    assert ada.post(edit, partial=True, **fields).status_code == 200
    assert membership(world, "mira").role == "admin"
    assert visit("mira").get(PEOPLE).status_code == 200
    ada.post(edit, **fields | {"role": "member", f"agent_{agent}": ""})
    assert membership(world, "mira").role == "member"
    assert world.row("acme", "SELECT 1 FROM agent_role WHERE user_id = :u", u=world.users["mira"]) is None


def test_the_last_admin_cannot_lock_the_org_out(visit: Visit, world: World) -> None:
    ada, me = visit("ada"), world.users["ada"]
    demoted = ada.post(f"{PEOPLE}/{me}/edit", partial=True, full_name="Ada Example", role="member")
    assert (demoted.status_code, "last admin" in words(demoted)) == (422, True)
    removed = ada.post(f"{PEOPLE}/{me}/remove", partial=True, memories="keep")
    assert (removed.status_code, "last admin" in words(removed)) == (422, True)
    assert ada.post(f"{PEOPLE}/{me}/disable").status_code == 400
    root = visit("root")
    assert root.post(f"{PEOPLE}/{me}/disable").status_code == 400
    assert membership(world, "ada").role == "admin"
    assert account(world, "ada").disabled_at is None


def test_a_disabled_account_loses_sign_ins_and_tokens(visit: Visit, world: World) -> None:
    ada, vera = visit("ada"), visit("vera")
    assert vera.get("/orgs/acme/me/memory").status_code == 200
    disable = f"{PEOPLE}/{world.users['vera']}/disable"
    assert "Disabled: sign-ins and tokens have ended" in words(ada.post(disable, partial=True))
    assert vera.get("/orgs/acme/me/memory").location.startswith("/login")
    path = "/api/ai-agent/orgs/acme/users/vera/memsearch-settings/"
    assert world.app.test_client().get(path, headers=world.headers("vera")).status_code == 401
    ada.post(f"{PEOPLE}/{world.users['vera']}/enable")
    assert account(world, "vera").disabled_at is None
    assert vera.get("/orgs/acme/me/memory").location.startswith("/login")
    assert world.app.test_client().get(path, headers=world.headers("vera")).status_code == 401


def test_a_reset_link_is_shown_once(visit: Visit, world: World) -> None:
    made = visit("ada").post(f"{PEOPLE}/{world.users['eddie']}/reset", partial=True)
    assert "/set-password/" in made.text
    noted = "SELECT count(*) AS n FROM audit_event WHERE action = 'person.link_set_password' AND target_user_id = :u"
    assert world.row("acme", noted, u=world.users["eddie"]).n == 1


@pytest.mark.parametrize("memories", ["keep", "erase"])
def test_removing_keeps_or_erases_what_is_remembered(visit: Visit, world: World, memories: str) -> None:
    ada, who = visit("ada"), "olga" if memories == "keep" else "mira"
    asked = ada.get(f"{PEOPLE}/{world.users[who]}/remove", partial=True)
    assert "What is remembered about them" in words(asked)
    theirs = visit(who)
    assert ada.post(f"{PEOPLE}/{world.users[who]}/remove", memories=memories).status_code == 303
    assert theirs.get("/orgs/acme/me/memory").status_code == 404
    held = world.row("acme", "SELECT count(*) AS n FROM memory WHERE user_id = :u", u=world.users[who]).n
    assert (held > 0) is (memories == "keep")
    assert f"{who}@example.org" not in words(ada.get(PEOPLE))


def test_the_accounts_of_people_elsewhere_are_not_touched(visit: Visit, world: World) -> None:
    ada = visit("ada")
    fields = {"username": "oscar", "full_name": "Renamed", "role": "member"}
    stranger = ada.post(f"{PEOPLE}/invite", partial=True, **fields, email="not@example.org")
    assert (stranger.status_code, account(world, "oscar").full_name) == (422, "Oscar Example")
    joined = ada.post(f"{PEOPLE}/invite", partial=True, **fields, email="oscar@example.org")
    assert "oscar has an account already" in words(joined)
    assert "/set-password/" not in joined.text
    user = world.users["oscar"]
    assert ada.post(f"{PEOPLE}/{user}/disable").status_code == 400
    assert ada.post(f"{PEOPLE}/{user}/reset").status_code == 400
    assert account(world, "oscar").full_name == "Oscar Example"


@pytest.mark.parametrize("partial", [True, False])
def test_an_agent_is_added_edited_archived_and_restored(visit: Visit, world: World, partial: bool) -> None:
    ada, slug = visit("ada"), f"coach-{partial}".lower()
    fields = {"name": "Coach", "slug": slug, "description": "Coaches.", "editors": "eddie\r\n", "viewers": ""}
    added = ada.post(f"{AGENTS}/new", partial=partial, **fields)
    assert added.status_code == (200 if partial else 303)
    taken = ada.post(f"{AGENTS}/new", partial=True, **fields)
    assert (taken.status_code, 'id="f-slug-error"' in taken.text) == (409, True)
    form = ada.get(f"{AGENTS}/{slug}/edit", partial=partial)
    assert ">\neddie</textarea>" in form.text
    edited = ada.post(
        f"{AGENTS}/{slug}/edit",
        partial=partial,
        **fields | {"name": f"Trainer {slug}", "slug": "other", "viewers": "vera@example.org"},
    )
    assert edited.status_code == (200 if partial else 303)
    row = world.row("acme", "SELECT name FROM agent WHERE slug = :slug", slug=slug)
    assert row.name == f"Trainer {slug}"
    archived = ada.post(f"{AGENTS}/{slug}/archive", partial=partial)
    page = words(archived if partial else ada.get(archived.location))
    assert "Agent archived" in page
    assert f"Trainer {slug}" not in page
    assert f"Trainer {slug}" in words(ada.get(f"{AGENTS}?state=archived"))
    ada.post(f"{AGENTS}/{slug}/restore", partial=partial)
    assert f"Trainer {slug}" in words(ada.get(AGENTS))


def test_a_slug_that_is_left_empty_is_made_from_the_name(visit: Visit, world: World) -> None:
    ada, slugs = visit("ada"), ["blumen-und-baume", "blumen-und-baume-2", "blumen-und-baume-3"]
    assert "Left empty, it is made from the name." in words(ada.get(f"{AGENTS}/new"))
    for slug in slugs:
        hint = ada.get(f"{AGENTS}/new/slug", query={"name": "Blumen und Bäume"}, partial=True)
        assert is_fragment(hint)
        assert words(hint).strip().endswith(f"Left empty, it becomes “{slug}”.")
        refused = ada.post(f"{AGENTS}/new", name="Blumen und Bäume", slug="", editors="nobody")
        assert (refused.status_code, f"it becomes “{slug}”" in words(refused)) == (422, True)
        page = ada.follow(f"{AGENTS}/new", name="Blumen und Bäume", slug="  ")
        assert f"Agent added. Its slug is “{slug}”." in words(page)
        assert world.row("acme", "SELECT name FROM agent WHERE slug = :slug", slug=slug).name == "Blumen und Bäume"


def test_a_typed_slug_stays_as_typed(visit: Visit, world: World) -> None:
    ada = visit("ada")
    page = ada.follow(f"{AGENTS}/new", name="Gardener of roses", slug="rose_2")
    assert "Its slug is" not in words(page)
    assert world.row("acme", "SELECT slug FROM agent WHERE name = 'Gardener of roses'").slug == "rose_2"
    taken = ada.post(f"{AGENTS}/new", name="Gardener of roses", slug="rose_2")
    assert (taken.status_code, "An agent with this slug already exists." in words(taken)) == (409, True)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 201, "slug": ""}, "name"),
        ({"name": "a\x00b", "slug": ""}, "name"),
        ({"slug": "Not A Slug"}, "slug"),
        ({"slug": "0" * 32}, "slug"),
        ({"editors": "nobody"}, "editors"),
        ({"viewers": "a\x00b"}, "viewers"),
        ({"description": "x" * 2001}, "description"),
    ],
)
def test_a_bad_agent_is_refused_beside_its_field(visit: Visit, changes: dict[str, str], field: str) -> None:
    fields = {"name": "Fresh", "slug": "fresh", "description": "", "editors": "", "viewers": ""} | changes
    answer = visit("ada").post(f"{AGENTS}/new", partial=True, **fields)
    assert (answer.status_code, f'id="f-{field}-error"' in answer.text) == (422, True)


def test_a_member_sees_the_agents_and_no_controls(visit: Visit) -> None:
    page = visit("eddie").get(AGENTS)
    assert "Help Desk" in words(page)
    assert "/edit" not in page.text
    assert "Add agent" not in words(page)


class _Mail(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        said, in_data = self.server.said, False  # type: ignore[attr-defined]
        self.wfile.write(b"220 ready\r\n")
        for line in self.rfile:
            said.append(line.decode().rstrip())
            if in_data:
                in_data = line != b".\r\n"
                reply = b"" if in_data else b"250 taken\r\n"
            else:
                in_data = line.upper().startswith(b"DATA")
                reply = (
                    b"354 go on\r\n"
                    if in_data
                    else b"221 bye\r\n"
                    if line.upper().startswith(b"QUIT")
                    else b"250 ok\r\n"
                )
            self.wfile.write(reply)


@contextmanager
def mail_server() -> Iterator[tuple[int, list[str]]]:
    """A server that takes every message; its port, and every line it was sent."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Mail) as server:
        server.said = []  # type: ignore[attr-defined]
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1], server.said  # type: ignore[attr-defined]
        finally:
            server.shutdown()
            thread.join()


def test_a_link_is_mailed_where_a_mail_server_is_set_and_shown_all_the_same(visit: Visit, world: World) -> None:
    held = world.app.extensions["agent_memory"]
    before = held.settings
    fields = {"full_name": "", "role": "member"}
    try:
        with mail_server() as (port, said):
            held.settings = replace(before, smtp_url=f"smtp://127.0.0.1:{port}", base_url="https://memory.example")
            made = visit("ada").post(
                f"{PEOPLE}/invite", partial=True, **fields, email="post@example.org", username="post"
            )
        down = visit("ada").post(f"{PEOPLE}/invite", partial=True, **fields, email="late@example.org", username="late")
    finally:
        held.settings = before
    link = re.search(r'value="(https://memory.example/set-password/[^"]+)"', made.text)
    assert link
    assert "It has also been mailed to post@example.org." in words(made)
    assert any("post@example.org" in line for line in said)
    assert link[1] in "".join(line.removesuffix("=") for line in said)
    assert (down.status_code, "/set-password/" in down.text, "mailed to" in words(down)) == (200, True, False)


def test_search_words_and_names_hold_whatever_people_type(visit: Visit, world: World) -> None:
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        session.execute(text("UPDATE agent SET description = :d WHERE slug = 'help-desk'"), {"d": "<b>100%</b> _off_"})
    for query in ("%25", "_off_", "<b>", "%00", "'; DROP TABLE agent; --", "(", "\\"):
        assert visit("ada").get(f"{AGENTS}?q={query}").status_code == 200
    assert "<b>100%</b>" not in visit("ada").get(AGENTS).text
    assert word("olga") not in visit("ada").get(AGENTS).text


def test_what_is_left_empty_is_asked_for_in_plain_words(visit: Visit) -> None:
    ada = visit("ada")
    person = words(ada.post(f"{PEOPLE}/invite", partial=True))
    assert "Enter a username." in person
    assert "Enter an e-mail address." in person
    assert "Full name (optional)" in person
    agent = words(ada.post("/orgs/acme/agents/new", partial=True))
    assert "Enter a name." in agent
    assert "Slug (optional)" in agent
    assert "Description (optional)" in agent
    short = words(ada.post("/orgs/acme/me/memory/global/new", partial=True, content="short"))
    assert "Write at least 10 characters." in short
    assert "Ensure this field" not in short
