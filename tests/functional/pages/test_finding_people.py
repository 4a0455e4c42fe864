"""Finding people: the same on every screen, by parts of name, username and e-mail; nobody is not the same as nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import text

from tests.functional.api.world import World, word
from tests.functional.pages.conftest import Visit
from tests.functional.pages.visitor import words
from webapp.db.session import transaction
from webapp.directory import people

AGENT, TENANT = "/orgs/acme/agents/python-tutor/memory", "/orgs/acme/memory"
# Of olga: username, a word of the full name, both words the other way round, parts of each and of the e-mail.
OLGA = ["olga", "Lindq", "lindqvist OLG", "lga@exa", "olga@example.org"]


@pytest.fixture(autouse=True)
def names(world: World) -> Iterator[None]:
    run(world, "UPDATE account SET full_name = 'Olga Lindqvist' WHERE username = 'olga'")
    yield
    run(world, "UPDATE account SET full_name = 'Olga Example' WHERE username = 'olga'")


def run(world: World, statement: str, **values: object) -> None:
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        session.execute(text(statement), values)


@pytest.mark.parametrize("typed", OLGA)
def test_a_person_is_found_everywhere(visit: Visit, typed: str) -> None:
    memories = words(visit("eddie").get(AGENT, query={"user": typed}))
    assert word("olga", "agent") in memories
    assert word("mira", "agent") not in memories
    activity = words(visit("ada").get(f"{TENANT}/activity", query={"user": typed}, partial=True))
    assert "1 entry" in activity
    found = words(visit("ada").get(TENANT, query={"q": typed}, partial=True))
    assert "olga@example.org" in found
    assert "mira@example.org" not in found
    tried = visit("eddie").post(f"{AGENT}/try", partial=True, user=typed, message="hello there")
    assert tried.status_code == 200
    form = {"content": f"The user likes rice, {typed}", "category": "preferences", "user": typed}
    assert visit("eddie").post(f"{AGENT}/new", partial=True, **form).status_code == 200


def test_several_in_a_filter_are_all_of_them(visit: Visit) -> None:
    shown = words(visit("eddie").get(AGENT, query={"user": "example.org"}))
    assert word("olga", "agent") in shown
    assert word("mira", "agent") in shown


def test_a_whole_e_mail_or_id_is_that_person_alone(visit: Visit, world: World) -> None:
    with world.app.app_context():
        longer = people.PersonDraft(email="zolga@example.org", full_name="Zolga")
        zolga = people.put_person(world.boss("acme"), "zolga", longer)[0].id
    for typed in ("olga@example.org", str(world.users["olga"])):
        assert "olga@example.org" in words(visit("eddie").get(AGENT, query={"user": typed}))
    run(world, "UPDATE inbox SET user_id = :zolga WHERE id = :id", zolga=zolga, id=world.exchanges["mira"])
    both = words(visit("ada").get(f"{TENANT}/activity", query={"user": "olga"}, partial=True))
    alone = words(visit("ada").get(f"{TENANT}/activity", query={"user": "olga@example.org"}, partial=True))
    run(world, "UPDATE inbox SET user_id = :mira WHERE id = :id", mira=world.users["mira"], id=world.exchanges["mira"])
    assert ("2 entries" in both, "1 entry" in alone) == (True, True)


def test_nobody_is_not_the_same_as_nothing(visit: Visit, world: World) -> None:
    eddie, ada = visit("eddie"), visit("ada")
    assert "No person called “Lena”." in words(eddie.get(AGENT, query={"user": "Lena"}))
    assert "No person called “Lena”." in words(ada.get(f"{TENANT}/activity", query={"user": "Lena"}))
    assert "No person called “Lena”." in words(ada.get(TENANT, query={"q": "Lena"}))
    tried = eddie.post(f"{AGENT}/try", partial=True, user="Lena", message="hello there")
    assert (tried.status_code, "No person called “Lena”." in words(tried)) == (422, True)
    with world.app.app_context():
        people.put_person(world.boss("acme"), "blank", people.PersonDraft(email="blank@example.org"))
    assert "Nothing is saved about “blank”." in words(eddie.get(AGENT, query={"user": "blank"}))
    narrowed = words(eddie.get(AGENT, query={"user": "olga", "q": "zebra"}))
    assert "Nothing matches" in narrowed


def test_nobody_of_another_org_is_known(visit: Visit) -> None:
    assert "No person called “oscar”." in words(visit("eddie").get(AGENT, query={"user": "oscar"}))
    assert "No person called “oscar@example.org”." in words(
        visit("ada").get(f"{TENANT}/activity", query={"user": "oscar@example.org"})
    )


def test_where_one_is_needed_several_are_named_up_to_five(visit: Visit, world: World) -> None:
    eddie = visit("eddie")
    with world.app.app_context():
        for number in range(2):
            draft = people.PersonDraft(email=f"kim{number}@example.org", full_name=f"Kim Number {number}")
            people.put_person(world.boss("acme"), f"kim{number}", draft)
    few = eddie.post(f"{AGENT}/try", partial=True, user="kim", message="hello there")
    assert few.status_code == 422
    assert "“kim” may be several people: kim0, kim1. Type one of these usernames." in words(few)
    with world.app.app_context():
        for number in range(2, 8):
            people.put_person(world.boss("acme"), f"kim{number}", people.PersonDraft(email=f"kim{number}@example.org"))
    many = eddie.post(f"{AGENT}/new", partial=True, user="kim", content="The user likes rice", category="preferences")
    assert many.status_code == 422
    assert "“kim” may be many people, among them kim0, kim1, kim2, kim3, kim4. Type" in words(many)


def test_who_has_no_role_finds_nobody_else(visit: Visit) -> None:
    for typed in ("mira", "mir", "Lena"):
        assert visit("olga").post(f"{AGENT}/try", user=typed, message="hello there").status_code == 403
