"""One's own account, tokens, and erasing everything held about oneself."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import text

from tests.functional.api.world import World, word
from tests.functional.pages.conftest import Visit
from tests.functional.pages.visitor import Visitor, is_fragment, words
from webapp.access import passwords
from webapp.access.actor import SCOPES
from webapp.db.session import installation, transaction
from webapp.memory.audit import NOBODY

PASSWORD = "correct horse battery staple"
TOKENS = "/orgs/acme/me/tokens"


def one(world: World, statement: str, **values: Any) -> Any:
    with world.app.app_context(), installation() as session:
        return session.execute(text(statement), values).one_or_none()


def with_password(world: World, name: str) -> None:
    hashed = passwords.hash_password(PASSWORD)
    with world.app.app_context(), installation() as session:
        session.execute(
            text("UPDATE account SET password_hash = :hash WHERE username = :name"), {"hash": hashed, "name": name}
        )
        session.execute(text("DELETE FROM sign_in_throttle"))


def details(**changes: str) -> dict[str, str]:
    return {"full_name": "Olga Example", "email": "olga@example.org", "zone": "", "current_password": ""} | changes


def test_details_are_saved_and_the_zone_is_used(visit: Visit, world: World) -> None:
    olga = visit("olga")
    page = olga.follow("/account/details", **details(full_name="Olga Оленева", zone="Pacific/Auckland"))
    assert "Account saved" in words(page)
    account = one(world, "SELECT full_name, time_zone FROM account WHERE username = 'olga'")
    assert (account.full_name, account.time_zone) == ("Olga Оленева", "Pacific/Auckland")
    local = re.search(r'title="([^"]*) · ([^"]*)"', olga.get("/orgs/acme/me/memory").text)
    assert local
    assert local[2].endswith("UTC")
    assert local[1] not in local[2]
    olga.post("/account/details", **details())


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"email": "no address"}, "email", "Enter a valid email address."),
        ({"email": "MIRA@example.org"}, "current_password", "This is not your current password."),
        ({"zone": "Mars/Olympus"}, "zone", "Unknown time zone."),
        ({"full_name": "x" * 201}, "full_name", "no more than 200 characters"),
        ({"full_name": "a\x00b"}, "full_name", "Control characters are not allowed."),
    ],
)
def test_bad_details_are_refused_beside_their_field(
    visit: Visit, changes: dict[str, str], field: str, message: str
) -> None:
    answer = visit("olga").post("/account/details", **details(**changes))
    assert answer.status_code == 422
    assert message in words(answer)
    assert f'id="details-{field}-error"' in answer.text


def test_another_e_mail_takes_the_password_and_must_be_free(visit: Visit, world: World) -> None:
    with_password(world, "olga")
    olga = visit("olga")
    taken = olga.post("/account/details", **details(email="mira@example.org", current_password=PASSWORD))
    assert (taken.status_code, "already in use" in words(taken)) == (422, True)
    assert olga.post("/account/details", **details(email="o@example.org", current_password=PASSWORD)).status_code == 303
    assert olga.post("/account/details", **details(current_password=PASSWORD)).status_code == 303


def test_a_new_password_ends_other_sign_ins_and_renews_this_one(visit: Visit, world: World) -> None:
    with_password(world, "mira")
    here, elsewhere = visit("mira"), visit("mira")
    cookie = here.client.get_cookie("session")
    wrong = here.post("/account/password", current="no", new=PASSWORD, again=PASSWORD)
    assert (wrong.status_code, 'id="password-current-error"' in wrong.text) == (422, True)
    differs = here.post("/account/password", current=PASSWORD, new="another long password", again="and another one")
    assert (differs.status_code, 'id="password-again-error"' in differs.text) == (422, True)
    short = here.post("/account/password", current=PASSWORD, new="short", again="short")
    assert (short.status_code, 'id="password-new-error"' in short.text) == (422, True)
    done = here.post("/account/password", current=PASSWORD, new="another long password", again="another long password")
    assert done.status_code == 303
    assert here.get("/account").status_code == 200
    assert elsewhere.get("/account").location.startswith("/login")
    assert cookie
    here.client.set_cookie("session", cookie.value)
    assert here.get("/account").location.startswith("/login")


def test_guessing_the_current_password_is_throttled(visit: Visit, world: World) -> None:
    with_password(world, "eddie")
    eddie = visit("eddie")
    for _ in range(10):
        eddie.post("/account/password", current="guess", new="x" * 12, again="x" * 12)
    blocked = eddie.post("/account/password", current=PASSWORD, new="x" * 12, again="x" * 12)
    assert "Too many failed sign-ins" in words(blocked)
    with_password(world, "eddie")


def test_signing_out_elsewhere_keeps_this_browser(visit: Visit) -> None:
    here, elsewhere = visit("vera"), visit("vera")
    assert "this browser" in words(here.get("/account"))
    assert "other sign-in" in words(here.follow("/account/sessions"))
    assert elsewhere.get("/account").location.startswith("/login")
    assert "Only here." in words(here.get("/account"))


def test_the_account_page_is_for_the_signed_in(world: World) -> None:
    client = world.app.test_client()
    assert client.get("/account").location.startswith("/login")
    for action in ("details", "password", "sessions"):
        assert client.post(f"/account/{action}").status_code in (303, 400)


@pytest.mark.parametrize("partial", [True, False])
def test_a_personal_token_is_shown_once_works_and_can_be_revoked(visit: Visit, world: World, partial: bool) -> None:
    olga, name = visit("olga"), f"notebook {partial}"
    assert 'name="scopes"' not in olga.get(f"{TOKENS}/new", partial=partial).text
    made = olga.post(f"{TOKENS}/new", partial=partial, name=name, expires="")
    assert (made.status_code, is_fragment(made)) == (200, partial)
    secret = re.search(r'value="(am_[^"]+)"', made.text)
    assert secret
    assert secret[1] not in olga.get(TOKENS).text
    path = "/api/ai-agent/orgs/acme/users/olga/memsearch-settings/"
    header = {"Authorization": f"Token {secret[1]}"}
    assert world.app.test_client().get(path, headers=header).status_code == 200
    revoke = re.search(rf'href="({TOKENS}/\d+/revoke)"', made.text)
    assert revoke
    assert name in words(olga.get(revoke[1], partial=partial))
    done = olga.post(revoke[1], partial=partial)
    assert done.status_code == (200 if partial else 303)
    assert world.app.test_client().get(path, headers=header).status_code == 401
    assert olga.get(revoke[1]).status_code == 404


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": "  "}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "late", "expires": "2001-01-01"}, "expires"),
        ({"name": "never", "expires": "soon"}, "expires"),
        ({"name": "far", "expires": "9999-12-31"}, "expires"),
    ],
)
def test_a_bad_token_form_is_refused_beside_its_field(visit: Visit, fields: dict[str, str], field: str) -> None:
    answer = visit("olga").post(f"{TOKENS}/new", partial=True, **fields)
    assert (answer.status_code, f'id="f-{field}-error"' in answer.text) == (422, True)


def test_nobody_reaches_anothers_tokens(visit: Visit, world: World) -> None:
    olga = visit("olga")
    olga.post(f"{TOKENS}/new", name="hers", expires="")
    token = one(world, "SELECT max(id) AS id FROM token WHERE name = 'hers'")
    for who in ("mira", "ada"):
        assert visit(who).post(f"{TOKENS}/{token.id}/revoke").status_code == 404
    assert visit("ada").post(f"/orgs/acme/tokens/{token.id}/revoke").status_code == 404


def test_a_service_token_has_scopes_and_is_audited(visit: Visit, world: World) -> None:
    ada: Visitor = visit("ada")
    none = ada.post("/orgs/acme/tokens/new", partial=True, name="chat")
    assert (none.status_code, 'id="f-scopes"' in none.text) == (422, True)
    assert "Choose at least one scope" in words(none)
    forged = ada.post("/orgs/acme/tokens/new", partial=True, name="chat", scopes=["everything"])
    assert (forged.status_code, "Unknown scope" in words(forged)) == (422, True)
    made = ada.post("/orgs/acme/tokens/new", partial=True, name="chat", scopes=list(SCOPES[:2]), expires="2999-01-01")
    assert made.status_code == 200
    noted = world.row("acme", "SELECT detail FROM audit_event WHERE action = 'token.created' ORDER BY id DESC LIMIT 1")
    assert noted.detail == {"scopes": sorted(SCOPES[:2])}


def test_erasing_asks_for_the_username_and_hands_over_a_receipt(visit: Visit, world: World) -> None:
    path = "/orgs/acme/me/memory/erase"
    ada, user = visit("ada"), world.users["ada"]
    visit("ada").post(
        f"/orgs/acme/agents/python-tutor/memory/{world.memories['olga', 'agent']}/edit",
        content="The user studies what ada wrote", category="preferences", version=1,
    )  # fmt: skip
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        epoch = session.scalar(text("SELECT epoch FROM membership WHERE user_id = :u"), {"u": user})
    assert "Type ada to confirm" in words(ada.get(path, partial=True))
    refused = ada.post(path, username="Ada")
    assert (refused.status_code, 'id="f-username-error"' in refused.text) == (422, True)
    receipt = ada.post(path, username="ada", stop="true")
    assert receipt.status_code == 200
    shown = words(receipt)
    assert re.search(r"Memories 2\b", shown)
    assert "Learning is now off for you." in shown
    member = world.row(
        "acme", "SELECT epoch, erased_at, auto_capture_enabled FROM membership WHERE user_id = :u", u=user
    )
    assert (member.epoch, member.erased_at is not None, member.auto_capture_enabled) == (epoch + 1, True, False)
    for table in ("memory", "inbox", "tombstone", "revision"):
        assert world.row("acme", f"SELECT count(*) AS n FROM {table} WHERE user_id = :u", u=user).n == 0
    edited = world.row("acme", "SELECT edited_by FROM memory WHERE id = :id", id=world.memories["olga", "agent"])
    assert edited.edited_by == NOBODY


def test_no_word_of_an_erased_person_is_left_anywhere(visit: Visit, world: World) -> None:
    mira: Visitor = visit("mira")
    mira.post("/orgs/acme/me/memory/global/new", content=f"The user also likes {word('mira')} a lot")
    answer = mira.post("/orgs/acme/me/memory/erase", username="mira")
    assert "Learning is still on" in words(answer)
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        tables = session.scalars(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).all()
        for table in tables:
            found = session.scalar(
                text(f'SELECT count(*) FROM "{table}" AS t WHERE t::text LIKE :word'), {"word": f"%{word('mira')}%"}
            )
            assert found == 0, table
        labels = text("SELECT count(*) FROM audit_event WHERE actor_label = 'mira' OR target_label = 'mira'")
        assert session.scalar(labels) == 0
    assert "0 memories" in words(mira.get("/orgs/acme/me/memory"))
    mira.post("/orgs/acme/me/memory/global/new", content="The user begins anew after erasing")
    assert "begins anew" in words(mira.get("/orgs/acme/me/memory"))
