"""Examples: dialogs about memories, and what was deleted."""

from __future__ import annotations

from types import SimpleNamespace as Shape
from typing import Any

from tests.browser.examples import LONG, Context, form, frame, moment, page, row
from tests.browser.examples_agent import MOVE_TO
from tests.browser.examples_profile import CONFLICT
from webapp.text_diff import Segment, segments


def deleted(rows: list[Shape]) -> Context:
    return {
        "frame": frame("agents"),
        "deleted": Shape(rows=rows, page=page(total=len(rows)), total=len(rows)),
        "days": 30,
        "urls": Shape(back="/act"),
        "back_label": "User Memories",
    }


def deleted_row(id: int, text: str, days_left: int, exists_url: str | None = None) -> Shape:
    return Shape(
        id=id,
        text=text,
        moment=moment("yesterday"),
        days_left=days_left,
        owner="ada@example.org",
        category="Preferences",
        exists_url=exists_url,
        urls=Shape(restore="/act", purge="/example/confirm-purge"),
    )


def revisions() -> list[Shape]:
    before, after = segments(
        "The user works as a nurse in Porto.", "The user works as an emergency nurse in Porto since May 2026."
    )
    return [
        Shape(
            action="edited",
            name="Mina Okafor",
            moment=moment("yesterday"),
            origin="manual",
            before=before,
            after=after,
            removed=False,
            urls=Shape(remove="/act"),
        ),
        Shape(
            action="superseded",
            name="capture",
            moment=moment("12 Nov 2026"),
            origin="captured",
            before=None,
            after=None,
            removed=True,
            urls=Shape(remove=None),
        ),
        Shape(
            action="created",
            name="capture",
            moment=moment("3 Nov 2026"),
            origin="captured",
            before=None,
            after=[Segment("The user works as a nurse in Porto.", "same")],
            removed=False,
            urls=Shape(remove=None),
        ),
    ]


def question(**changes: Any) -> Context:
    base: Context = {
        "frame": frame("agents"), "title": "Delete All Preferences Memories", "text": "212 memories of 41 people are filed under Preferences.",
        "points": [], "button": "Delete 212 memories", "kind": "danger", "typed": None, "choices": None, "ticks": [], "fields": {},
        "form": form(), "region": "#memories", "urls": Shape(confirm="/act", cancel="/act"),
    }  # fmt: skip
    return base | changes


ERASE = question(
    frame=frame(), title="Erase everything held about you", text="This deletes for good, in Acme Learning:", points=["39 memories and their history", "2 conversations that wait to be learned from", "1 graph group"],
    button="Erase everything about me", typed=Shape(word="ada", name="username", label="Type ada to confirm"), ticks=[Shape(name="stop", label="And stop learning", hint="Turns “Allow AI to learn from our conversations” off.")],
    form=form({"username": ["This is not your username."]}, username="adda", stop=True), region=None,
)  # fmt: skip
REMOVE = question(
    frame=frame("tenant"), title="Remove Omar Haddad", text="Omar loses access to Acme Learning at once; the account stays.", button="Remove Omar Haddad", region="#people",
    choices=Shape(name="memory", label="What is remembered about Omar", options=[Shape(value="keep", label="Keep it", hint="It is there again if Omar comes back."), Shape(value="erase", label="Erase it for good", hint=None)]), form=form(memory="keep"),
)  # fmt: skip
SAVE = Shape(save="/act", cancel="/act", users="/act")
DIALOG: Context = {"frame": frame("agents"), "region": "#memories", "urls": SAVE, "editing": False, "conflict": None}
DIALOGS: dict[str, tuple[str, Context]] = {
    "deleted": (
        "memory/deleted.html",
        deleted([deleted_row(41, "The user prefers to learn with videos.", 29), deleted_row(42, LONG, 1, "/act")]),
    ),
    "deleted-empty": ("memory/deleted.html", deleted([])),
    "history": (
        "dialogs/history.html",
        {"frame": frame("agents"), "of": "…", "revisions": revisions(), "urls": Shape(close="/act")},
    ),
    "confirm-all": ("dialogs/confirm.html", question()),
    "confirm-shared": (
        "dialogs/confirm.html",
        question(
            title="Delete this shared memory",
            text="Everyone who talks to Python Tutor stops receiving it at once.",
            button="Delete 1 shared memory",
            region="#shared",
        ),
    ),
    "confirm-purge": (
        "dialogs/confirm.html",
        question(
            title="Delete for good",
            text="This memory and its history cannot be brought back.",
            button="Delete 1 memory for good",
            region="#deleted",
        ),
    ),
    "confirm-remove": ("dialogs/confirm.html", REMOVE),
    "erase": ("dialogs/confirm.html", ERASE),
    "memory-form-user": (
        "dialogs/memory_form.html",
        DIALOG
        | {
            "form": form(
                {"user": ["No such user."], "content": ["Ensure this field has at least 10 characters."]},
                content="Short",
                category="",
                user="adda",
            ),
            "categories": MOVE_TO,
            "ask_user": True,
            "whom": None,
        },
    ),
    "knowledge-form": ("dialogs/knowledge_form.html", DIALOG | {"form": form(content=""), "warnings": []}),
    "knowledge-form-warned": (
        "dialogs/knowledge_form.html",
        DIALOG
        | {
            "form": form(content="Ask ada@example.org for the room."),
            "warnings": ["It holds the e-mail address of a member. Personal data belongs in that person's memories."],
        },
    ),
    "knowledge-form-conflict": (
        "dialogs/knowledge_form.html",
        DIALOG
        | {"form": form(content="Never give away solutions."), "warnings": [], "editing": True, "conflict": CONFLICT},
    ),
    "category-form": (
        "dialogs/category_form.html",
        DIALOG | {"form": form(name="", description="", extraction_prompt=""), "slug": None},
    ),
    "merge": (
        "dialogs/merge.html",
        DIALOG
        | {
            "rows": [row(51, "The user likes short answers."), row(52, "The user prefers concise answers.")],
            "whom": "ada@example.org",
            "form": form(content="The user likes short answers."),
            "urls": Shape(merge="/act", cancel="/act"),
        },
    ),
    "user-options": ("components/_user_options.html", {"options": []}),
}
