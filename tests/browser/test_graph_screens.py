"""The graph's screens in the browser, over a group of 2,000 facts: what its owner and an admin do there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psycopg
import pytest
from playwright.sync_api import Page, expect

from bench import _graph_load
from bench._graph_data import Data, Fact
from tests.browser.product import Product
from tests.functional.installation import Installation, wait_until
from webapp.embedded.postgres import EmbeddedPostgres

pytestmark = pytest.mark.browser
GROUP, FACTS = "large-group", 2_000
HERE = f"/orgs/demo/graph/{GROUP}"
WORDS = ("harbour", "library", "turbine", "orchard", "tram", "archive", "kitchen", "bridge")
# Pictures to look at, where a folder for them is named.
PICTURES = os.environ.get("GRAPH_PICTURES")


def _data() -> Data:
    """200 people and places; the first is in every tenth fact."""
    entities = ["Vera Lindqvist", *(f"Person {number}" for number in range(1, 150)), *(f"Place {n}" for n in range(50))]
    facts = []
    for number in range(FACTS):
        source = 0 if number % 10 == 0 else 1 + number % 149
        target = 150 + number % 50
        text = f"{entities[source]} opened {WORDS[number % 8]} {number} in {entities[target]}"
        facts.append(Fact(source, target, "OPENED", text, f"20{10 + number % 14}-0{1 + number % 9}-01T00:00:00+00:00"))
    vectors = np.random.default_rng(3).normal(size=(FACTS, 384)).astype(np.float32)
    return Data(entities, facts, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), [])


@pytest.fixture(scope="module")
def _large(_installation: Installation) -> Iterator[None]:
    """The learner's group, a third of its facts ended, and one message that really was read."""
    with EmbeddedPostgres(_installation.folder / "postgres") as server:
        url = server.superuser_url.replace("+psycopg", "")
        with psycopg.connect(url, autocommit=True) as connection:
            found = connection.execute(
                "SELECT m.org_id, m.user_id FROM membership m JOIN account a ON a.id = m.user_id WHERE a.username = 'learner'"
            ).fetchone()
            assert found
            group_id = _graph_load.load(url, found[0], GROUP, _data(), found[1])
            connection.execute(
                "UPDATE graph_fact SET invalid_at = '2024-06-01', expired_at = now() WHERE group_id = %s AND id %% 3 = 0",
                [group_id],
            )
            yield
            connection.execute("DELETE FROM graph_group WHERE id = %s", [group_id])


@pytest.fixture
def graph(product: Product, _large: None) -> Product:
    return product


def pictured(page: Page, name: str) -> None:
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=False)


