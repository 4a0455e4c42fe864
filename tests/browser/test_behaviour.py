"""What the scripts add to pages that work without them: dialogs, swaps, focus, announcements, errors, typed text."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import OpenPage

pytestmark = pytest.mark.browser
LIST = '<div id="global-memories"><div class="list-count"><p class="count" data-announce>{n} memories</p></div>{rows}</div>'
ROW = (
    '<li class="row" data-row id="row-{id}"><p class="row-text">{text}</p><div class="row-actions">'
    '<a id="edit-{id}" href="/example/memory-form">Edit</a></div></li>'
)
TOAST = (
    '<div hx-swap-oob="beforeend:#toasts"><div class="toast"><p>Memory deleted successfully</p>'
    '<form method="post" action="/act/undo" hx-post="/act/undo" hx-target="#global-memories" hx-swap="outerHTML">'
    "<button>Undo</button></form></div></div>"
)


def listing(*ids: int, toast: bool = False) -> str:
    rows = "".join(ROW.format(id=i, text=f"Memory number {i}") for i in ids)
    body = LIST.format(n=len(ids), rows=f'<ol class="rows" id="global-rows">{rows}</ol>')
    return body + (TOAST if toast else "")


def answer(
    page: Page, path: str, body: str = "", status: int = 200, headers: dict[str, str] | None = None
) -> list[Route]:
    """Answer POSTs to `path` like this; return the routes that were asked."""
    asked: list[Route] = []

    def handle(route: Route) -> None:
        asked.append(route)
        route.fulfill(status=status, body=body, headers={"Content-Type": "text/html", **(headers or {})})

    page.route(f"**{path}", handle)
    return asked


def block(page: Page, name: str) -> str:
    """The dialog of an example, as the server would answer it alone."""
    return page.request.get(f"{page.url.split('/example')[0]}/example/{name}?block=dialog").text()


def test_a_link_opens_as_a_dialog_and_escape_gives_the_focus_back(open_page: OpenPage) -> None:
    page = open_page("profile")
    page.locator("#add-global").press("Enter")
    dialog = page.get_by_role("dialog", name="Add Memory")
    expect(dialog.get_by_label("Memory", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("#add-global")).to_be_focused()


def test_without_scripts_the_same_link_is_a_page(open_page: OpenPage) -> None:
    page = open_page("profile", java_script_enabled=False)
    page.locator("#add-global").click()
    expect(page.get_by_role("heading", name="Add Memory")).to_be_visible()
    assert page.url.endswith("/example/memory-form-new")
    assert page.locator("form.form").get_attribute("hx-post") is None


def test_bad_input_comes_back_into_the_dialog_with_the_typed_text(open_page: OpenPage) -> None:
    page = open_page("profile")
    page.locator("#edit-1").click()
    answer(page, "/example/memory-form", block(page, "memory-form-short"), 422)
    page.get_by_role("button", name="Save").click()
    field = page.get_by_role("dialog").get_by_label("Memory", exact=True)
    expect(field).to_be_focused()
    expect(field).to_have_value("Short")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(
        "Ensure this field has at least 10 characters. 5/10 characters minimum"
    )


def test_a_conflict_shows_both_texts(open_page: OpenPage) -> None:
    page = open_page("profile")
    page.locator("#edit-1").click()
    answer(page, "/example/memory-form", block(page, "memory-form-conflict"), 409)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog").get_by_text("Saved now")).to_be_visible()
    expect(page.get_by_role("button", name="Save mine instead")).to_be_visible()


def test_saving_closes_the_dialog_and_the_focus_stands_on_the_row(open_page: OpenPage) -> None:
    page = open_page("profile")
    page.locator("#edit-2").click()
    answer(page, "/example/memory-form", listing(1, 2, 3))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("#edit-2")).to_be_focused()
    expect(page.locator("#announcer")).to_have_text("3 memories")


def test_after_deleting_the_next_row_has_the_focus_and_undo_is_announced(open_page: OpenPage) -> None:
    page = open_page("profile")
    answer(page, "/act/delete", listing(1, 3, toast=True))
    page.locator("#delete-2").press("Enter")
    expect(page.locator("#edit-3")).to_be_focused()
    expect(page.locator("#toasts[role=status]")).to_contain_text("Memory deleted successfully")
    undone = answer(page, "/act/undo", listing(1, 2, 3))
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#row-2")).to_be_visible()
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    assert undone[0].request.method == "POST"


def test_deleting_the_last_row_leaves_the_focus_on_the_heading(open_page: OpenPage) -> None:
    page = open_page("profile")
    answer(page, "/act/delete", listing())
    page.locator("#delete-1").press("Enter")
    expect(page.locator("#global-heading")).to_be_focused()


def test_every_change_carries_the_csrf_token_in_header_and_body(open_page: OpenPage) -> None:
    page = open_page("profile")
    asked = answer(page, "/act/delete", listing(1))
    page.locator("#delete-2").click()
    expect(page.locator("#announcer")).to_have_text("1 memories")
    assert asked[0].request.headers["x-csrftoken"] == "example-token"
    assert "csrf_token=example-token" in (asked[0].request.post_data or "")


def test_a_server_error_leaves_the_page_as_it_was_and_names_the_request(open_page: OpenPage) -> None:
    page = open_page("profile")
    whole = page.request.get(f"{page.url.split('/example')[0]}/example/error-500").text()
    answer(page, "/act/delete", whole, 500)
    page.locator("#delete-2").click()
    expect(page.locator("#alerts[role=alert]")).to_contain_text("Failed to delete memory. Nothing was changed.")
    expect(page.locator("#alerts[role=alert]")).to_contain_text("Request 4f1c9a2e7b")
    expect(page.locator("#row-2")).to_be_visible()


def test_an_error_while_a_dialog_is_open_is_said_inside_it(open_page: OpenPage) -> None:
    page = open_page("profile")
    page.locator("#edit-2").click()
    page.get_by_label("Memory", exact=True).fill("The user is allergic to nuts.")
    answer(page, "/example/memory-form", "nothing to read", 503, {"X-Request-Id": "abc123"})
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#dialog-alert")).to_contain_text("abc123")
    expect(page.get_by_label("Memory", exact=True)).to_have_value("The user is allergic to nuts.")


def test_a_lost_connection_is_said(open_page: OpenPage) -> None:
    page = open_page("profile")
    page.route("**/act/delete", lambda route: route.abort())
    page.locator("#delete-2").click()
    expect(page.locator("#alerts")).to_contain_text("could not be reached")
    page.locator("#alerts").get_by_role("button").click()
    expect(page.locator("#alerts")).to_be_empty()


def test_typed_text_survives_a_sign_in_that_ran_out(open_page: OpenPage) -> None:
    page = open_page("profile")
    page.locator("#edit-2").click()
    page.get_by_label("Memory", exact=True).fill("The user is allergic to nuts.")
    answer(page, "/example/memory-form", "", 401)
    page.route(
        "**/login?*",
        lambda route: route.fulfill(
            body=page.request.get(f"{page.url.split('/example')[0]}/example/login").text(), content_type="text/html"
        ),
    )
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/login?next=%2Fexample%2Fmemory-form&expired=1")
    page.unroute("**/example/memory-form")
    page.goto(page.url.split("/login")[0] + "/example/memory-form")
    expect(page.get_by_label("Memory", exact=True)).to_have_value("The user is allergic to nuts.")
    expect(page.locator("#announcer")).to_contain_text("back in the form")
    assert page.evaluate("sessionStorage.length") == 0


def test_a_draft_of_somebody_else_is_dropped(open_page: OpenPage) -> None:
    page = open_page("profile")
    draft = {
        "person": "eve@example.org",
        "path": "/example/memory-form",
        "action": "/example/memory-form",
        "fields": [["content", "Eve's secret text"]],
        "expired": True,
    }
    page.evaluate("draft => sessionStorage.setItem('draft', draft)", json.dumps(draft))
    page.goto(page.url.replace("profile", "memory-form"))
    expect(page.get_by_label("Memory", exact=True)).to_have_value("The user is allergic to peanuts.")
    assert page.evaluate("sessionStorage.length") == 0


def test_the_counter_follows_the_typing(open_page: OpenPage) -> None:
    page = open_page("memory-form-new")
    field = page.get_by_label("Memory", exact=True)
    field.fill("  Nine 👋 ch  ")
    expect(page.locator(".counter")).to_have_text("9/10 characters minimum")
    field.press_sequentially("ars")
    expect(page.locator(".counter")).to_have_text("14 characters")


def test_search_starts_while_typing_and_keeps_the_address_short(open_page: OpenPage) -> None:
    page = open_page("tenant-global")
    asked: list[str] = []
    page.route(
        "**/act?*",
        lambda route: (
            asked.append(route.request.url),
            route.fulfill(body='<section id="results"><p data-announce>1 user</p></section>'),
        ),
    )
    page.keyboard.press("/")
    expect(page.locator("#search-users")).to_be_focused()
    page.keyboard.type("om")
    page.wait_for_timeout(500)
    assert asked == []
    page.keyboard.type("a")
    expect(page.locator("#announcer")).to_have_text("1 user")
    assert asked[0].endswith("/act?view=global&q=oma")
    assert page.url.endswith("/act?view=global&q=oma")
    expect(page.locator("#search-users")).to_be_focused()


def test_empty_filters_stay_out_of_the_address(open_page: OpenPage) -> None:
    page = open_page("agent-users")
    asked: list[str] = []
    page.route(
        "**/act?*", lambda route: (asked.append(route.request.url), route.fulfill(body='<div id="memories"></div>'))
    )
    page.get_by_text("More filters").click()
    page.get_by_label("Origin").select_option("manual")
    expect(page.locator("#memory-rows")).to_have_count(0)
    assert asked[0].endswith("/act?origin=manual")


def test_ticking_rows_brings_up_what_can_be_done_with_them(open_page: OpenPage) -> None:
    page = open_page("agent-users")
    expect(page.get_by_role("button", name="Delete selected")).to_be_hidden()
    page.get_by_label("Select all on this page").check()
    expect(page.locator("[data-selection]")).to_have_text("4 selected")
    expect(page.get_by_role("button", name="Delete selected")).to_be_visible()
    page.get_by_label("Select: The user mixes up").uncheck()
    expect(page.locator("[data-selection]")).to_have_text("3 selected")
    answer(page, "/act", block(page, "merge"))
    page.get_by_role("button", name="Merge").click()
    expect(page.get_by_role("dialog", name="Merge 2 memories")).to_be_visible()


def test_a_switch_is_one_control_that_says_what_follows_from_it(open_page: OpenPage) -> None:
    page = open_page("profile-off")
    switch = page.get_by_role("switch", name="Allow AI to learn from our conversations")
    expect(switch).to_be_checked()
    expect(switch).to_have_accessible_description(
        "When enabled, the AI will remember useful information from your chats to provide better assistance. "
        "Learning is on for you, but your organisation has memory off. An administrator can turn it on."
    )


def test_a_menu_closes_on_escape_and_on_a_click_outside(open_page: OpenPage) -> None:
    page = open_page("profile")
    menu = page.locator(".account-menu")
    menu.locator("summary").click()
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    menu.locator("summary").click()
    page.get_by_role("heading", name="My memory").click()
    expect(menu).not_to_have_attribute("open", "")


def test_suggestions_inside_a_dialog_leave_it_open(open_page: OpenPage) -> None:
    page = open_page("agent-users")
    page.locator("#add-memory").click()
    page.route("**/act?user=*", lambda route: route.fulfill(body='<option value="lena">Lena Learner</option>'))
    page.get_by_role("dialog").get_by_label("User").press_sequentially("le")
    expect(page.locator("#form-users option")).to_have_attribute("value", "lena")
    expect(page.get_by_role("dialog")).to_be_visible()


def test_a_region_inside_a_dialog_is_replaced_there(open_page: OpenPage) -> None:
    page = open_page("profile")
    page.locator("#row-2 summary").click()
    page.locator("#row-2").get_by_role("link", name="History").click()
    answer(page, "/act", '<div id="history"><h2 data-heading tabindex="-1">Removed</h2></div>')
    page.get_by_role("button", name="Remove from history").first.click()
    expect(page.get_by_role("dialog").get_by_text("Removed")).to_be_visible()


def test_what_a_menu_opens_gives_the_focus_back_to_the_menu(open_page: OpenPage) -> None:
    page = open_page("profile")
    row = page.locator("#row-2")
    row.locator("summary").click()
    row.get_by_role("link", name="History").press("Enter")
    expect(page.get_by_role("dialog", name="History")).to_be_visible()
    page.keyboard.press("Escape")
    expect(row.locator("summary")).to_be_focused()


def test_a_new_message_takes_the_place_of_a_passing_one_but_not_of_an_undo(open_page: OpenPage) -> None:
    page = open_page("profile-off")
    settings = '<section id="memory-settings"></section><div hx-swap-oob="beforeend:#toasts"><div class="toast" data-passing><p>{}</p></div></div>'
    answer(page, "/act", settings.format("First"))
    page.locator("#switch-use").click()
    expect(page.locator("#toasts")).to_contain_text("First")
    page.evaluate("document.getElementById('memory-settings').outerHTML = ''")
    answer(
        page,
        "/act/delete",
        listing(1) + '<div hx-swap-oob="beforeend:#toasts"><div class="toast" data-passing><p>Second</p></div></div>',
    )
    page.locator("#delete-2").click()
    expect(page.locator("#toasts")).to_contain_text("Second")
    expect(page.locator("#toasts .toast p")).to_have_text(["Memory deleted successfully", "Second"])


def test_a_secret_can_be_copied(open_page: OpenPage) -> None:
    page = open_page("tokens", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    expect(page.locator("#announcer")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "am_7hK2mVn4Qx9TbLw3ZsYpRdFg"
