"""Agent settings → categories and Shared Memory."""

from __future__ import annotations

import re

import pytest

from tests.functional.api.world import World, word
from tests.functional.pages.conftest import Visit
from tests.functional.pages.visitor import is_fragment, undo_of, words
from webapp.runtime import runtime

MEMORY = "/orgs/acme/agents/python-tutor/memory"
CATEGORIES, SHARED = f"{MEMORY}/categories", f"{MEMORY}/shared"


def category(world: World, slug: str) -> tuple[int, int, str, bool]:
    row = world.row(
        "acme", "SELECT id, version, name, is_active FROM category WHERE slug = :slug AND agent_id = :agent",
        slug=slug, agent=world.agents["acme"],
    )  # fmt: skip
    return tuple(row)


def entry(world: World, content: str) -> int:
    return int(world.row("acme", "SELECT id FROM knowledge WHERE content = :c ORDER BY id DESC", c=content).id)


@pytest.mark.parametrize("partial", [True, False])
def test_a_category_is_made_with_a_slug_from_its_name(visit: Visit, world: World, partial: bool) -> None:
    eddie, name = visit("eddie"), f"  Exam Fears & Hopes! {partial}  "
    answer = eddie.post(f"{CATEGORIES}/new", partial=partial, name=name, description="What worries them")
    page = answer if partial else eddie.get(answer.location)
    assert (is_fragment(page), "Category added" in words(page)) == (partial, True)
    assert category(world, f"exam_fears_hopes_{partial}".lower())[2] == name.strip()
    again = eddie.post(f"{CATEGORIES}/new", partial=True, name=name)
    assert (again.status_code, "Category with this slug already exists" in words(again)) == (409, True)


@pytest.mark.parametrize(
    ("name", "message"), [("", "may not be blank"), ("!!!", "none can be made"), ("x" * 101, "no more than 100")]
)
def test_a_bad_category_is_refused_beside_its_name(visit: Visit, name: str, message: str) -> None:
    answer = visit("eddie").post(f"{CATEGORIES}/new", partial=True, name=name)
    assert answer.status_code == 422
    assert 'id="f-name-error"' in answer.text
    assert message in words(answer)


@pytest.mark.parametrize("partial", [True, False])
def test_renaming_happens_in_the_row(visit: Visit, world: World, partial: bool) -> None:
    eddie = visit("eddie")
    found, version, *_ = category(world, "preferences")
    field = eddie.get(f"{CATEGORIES}?rename={found}", partial=partial)
    assert 'id="rename-name"' in field.text
    blank = eddie.post(f"{CATEGORIES}/{found}/rename", partial=partial, name=" ", version=version)
    assert (blank.status_code, 'id="rename-name-error"' in blank.text) == (422, True)
    name = f"Likes and dislikes {partial}"
    answer = eddie.post(f"{CATEGORIES}/{found}/rename", partial=partial, name=name, version=version)
    assert answer.status_code == (200 if partial else 303)
    assert category(world, "preferences")[2] == name
    late = eddie.post(f"{CATEGORIES}/{found}/rename", partial=partial, name="Mine", version=version)
    assert (late.status_code, name in words(late), 'value="Mine"' in late.text) == (409, True, True)


def test_editing_shows_both_when_somebody_was_faster(visit: Visit, world: World) -> None:
    found, version, *_ = category(world, "learning_goals")
    fields = {"name": "Goals", "description": "d", "extraction_prompt": "p"}
    visit("ada").post(f"{CATEGORIES}/{found}/edit", **fields, version=version)
    late = visit("eddie").post(f"{CATEGORIES}/{found}/edit", partial=True, **fields | {"name": "Aims"}, version=version)
    assert late.status_code == 409
    assert "ada" in words(late)
    assert 'value="Aims"' in late.text


@pytest.mark.parametrize("partial", [True, False])
def test_a_category_is_put_out_of_use_and_back(visit: Visit, world: World, partial: bool) -> None:
    eddie = visit("eddie")
    found = category(world, "preferences")[0]
    off = eddie.post(f"{CATEGORIES}/{found}/deactivate", partial=partial)
    assert off.status_code == (200 if partial else 303)
    assert category(world, "preferences")[3] is False
    assert word("olga", "agent") in words(eddie.get(f"{MEMORY}?category=preferences")), (
        "what is filed there stays readable"
    )
    assert "inactive" in words(eddie.get(MEMORY))
    refused = eddie.post(
        f"{MEMORY}/new", partial=True, user="olga", content="Something new here", category="preferences"
    )
    assert (refused.status_code, "This category is inactive." in words(refused)) == (422, True)
    kept = eddie.get(f"{MEMORY}/{world.memories['olga', 'agent']}/edit", partial=True)
    assert "(inactive)" in words(kept)
    eddie.post(f"{CATEGORIES}/{found}/reactivate", partial=partial)
    assert category(world, "preferences")[3] is True


def test_a_viewer_reads_the_manager_and_changes_nothing(visit: Visit, world: World) -> None:
    page = visit("vera").get(CATEGORIES)
    assert page.status_code == 200
    assert "/edit" not in page.text
    assert 'id="rename-name"' not in visit("vera").get(f"{CATEGORIES}?rename={world.categories['acme']}").text
    assert visit("vera").post(f"{CATEGORIES}/new", name="Mine").status_code == 403
    assert visit("olga").get(CATEGORIES).status_code == 403


