"""Dialogs: they fit the window, Back and Escape close them, and what was typed is not lost without a question."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.product import Product
from tests.browser.test_behaviour import answer, block, listing

pytestmark = pytest.mark.browser
WINDOWS = [(1280, 800), (640, 400), (375, 812)]


def bottom(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


def top(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["y"]


def opened(open_page: OpenPage, name: str, link: str, width: int = 1280, height: int = 800) -> tuple[Page, Locator]:
    page = open_page(name)
    page.set_viewport_size({"width": width, "height": height})
    page.locator(link).click()
    dialog = page.locator("#dialog")
    expect(dialog).to_be_visible()
    return page, dialog


def test_back_closes_the_dialog_and_asks_the_server_for_nothing(open_page: OpenPage) -> None:
    page, dialog = opened(open_page, "profile", "#add-global")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate("history.back()")
    expect(dialog).to_be_hidden()
    expect(page.locator("#add-global")).to_be_focused()
    assert page.url.endswith("/example/profile")
    assert asked == []


@pytest.mark.parametrize("key", ["Escape", "Cancel"])
def test_a_dialog_that_was_closed_is_no_step_on_the_way_back(open_page: OpenPage, key: str) -> None:
    page = open_page("deleted")
    page.goto(page.url.replace("deleted", "profile"))
    page.locator("#add-global").click()
    expect(page.locator("#dialog")).to_be_visible()
    if key == "Escape":
        page.keyboard.press(key)
    else:
        page.locator("#dialog").get_by_role("link", name=key).click()
    expect(page.locator("#dialog")).to_be_hidden()
    expect(page.locator("#add-global")).to_be_focused()
    page.wait_for_function("!history.state?.dialog")
    page.go_back()
    assert page.url.endswith("/example/deleted")


def test_closing_leaves_the_page_where_it_is_scrolled_to(open_page: OpenPage) -> None:
    page, dialog = opened(open_page, "profile-many", "#add-global")
    page.evaluate("scrollTo(0, 700)")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.wait_for_function("!history.state?.dialog && history.scrollRestoration === 'auto'")
    assert page.evaluate("scrollY") == 700


@pytest.mark.parametrize("way", ["Escape", "Back"])
def test_typed_text_is_not_lost_without_a_question(open_page: OpenPage, way: str) -> None:
    page, dialog = opened(open_page, "profile", "#edit-2")
    field = page.get_by_label("Memory", exact=True)
    field.fill("The user is allergic to nuts.")
    for choice in ("Keep editing", "Discard"):
        if way == "Escape":
            page.keyboard.press("Escape")
        else:
            page.evaluate("history.back()")
        question = page.get_by_role("alertdialog", name="Discard what you typed?")
        expect(question.get_by_role("button", name="Keep editing")).to_be_focused()
        question.get_by_role("button", name=choice).click()
        expect(question).to_be_hidden()
        if choice == "Keep editing":
            expect(field).to_be_focused()
            expect(field).to_have_value("The user is allergic to nuts.")
    expect(dialog).to_be_hidden()
    expect(page.locator("#edit-2")).to_be_focused()
    assert page.url.endswith("/example/profile")


def test_what_was_typed_is_asked_about_after_a_refusal_too_but_not_once_it_is_saved(open_page: OpenPage) -> None:
    page, dialog = opened(open_page, "profile", "#edit-1")
    page.get_by_label("Memory", exact=True).fill("Short")
    answer(page, "/example/memory-form", block(page, "memory-form-short"), 422)
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".error-summary")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keep editing").click()
    page.unroute("**/example/memory-form")
    answer(page, "/example/memory-form", listing(1, 2))
    page.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    page.unroute("**/example/memory-form")
    page.locator("#add-global").click()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), WINDOWS)
@pytest.mark.parametrize(
    ("name", "link"), [("people", "#invite"), ("agents", "#edit-agent-1"), ("shared", "#add-shared")]
)
def test_the_buttons_are_in_view(open_page: OpenPage, name: str, link: str, width: int, height: int) -> None:
    _, dialog = opened(open_page, name, link, width, height)
    for button in dialog.locator(".form-actions.end .button").all():
        assert bottom(button) <= bottom(dialog) <= height
    # They lie over nothing: the last field can be scrolled clear of them.
    dialog.evaluate("dialog => { dialog.scrollTop = dialog.scrollHeight }")
    assert bottom(dialog.locator(".field").last) <= top(dialog.locator(".form-actions.end"))


@pytest.mark.parametrize(("width", "height"), WINDOWS)
def test_a_refusal_shows_what_is_wrong_and_where(open_page: OpenPage, width: int, height: int) -> None:
    page, dialog = opened(open_page, "agents", "#edit-agent-1", width, height)
    dialog.evaluate("dialog => { dialog.scrollTop = dialog.scrollHeight }")
    answer(page, "/act", block(page, "agent-form-refused"), 422)
    dialog.get_by_role("button", name="Save").click()
    slug = dialog.get_by_label("Slug")
    expect(slug).to_be_focused()
    assert bottom(dialog.locator("#f-slug-error")) <= top(dialog.locator(".form-actions.end"))
    assert top(dialog) < bottom(dialog.locator(".error-summary")) <= top(slug)
    if height > 400:
        assert top(dialog) <= top(dialog.locator(".error-summary"))


def test_the_slug_that_a_name_would_give_is_shown_while_it_is_typed(product: Product) -> None:
    page = product.open("admin", "/orgs/demo/agents")
    page.get_by_role("link", name="Add agent").click()
    slug = page.get_by_role("dialog").get_by_label("Slug")
    expect(slug).to_have_accessible_description(re.compile("Left empty, it is made from the name.$"))
    page.get_by_role("dialog").get_by_label("Name", exact=True).press_sequentially("Python Tutor")
    expect(slug).to_have_accessible_description(re.compile("Left empty, it becomes “python-tutor-2”.$"))
    expect(slug).to_have_value("")


def test_a_dialog_on_a_page_of_its_own_names_its_agent(product: Product) -> None:
    page = product.open("curator", "/orgs/demo/agents/python-tutor/memory/shared", java_script_enabled=False)
    page.get_by_role("link", name="Add Shared Memory").click()
    assert page.title() == "Add Shared Memory · Python Tutor · Agent Memory"
    expect(page.get_by_role("main")).to_contain_text("Python Tutor")
