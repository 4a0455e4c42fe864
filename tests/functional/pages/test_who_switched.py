"""Who turned a person's switches off, and when: the same truth on every screen and over the API."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from sqlalchemy import text

from tests.functional.api.world import World
from tests.functional.pages.conftest import Visit
from tests.functional.pages.visitor import words
from webapp.access.actor import Actor
from webapp.db.session import transaction
from webapp.memory import enablement

TUTOR = "/orgs/acme/agents/python-tutor/memory"
ME, PAGE, ACTIVITY = "/orgs/acme/me/memory", "/orgs/acme/memory/users/mira", "/orgs/acme/memory/activity"
CLOCK = r"\d\d:\d\d"


@pytest.fixture(autouse=True)
def mira(world: World) -> Iterator[int]:
    """Her id; her switches are on again afterwards, and nobody has touched them."""
    user = world.users["mira"]
    yield user
    run(world, f"UPDATE membership SET {BLANK} WHERE user_id = :user", user=user)


BLANK = ", ".join(
    ["auto_capture_enabled = true", "use_memory_in_responses = true"]
    + [f"{side}_changed_{part} = NULL" for side in ("capture", "use") for part in ("at", "by", "by_id")]
)


def run(world: World, statement: str, **values: object) -> None:
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        session.execute(text(statement), values)


def skip(world: World, at: str = "now()") -> None:
    statement = f"UPDATE inbox SET state = 'skipped', reason = 'user_capture_off', done_at = {at} WHERE id = :id"
    run(world, statement, id=world.exchanges["mira"])


@pytest.mark.parametrize(
    ("side", "begins"), [("capture", "Learning is off"), ("use", "Nothing saved is used in responses")]
)
def test_who_turned_it_off_is_named_to_everybody(visit: Visit, side: str, begins: str) -> None:
    visit("ada").post(f"{PAGE}/settings/{side}", value="false")
    assert re.search(f"{begins}: turned off by Ada Example, {CLOCK}", words(visit("mira").get(ME)))
    assert re.search(f"{begins}: turned off by you, {CLOCK}", words(visit("ada").get(PAGE)))
    visit("mira").post(f"{ME}/settings/{side}", value="true")
    visit("mira").post(f"{ME}/settings/{side}", value="false")
    assert re.search(f"{begins}: turned off by you, {CLOCK}", words(visit("mira").get(ME)))
    assert re.search(f"{begins}: turned off by Mira Example, {CLOCK}", words(visit("ada").get(PAGE)))


def test_setting_it_to_what_it_is_changes_no_name(visit: Visit) -> None:
    visit("mira").post(f"{ME}/settings/capture", value="false")
    visit("ada").post(f"{PAGE}/settings/capture", value="false")
    assert "turned off by you" in words(visit("mira").get(ME))


def test_where_nobody_knows_nobody_is_named(visit: Visit, world: World, mira: int) -> None:
    run(world, "UPDATE membership SET auto_capture_enabled = false WHERE user_id = :user", user=mira)
    assert "Learning is off for you." in words(visit("mira").get(ME))
    assert "Learning is off for this person." in words(visit("ada").get(PAGE))


def test_activity_names_who_did_it_unless_it_was_set_again_since(visit: Visit, world: World) -> None:
    visit("ada").post(f"{PAGE}/settings/capture", value="false")
    skip(world)
    assert re.search(f"Learning was off for the person: turned off by you, {CLOCK}", words(visit("ada").get(ACTIVITY)))
    visit("mira").post(f"{ME}/settings/capture", value="true")
    visit("mira").post(f"{ME}/settings/capture", value="false")
    skip(world, "now() - interval '1 hour'")
    shown = words(visit("ada").get(ACTIVITY))
    assert "Learning was off for the person." in shown
    assert "turned off by Mira" not in shown


def test_the_api_says_it_too(visit: Visit, world: World) -> None:
    visit("ada").post(f"{PAGE}/settings/use", value="false")
    path = "/orgs/acme/users/mira/agents/python-tutor/context/"
    answer = world.call("mira", "POST", path, json={"message": "Hello there"})
    assert answer.json["state"]["use"]["detail"] == "use in responses is turned off for the person by Ada Example"


@pytest.fixture
def switched_on(visit: Visit) -> Iterator[None]:
    """The organisation and the agent are on again afterwards."""
    yield
    visit("eddie").post(f"{TUTOR}/enable", value="true")
    visit("root").post("/orgs/acme/memory/switch", value="true")


@pytest.mark.usefixtures("switched_on")
def test_who_turned_off_the_organisation_or_an_agent_has_their_full_name(visit: Visit) -> None:
    visit("eddie").post(f"{TUTOR}/enable", value="false")
    assert re.search(f"Off since {CLOCK} by Eddie Example\\.", words(visit("vera").get(TUTOR)))
    tried = visit("vera").post(f"{TUTOR}/try", partial=True, user="mira", message="What does she like?")
    assert "Turned off for the agent by Eddie Example." in words(tried)
    visit("ada").post("/orgs/acme/memory/switch", value="false")
    for who, page in (("ada", "/orgs/acme/memory"), ("ada", ACTIVITY), ("ada", PAGE), ("mira", ME), ("vera", TUTOR)):
        shown = words(visit(who).get(page))
        assert re.search(f"{CLOCK},? by Ada Example", shown), page
        assert "by ada" not in shown, page


@pytest.mark.usefixtures("switched_on")
def test_a_service_that_is_called_like_somebody_is_not_them(visit: Visit, world: World) -> None:
    with world.app.app_context():
        service = Actor("service", world.orgs["acme"], "ada", "token:0", scopes=frozenset({"settings:write"}))
        enablement.switch_org(service, False)
    assert re.search(f"Off since {CLOCK} by ada\\.", words(visit("ada").get("/orgs/acme/memory")))


@pytest.mark.usefixtures("switched_on")
def test_an_erasure_takes_the_name_there_too(visit: Visit) -> None:
    visit("eddie").post(f"{TUTOR}/enable", value="false")
    assert visit("eddie").post(f"{ME}/erase", username="eddie").status_code == 200
    assert re.search(f"Off since {CLOCK} by erased person\\.", words(visit("vera").get(TUTOR)))


def test_an_erasure_takes_the_name_of_who_switched(visit: Visit, world: World, mira: int) -> None:
    visit("ada").post(f"{PAGE}/settings/capture", value="false")
    run(world, "UPDATE membership SET use_memory_in_responses = false WHERE user_id = :user", user=mira)
    ada = visit("ada")
    assert ada.post("/orgs/acme/me/memory/erase", username="ada").status_code == 200
    assert "turned off by erased person" in words(visit("mira").get(ME))


def test_erasing_and_stopping_is_turning_it_off(visit: Visit) -> None:
    page = visit("mira").post(f"{ME}/erase", username="mira", stop="true")
    assert page.status_code == 200
    assert "turned off by you" in words(visit("mira").get(ME))