@pytest.mark.parametrize("partial", [True, False])
def test_adding_shared_memory(visit: Visit, world: World, partial: bool) -> None:
    eddie, content = visit("eddie"), f"The library closes at nine, {partial}"
    answer = eddie.post(f"{SHARED}/new", partial=partial, content=content)
    page = answer if partial else eddie.get(answer.location)
    assert content in words(page)
    assert "Added by Eddie Example" in words(page)
    assert re.search(r"\d+ of 16,000 characters used", words(page))
    again = eddie.post(f"{SHARED}/new", partial=True, content=content)
    assert (again.status_code, "This shared memory already exists." in words(again)) == (409, True)
    short = eddie.post(f"{SHARED}/new", partial=True, content="short")
    assert (short.status_code, "A shared memory must be at least 10 characters." in words(short)) == (422, True)
    stored = world.row("acme", "SELECT created_by_id FROM knowledge WHERE content = :c", c=content)
    assert stored.created_by_id == world.users["eddie"]


@pytest.mark.parametrize("text", ["Ask MIRA@example.org about rooms.", "Rooms are given out by mira  example today."])
def test_personal_data_is_warned_of_and_saved_only_when_confirmed(visit: Visit, world: World, text: str) -> None:
    eddie = visit("eddie")
    asked = eddie.post(f"{SHARED}/new", partial=True, content=text)
    assert (asked.status_code, 'name="confirmed" value="1"' in asked.text) == (422, True)
    assert "Don't put personal data here" in words(asked)
    assert world.row("acme", "SELECT 1 FROM knowledge WHERE content = :c", c=text) is None
    assert eddie.post(f"{SHARED}/new", partial=True, content=text, confirmed="1").status_code == 200
    assert "May hold personal data" in words(eddie.get(SHARED))


def test_what_does_not_fit_the_budget_is_warned_of_and_marked(visit: Visit, world: World) -> None:
    with world.app.app_context():
        budget = runtime().settings.knowledge_budget
    eddie, big = visit("eddie"), "A long entry. " * 700
    eddie.post(f"{SHARED}/new", content=big)
    second = eddie.post(f"{SHARED}/new", partial=True, content=big + "Again.")
    assert (second.status_code, f"budget of {budget:,} characters" in words(second)) == (422, True)
    saved = eddie.post(f"{SHARED}/new", partial=True, content=big + "Again.", confirmed="1")
    assert "Not delivered: over budget" in words(saved)


@pytest.mark.parametrize("partial", [True, False])
def test_deleting_shared_memory_asks_tells_and_can_be_undone(visit: Visit, world: World, partial: bool) -> None:
    eddie, content = visit("eddie"), f"Delete me and bring me back, {partial}"
    eddie.post(f"{SHARED}/new", content=content)
    found = entry(world, content)
    asked = eddie.get(f"{SHARED}/{found}/delete", partial=partial)
    assert "Everyone who talks to this agent stops receiving it at once." in words(asked)
    answer = eddie.post(f"{SHARED}/{found}/delete", partial=partial)
    page = answer if partial else eddie.get(answer.location)
    assert content not in words(page)
    url, fields = undo_of(page)
    back = eddie.post(url, partial=partial, **fields)
    assert content in words(back if partial else eddie.get(back.location))


def test_shared_memory_has_a_history_and_a_bin(visit: Visit, world: World) -> None:
    eddie = visit("eddie")
    eddie.post(f"{SHARED}/new", content="The door code is four times one")
    found = entry(world, "The door code is four times one")
    late = {"content": "The door code is no longer written here", "version": 1}
    eddie.post(f"{SHARED}/{found}/edit", **late)
    overtaken = eddie.post(f"{SHARED}/{found}/edit", partial=True, content="Something else entirely", version=1)
    assert (overtaken.status_code, "no longer written here" in words(overtaken)) == (409, True)
    history = eddie.get(f"{SHARED}/{found}/history", partial=True)
    assert "Edited by eddie" in words(history)
    removal = re.search(rf'action="({SHARED}/{found}/history/\d+/remove)"', history.text)
    assert removal
    assert "four times one" not in words(eddie.post(removal[1], partial=True))
    eddie.post(f"{SHARED}/{found}/delete")
    assert "no longer written here" in words(eddie.get(f"{SHARED}/deleted"))
    eddie.post(f"{SHARED}/new", content="The door code is no longer written here")
    conflict = eddie.post(f"{SHARED}/deleted/{found}/restore", partial=True)
    assert "The same has been saved anew meanwhile." in words(conflict)
    assert "Delete 1 memory for good" in words(eddie.get(f"{SHARED}/deleted/{found}/purge", partial=True))
    eddie.post(f"{SHARED}/deleted/{found}/purge")
    assert world.row("acme", "SELECT 1 FROM knowledge WHERE id = :id", id=found) is None
    assert (
        world.row("acme", "SELECT 1 FROM revision WHERE object_kind = 'knowledge' AND object_id = :id", id=found)
        is None
    )


def test_who_may_not_read_it_is_told_who_gives_access(visit: Visit) -> None:
    page = visit("olga").get(SHARED)
    assert page.status_code == 403
    assert "No Access to Shared Memory" in words(page)
    assert word("acme", "knowledge") not in words(page)
    assert word("acme", "knowledge") in words(visit("vera").get(SHARED))
    assert visit("vera").get(f"{SHARED}/new").status_code == 403
