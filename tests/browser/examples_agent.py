"""Examples: an agent's memory screens, dialogs about memories."""

from __future__ import annotations

from types import SimpleNamespace as Shape
from typing import Any

from tests.browser.examples import ARABIC, LONG, Context, form, frame, page, row, state

CATEGORY_NAMES = [
    "Knowledge Gaps",
    "Learning Goals",
    "Preferences",
    "Progress Milestones",
    "Personal Context",
    "Exam Preparation",
    "Working Hours",
    "Old Projects",
]


def tab(label: str, current: bool = False, count: int | None = None, inert: bool = False) -> Shape:
    return Shape(label=label, url="/act", current=current, count=count, inert=inert)


def layout(current: str = "User Memories", on: bool = True, can_edit: bool = True, **changes: Any) -> Context:
    effective = (
        state(reason="Conversations are learned from, and what is saved is used.")
        if on
        else state(False, "Off for this agent since 14:02, by Mina Okafor.")
    )
    base: Context = {
        "frame": frame("agents"),
        "agent": Shape(name="Python Tutor", archived=False),
        "can_edit": can_edit,
        "enable": Shape(on=on, url="/act", effective=effective),
        "tabs": [
            tab(label, label == current, n, not on) for label, n in (("User Memories", 1284), ("Shared Memory", 6))
        ],
        "urls": Shape(agents="/example/agents", back="/act", add="/example/category-form"),
        "kept": None if on else tab("Shared Memory"),
        "in_dialog": False,
    }
    return base | changes


def category(name: str) -> Shape:
    return Shape(name=name, inactive=False)


def memories(rows: list[Shape], **changes: Any) -> Shape:
    urls = Shape(
        list="/act",
        add="/example/memory-form-user",
        clear="/act",
        deleted="/example/deleted",
        categories="/example/categories",
        users="/act",
        bulk="/act",
        delete_all=None,
    )
    return Shape(
        **({"rows": rows, "page": page(2, 65, 1284, 20), "total": 1284, "nothing": None, "urls": urls} | changes)
    )


ROWS = [
    row(
        21, "The user mixes up list.sort() and sorted().", owner="ada@example.org", category=category("Knowledge Gaps")
    ),
    row(
        22,
        LONG,
        "manual",
        "yesterday",
        owner="wolfeschlegelsteinhausenbergerdorff@a-rather-long-domain-name.example",
        category=category("Personal Context"),
        edited_by="Mina Okafor",
    ),
    row(23, ARABIC, owner="omar@example.org", category=Shape(name="Old Projects", inactive=True), when="12 Nov 2026"),
    row(
        24,
        "The user finished the chapter on decorators.",
        owner="Unknown",
        category=category("Progress Milestones"),
        when="2 Nov 2026",
    ),
]
for each in ROWS:
    each.urls.forget = None
CATEGORIES = [Shape(label="All", slug="", url="/act", current=True, count=1284, inactive=False)] + [
    Shape(
        label=name,
        slug=name.lower().replace(" ", "_"),
        url="/act",
        current=False,
        count=421 - 53 * i,
        inactive=name.startswith("Old"),
    )
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
        Shape(
            text="The user mixes up list.sort() and sorted().",
            scope="Knowledge Gaps",
            distance="0.218",
            words="0.412",
            said_on="2026-11-30",
            score="0.647",
            age="3 hours",
            included=True,
            why="",
        ),
        Shape(
            text="The user built a bird-feeder camera in 2024.",
            scope="Old Projects",
            distance="0.781",
            words="0.000",
            said_on="2026-09-14",
            score="0.066",
            age="2 months",
            included=False,
            why="too far from the message",
        ),
    ],
)


def try_it(**changes: Any) -> Shape:
    base = {"url": "/act", "users_url": "/act", "form": form(user="", message=""), "open": False, "result": None}
    return Shape(**(base | changes))


def users(**changes: Any) -> Context:
    base: Context = {
        "own_only": False,
        "filters": FILTERS,
        "memories": memories(ROWS),
        "categories": CATEGORIES,
        "move_to": MOVE_TO,
        "try_it": try_it(),
    }
    return layout() | base | changes


TRIED = try_it(open=True, form=form(user="ada@example.org", message="How do I sort a list?"), result=RESULT)


def shared_row(id: int, text: str, **changes: Any) -> Shape:
    urls = Shape(
        edit="/example/knowledge-form",
        delete="/example/confirm-shared",
        history="/example/history",
        forget=None,
        confirm_delete=True,
    )
    return row(id, text, origin=None, owner="Added by Mina Okafor", urls=urls, **changes)


def shared(rows: list[Shape], **changes: Any) -> Context:
    entries = Shape(
        rows=rows,
        page=page(total=len(rows)),
        total=len(rows),
        urls=Shape(add="/example/knowledge-form", deleted="/act"),
    )
    return (
        layout("Shared Memory")
        | {"may_read": True, "entries": entries, "budget": Shape(used=13_420, limit=16_000), "try_it": try_it()}
        | changes
    )


def manager(**changes: Any) -> Context:
    def urls(active: bool) -> Shape:
        return Shape(
            memories="/act",
            edit="/example/category-form",
            rename="/act",
            deactivate="/act" if active else None,
            reactivate=None if active else "/act",
        )

    rows = [
        Shape(
            id=1,
            name="Knowledge Gaps",
            slug="knowledge_gaps",
            description="Topics or concepts the user struggles with",
            extraction_prompt="",
            active=True,
            total=421,
            urls=urls(True),
        ),
        Shape(
            id=2,
            name="Preferences",
            slug="preferences",
            description="Learning style, pace, or content preferences",
            extraction_prompt="How the user likes to be taught: pace, examples, tone. Not what they learn.",
            active=True,
            total=212,
            urls=urls(True),
        ),
        Shape(
            id=3,
            name="Old Projects",
            slug="old_projects",
            description="Projects from before 2026",
            extraction_prompt="",
            active=False,
            total=12,
            urls=urls(False),
        ),
    ]
    return layout() | {"categories": rows, "renaming": None} | changes


RENAMING = Shape(
    id=2,
    form=form({"name": ["Category with this slug already exists"]}, name="Knowledge Gaps", version=1),
    urls=Shape(save="/act", cancel="/act"),
)


AGENT: dict[str, tuple[str, Context]] = {
    "agent-users": ("agent/memory.html", users()),
    "agent-users-tried": ("agent/memory.html", users(try_it=TRIED)),
    "agent-try": ("agent/try.html", layout() | {"try_it": TRIED}),
    "agent-users-empty": ("agent/memory.html", users(memories=memories([], total=0), categories=CATEGORIES[:1])),
    "agent-users-own": ("agent/memory.html", users(can_edit=False, own_only=True)),
    "agent-off": ("agent/memory.html", users() | layout(on=False)),
    "agent-off-viewer": ("agent/memory.html", users() | layout(on=False, can_edit=False)),
    "shared": (
        "agent/shared.html",
        shared(
            [
                shared_row(31, "Never reveal solutions before the learner has tried twice."),
                shared_row(32, LONG, note="Not delivered: over budget"),
            ]
        ),
    ),
    "shared-empty": ("agent/shared.html", shared([])),
    "shared-denied": ("agent/shared.html", shared([], may_read=False)),
    "categories": ("agent/categories.html", manager()),
    "categories-renaming": ("agent/categories.html", manager(renaming=RENAMING)),
}
