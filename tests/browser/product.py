"""The whole product in its own processes, with the demo's people, and a browser for each of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import httpx2
from playwright.sync_api import Browser, BrowserContext, Page

from tests.functional.installation import Installation

API = "/api/ai-agent/orgs/demo"
LEARNER = f"{API}/users/learner"


@dataclass
class Product:
    """A running installation; everybody signs in once, further pages share that session."""

    installation: Installation
    browser: Browser
    sessions: dict[str, Any] = field(default_factory=dict)
    contexts: list[BrowserContext] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, who: str, path: str, **options: Any) -> Page:
        """A new page at `path`, signed in as `who`; what breaks the policy or throws is kept in `complaints`."""
        if who not in self.sessions:
            self.sessions[who] = self._sign_in(who)
        page = self.page(storage_state=self.sessions[who], **options)
        page.goto(self.installation.url + path)
        return page

    def page(self, **options: Any) -> Page:
        """A page of a context of its own, signed in as nobody."""
        context = self.browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | options)
        self.contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda m: self.complaints.append(m.text) if "Content Security Policy" in m.text else None)
        return page

    def close_pages(self) -> None:
        """End every context that was opened."""
        while self.contexts:
            self.contexts.pop().close()

    def api(self, who: str, method: str, path: str, body: object = None) -> Any:
        """Call the JSON API with the demo token of `who`; return the body, None when there is none."""
        headers = {"Authorization": f"Token {self.installation.demo['tokens'][who]}"}
        answer = httpx2.request(method, self.installation.url + path, json=body, headers=headers, timeout=20)
        assert answer.status_code < 300, (path, answer.status_code, answer.text)
        return answer.json() if answer.content else None

    def fill_in_sign_in(self, page: Page, who: str) -> None:
        """Type name and password into the sign-in form that the page shows, and send it."""
        page.get_by_label("Username or e-mail").fill(who)
        page.get_by_label("Password").fill(self.installation.demo["passwords"][who])
        page.get_by_role("button", name="Sign in").click()

    def _sign_in(self, who: str) -> Any:
        page = self.page()
        page.goto(self.installation.url + "/login")
        self.fill_in_sign_in(page, who)
        page.wait_for_url(lambda url: "/login" not in url)
        return page.context.storage_state()
