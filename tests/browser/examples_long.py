"""Examples: people whose names have no end, and a form that was refused in a dialog taller than the window."""

from __future__ import annotations

from types import SimpleNamespace as Shape
from typing import Any

from tests.browser.examples import Context, form
from tests.browser.examples_setup import DIALOG, PEOPLE, SETUP, SLUG_HINT, TOKENS
from tests.browser.examples_tenant import AGENTS, EVENTS, TENANT, USERS, listed, part

NAME = ("Wolfeschlegelsteinhausenbergerdorff" * 5)[:150]
EMAIL = f"{'w' * 40}@{'long-domain-name.' * 2}exam"


def changed(shape: Shape, **changes: Any) -> Shape:
    return Shape(**(vars(shape) | changes))


def example(of: dict[str, tuple[str, Context]], name: str, **changes: Any) -> tuple[str, Context]:
    template, context = of[name]
    return template, context | changes


LONG_USER = changed(USERS[0], name=NAME, username="w" * 57, email=EMAIL)
LONG_PERSON = changed(PEOPLE[1], id=9, name=NAME, email=EMAIL)
LONG_NAMES: dict[str, tuple[str, Context]] = {
    "people-long": example(SETUP, "people", people=listed([*PEOPLE, LONG_PERSON], link=None)),
    "tenant-global-long": example(TENANT, "tenant-global", users=[*USERS, LONG_USER]),
    "agents-long": example(SETUP, "agents", agents=[*AGENTS, changed(AGENTS[0], id=9, name=NAME)]),
    "tokens-long": example(SETUP, "tokens", tokens=listed([changed(TOKENS[0], name=NAME)], created=None)),
    "audit-long": example(
        TENANT,
        "audit",
        events=listed(
            [*EVENTS, changed(EVENTS[0], actor=part(NAME, username="w" * 57), about=[part(EMAIL, "/act", NAME)])]
        ),
    ),
    "agent-form-refused": (
        "dialogs/agent_form.html",
        DIALOG
        | {
            "form": form(
                {"slug": ["Use lower-case letters, digits, - and _ (at most 100), not a UUID."]},
                name="Python Tutor",
                slug="Python!",
                description="",
                editors="",
                viewers="",
            ),
            "unique_id": None,
            "slug_hint": SLUG_HINT + "Left empty, it becomes “python-tutor”.",
            "region": "#agents",
            "urls": Shape(save="/act", cancel="/act", slug="/act/slug"),
        },
    ),
}
