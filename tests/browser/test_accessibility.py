"""Every example, in both schemes and at every width: no accessibility fault, nothing that runs out of the screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.gallery import EXAMPLES

pytestmark = pytest.mark.browser
# The error pages differ in their words only.
LOOKED_AT = [n for n in EXAMPLES if n == "error-500" or not n.startswith(("error-", "user-options"))]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def visit(page: Page, gallery: str) -> Iterator[str]:
    """Open one example after the other, with everything unfolded but the menus."""
    for name in LOOKED_AT:
        page.goto(f"{gallery}/example/{name}")
        page.evaluate("document.querySelectorAll('details:not(.menu)').forEach(each => { each.open = true })")
        yield name


def faults(page: Page, axe_script: str, only: dict[str, object]) -> list[str]:
    page.evaluate(axe_script)
    found = page.evaluate("only => axe.run(document, { runOnly: only, resultTypes: ['violations'] })", only)
    return [f"{v['id']}: {node['html'][:120]}" for v in found["violations"] for node in v["nodes"]]


def test_no_example_has_an_accessibility_fault(chromium: Browser, gallery: str, axe_script: str) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light", bypass_csp=True)
    found = {name: faults(page, axe_script, {"type": "tag", "values": RULES}) for name in visit(page, gallery)}
    page.close()
    assert {name: these for name, these in found.items() if these} == {}


def test_the_dark_scheme_has_enough_contrast_and_a_phone_large_enough_targets(
    chromium: Browser, gallery: str, axe_script: str
) -> None:
    page = chromium.new_page(viewport={"width": 375, "height": 812}, color_scheme="dark", bypass_csp=True)
    only = {"type": "rule", "values": ["color-contrast", "target-size", "scrollable-region-focusable"]}
    found = {name: faults(page, axe_script, only) for name in visit(page, gallery)}
    page.close()
    assert {name: these for name, these in found.items() if these} == {}


# 320 CSS pixels are 1280 at 400 % zoom.
@pytest.mark.parametrize("width", [320, 375, 768])
def test_nothing_runs_out_of_the_screen(chromium: Browser, gallery: str, width: int) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 640})
    wide = {
        name: found
        for name in visit(page, gallery)
        if (found := page.evaluate("document.documentElement.scrollWidth")) > width
    }
    page.close()
    assert wide == {}


def test_text_twice_as_large_still_fits(chromium: Browser, gallery: str) -> None:
    page = chromium.new_page(viewport={"width": 640, "height": 800})
    wide = []
    for name in visit(page, gallery):
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        if page.evaluate("document.documentElement.scrollWidth") > 640:
            wide.append(name)
    page.close()
    assert wide == []
