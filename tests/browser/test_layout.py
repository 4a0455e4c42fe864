"""What is measured of the screens: nothing is pushed out, lines up, and the list begins in the first screen."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import OpenPage
from tests.browser.gallery import EXAMPLES
from tests.browser.product import Product
from tests.browser.test_behaviour import answer, listing

pytestmark = pytest.mark.browser
TUTOR = "/orgs/demo/agents/python-tutor/memory"
LINES = """elements => elements.map(element => {
    const range = document.createRange();
    range.selectNodeContents(element.lastChild);
    return new Set([...range.getClientRects()].map(rect => Math.round(rect.top))).size;
})"""


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name.endswith("-long")])
def test_a_long_name_stays_in_its_cell(open_page: OpenPage, name: str) -> None:
    page = open_page(name)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    inside = page.locator(".table-scroll").evaluate_all(
        """boxes => boxes.every(box => [...box.querySelectorAll('td, th, .button')].every(
            each => each.getBoundingClientRect().right <= box.getBoundingClientRect().right))"""
    )
    assert inside
    # Short words beside it are whole.
    assert page.locator("tbody .button").evaluate_all(LINES) == [1] * page.locator("tbody .button").count()


def test_the_bottom_bar_has_one_line_a_label(open_page: OpenPage) -> None:
    page = open_page("profile", 375)
    links = page.locator(".main-nav a")
    assert links.evaluate_all(LINES) == [1, 1, 1, 1]
    assert links.evaluate_all("links => links.every(link => link.scrollWidth <= link.clientWidth)")
    assert (
        len(
            set(links.evaluate_all("links => links.map(link => link.querySelector('svg').getBoundingClientRect().top)"))
        )
        == 1
    )


def test_tabs_are_one_row_with_the_current_one_in_view(open_page: OpenPage) -> None:
    page = open_page("audit", 375)
    tabs = page.locator(".tabs a")
    assert len(set(tabs.evaluate_all("tabs => tabs.map(tab => tab.getBoundingClientRect().top)"))) == 1
    current = page.locator(".tabs [aria-current]").bounding_box()
    assert current is not None
    assert 0 <= current["x"] <= current["x"] + current["width"] <= 375


@pytest.mark.parametrize(
    ("who", "path"),
    [
        ("curator", TUTOR),
        ("curator", f"{TUTOR}/shared"),
        ("admin", "/orgs/demo/memory"),
        ("admin", "/orgs/demo/memory/activity"),
    ],
)
def test_the_list_begins_in_the_first_screen(product: Product, who: str, path: str) -> None:
    page = product.open(who, path, viewport={"width": 1280, "height": 800})
    entry = page.locator("ol.rows > li .row-text, tbody tr").first.bounding_box()
    assert entry is not None
    assert entry["y"] + entry["height"] <= 800


@pytest.mark.parametrize("name", ["agent-users", "agent-users-own"])
def test_an_agents_memories_begin_in_the_first_screen_of_a_phone(open_page: OpenPage, name: str) -> None:
    page = open_page(name, 375)
    bar, text = page.locator(".main-nav").bounding_box(), page.locator("#memory-rows .row-text").first.bounding_box()
    assert bar is not None
    assert text is not None
    # At least two lines of the first.
    assert text["y"] + 48 <= bar["y"]


def test_filters_fold_on_a_phone_and_nowhere_else(open_page: OpenPage) -> None:
    page = open_page("agent-users", 375)
    fold, field = page.get_by_text("Search and filters"), page.get_by_label("Search for User")
    expect(field).to_be_hidden()
    fold.click()
    expect(field).to_be_visible()
    page.reload()
    page.keyboard.press("/")
    expect(field).to_be_focused()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.reload()
    expect(field).to_be_visible()
    expect(fold).to_be_hidden()


def test_filters_that_are_set_are_in_view_on_a_phone(product: Product) -> None:
    page = product.open("curator", f"{TUTOR}?q=sorted", viewport={"width": 375, "height": 812})
    expect(page.get_by_label("Search the text")).to_be_visible()
    expect(page.get_by_label("Search the text")).to_have_value("sorted")
    page = product.open("curator", TUTOR, viewport={"width": 375, "height": 812}, java_script_enabled=False)
    page.get_by_text("Search and filters").click()
    page.get_by_label("Search the text").fill("sorted")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#memory-rows > li")).to_have_count(1)


def test_every_page_has_the_same_edges(chromium: Browser, gallery: str) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    edges: dict[Any, list[str]] = {}
    for name in EXAMPLES:
        page.goto(f"{gallery}/example/{name}")
        if page.locator(".frame > main").count():
            # A scroll bar, if there is one, moves both.
            found = page.locator("main").evaluate("main => [main.clientWidth, getComputedStyle(main).paddingLeft]")
            edges.setdefault(tuple(found), []).append(name)
    page.close()
    assert list(edges) == [(1120, "24px")], edges


@pytest.mark.parametrize("name", ["agent-users", "activity", "audit", "people", "agents"])
def test_the_controls_of_a_filter_have_one_height_and_one_line(open_page: OpenPage, name: str) -> None:
    page = open_page(name)
    for fold in page.locator(".filter-fold summary").all():
        fold.click()
    rows = page.locator(".filters").evaluate(
        """form => Object.values(Object.groupBy(
            [...form.querySelectorAll('.input, .button')].map(each => each.getBoundingClientRect()),
            box => Math.round(box.top / 30))).map(row => [...new Set(row.map(box => `${box.top} ${box.height}`))].length)"""
    )
    assert set(rows) == {1}
    labels = page.locator(".filter-fold-fields label, .filter-fold-fields legend")
    assert (
        len(set(labels.evaluate_all("labels => labels.map(each => Math.round(each.getBoundingClientRect().top))"))) <= 1
    )


def test_the_box_for_all_rows_stands_over_the_boxes_of_the_rows(open_page: OpenPage) -> None:
    page = open_page("agent-users")
    boxes = page.locator("[data-select-all], [data-select]")
    assert len(set(boxes.evaluate_all("boxes => boxes.map(each => each.getBoundingClientRect().left)"))) == 1


@pytest.mark.parametrize("name", ["profile", "people", "agents"])
def test_a_focus_ring_does_not_touch_the_next_control(open_page: OpenPage, name: str) -> None:
    page = open_page(name)
    gaps = page.locator(".row-actions, td.actions").evaluate_all(
        """groups => groups.flatMap(group => {
            const boxes = [...group.querySelectorAll(':scope > .button, :scope > form, :scope > .menu')].map(each => each.getBoundingClientRect());
            return boxes.slice(1).map((box, i) => box.left - boxes[i].right);
        })"""
    )
    assert gaps
    # The ring is 3 px wide and stands 2 px off.
    assert min(gaps) > 5


def test_a_short_page_does_not_scroll(open_page: OpenPage) -> None:
    page = open_page("deleted-empty")
    assert page.evaluate("document.documentElement.scrollHeight") == 800


def test_a_message_does_not_cover_what_has_the_focus(open_page: OpenPage) -> None:
    page = open_page("profile-many")
    answer(page, "/act/delete", listing(*range(1, 30), toast=True))
    page.locator("#delete-2").click()
    expect(page.locator(".toast")).to_be_visible()
    toast = page.locator(".toast").bounding_box()
    assert toast is not None
    for number in range(1, 30):
        page.locator(f"#global-memories #edit-{number}").focus()
        focused = page.locator(f"#global-memories #edit-{number}").bounding_box()
        assert focused is not None
        assert focused["y"] + focused["height"] <= toast["y"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_chart_has_the_colours_of_the_list(open_page: OpenPage, scheme: str) -> None:
    page = open_page("activity", color_scheme=scheme)
    skipped = page.locator(".rows .chip.warn").first.evaluate("chip => getComputedStyle(chip).color")
    assert page.locator(".bar-2").first.evaluate("bar => getComputedStyle(bar).fill") == skipped
    assert page.locator(".swatch-2").evaluate("swatch => getComputedStyle(swatch).backgroundColor") == skipped
    assert page.locator(".chart-axis").inner_text().split() == ["43", "0"]
