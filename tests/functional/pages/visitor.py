"""A signed-in browser without a screen: plain forms, or the requests that htmx would send."""

from __future__ import annotations

import html
import re
from typing import Any

from werkzeug.test import TestResponse

from tests.functional.api.world import World

HTMX = {"HX-Request": "true", "HX-Request-Type": "partial"}


class Visitor:
    """One person's browser. `partial=True` asks for what htmx would put into the page."""

    def __init__(self, world: World, who: str) -> None:
        self.world, self.who = world, who
        self.client, self.csrf = world.browser(who)

    def get(self, path: str, *, partial: bool = False, query: dict[str, str] | None = None) -> TestResponse:
        """A link, or a search form with what it sends."""
        return self.client.get(path, headers=HTMX if partial else {}, query_string=query)

    def post(self, path: str, *, partial: bool = False, **fields: Any) -> TestResponse:
        """A form."""
        headers = self.csrf | (HTMX if partial else {})
        return self.client.post(path, data=fields, headers=headers)

    def follow(self, path: str, **fields: Any) -> TestResponse:
        """A plain form and the page it leads to."""
        answer = self.post(path, **fields)
        assert answer.status_code == 303, (answer.status_code, words(answer))
        return self.client.get(answer.location)


def words(answer: TestResponse) -> str:
    """What a reader sees of an answer, without tags and with white space collapsed."""
    text = re.sub(r"<(script|style|title)\b.*?</\1>", " ", answer.text, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", text)))


def is_fragment(answer: TestResponse) -> bool:
    """Whether an answer is a piece of a page."""
    return "<html" not in answer.text and "<body" not in answer.text


def undo_of(answer: TestResponse) -> tuple[str, dict[str, str]]:
    """The address and the fields of the Undo in an answer."""
    found = re.search(r'<form class="inline" method="post" action="([^"]*undo[^"]*)".*?</form>', answer.text, re.DOTALL)
    assert found, "there is no Undo"
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', found[0])
    return html.unescape(found[1]), {name: value for name, value in fields if name != "csrf_token"}
