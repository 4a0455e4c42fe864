"""Signing in and out: sessions, throttle, links, and what happens to typed text when a session has ended."""

from __future__ import annotations

import html
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text
from werkzeug.test import TestResponse

from tests.functional.api.world import World, word
from tests.functional.pages.conftest import Visit
from tests.functional.pages.visitor import HTMX, Visitor, words
from webapp.access import passwords, sign_in
from webapp.db.session import installation
from webapp.directory import people

PASSWORD = "correct horse battery staple"
ME = "/orgs/acme/me/memory"


@pytest.fixture(autouse=True)
def passwords_and_no_blocks(world: World) -> None:
    run(world, "UPDATE account SET password_hash = :hash, disabled_at = NULL", hash=passwords.hash_password(PASSWORD))
    run(world, "UPDATE account SET disabled_at = now() WHERE username = 'dora'")
    run(world, "DELETE FROM sign_in_throttle")


def run(world: World, statement: str, **values: Any) -> Any:
    with world.app.app_context(), installation() as session:
        found = session.execute(text(statement), values)
        return found.all() if found.returns_rows else None


def csrf_in(answer: TestResponse) -> str:
    found = re.search(r'name="csrf_token" value="([^"]+)"', answer.text)
    assert found
    return found[1]


def enter(client: FlaskClient, login: str, password: str = PASSWORD, **fields: Any) -> TestResponse:
    token = csrf_in(client.get("/login"))
    return client.post("/login", data={"login": login, "password": password, "csrf_token": token, **fields})


@pytest.mark.parametrize(("login", "leads_to"), [("ada", "/orgs/acme/memory"), ("OLGA@example.org", ME)])
def test_signing_in_leads_to_where_ones_work_is(world: World, login: str, leads_to: str) -> None:
    client = world.app.test_client()
    assert enter(client, login).location == "/"
    assert client.get("/", follow_redirects=True).request.path == leads_to


def test_a_superuser_without_a_membership_lands_on_a_tenant(world: World) -> None:
    client = world.app.test_client()
    enter(client, "root")
    page = client.get("/", follow_redirects=True)
    assert (page.status_code, page.request.path) == (200, "/orgs/acme/memory")
    assert "My memory" not in words(page)
    assert client.get(ME).status_code == 404


def test_the_session_begins_anew_at_sign_in(world: World) -> None:
    client = world.app.test_client()
    client.get("/login")
    with client.session_transaction() as before:
        old = dict(before)
    enter(client, "olga")
    with client.session_transaction() as after:
        assert after.get("csrf_token") != old["csrf_token"]
        first = after["_user_id"]
    enter(client, "olga")
    with client.session_transaction() as again:
        assert again["_user_id"] != first


def test_the_answer_is_the_same_whether_an_account_exists_or_not(world: World) -> None:
    answers = [enter(world.app.test_client(), name, "wrong password!") for name in ("olga", "nobody", "dora")]
    assert {answer.status_code for answer in answers} == {422}
    assert len({re.sub(r'value="[^"]*"', "", words(answer)) for answer in answers}) == 1
    assert enter(world.app.test_client(), "dora").status_code == 422


def test_after_ten_failures_an_account_is_blocked_for_the_right_password_too(world: World) -> None:
    for _ in range(10):
        assert enter(world.app.test_client(), "olga", "wrong").status_code == 422
    for name in ("olga", "olga@example.org"):
        blocked = enter(world.app.test_client(), name)
        assert blocked.status_code == 429
        assert 0 < int(blocked.headers["Retry-After"]) <= 15 * 60
    assert "Too many failed sign-ins" in words(blocked)


def test_an_address_is_blocked_whoever_it_tries(world: World) -> None:
    for n in range(10):
        assert enter(world.app.test_client(), f"somebody{n}", "wrong").status_code == 422
    assert enter(world.app.test_client(), "mira").status_code == 429


def test_attempts_at_once_cannot_outrun_the_limit(world: World) -> None:
    def attempt(_n: int) -> int:
        return enter(world.app.test_client(), "olga", "wrong").status_code

    with ThreadPoolExecutor(12) as pool:
        statuses = list(pool.map(attempt, range(24)))
    assert statuses.count(422) == 10
    assert statuses.count(429) == 14