def test_from_the_groups_to_a_fact_by_a_search(graph: Product) -> None:
    page = graph.open("learner", "/orgs/demo/graph")
    pictured(page, "groups")
    page.get_by_role("link", name=GROUP).click()
    expect(page.locator("#facts [data-announce]")).to_have_text("2,000 facts")
    pictured(page, "facts")
    page.get_by_label("Search facts").press_sequentially("Vera Lindqvist turbine 10")
    expect(page.locator("#announcer")).to_have_text(re.compile("facts? found, the best first"))
    first = page.locator("#facts tbody tr").first
    expect(first).to_contain_text("Vera Lindqvist opened turbine 10 in Place 10")
    pictured(page, "found")
    first.get_by_role("link", name="Vera Lindqvist", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Vera Lindqvist")


def test_current_and_ended_are_told_apart_without_colour(graph: Product) -> None:
    page = graph.open("learner", f"{HERE}?state=ended")
    rows = page.locator("#facts tbody tr")
    expect(rows).to_have_count(25)
    for row in rows.all():
        expect(row).to_contain_text("ended")
    page.get_by_label("State").select_option("current")
    expect(page).to_have_url(re.compile("state=current"))
    expect(rows.first).to_contain_text("current")
    expect(page.locator("#facts tbody")).not_to_contain_text("ended")


def test_the_timeline_of_an_entity(graph: Product) -> None:
    page = graph.open("admin", f"{HERE}/entities?q=Vera")
    pictured(page, "entities")
    page.get_by_role("link", name="Vera Lindqvist").first.click()
    rows = page.locator(".timeline > li")
    expect(rows.first).to_be_visible()
    pictured(page, "timeline")
    starts = [re.search(r"\d{4}", text) for text in rows.locator(".row-meta").all_inner_texts()]
    years = [int(found[0]) for found in starts if found]
    assert len(years) == rows.count()
    assert page.locator(".timeline > li.ended").count() > 0
    assert page.locator(".timeline > li:not(.ended)").count() > 0
    for row in page.locator(".timeline > li.ended").all()[:5]:
        expect(row).to_contain_text("ended")
    hollow = page.locator(".timeline > li.ended .span").first.evaluate("one => getComputedStyle(one).fill")
    filled = page.locator(".timeline > li:not(.ended) .span").first.evaluate("one => getComputedStyle(one).fill")
    assert hollow != filled


def test_the_message_that_says_a_fact(graph: Product) -> None:
    body = {"group_id": GROUP, "messages": [{"content": "Vera Lindqvist moved to Zanzibar.", "role_type": "user", "role": "Lea"}]}  # fmt: skip
    graph.api("learner", "POST", "/api/v1/memory/ingest/messages", body)
    page = graph.open("learner", HERE)

    def found() -> bool:
        page.goto(graph.installation.url + f"{HERE}?q=Zanzibar")
        return page.locator("#facts tbody tr").filter(has_text="Zanzibar").count() > 0

    wait_until(found, "the message to be read")
    row = page.locator("#facts tbody tr").filter(has_text="Zanzibar").first
    row.get_by_role("link", name=re.compile("1 message")).click()
    dialog = page.get_by_role("dialog", name="Fact")
    expect(dialog).to_contain_text("Lea")
    expect(dialog.locator("ul, ol").last).to_contain_text("Vera Lindqvist moved to Zanzibar.")
    pictured(page, "fact")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(row.get_by_role("link", name=re.compile("1 message"))).to_be_focused()


def test_by_the_keyboard_alone(graph: Product) -> None:
    page = graph.open("learner", HERE)
    search = page.get_by_label("Search facts")
    for _ in range(60):
        page.keyboard.press("Tab")
        if search.evaluate("one => one === document.activeElement"):
            break
    expect(search).to_be_focused()
    page.keyboard.type("Vera Lindqvist bridge 70")
    expect(page.locator("#announcer")).to_have_text(re.compile("found"))
    expect(search).to_be_focused()
    entity = page.locator("#facts tbody tr").first.get_by_role("link", name="Vera Lindqvist", exact=True)
    for _ in range(60):
        page.keyboard.press("Tab")
        if entity.evaluate("one => one === document.activeElement"):
            break
    expect(entity).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Vera Lindqvist")


@pytest.mark.parametrize("rest", ["", "/entities", "/picture", "/messages"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_telephone(graph: Product, rest: str, scheme: str) -> None:
    page = graph.open("learner", HERE + rest, viewport={"width": 375, "height": 700}, color_scheme=scheme)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    pictured(page, f"telephone{rest.replace('/', '-')}-{scheme}")


def test_the_picture_of_many_is_of_the_best_connected_and_its_names_can_be_chosen(graph: Product) -> None:
    page = graph.open("admin", f"{HERE}/picture", color_scheme="dark")
    expect(page.locator("#picture-heading")).to_have_text("The 40 best connected entities")
    pictured(page, "picture")
    page.get_by_label("Entity in the middle").select_option(label="Vera Lindqvist")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("#picture-heading")).to_have_text("What Vera Lindqvist is connected with")
    pictured(page, "picture-centre")


def test_a_colleague_does_not_find_the_group(graph: Product) -> None:
    for who in ("curator", "reader", "outsider"):
        page = graph.open(who, HERE)
        expect(page.get_by_role("heading", name="There is nothing at this address")).to_be_visible()
