"""Examples: an agent's memory screens, dialogs about memories."""

from __future__ import annotations

from types import SimpleNamespace as Shape
from typing import Any

from tests.browser.examples import ARABIC, LONG, Context, form, frame, moment, page, row, state
from tests.browser.examples_profile import CONFLICT
from webapp.text_diff import Segment, segments

CATEGORY_NAMES = ["Knowledge Gaps", "Learning Goals", "Preferences", "Progress Milestones", "Personal Context", "Exam Preparation", "Working Hours", "Old Projects"]


def tab(label: str, current: bool = False, count: int | None = None, inert: bool = False) -> Shape:
    return Shape(label=label, url="/act", current=current, count=count, inert=inert)


def layout(current: str = "User Memories", on: bool = True, can_edit: bool = True, **changes: Any) -> Context:
    effective = state(reason="Conversations are learned from, and what is saved is used.") if on else state(False, "Off for this agent since 14:02, by Mina Okafor.")
    base: Context = {
        "frame": frame("agents"),
        "agent": Shape(name="Python Tutor", archived=False),
        "can_edit": can_edit,
        "enable": Shape(on=on, url="/act", effective=effective),
        "tabs": [tab(label, label == current, n, not on) for label, n in (("User Memories", 1284), ("Shared Memory", 6))],
        "urls": Shape(agents="/example/agents", back="/act", add="/example/category-form"),
        "show_panel": on,
        "in_dialog": False,
    }
    return base | changes


def category(name: str) -> Shape:
    return Shape(name=name, inactive=False)


def memories(rows: list[Shape], **changes: Any) -> Shape:
    urls = Shape(list="/act", add="/example/memory-form-user", clear="/act", deleted="/example/deleted", categories="/example/categories", users="/act", bulk="/act", delete_all=None)
    return Shape(**({"rows": rows, "page": page(2, 65, 1284, 20), "total": 1284, "urls": urls} | changes))


ROWS = [
    row(21, "The user mixes up list.sort() and sorted().", owner="ada@example.org", category=category("Knowledge Gaps")),
    row(22, LONG, "manual", "yesterday", owner="wolfeschlegelsteinhausenbergerdorff@a-rather-long-domain-name.example", category=category("Personal Context"), edited_by="Mina Okafor"),
    row(23, ARABIC, owner="omar@example.org", category=Shape(name="Old Projects", inactive=True), when="12 Nov 2026"),
    row(24, "The user finished the chapter on decorators.", owner="Unknown", category=category("Progress Milestones"), when="2 Nov 2026"),
]
for each in ROWS:
    each.urls.forget = None
CATEGORIES = [Shape(label="All", slug="", url="/act", current=True, count=1284, inactive=False)] + [
    Shape(label=name, slug=name.lower().replace(" ", "_"), url="/act", current=False, count=421 - 53 * i, inactive=name.startswith("Old"))
    for i, name in enumerate(CATEGORY_NAMES)
]
FILTERS = Shape(user="", q="", start="", end="", origin="", category="", active=False)
MOVE_TO = [Shape(value="preferences", label="Preferences"), Shape(value="learning_goals", label="Learning Goals")]
BLOCK = "## User Information\n- The user works as a nurse in Porto.\n\n## Relevant Context from Previous Conversations\n- [Knowledge Gaps] The user mixes up list.sort() and sorted()."
RESULT = Shape(
    state=state(),
    block=BLOCK,
    globals_hidden=2,
    rows=[
        Shape(text="The user mixes up list.sort() and sorted().", scope="Knowledge Gaps", distance="0.218", score="1.91", age="3 hours", included=True, why=""),
        Shape(text="The user built a bird-feeder camera in 2024.", scope="Old Projects", distance="0.781", score="0.33", age="2 months", included=False, why="too far from the message"),
    ],
)


def try_it(**changes: Any) -> Shape:
    base = {"url": "/act", "users_url": "/act", "form": form(user="", message=""), "open": False, "result": None}
    return Shape(**(base | changes))


def users(**changes: Any) -> Context:
    base: Context = {"own_only": False, "filters": FILTERS, "memories": memories(ROWS), "categories": CATEGORIES, "move_to": MOVE_TO, "try_it": try_it()}
    return layout() | base | changes


TRIED = try_it(open=True, form=form(user="ada@example.org", message="How do I sort a list?"), result=RESULT)


def shared_row(id: int, text: str, **changes: Any) -> Shape:
    urls = Shape(edit="/example/knowledge-form", delete="/example/confirm-shared", history="/example/history", forget=None, confirm_delete=True)
    return row(id, text, origin=None, owner="Added by Mina Okafor", urls=urls, **changes)


def shared(rows: list[Shape], **changes: Any) -> Context:
    entries = Shape(rows=rows, page=page(total=len(rows)), total=len(rows), urls=Shape(add="/example/knowledge-form", deleted="/act"))
    return layout("Shared Memory") | {"may_read": True, "entries": entries, "budget": Shape(used=13_420, limit=16_000), "try_it": try_it()} | changes