def test_a_success_forgets_the_accounts_failures_and_a_block_ends_by_the_databases_clock(world: World) -> None:
    for _ in range(9):
        enter(world.app.test_client(), "olga", "wrong")
    assert enter(world.app.test_client(), "olga").status_code == 303
    run(world, "DELETE FROM sign_in_throttle WHERE failures = 9")
    for _ in range(10):
        enter(world.app.test_client(), "olga", "wrong")
    assert enter(world.app.test_client(), "olga").status_code == 429
    run(world, "UPDATE sign_in_throttle SET blocked_until = now() - interval '1 second'")
    assert enter(world.app.test_client(), "olga").status_code == 303


def test_signing_out_ends_the_session_itself(visit: Visit) -> None:
    olga = visit("olga")
    stolen = olga.client.get_cookie("session")
    assert stolen
    assert olga.post("/logout").location == "/login"
    olga.client.set_cookie("session", stolen.value)
    assert olga.get(ME).location.startswith("/login")


@pytest.mark.parametrize(
    "ending",
    [
        "UPDATE login_session SET last_seen_at = now() - interval '31 minutes'",
        "UPDATE login_session SET expires_at = now() - interval '1 second'",
        "UPDATE account SET disabled_at = now() WHERE username = 'olga'",
    ],
    ids=["idle", "absolute", "disabled"],
)
def test_a_session_ends(world: World, visit: Visit, ending: str) -> None:
    olga = visit("olga")
    assert olga.get(ME).status_code == 200
    run(world, ending)
    assert olga.get(ME).location == f"/login?next={ME}&expired=1"


def test_a_session_lasts_while_it_is_used_but_not_beyond_twelve_hours(world: World) -> None:
    client = world.app.test_client()
    enter(client, "olga")
    hours = run(
        world,
        "SELECT extract(epoch FROM expires_at - created_at) / 3600 AS h FROM login_session ORDER BY created_at DESC LIMIT 1",
    )
    assert round(hours[0].h) == 12
    run(world, "UPDATE login_session SET last_seen_at = now() - interval '29 minutes'")
    client.get(ME)
    assert run(world, "SELECT max(last_seen_at) > now() - interval '1 minute' AS fresh FROM login_session")[0].fresh


def test_another_address_in_next_is_not_followed(world: World) -> None:
    for bad in ("https://evil.example/x", "//evil.example", "/\\evil.example", "javascript:alert(1)", "\\\\evil"):
        client = world.app.test_client()
        token = csrf_in(client.get("/login"))
        data = {"login": "olga", "password": PASSWORD, "next": bad, "csrf_token": token}
        assert client.post("/login", data=data).location == "/", bad


def test_after_the_end_htmx_is_told_and_a_page_leads_back(world: World, visit: Visit) -> None:
    olga = visit("olga")
    run(world, "DELETE FROM login_session")
    assert olga.post(f"{ME}/settings/use", partial=True, value="false").status_code == 401
    assert olga.get(f"{ME}?q=x", partial=True).status_code == 401
    page = olga.get(f"{ME}?q=x")
    client = world.app.test_client()
    token = csrf_in(client.get(page.location))
    following = re.search(r'name="next" value="([^"]*)"', client.get(page.location).text)
    assert following
    back = client.post(
        "/login", data={"login": "olga", "password": PASSWORD, "next": following[1], "csrf_token": token}
    )
    assert back.location == f"{ME}?q=x"


