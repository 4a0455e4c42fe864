"""The README's pictures, taken anew from the demo: `python -m tests.browser.pictures`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

from tests import servers
from tests.browser.conftest import FLAGS, find_chromium
from tests.browser.product import Product
from tests.functional.installation import PROJECT, Installation

FOLDER = PROJECT / "docs" / "pictures"
TUTOR = "/orgs/demo/agents/python-tutor/memory"
PHONE = {"viewport": {"width": 375, "height": 812}, "device_scale_factor": 2}


def ask(page: Page) -> None:
    """Have *Try it* answer, and bring the answer into view."""
    page.get_by_role("link", name="Try it").click()
    page.locator("#try-user").fill("learner")
    page.locator("#try-message").fill("How do I sort a list of lists?")
    page.get_by_role("button", name="Show what would be injected").click()
    expect(page.locator("#try-it pre")).to_be_visible()
    page.locator(".try-result").scroll_into_view_if_needed()


def history(page: Page) -> None:
    """Open the history of the first memory that somebody has edited."""
    page.locator("#memory-rows > li").filter(has_text="Edited by").first.get_by_role("link", name="History").click()
    expect(page.get_by_role("dialog", name="History")).to_be_visible()


def list_itself(page: Page) -> None:
    """Scroll past the head of the page."""
    page.locator("#users-heading").evaluate("heading => heading.scrollIntoView()")


def all_read(page: Page) -> None:
    """Wait until the workers have read the demo's messages."""
    while page.get_by_text("Clara left Orbit").count() == 0:
        page.reload()
    page.get_by_role("link", name="Picture").click()
    expect(page.get_by_role("link", name="Clara: 5 facts")).to_be_visible()


def as_it_is(_page: Page) -> None:
    """Nothing to do."""


PICTURES: list[tuple[str, str, str, Callable[[Page], None], dict[str, Any]]] = [
    ("my-memory", "learner", "/orgs/demo/me/memory", as_it_is, {}),
    ("my-memory-phone", "learner", "/orgs/demo/me/memory", as_it_is, PHONE),
    ("user-memories", "curator", TUTOR, list_itself, {}),
    ("history", "curator", TUTOR, history, {}),
    ("try-it", "curator", f"{TUTOR}/shared", ask, {}),
    ("graph", "learner", "/orgs/demo/graph/learner", all_read, {}),
    ("activity-dark", "admin", "/orgs/demo/memory/activity", as_it_is, {"color_scheme": "dark"}),
]


def take(product: Product, folder: Path) -> None:
    """Take every picture into `folder`."""
    for name, who, path, prepare, options in PICTURES:
        page = product.open(who, path, **options)
        prepare(page)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=folder / f"{name}.png")
        page.context.close()


def main() -> int:
    """Start the demo, take the pictures, end it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with servers.scratch_folder() as scratch, sync_playwright() as playwright:
        installation = Installation(scratch / "var", environ={})
        installation.start()
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        try:
            take(Product(installation, browser), FOLDER)
        finally:
            browser.close()
            installation.clean_up()
    return 0


if __name__ == "__main__":
    sys.exit(main())
