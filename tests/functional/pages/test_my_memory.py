"""My memory: switches, lists, forms, Undo, history."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import text

from tests.functional.api.world import World, word
from tests.functional.pages.conftest import Visit
from tests.functional.pages.visitor import is_fragment, undo_of, words
from webapp.db.session import transaction

ME = "/orgs/acme/me/memory"


def memory_id(world: World, content: str) -> int:
    found = world.row("acme", "SELECT id FROM memory WHERE content = :content AND deleted_at IS NULL", content=content)
    assert found is not None, content
    return int(found.id)


def test_the_screen_shows_what_is_remembered_about_the_reader_alone(visit: Visit) -> None:
    shown = words(visit("olga").get(ME))
    assert word("olga") in shown
    assert word("mira") not in shown
    assert "Learning is on for you" in shown


@pytest.mark.parametrize("side", ["capture", "use"])
@pytest.mark.parametrize("partial", [True, False])
def test_a_switch_is_saved_at_once(visit: Visit, world: World, side: str, partial: bool) -> None:
    olga = visit("olga")
    column = "auto_capture_enabled" if side == "capture" else "use_memory_in_responses"
    for value in ("false", "true"):
        answer = olga.post(f"{ME}/settings/{side}", partial=partial, value=value)
        stored = world.row("acme", f"SELECT {column} AS it FROM membership WHERE user_id = :u", u=world.users["olga"])
        assert stored.it is (value == "true")
        if partial:
            assert (answer.status_code, is_fragment(answer)) == (200, True)
            assert "Memory setting updated" in words(answer)
        else:
            assert (answer.status_code, answer.location) == (303, ME)
            assert "Memory setting updated" in words(olga.get(ME))


def test_one_switch_leaves_the_other_alone_and_deletes_nothing(visit: Visit) -> None:
    olga = visit("olga")
    before = words(olga.get(ME)).count(word("olga"))
    shown = words(olga.post(f"{ME}/settings/capture", partial=True, value="false"))
    assert re.search(r"Learning is off: turned off by you, \d\d:\d\d\.", shown)
    assert "Agents that have memory on use what they know about you" in shown
    assert words(olga.get(ME)).count(word("olga")) == before
    olga.post(f"{ME}/settings/capture", value="true")


def test_what_is_off_above_is_said_with_who_can_change_it(visit: Visit, world: World) -> None:
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        session.execute(
            text("UPDATE org SET enable_memsearch = false, memsearch_changed_by = 'ada', memsearch_changed_at = now()")
        )
    try:
        shown = words(visit("olga").get(ME))
    finally:
        with world.app.app_context(), transaction(world.orgs["acme"]) as session:
            session.execute(text("UPDATE org SET enable_memsearch = true"))
    assert re.search(r"Learning is on for you, but the organisation has memory off since \d\d:\d\d, by ada\.", shown)
    assert "An administrator can change that: Ada Example." in shown


@pytest.mark.parametrize("partial", [True, False])
def test_adding_a_memory(visit: Visit, world: World, partial: bool) -> None:
    olga, content = visit("olga"), f"The user added this by hand, partial {partial}"
    form = olga.get(f"{ME}/global/new", partial=partial)
    assert ('name="content"' in form.text, is_fragment(form)) == (True, partial)
    answer = olga.post(f"{ME}/global/new", partial=partial, content=content)
    assert answer.status_code == (200 if partial else 303)
    assert is_fragment(answer) is partial
    shown = answer if partial else olga.get(ME)
    assert content in words(shown)
    assert "Memory created successfully" in words(shown)
    stored = world.row("acme", "SELECT origin, agent_id FROM memory WHERE content = :content", content=content)
    assert (stored.origin, stored.agent_id) == ("manual", None)


@pytest.mark.parametrize("partial", [True, False])
def test_bad_input_keeps_the_text_and_points_at_the_field(visit: Visit, partial: bool) -> None:
    answer = visit("olga").post(f"{ME}/global/new", partial=partial, content="Too short")
    assert (answer.status_code, is_fragment(answer)) == (422, partial)
    assert re.search(r'aria-invalid="true" autofocus', answer.text)
    assert 'id="f-content-error"' in answer.text
    assert 'href="#f-content"' in answer.text
    assert ">\nToo short</textarea>" in answer.text


def test_the_same_text_again_is_refused_beside_the_field(visit: Visit) -> None:
    olga = visit("olga")
    first = olga.post(f"{ME}/global/new", partial=True, content="The user says this twice")
    again = olga.post(f"{ME}/global/new", partial=True, content="the user  says THIS twice")
    assert (first.status_code, again.status_code) == (200, 409)
    assert "This memory already exists." in words(again)


def test_editing_keeps_the_filters_and_marks_nobody_for_ones_own_edit(visit: Visit, world: World) -> None:
    olga = visit("olga")
    olga.post(f"{ME}/global/new", content="The user collects old maps")
    found = memory_id(world, "The user collects old maps")
    form = olga.get(f"{ME}/global/{found}/edit?q=maps", partial=True)
    version = re.search(r'name="version" value="(\d+)"', form.text)
    assert version
    action = f"{ME}/global/{found}/edit?q=maps"
    assert f'action="{action}"' in form.text
    answer = olga.post(action, content="The user collects old sea maps", version=version[1])
    assert answer.location == f"{ME}?q=maps"
    shown = words(olga.get(answer.location))
    assert "sea maps" in shown
    assert "Edited by" not in shown
    assert "1 memory" in shown


def test_an_edit_that_somebody_overtook_shows_both_texts_and_overwrites_nothing(visit: Visit, world: World) -> None:
    olga, ada = visit("olga"), visit("ada")
    olga.post(f"{ME}/global/new", content="The user rows on Mondays")
    found = memory_id(world, "The user rows on Mondays")
    ada.post(f"/orgs/acme/memory/users/olga/global/{found}/edit", content="The user rows on Tuesdays", version=1)
    late = olga.post(f"{ME}/global/{found}/edit", partial=True, content="The user rows on Fridays", version=1)
    assert late.status_code == 409
    shown = words(late)
    assert all(part in shown for part in ("The user rows on Tuesdays", "The user rows on Fridays", "ada"))
    assert memory_id(world, "The user rows on Tuesdays") == found
    version = re.search(r'name="version" value="(\d+)"', late.text)
    assert version
    olga.post(f"{ME}/global/{found}/edit", content="The user rows on Fridays", version=version[1])
    assert memory_id(world, "The user rows on Fridays") == found


def test_somebody_elses_edit_is_marked(visit: Visit, world: World) -> None:
    visit("olga").post(f"{ME}/global/new", content="The user swims in the lake")
    found = memory_id(world, "The user swims in the lake")
    visit("ada").post(
        f"/orgs/acme/memory/users/olga/global/{found}/edit", content="The user swims in the sea", version=1
    )
    assert "Edited by ada" in words(visit("olga").get(f"{ME}?q=swims"))


@pytest.mark.parametrize("partial", [True, False])
def test_deleting_offers_an_undo_that_brings_it_back(visit: Visit, world: World, partial: bool) -> None:
    olga, content = visit("olga"), f"The user forgets umbrellas, {partial}"
    olga.post(f"{ME}/global/new", content=content)
    found = memory_id(world, content)
    answer = olga.post(f"{ME}/global/{found}/delete", partial=partial)
    page = answer if partial else olga.get(answer.location)
    assert content not in words(page)
    url, fields = undo_of(page)
    back = olga.post(url, partial=partial, **fields)
    shown = back if partial else olga.get(back.location)
    assert content in words(shown)
    assert memory_id(world, content) == found


def test_an_undo_that_has_nothing_left_says_so(visit: Visit, world: World) -> None:
    olga = visit("olga")
    olga.post(f"{ME}/global/new", content="The user drinks only tea")
    gone = olga.post(f"{ME}/global/{memory_id(world, 'The user drinks only tea')}/delete", partial=True)
    url, fields = undo_of(gone)
    assert olga.post(url, partial=True, **fields).status_code == 200
    again = olga.post(url, partial=True, **fields)
    assert (again.status_code, "nothing left to bring back" in words(again)) == (404, True)
    assert olga.post(url, batch="no uuid").status_code == 404


def test_recently_deleted_restores_and_purges_for_good(visit: Visit, world: World) -> None:
    olga = visit("olga")
    olga.post(f"{ME}/global/new", content="The user had a parrot once")
    found = memory_id(world, "The user had a parrot once")
    olga.post(f"{ME}/global/{found}/delete")
    listed = olga.get(f"{ME}/global/deleted")
    assert "The user had a parrot once" in words(listed)
    assert "30 days left" in words(listed)
    olga.post(f"{ME}/global/deleted/{found}/restore")
    assert memory_id(world, "The user had a parrot once") == found
    olga.post(f"{ME}/global/{found}/delete")
    asked = olga.get(f"{ME}/global/deleted/{found}/purge", partial=True)
    assert "Delete 1 memory for good" in words(asked)
    olga.post(f"{ME}/global/deleted/{found}/purge", partial=True)
    assert world.row("acme", "SELECT 1 FROM memory WHERE id = :id", id=found) is None
    assert (
        world.row("acme", "SELECT 1 FROM revision WHERE object_kind = 'memory' AND object_id = :id", id=found) is None
    )


def test_only_what_was_deleted_can_be_purged(visit: Visit, world: World) -> None:
    olga = visit("olga")
    olga.post(f"{ME}/global/new", content="The user keeps bees")
    found = memory_id(world, "The user keeps bees")
    assert olga.post(f"{ME}/global/deleted/{found}/purge").status_code == 404
    assert memory_id(world, "The user keeps bees") == found


@pytest.mark.parametrize("partial", [True, False])
def test_restoring_what_was_written_anew_is_a_conflict_that_links_to_it(
    visit: Visit, world: World, partial: bool
) -> None:
    olga, content = visit("olga"), f"The user bakes bread on Sundays, {partial}"
    olga.post(f"{ME}/global/new", content=content)
    old = memory_id(world, content)
    olga.post(f"{ME}/global/{old}/delete")
    olga.post(f"{ME}/global/new", content=content)
    new = memory_id(world, content)
    answer = olga.post(f"{ME}/global/deleted/{old}/restore", partial=partial)
    assert "The same has been saved anew meanwhile." in words(answer)
    assert f"{ME}/global/{new}/history" in answer.text
    assert answer.status_code == (200 if partial else 409)


def test_dont_remember_this_again_keeps_it_out_for_ever(visit: Visit, world: World) -> None:
    olga, content = visit("olga"), "The user was ill in October"
    olga.post(f"{ME}/global/new", content=content)
    answer = olga.post(f"{ME}/global/{memory_id(world, content)}/forget", partial=True)
    assert "will not be remembered again" in words(answer)
    stone = "SELECT deleted_at > now() + interval '1 year' AS lasts FROM tombstone WHERE user_id = :u ORDER BY id DESC LIMIT 1"
    assert world.row("acme", stone, u=world.users["olga"]).lasts
    url, fields = undo_of(answer)
    olga.post(url, **fields)
    assert memory_id(world, content)
    assert not world.row("acme", f"SELECT 1 FROM ({stone}) AS it WHERE lasts", u=world.users["olga"])


def test_history_shows_every_revision_and_a_text_can_be_taken_out(visit: Visit, world: World) -> None:
    olga = visit("olga")
    olga.post(f"{ME}/global/new", content="The user lives at Elm Street")
    found = memory_id(world, "The user lives at Elm Street")
    olga.post(f"{ME}/global/{found}/edit", content="The user lives at Oak Street", version=1)
    page = olga.get(f"{ME}/global/{found}/history", partial=True)
    assert "Edited by olga" in words(page)
    assert "Created by olga" in words(page)
    assert "<del>Elm</del>" in page.text
    removal = re.search(rf'action="({ME}/global/{found}/history/\d+/remove)"', page.text)
    assert removal
    after = olga.post(removal[1], partial=True)
    assert "Elm" not in words(after)
    assert "This text was removed from history." in words(after)
    leaked = "SELECT count(*) AS n FROM revision WHERE (before::text || after::text) LIKE '%Elm Street%'"
    assert world.row("acme", leaked).n == 0
    assert memory_id(world, "The user lives at Oak Street") == found


def test_the_search_is_literal_and_the_count_is_of_what_matches(visit: Visit) -> None:
    olga = visit("olga")
    olga.post(f"{ME}/global/new", content="The user gives 100% of the effort")
    olga.post(f"{ME}/global/new", content="The user gives 100 euros each month")
    fragment = olga.get(f"{ME}?q=100%25", partial=True)
    assert is_fragment(fragment)
    assert "100% of the effort" in words(fragment)
    assert "100 euros" not in words(fragment)
    nothing = words(olga.get(f"{ME}?q=zzzzzz"))
    assert "Nothing matches" in nothing
    assert "Clear filters" in nothing
    assert olga.get(f"{ME}?q=%00").status_code == 200


def test_pages_are_numbered_and_the_last_row_of_the_last_page_steps_back(visit: Visit, world: World) -> None:
    mira = visit("mira")
    for n in range(26 - 1):
        mira.post(f"{ME}/global/new", content=f"Miras numbered memory {n:02d}")
    second = mira.get(f"{ME}?page=2")
    assert "26–26 of 26" in words(second)
    oldest = world.memories["mira", "global"]
    answer = mira.post(f"{ME}/global/{oldest}/delete?page=2", partial=True)
    assert "Miras numbered memory 24" in words(answer)
    assert mira.get(f"{ME}?page=99999999999999999999").status_code == 200
    assert mira.get(f"{ME}?page=x").status_code == 200


def test_what_an_agent_remembers_is_grouped_and_can_be_added_to(visit: Visit, world: World) -> None:
    olga = visit("olga")
    base = f"{ME}/agents/python-tutor"
    form = olga.get(f"{base}/new", partial=True)
    assert "Learning Goals" in words(form)
    missing = olga.post(f"{base}/new", partial=True, content="The user wants to learn Rust", category="")
    assert (missing.status_code, 'id="f-category-error"' in missing.text) == (422, True)
    answer = olga.post(f"{base}/new", partial=True, content="The user wants to learn Rust", category="learning_goals")
    assert answer.status_code == 200
    assert re.search(r"Learning Goals.*The user wants to learn Rust", words(answer))
    found = memory_id(world, "The user wants to learn Rust")
    olga.post(f"{base}/{found}/edit", content="The user wants to learn Rust", category="preferences", version=1)
    assert "Moved to another category by olga" in words(olga.get(f"{base}/{found}/history"))
    gone = olga.post(f"{base}/{found}/delete", partial=True)
    assert "learn Rust" not in words(gone)


def test_a_memory_is_not_reached_through_another_lists_address(visit: Visit, world: World) -> None:
    olga = visit("olga")
    foreign = [world.memories["mira", "global"], world.memories["olga", "agent"], 999_999_999]
    for each in foreign:
        assert olga.get(f"{ME}/global/{each}/edit").status_code == 404
        assert olga.post(f"{ME}/global/{each}/delete").status_code == 404
    assert olga.get(f"{ME}/global/99999999999999999999999/edit").status_code == 404


def test_the_download_holds_everything_and_is_audited(visit: Visit, world: World) -> None:
    answer = visit("olga").get(f"{ME}/download")
    assert answer.mimetype == "application/json"
    assert "attachment" in answer.headers["Content-Disposition"]
    assert word("olga") in answer.text
    assert word("mira") not in answer.text
    noted = "SELECT count(*) AS n FROM audit_event WHERE action = 'user.exported' AND target_user_id = :u"
    assert world.row("acme", noted, u=world.users["olga"]).n == 1