def test_what_was_typed_comes_through_the_sign_in_without_a_script(world: World, visit: Visit) -> None:
    typed = "The user typed this <b>while</b> the session ended\r\nand a second line"
    olga = visit("olga")
    run(world, "DELETE FROM login_session")
    asked = olga.post(f"{ME}/global/new?q=a", content=typed)
    assert asked.status_code == 401
    fields = re.findall(
        r'name="(resume_\w+)" value="([^"]*)"|<textarea name="(resume_value)" hidden>\n(.*?)</textarea>',
        asked.text,
        re.S,
    )
    data: dict[str, Any] = {"csrf_token": csrf_in(asked), "login": "olga", "password": PASSWORD}
    for name, value, area, content in fields:
        data.setdefault(name or area, []).append(html.unescape(value or content))
    again = olga.client.post("/login", data=data)
    assert "Save what I typed" in words(again)
    form = re.search(r'action="([^"]*global/new[^"]*)"', again.text)
    assert form
    content = re.search(r'<textarea name="content" hidden>\n(.*?)</textarea>', again.text, re.S)
    assert content
    sent = olga.client.post(
        html.unescape(form[1]), data={"content": html.unescape(content[1]), "csrf_token": csrf_in(again)}
    )
    assert sent.location == f"{ME}?q=a"
    assert "while the session ended" in words(olga.get(ME)).replace("<b>while</b>", "while")


def test_a_form_that_no_page_of_ours_made_is_not_kept(world: World, visit: Visit) -> None:
    olga = visit("olga")
    run(world, "DELETE FROM login_session")
    forged = olga.client.post(f"{ME}/global/new", data={"content": "The user was tricked into this"})
    assert forged.status_code == 303
    assert forged.location == "/login"


def test_a_write_without_the_token_changes_nothing(visit: Visit) -> None:
    olga = visit("olga")
    answer = olga.client.post(f"{ME}/global/new", data={"content": "The user did not send this"})
    assert answer.status_code == 400
    assert "The user did not send this" not in words(olga.get(ME))


def test_a_link_sets_a_password_once_and_ends_other_sign_ins(world: World, visit: Visit) -> None:
    mira = visit("mira")
    with world.app.app_context():
        secret = people.invite_link(world.boss("acme"), world.users["mira"], "set_password").secret
    client, path = world.app.test_client(), f"/set-password/{secret}"
    page = client.get(path)
    short = client.post(path, data={"password": "short", "again": "short", "csrf_token": csrf_in(page)})
    assert (short.status_code, "at least 12 characters" in words(short)) == (422, True)
    differs = client.post(path, data={"password": PASSWORD, "again": "x" * 14, "csrf_token": csrf_in(page)})
    assert (differs.status_code, "The two passwords differ." in words(differs)) == (422, True)
    done = client.post(
        path, data={"password": "a fresh new password", "again": "a fresh new password", "csrf_token": csrf_in(page)}
    )
    assert done.location == "/"
    assert client.get(ME).status_code == 200
    assert mira.get(ME).location.startswith("/login")
    assert client.get(path).status_code == 410


def test_a_sign_in_link_opens_my_memory_once(world: World) -> None:
    with world.app.app_context():
        secret = people.invite_link(world.boss("acme"), world.users["olga"], "sign_in").secret
    client = world.app.test_client()
    assert client.get(f"/sign-in/{secret}").location == ME
    assert word("olga") in words(client.get(ME))
    assert world.app.test_client().get(f"/sign-in/{secret}").location.startswith("/login")


def test_a_disabled_accounts_link_opens_nothing(world: World) -> None:
    with world.app.app_context(), installation() as session:
        secret = sign_in.new_link(session, world.users["dora"], "sign_in", org_id=world.orgs["acme"]).secret
    client = world.app.test_client()
    assert client.get(f"/sign-in/{secret}").location.startswith("/login")
    assert client.get(ME).location.startswith("/login")


def test_pages_are_never_kept_by_a_cache_and_say_what_they_vary_on(visit: Visit) -> None:
    answer = visit("olga").get(ME)
    assert answer.headers["Cache-Control"] == "no-store"
    assert "HX-Request-Type" in answer.headers["Vary"]
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_a_first_run_names_the_command(world: World) -> None:
    assert "make create-org" not in words(world.app.test_client().get("/login"))


def test_htmx_without_a_partial_gets_the_page(visit: Visit) -> None:
    olga: Visitor = visit("olga")
    whole = olga.client.get(ME, headers={"HX-Request": "true", "HX-Request-Type": "full"})
    assert "<html" in whole.text
    assert HTMX["HX-Request-Type"] == "partial"
