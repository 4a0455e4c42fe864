"""Every address of the screens, for everybody, whole and in part: nobody gets further than `grid.py` says."""

from __future__ import annotations

import pytest
from flask import Flask

from tests.functional.api.world import World, word
from tests.functional.pages.conftest import Visit
from tests.functional.pages.fresh import Fresh
from tests.functional.pages.grid import CAST, GET, HIDDEN, NO, POST, YES
from tests.functional.pages.visitor import HTMX, is_fragment, words
from webapp import pages
from webapp.memory.write import removal

# Undo names a deletion, not an object of the address; it has a test of its own below.
WITHOUT_A_ROW = {"undo"}
# A file, and what a field is answered with while it is filled in.
ALWAYS_THE_SAME = {"download", "users", "slug"}
OUTSIDE_ORGS = {"auth", "account"}
# They have a grid of their own in tests/graph.
ELSEWHERE = {"graph", "graph_actions"}
THROUGH = {200, 303, 400, 409, 422}
SECRETS = (word("olga"), word("olga", "agent"), word("acme", "knowledge"))


def test_the_grid_names_every_address_of_the_screens(app: Flask, world: World) -> None:
    adapter = app.url_map.bind("localhost")
    named = {
        (method, adapter.match(address.format_map(Fresh(world)).split("?")[0], method=method)[0])
        for method, table in (("GET", GET), ("POST", POST))
        for address in table
    }
    screens = {screen.pages.name for screen in pages.SCREENS} - OUTSIDE_ORGS - ELSEWHERE
    existing = {
        (method, rule.endpoint)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) & {"GET", "POST"}
        if rule.endpoint.split(".")[0] in screens and rule.rule.split("/")[-1] not in WITHOUT_A_ROW
    }
    assert existing - named == set()


def test_the_grid_has_every_cell() -> None:
    assert {frozenset(row) for table in (GET, POST) for row in table.values()} == {frozenset(CAST)}


@pytest.mark.parametrize("partial", [False, True], ids=["page", "part"])
@pytest.mark.parametrize("address", GET)
def test_reading(visit: Visit, world: World, address: str, partial: bool) -> None:
    for letter, expected in GET[address].items():
        answer = visit(CAST[letter]).get(address.format_map(Fresh(world)), partial=partial)
        said = (CAST[letter], answer.status_code, words(answer)[:200])
        assert answer.status_code == {YES: 200, NO: 403, HIDDEN: 404}[expected], said
        if expected != YES:
            assert not any(secret in answer.text for secret in SECRETS), said
        elif address.split("/")[-1] not in ALWAYS_THE_SAME:
            assert is_fragment(answer) is partial, said
    nobody = world.app.test_client().get(address.format_map(Fresh(world)), headers=HTMX if partial else {})
    assert nobody.status_code == (401 if partial else 303)


@pytest.mark.parametrize("partial", [False, True], ids=["page", "part"])
@pytest.mark.parametrize("address", POST)
def test_sending(visit: Visit, world: World, address: str, partial: bool) -> None:
    for letter, expected in POST[address].items():
        answer = visit(CAST[letter]).post(address.format_map(Fresh(world)), partial=partial)
        said = (CAST[letter], answer.status_code, words(answer)[:300])
        if expected == YES:
            assert answer.status_code in THROUGH, said
        else:
            assert answer.status_code == {NO: 403, HIDDEN: 404}[expected], said
            assert not any(secret in answer.text for secret in SECRETS), said
    nobody = world.app.test_client().post(address.format_map(Fresh(world)), headers=HTMX if partial else {})
    assert nobody.status_code == (401 if partial else 303)


def test_what_was_deleted_is_brought_back_by_nobody_who_may_not_change_it(visit: Visit, world: World) -> None:
    with world.app.app_context():
        gone = removal.delete(world.boss("acme"), [Fresh(world).memory(agent=True)])
    path = "/orgs/acme/agents/python-tutor/memory/undo"
    for who, status in (("mira", 404), ("vera", 403), ("otto", 404), ("eddie", 200)):
        assert visit(who).post(path, partial=True, batch=str(gone.batch)).status_code == status, who
