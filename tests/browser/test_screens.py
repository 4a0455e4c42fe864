"""Every screen of the running product, for the person whose it is: no accessibility fault, nothing off the origin."""

from __future__ import annotations

import pytest
from playwright.sync_api import Request, expect

from tests.browser.product import Product
from tests.browser.test_accessibility import RULES, faults

pytestmark = pytest.mark.browser
TUTOR = "/orgs/demo/agents/python-tutor/memory"
SCREENS = [
    ("learner", "/orgs/demo/me/memory"),
    ("learner", "/orgs/demo/me/memory/deleted"),
    ("learner", "/orgs/demo/me/tokens"),
    ("learner", "/account"),
    ("learner", "/orgs/demo/agents"),
    ("learner", TUTOR),
    ("curator", TUTOR),
    ("curator", f"{TUTOR}/shared"),
    ("curator", f"{TUTOR}/categories"),
    ("reader", f"{TUTOR}/shared"),
    ("admin", "/orgs/demo/memory"),
    ("admin", "/orgs/demo/memory?view=agent"),
    ("admin", "/orgs/demo/memory/users/learner"),
    ("admin", "/orgs/demo/memory/activity"),
    ("admin", "/orgs/demo/memory/audit"),
    ("admin", "/orgs/demo/people"),
    ("admin", "/orgs/demo/tokens"),
    ("outsider", TUTOR),
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_screen_has_an_accessibility_fault(product: Product, axe_script: str, scheme: str) -> None:
    found = {}
    for who, path in SCREENS:
        page = product.open(who, path, color_scheme=scheme, bypass_csp=True)
        page.evaluate("document.querySelectorAll('details:not(.menu)').forEach(each => { each.open = true })")
        found[f"{who} {path}"] = faults(page, axe_script, {"type": "tag", "values": RULES})
        page.context.close()
    assert {screen: these for screen, these in found.items() if these} == {}


@pytest.mark.parametrize("width", [320, 375])
def test_no_screen_runs_out_of_a_phone(product: Product, width: int) -> None:
    wide = []
    for who, path in SCREENS:
        page = product.open(who, path, viewport={"width": width, "height": 700})
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(f"{who} {path}")
        page.context.close()
    assert wide == []


def test_the_first_visit_is_light_and_asks_nobody_else(product: Product) -> None:
    page = product.page()
    asked: list[Request] = []
    page.on("requestfinished", lambda request: asked.append(request))
    page.goto(product.installation.url + "/login", wait_until="networkidle")
    # Somebody about whom no other test writes: what is theirs is a part of the first visit.
    product.fill_in_sign_in(page, "reader")
    page.wait_for_load_state("networkidle")
    assert {request.url.split("/")[2] for request in asked} == {product.installation.url.split("/")[2]}
    assert sum(request.sizes()["responseBodySize"] for request in asked) < 100_000


def test_what_a_screen_reader_is_told_of_my_memory(product: Product) -> None:
    page = product.open("learner", "/orgs/demo/me/memory")
    expect(page.locator("body")).to_match_aria_snapshot("""
    - link "Skip to the content"
    - banner:
      - link "Agent Memory"
      - text: Demo Academy
      - navigation "Main":
        - list:
          - listitem:
            - link "Agents"
          - listitem:
            - link "My memory"
    - main:
      - heading "My memory" [level=1]
      - region "Memory settings":
        - switch "Allow AI to learn from our conversations" [checked]
        - switch "Use my saved information in responses" [checked]
      - region "Global Memories":
        - heading "Global Memories" [level=2]
        - link "Add Memory"
        - list
      - region "What each agent remembers about me"
      - region "Your data"
    """)
