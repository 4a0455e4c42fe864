"""Examples: the tenant's screens, people, agents, tokens, one's own account."""

from __future__ import annotations

from types import SimpleNamespace as Shape
from typing import Any

from tests.browser.examples import EFFECTIVE_OFF, EFFECTIVE_ON, LONG, Context, frame, moment, page
from tests.browser.examples_agent import tab
from tests.browser.examples_profile import GLOBALS, memories

SECTIONS = ["Memory", "Activity", "People", "Tokens", "Audit"]
LIST = Shape(list="/act", clear="/act", add="/example/agent-form", invite="/example/person-form")


def tenant(current: str, **context: Any) -> Context:
    return {
        "frame": frame("tenant"),
        "sections": [tab(name, name == current) for name in SECTIONS],
        "in_dialog": False,
    } | context


def listed(rows: list[Shape], total: int | None = None, **changes: Any) -> Shape:
    n = len(rows) if total is None else total
    return Shape(
        **(
            {"rows": rows, "page": page(1, max(1, -(-n // 10)), n, 10), "total": n, "urls": LIST, "nobody": None}
            | changes
        )
    )


def system(on: bool = True) -> Shape:
    off = "Off since 14:02 by Mina Okafor. New conversations are not remembered and cannot be recovered later."
    return Shape(on=on, url="/act", effect="3 agents have memory on, 41 users", off_text=None if on else off)


USERS = [
    Shape(
        name="Ada Lindqvist",
        username="ada",
        email="ada@example.org",
        total=39,
        last_captured=moment(),
        url="/act",
        left=False,
        unlearning=True,
    ),
    Shape(
        name="",
        username="omar",
        email="omar@example.org",
        total=1_204,
        last_captured=None,
        url="/act",
        left=True,
        unlearning=False,
    ),
    Shape(
        name="Wolfeschlegelsteinhausenbergerdorff-Montgomery, Adolph Blaine",
        username="wolfe",
        email="wolfe@a-rather-long-domain-name.example",
        total=0,
        last_captured=moment("12 Nov 2026"),
        url="/act",
        left=False,
        unlearning=False,
    ),
]


def agent(id: int, name: str, on: bool, archived: bool = False, total: int = 1_284) -> Shape:
    urls = Shape(edit="/example/agent-form", archive=None if archived else "/act", restore="/act" if archived else None)
    return Shape(
        id=id,
        name=name,
        description=LONG[:90],
        on=on,
        blocked="but memory is off for the organisation" if id == 1 else None,
        archived=archived,
        total=f"{total:,}",
        url="/example/agent-users",
        urls=urls,
    )


AGENTS = [
    agent(1, "Python Tutor", True),
    agent(2, "Writing Coach", False, total=1),
    agent(3, "Statistics Helper 2024", False, True, 77),
]


def memory(view: str, **changes: Any) -> Context:
    views = [tab("Global", view == "global"), tab("Agent", view == "agent")]
    base = {
        "system": system(),
        "view": view,
        "views": views,
        "filters": Shape(q="", active=False),
        "nobody": None,
        "list": listed(USERS, 41),
        "users": USERS,
        "agents": AGENTS,
    }
    return tenant("Memory", **(base | changes))


def exchange(id: int, state: str, **changes: Any) -> Shape:
    base = {
        "id": id, "user": "ada@example.org", "agent": "Python Tutor", "state": state, "moment": moment(), "reason": None, "error": None, "attempts": 1,
        "counts": [], "cure": None, "urls": Shape(retry=None, user="/act", agent="/act"),
    }  # fmt: skip
    return Shape(**(base | changes))


EXCHANGES = [
    exchange(1, "pending", moment=moment("just now")),
    exchange(
        2,
        "failed",
        error="The model server answered 429 five times.",
        attempts=5,
        urls=Shape(retry="/act", user=None, agent=None),
    ),
    exchange(3, "done", counts=["2 new", "1 replaced", "3 not kept: not said by the user (2), a secret (1)"]),
    exchange(5, "nothing", counts=["Nothing in it was worth remembering."]),
    exchange(
        4,
        "skipped",
        reason="Learning was off for the person: turned off by you, 14:02.",
        cure=Shape(url="/act", label="Open the person’s switches"),
    ),
]
DAYS = [
    {"label": f"{d} Nov", "done": 20 + (d * 7) % 23, "skipped": d % 5, "failed": 3 if d == 22 else 0}
    for d in range(17, 31)
]


def activity(**changes: Any) -> Context:
    base = {
        "queue": Shape(waiting=4, running=2, failed=1, oldest="4 minutes"), "days": DAYS, "exchanges": listed(EXCHANGES, 1_043),
        "filters": Shape(state="", agent="", user="", active=False), "agent_options": [("python-tutor", "Python Tutor")], "blocked": None,
    }  # fmt: skip
    return tenant("Activity", **(base | changes))


def part(text: str, url: str | None = None, username: str | None = None, dialog: bool = False) -> Shape:
    return Shape(text=text, url=url, username=username, dialog=dialog)


EVENTS = [
    Shape(
        moment=moment(),
        actor=part("Mina Okafor", username="mina"),
        what="Turned memory on for the agent Python Tutor",
        about=[part("Python Tutor", "/act")],
    ),
    Shape(
        moment=moment("yesterday"),
        actor=part("Ada Lindqvist", username="ada"),
        what="Exported everything held about a person",
        about=[part("Ada Lindqvist", "/act", "ada"), part("memory 8", "/example/history", dialog=True)],
    ),
    Shape(
        moment=moment("12 Nov 2026"),
        actor=part("service token “chat-prod”"),
        what="Read another person's memories",
        about=[],
    ),
]


PERSON = {
    "person": Shape(name="Ada Lindqvist", email="ada@example.org", left=False),
    "agents": [Shape(name="Python Tutor", total=5, url="/act"), Shape(name="Help Desk", total=1, url="/act")],
    "memories": memories(GLOBALS),
    "urls": Shape(back="/act"),
}
SETTINGS = Shape(capture=Shape(on=True, url="/act"), use=Shape(on=True, url="/act"), effective=EFFECTIVE_ON)
TENANT: dict[str, tuple[str, Context]] = {
    "tenant-global": ("tenant/memory.html", memory("global")),
    "tenant-agent": ("tenant/memory.html", memory("agent", list=listed(AGENTS))),
    "tenant-off": (
        "tenant/memory.html",
        memory(
            "global",
            system=system(False),
            list=listed([]),
            users=[],
            filters=Shape(q="zz", active=True),
            nobody="No person called “zz”.",
        ),
    ),
    "tenant-person": ("tenant/person.html", tenant("Memory", settings=SETTINGS, **PERSON)),
    "tenant-person-left": (
        "tenant/person.html",
        tenant(
            "Memory",
            settings=None,
            **(PERSON | {"person": Shape(name="Ada Lindqvist", email="ada@example.org", left=True), "agents": []}),
        ),
    ),
    "tenant-person-off": (
        "tenant/person.html",
        tenant(
            "Memory",
            settings=Shape(
                capture=Shape(on=True, url="/act"), use=Shape(on=False, url="/act"), effective=EFFECTIVE_OFF
            ),
            **(PERSON | {"memories": memories([])}),
        ),
    ),
    "activity": ("tenant/activity.html", activity()),
    "activity-empty": (
        "tenant/activity.html",
        activity(
            blocked=Shape(
                text="Memory is off for the organisation: nothing is captured.", url="/act", label="Memory settings"
            ),
            days=[],
            exchanges=listed([]),
            queue=Shape(waiting=0, running=0, failed=0, oldest=None),
        ),
    ),
    "audit": (
        "tenant/audit.html",
        tenant(
            "Audit",
            events=listed(EVENTS, 230),
            filters=Shape(kind="", actor="", start="", end="", active=False),
            kinds=[("edit", "Edits")],
        ),
    ),
}
