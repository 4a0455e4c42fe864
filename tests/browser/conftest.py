"""Chromium, and the gallery of templates on a port of its own."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from werkzeug.serving import make_server

from tests import servers
from tests.browser.gallery import create_gallery
from tests.browser.product import Product
from tests.functional.installation import Installation
from webapp.assets import ROOT

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OpenPage = Callable[..., Page]


def find_chromium() -> str:
    """Return the path of Chromium, getting it where it is missing and this user may; else fail in one line."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if not found:
        got = subprocess.run([ROOT / ".ci" / "browsers"], capture_output=True, text=True)
        found = shutil.which("chromium")
        if not found:
            pytest.fail(got.stderr.strip() or "The browser tests need Chromium.", pytrace=False)
    return found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for the run; tests open contexts of their own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def gallery() -> Iterator[str]:
    """The address of a running gallery."""
    server = make_server("127.0.0.1", 0, create_gallery(), threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()


@pytest.fixture
def open_page(chromium: Browser, gallery: str) -> Iterator[OpenPage]:
    """Open an example in a context of its own; what the console reports as an error fails the test."""
    contexts = []
    complaints: list[str] = []

    def opened(name: str, width: int = 1280, **options: object) -> Page:
        context = chromium.new_context(viewport={"width": width, "height": 800}, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: complaints.append(m.text) if "Content Security Policy" in m.text else None)
        page.goto(f"{gallery}/example/{name}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not complaints


@pytest.fixture(scope="session")
def axe_script() -> str:
    """The accessibility checker, as installed by `python -m webapp.assets`."""
    script = ROOT / "node_modules" / "axe-core" / "axe.min.js"
    if not script.is_file():
        pytest.fail("axe-core is missing: run `npm ci`.", pytrace=False)
    return script.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def _installation() -> Iterator[Installation]:
    """The product with its demo, started once for the run; its rate limit does not count here."""
    with servers.scratch_folder() as folder:
        made = Installation(folder / "var", environ={"RATE_LIMIT": "none", "RATE_LIMIT_ADDRESS": "none"})
        made.start()
        yield made
        made.clean_up()


@pytest.fixture
def product(_installation: Installation, chromium: Browser, _sessions: dict[str, object]) -> Iterator[Product]:
    """The running product; a page that threw or broke the policy fails the test that opened it."""
    made = Product(_installation, chromium, _sessions)
    yield made
    made.close_pages()
    assert made.complaints == []


@pytest.fixture(scope="session")
def _sessions() -> dict[str, object]:
    """Who has signed in during this run."""
    return {}