def manager(**changes: Any) -> Context:
    def urls(active: bool) -> Shape:
        return Shape(memories="/act", edit="/example/category-form", rename="/act", deactivate="/act" if active else None, reactivate=None if active else "/act")

    rows = [
        Shape(id=1, name="Knowledge Gaps", slug="knowledge_gaps", description="Topics or concepts the user struggles with", extraction_prompt="", active=True, total=421, urls=urls(True)),
        Shape(id=2, name="Preferences", slug="preferences", description="Learning style, pace, or content preferences", extraction_prompt="How the user likes to be taught: pace, examples, tone. Not what they learn.", active=True, total=212, urls=urls(True)),
        Shape(id=3, name="Old Projects", slug="old_projects", description="Projects from before 2026", extraction_prompt="", active=False, total=12, urls=urls(False)),
    ]
    return layout() | {"categories": rows, "renaming": None} | changes


RENAMING = Shape(id=2, form=form({"name": ["Category with this slug already exists"]}, name="Knowledge Gaps", version=1), urls=Shape(save="/act", cancel="/act"))


def deleted(rows: list[Shape]) -> Context:
    return {"frame": frame("agents"), "deleted": Shape(rows=rows, page=page(total=len(rows)), total=len(rows)), "days": 30, "urls": Shape(back="/act"), "back_label": "User Memories"}


def deleted_row(id: int, text: str, days_left: int, exists_url: str | None = None) -> Shape:
    return Shape(id=id, text=text, moment=moment("yesterday"), days_left=days_left, owner="ada@example.org", category="Preferences", exists_url=exists_url, urls=Shape(restore="/act", purge="/example/confirm-purge"))


def revisions() -> list[Shape]:
    before, after = segments("The user works as a nurse in Porto.", "The user works as an emergency nurse in Porto since May 2026.")
    return [
        Shape(action="edited", name="Mina Okafor", moment=moment("yesterday"), origin="manual", before=before, after=after, removed=False, urls=Shape(remove="/act")),
        Shape(action="superseded", name="capture", moment=moment("12 Nov 2026"), origin="captured", before=None, after=None, removed=True, urls=Shape(remove=None)),
        Shape(action="created", name="capture", moment=moment("3 Nov 2026"), origin="captured", before=None, after=[Segment("The user works as a nurse in Porto.", "same")], removed=False, urls=Shape(remove=None)),
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
AGENT: dict[str, tuple[str, Context]] = {
    "agent-users": ("agent/memory.html", users()),
    "agent-users-tried": ("agent/memory.html", users(try_it=TRIED)),
    "agent-users-empty": ("agent/memory.html", users(memories=memories([], total=0), categories=CATEGORIES[:1])),
    "agent-users-own": ("agent/memory.html", users(can_edit=False, own_only=True)),
    "agent-off": ("agent/memory.html", users() | layout(on=False)),
    "agent-off-viewer": ("agent/memory.html", users() | layout(on=False, can_edit=False)),
    "shared": ("agent/shared.html", shared([shared_row(31, "Never reveal solutions before the learner has tried twice."), shared_row(32, LONG, note="Not delivered: over budget")])),
    "shared-empty": ("agent/shared.html", shared([])),
    "shared-denied": ("agent/shared.html", shared([], may_read=False)),
    "categories": ("agent/categories.html", manager()),
    "categories-renaming": ("agent/categories.html", manager(renaming=RENAMING)),
    "deleted": ("memory/deleted.html", deleted([deleted_row(41, "The user prefers to learn with videos.", 29), deleted_row(42, LONG, 1, "/act")])),
    "deleted-empty": ("memory/deleted.html", deleted([])),
    "history": ("dialogs/history.html", {"frame": frame("agents"), "of": "…", "revisions": revisions(), "urls": Shape(close="/act")}),
    "confirm-all": ("dialogs/confirm.html", question()),
    "confirm-shared": ("dialogs/confirm.html", question(title="Delete this shared memory", text="Everyone who talks to Python Tutor stops receiving it at once.", button="Delete 1 shared memory", region="#shared")),
    "confirm-purge": ("dialogs/confirm.html", question(title="Delete for good", text="This memory and its history cannot be brought back.", button="Delete 1 memory for good", region="#deleted")),
    "confirm-remove": ("dialogs/confirm.html", REMOVE),
    "erase": ("dialogs/confirm.html", ERASE),
    "memory-form-user": ("dialogs/memory_form.html", DIALOG | {"form": form({"user": ["No such user."], "content": ["Ensure this field has at least 10 characters."]}, content="Short", category="", user="adda"), "categories": MOVE_TO, "ask_user": True, "whom": None}),
    "knowledge-form": ("dialogs/knowledge_form.html", DIALOG | {"form": form(content=""), "warnings": []}),
    "knowledge-form-warned": ("dialogs/knowledge_form.html", DIALOG | {"form": form(content="Ask ada@example.org for the room."), "warnings": ["It holds the e-mail address of a member. Personal data belongs in that person's memories."]}),
    "knowledge-form-conflict": ("dialogs/knowledge_form.html", DIALOG | {"form": form(content="Never give away solutions."), "warnings": [], "editing": True, "conflict": CONFLICT}),
    "category-form": ("dialogs/category_form.html", DIALOG | {"form": form(name="", description="", extraction_prompt=""), "slug": None}),
    "merge": ("dialogs/merge.html", DIALOG | {"rows": [row(51, "The user likes short answers."), row(52, "The user prefers concise answers.")], "whom": "ada@example.org", "form": form(content="The user likes short answers."), "urls": Shape(merge="/act", cancel="/act")}),
    "user-options": ("components/_user_options.html", {"options": []}),
}
