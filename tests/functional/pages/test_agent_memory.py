"""Agent settings → User Memories: filters, tabs, bulk actions, merge, the switch, Try it."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import text

from tests.functional.api.world import World
from tests.functional.api.world import word as planted
from tests.functional.pages.conftest import Visit
from tests.functional.pages.visitor import Visitor, is_fragment, undo_of, words
from webapp.db.session import transaction
from webapp.memory.write import manual
from webapp.pages.try_it import figure

PATH = "/orgs/acme/agents/python-tutor/memory"


def word(name: str) -> str:
    """A word that stands only in what this agent remembers about this person."""
    return planted(name, "agent")


def put(world: World, who: str, content: str, category: str = "preferences") -> int:
    with world.app.app_context():
        draft = manual.Draft(world.users[who], content, world.agents["acme"], category)
        return manual.add(world.boss("acme"), draft).id


def state(world: World, memory_id: int) -> str:
    row = world.row("acme", "SELECT deleted_at, superseded_by_id FROM memory WHERE id = :id", id=memory_id)
    return "gone" if row is None else "deleted" if row.deleted_at else "replaced" if row.superseded_by_id else "live"


@pytest.mark.parametrize("who", ["eddie", "vera", "ada"])
def test_a_curator_a_viewer_and_an_admin_see_everybodys(visit: Visit, who: str) -> None:
    page = visit(who).get(PATH)
    assert word("olga") in words(page)
    assert word("mira") in words(page)
    may_write = who != "vera"
    assert ("Add Memory" in words(page)) is may_write
    assert ('id="bulk"' in page.text) is may_write
    assert ("/delete" in page.text) is may_write


def test_a_member_without_a_role_sees_only_their_own(visit: Visit) -> None:
    page = visit("olga").get(f"{PATH}?user=mira")
    assert word("olga") in words(page)
    assert word("mira") not in words(page)
    assert "users.search" not in page.text
    assert 'name="user" value="mira"' not in page.text


def test_global_memories_are_not_on_this_screen(visit: Visit) -> None:
    page = words(visit("eddie").get(PATH))
    assert planted("olga") not in page
    assert f"studies {word('olga')}" in page


@pytest.mark.parametrize(
    ("query", "found", "missing"),
    [
        ("user=olga", "olga", "mira"),
        ("user=OLGA@example.org", "olga", "mira"),
        (f"q={word('mira')}", "mira", "olga"),
        ("category=preferences&user=mira", "mira", "olga"),
    ],
)
def test_filters_narrow_the_list_and_stay_in_the_form(visit: Visit, query: str, found: str, missing: str) -> None:
    eddie = visit("eddie")
    piece = eddie.get(f"{PATH}?{query}", partial=True)
    assert is_fragment(piece)
    assert word(found) in words(piece)
    assert word(missing) not in words(piece)
    whole = eddie.get(f"{PATH}?{query}")
    for part in query.split("&"):
        value = part.split("=")[1]
        assert f'value="{value}"' in whole.text or f"category={value}" in whole.text


@pytest.mark.parametrize("query", ["user=nobody", "q=zzz", "start=2990-01-01", "end=1990-01-01", "origin=imported"])
def test_what_matches_nothing_says_so_and_offers_to_clear(visit: Visit, query: str) -> None:
    shown = words(visit("eddie").get(f"{PATH}?{query}"))
    assert ("No person called “nobody”." if query == "user=nobody" else "Nothing matches") in shown
    assert "Clear filters" in shown


def test_a_bad_date_is_a_clear_400_and_odd_filters_are_no_500(visit: Visit) -> None:
    bad = visit("eddie").get(f"{PATH}?start=yesterday")
    assert (bad.status_code, "Enter a valid date" in words(bad)) == (400, True)
    for odd in ("user=%00", "q=%00%00", "origin=evil", "category=%F0%9F%92%A9", "page=-1", "user=%ED%A0%80"):
        assert visit("eddie").get(f"{PATH}?{odd}").status_code == 200, odd


@pytest.mark.parametrize(
    ("content", "typed"),
    [
        ("The user mixes up list.sort() and sorted()", "sort"),
        ("The user wants 100% coverage", "100% COV"),
        ("The user said O'Brien-Smith came", "brien smith"),
        ("المستخدم يدرس الهندسة المعمارية", "الهندسة"),
        ("用户住在东京附近的一个小镇", "东京"),
        ("The user likes the 🙂 sign very much", "🙂"),
    ],
)
def test_the_text_search_finds_words_and_their_beginnings(visit: Visit, world: World, content: str, typed: str) -> None:
    put(world, "vera", content)
    found = visit("eddie").get(PATH, partial=True, query={"q": typed})
    assert content in words(found)
    assert "1 memory" in words(found) or typed == "sort"


def test_the_text_search_keeps_to_its_agent_and_its_org(visit: Visit) -> None:
    assert planted("olga") not in words(visit("ada").get(PATH, query={"q": planted("olga")}))
    for other in ("oscar", "otto"):
        assert "Nothing matches" in words(visit("ada").get(PATH, query={"q": planted(other, "agent")}))


def test_the_index_of_words_knows_the_transactions_org_only(world: World) -> None:
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        found = session.scalars(
            text("SELECT agent_memories_with(:a, :q)"), {"a": world.agents["acme"], "q": "'studies':*"}
        )
        assert world.memories["olga", "agent"] in set(found)
        other = session.scalars(
            text("SELECT agent_memories_with(:a, :q)"), {"a": world.agents["other"], "q": "'studies':*"}
        )
        assert list(other) == [], "another org's agent is not there"


def test_tabs_count_what_the_other_filters_leave(visit: Visit, world: World) -> None:
    put(world, "vera", "The user counts tabs", "learning_goals")
    page = words(visit("eddie").get(f"{PATH}?user=vera"))
    tabs = re.search(r"All \d+ Knowledge Gaps .*? Personal Context \d+", page)
    assert tabs is not None
    everything, *each = map(int, re.findall(r"\d+", tabs[0]))
    assert everything == sum(each)
    assert "Learning Goals 1 " in tabs[0]


def test_adding_asks_whose_it_is(visit: Visit, world: World) -> None:
    eddie = visit("eddie")
    form = eddie.get(f"{PATH}/new", partial=True)
    assert 'list="form-users"' in form.text
    assert "mira@example.org" in eddie.get(f"{PATH}/users?user=mir", partial=True).text
    fields = {"content": "The user was added by Eddie", "category": "preferences"}
    for user, message in (
        ("", "Say whose memory this is."),
        ("nobody", "No person called “nobody”."),
        ("\x00", "No person called"),
    ):
        bad = eddie.post(f"{PATH}/new", partial=True, user=user, **fields)
        assert (bad.status_code, message in words(bad)) == (422, True)
    good = eddie.post(f"{PATH}/new?q=Eddie", partial=True, user="mira@example.org", **fields)
    assert "The user was added by Eddie" in words(good)
    owner = world.row("acme", "SELECT user_id FROM memory WHERE content = 'The user was added by Eddie'")
    assert owner.user_id == world.users["mira"]


def test_a_member_adds_for_themselves_and_is_offered_nobody_else(visit: Visit, world: World) -> None:
    olga = visit("olga")
    assert 'name="user"' not in olga.get(f"{PATH}/new", partial=True).text
    assert "mira" not in olga.get(f"{PATH}/users?user=mi", partial=True).text
    olga.post(f"{PATH}/new", user="mira", content="The user added this herself", category="preferences")
    owner = world.row("acme", "SELECT user_id FROM memory WHERE content = 'The user added this herself'")
    assert owner.user_id == world.users["olga"]


@pytest.mark.parametrize("partial", [True, False])
def test_several_are_deleted_and_come_back_together(visit: Visit, world: World, partial: bool) -> None:
    ids = [put(world, "olga", f"Bulk {partial} {n} of the deletion") for n in range(3)]
    eddie = visit("eddie")
    answer = eddie.post(f"{PATH}/bulk", partial=partial, do="delete", id=ids)
    page = answer if partial else eddie.get(answer.location)
    assert "3 memories deleted successfully" in words(page)
    assert {state(world, each) for each in ids} == {"deleted"}
    url, fields = undo_of(page)
    eddie.post(url, partial=partial, **fields)
    assert {state(world, each) for each in ids} == {"live"}


def test_all_that_match_is_not_only_the_page(visit: Visit, world: World) -> None:
    ids = [put(world, "mira", f"Sweep number {n:02d} away") for n in range(23)]
    other = put(world, "mira", "Keep this one here")
    eddie = visit("eddie")
    page = eddie.get(f"{PATH}?q=Sweep")
    assert "All 23 that match" in words(page)
    answer = eddie.post(f"{PATH}/bulk?q=Sweep", partial=True, do="delete", all="1")
    assert "23 memories deleted successfully" in words(answer)
    assert {state(world, each) for each in ids} == {"deleted"}
    assert state(world, other) == "live"


def test_delete_all_names_the_number_and_takes_the_whole_category(visit: Visit, world: World) -> None:
    ids = [put(world, "mira", f"Personal detail {n}", "personal_context") for n in range(4)]
    eddie = visit("eddie")
    asked = eddie.get(f"{PATH}/delete-all?category=personal_context&q=whatever", partial=True)
    assert "Delete All Personal Context Memories" in words(asked)
    assert "Delete 4 memories" in words(asked)
    answer = eddie.post(f"{PATH}/delete-all?category=personal_context", partial=True)
    assert {state(world, each) for each in ids} == {"deleted"}
    url, fields = undo_of(answer)
    eddie.post(url, **fields)
    assert {state(world, each) for each in ids} == {"live"}
    assert eddie.get(f"{PATH}/delete-all").status_code == 400


def test_moving_several_refiles_them_and_says_how_many(visit: Visit, world: World) -> None:
    ids = [put(world, "olga", f"Move number {n} please") for n in range(2)]
    eddie = visit("eddie")
    answer = eddie.post(f"{PATH}/bulk?category=preferences", partial=True, do="move", id=ids, category="learning_goals")
    assert "2 memories moved" in words(answer)
    assert "Moved to another category by eddie" in words(eddie.get(f"{PATH}/{ids[0]}/history"))
    assert eddie.post(f"{PATH}/bulk", do="move", id=ids, category="").status_code == 400
    assert eddie.post(f"{PATH}/bulk", do="move", id=ids, category="no_such").status_code == 400


@pytest.mark.parametrize(
    "fields",
    [{}, {"id": "x"}, {"id": "999999999999999999999999"}, {"do": "explode", "id": "1"}, {"do": "merge", "id": "1"}],
)
def test_a_bulk_form_that_makes_no_sense_is_a_sentence(visit: Visit, fields: dict[str, str]) -> None:
    answer = visit("eddie").post(f"{PATH}/bulk", **{"do": "delete"} | fields)
    assert answer.status_code == 400
    assert len(words(answer)) > 20


def test_merging_makes_one_and_the_others_become_its_history(visit: Visit, world: World) -> None:
    ids = [put(world, "olga", f"The user has {n} cats") for n in ("two", "three")]
    eddie = visit("eddie")
    asked = eddie.post(f"{PATH}/bulk", partial=True, do="merge", id=ids)
    assert "Merge 2 memories" in words(asked)
    short = eddie.post(f"{PATH}/merge", partial=True, id=ids, content="cats")
    assert (short.status_code, 'id="f-content-error"' in short.text) == (422, True)
    done = eddie.post(f"{PATH}/merge", partial=True, id=ids, content="The user has three cats, before two")
    assert "2 memories merged into one" in words(done)
    assert [state(world, each) for each in ids] == ["replaced", "live"]
    history = words(eddie.get(f"{PATH}/{ids[1]}/history"))
    assert "Merged with others by eddie" in history
    assert "The user has two cats" in history


def test_memories_of_two_people_are_not_merged(visit: Visit, world: World) -> None:
    ids = [put(world, who, "The user likes quiet rooms") for who in ("olga", "mira")]
    answer = visit("eddie").post(f"{PATH}/bulk", partial=True, do="merge", id=ids)
    assert (answer.status_code, "of one person" in words(answer)) == (400, True)
    assert {state(world, each) for each in ids} == {"live"}


def test_a_member_cannot_act_on_others_through_a_forged_form(visit: Visit, world: World) -> None:
    theirs = put(world, "mira", "The user guards this one")
    olga: Visitor = visit("olga")
    assert olga.post(f"{PATH}/bulk", do="delete", id=[theirs]).status_code == 404
    assert olga.post(f"{PATH}/bulk?q=guards", do="delete", all="1").status_code == 400
    assert state(world, theirs) == "live"
    assert visit("vera").post(f"{PATH}/bulk", do="delete", id=[theirs]).status_code == 403


def test_the_switch_makes_the_tabs_inert_and_says_who_can_turn_it_on(visit: Visit, world: World) -> None:
    eddie = visit("eddie")
    put(world, "olga", "The user can always read this")
    off = eddie.follow(f"{PATH}/enable", value="false")
    assert "Turn it on to let this agent remember details across conversations." in words(off)
    assert "Memory setting updated: memory is off for Python-Tutor." in words(off)
    assert re.search(r'<span class="inert" aria-disabled="true" title="Memory is off for this agent">', off.text)
    assert words(off).count("Turn it on to let this agent") == 1
    assert "what is listed below is kept, not used" in words(off)
    assert "The user can always read this" in words(off), "what is stored stays visible"
    kept = put(world, "olga", "The user sees this go while memory is off")
    assert eddie.post(f"{PATH}/{kept}/delete", partial=True).status_code == 200
    undone = re.search(
        r'action="([^"]*)"[^>]*>\s*<input[^>]*csrf[^>]*><input type="hidden" name="value" value="true">.*?Undo',
        off.text,
        re.DOTALL,
    )
    assert undone is not None
    assert undone[1] == f"{PATH}/enable"
    for_vera = words(visit("vera").get(PATH))
    assert re.search(r"Off since .* by Eddie Example", for_vera)
    assert "An administrator or an editor of this agent can change that: Ada Example." in for_vera
    assert "Editors and administrators can change this." not in for_vera, "it is said once"
    assert "The user can always read this" in words(visit("olga").get(PATH)), "one's own stay readable"
    back = eddie.post(f"{PATH}/shared/enable", value="true")
    assert back.location == f"{PATH}/shared"
    assert "Editors and administrators can change this." in words(visit("vera").get(PATH))
    noted = world.row(
        "acme", "SELECT detail FROM audit_event WHERE action = 'agent.memory_switched' ORDER BY id DESC LIMIT 1"
    )
    assert noted.detail == {"enable_memory_component": True}


@pytest.mark.parametrize("who", ["vera", "olga"])
def test_only_an_editor_switches(visit: Visit, who: str) -> None:
    assert visit(who).post(f"{PATH}/enable", value="false").status_code == 403


def test_an_archived_agent_says_so(visit: Visit, world: World) -> None:
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        session.execute(text("UPDATE agent SET archived_at = now() WHERE slug = 'python-tutor'"))
    try:
        shown = words(visit("eddie").get(f"{PATH}?user=olga"))
        assert "archived" in shown.lower()
        assert word("olga") in shown
    finally:
        with world.app.app_context(), transaction(world.orgs["acme"]) as session:
            session.execute(text("UPDATE agent SET archived_at = NULL"))


@pytest.mark.parametrize("partial", [True, False])
def test_try_it_shows_the_block_and_hides_globals_from_an_editor(visit: Visit, partial: bool) -> None:
    secret = f"The user likes {planted('olga')}"
    asked = {"user": "olga", "message": f"who likes {planted('olga')} very much?"}
    answer = visit("eddie").post(f"{PATH}/try", partial=partial, **asked)
    assert (answer.status_code, is_fragment(answer)) == (200, partial)
    shown = words(answer)
    assert secret not in shown
    assert "1 global memory of this user is in the block too" in shown
    admin = words(visit("ada").post(f"{PATH}/try", partial=partial, **asked))
    assert f"## User Information - {secret}" in admin
    fields = {"user": "olga", "message": f"what of {word('olga')}?"}
    filed = words(visit("eddie").post(f"{PATH}/try", partial=partial, **fields))
    assert f"[Preferences] The user studies {word('olga')} now" in filed
    assert "in the block" in filed


def test_try_it_says_what_each_place_came_from(visit: Visit) -> None:
    answer = visit("ada").post(f"{PATH}/try", partial=True, user="mira", message="hello there")
    cells = re.findall(r'<td class="number"[^>]*>([^<]*)<', answer.text)
    assert cells
    assert not [cell for cell in cells if not re.fullmatch(r"-?\d\.\d{3}|–", cell)]
    assert [figure(value) for value in (-0.0004, 0.0004, -0.0116)] == ["0.000", "0.000", "-0.012"]


def test_try_it_refuses_what_makes_no_sense(visit: Visit, world: World) -> None:
    eddie = visit("eddie")
    for fields, field in (
        ({"user": "nobody", "message": "hello there"}, "user"),
        ({"user": "olga", "message": "  "}, "message"),
        ({"user": "olga", "message": "x" * 10_001}, "message"),
    ):
        answer = eddie.post(f"{PATH}/try", partial=True, **fields)
        assert (answer.status_code, f'id="try-{field}-error"' in answer.text) == (422, True)
    assert visit("olga").post(f"{PATH}/try", user="mira", message="hello there").status_code == 403
    assert visit("olga").post(f"{PATH}/try", user="nobody", message="hello there").status_code == 403
    assert visit("olga").post(f"{PATH}/try", user="olga", message="hello there").status_code == 200
    assert world.row("acme", "SELECT count(*) AS n FROM memory WHERE content LIKE '%hello there%'").n == 0


def test_try_it_says_why_nothing_is_used(visit: Visit, world: World) -> None:
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        session.execute(
            text("UPDATE membership SET use_memory_in_responses = false WHERE user_id = :u"), {"u": world.users["mira"]}
        )
    shown = words(visit("eddie").post(f"{PATH}/try", partial=True, user="mira", message="hello there"))
    assert "Nothing would be injected." in shown
    assert "Use in responses is turned off for the person." in shown
