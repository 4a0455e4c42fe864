"""Examples: signing in, errors, My memory."""

from __future__ import annotations

from types import SimpleNamespace as Shape
from typing import Any

from tests.browser.examples import ARABIC, EFFECTIVE_OFF, EFFECTIVE_ON, LONG, Context, form, frame, moment, page, row

SIGNED_OUT = frame(person=None, org=None, orgs=[], nav=[])
GLOBALS = [
    row(1, "The user works as a nurse in the emergency department of a hospital in Porto."),
    row(2, "The user is allergic to peanuts.", "manual", "yesterday", edited_by="Mina Okafor"),
    row(3, LONG, when="12 Nov 2026", session="8f31-evening"),
    row(4, ARABIC, when="3 Nov 2026"),
    row(5, "https://example.org/" + "a-very-long-path-without-any-break/" * 6, "imported", "2 Nov 2026"),
]


def memories(rows: list[Shape], **changes: Any) -> Shape:
    base = {
        "rows": rows,
        "page": page(total=len(rows)),
        "total": len(rows),
        "q": "",
        "filtered": False,
        "searchable": False,
        "urls": Shape(list="/act", add="/example/memory-form-new", clear="/act", deleted="/act"),
    }
    return Shape(**(base | changes))


def agents() -> list[Shape]:
    urls = Shape(add="/example/memory-form-category", all=None, deleted="/example/recently-deleted")
    tutor = [
        Shape(name="Knowledge Gaps", inactive=False, rows=[row(11, "The user mixes up list.sort() and sorted().")]),
        Shape(
            name="Learning Goals",
            inactive=False,
            rows=[
                row(12, "The user wants to automate the weekly shift plan with Python by spring."),
                row(13, "The user wants to read other people's code with confidence.", "manual", "yesterday"),
            ],
        ),
        Shape(
            name="Old Projects",
            inactive=True,
            rows=[row(14, "The user built a bird-feeder camera in 2024.", when="8 Oct 2026")],
        ),
    ]
    return [
        Shape(
            id=1,
            name="Python Tutor",
            total=34,
            note=None,
            urls=Shape(add="/example/memory-form-category", all="/act", deleted="/act"),
            categories=tutor,
        ),
        Shape(
            id=2,
            name="Writing Coach",
            total=1,
            note="Memory is off for this agent",
            urls=urls,
            categories=[
                Shape(
                    name="Preferences",
                    inactive=False,
                    rows=[row(15, "The user prefers short, direct feedback.", when="21 Oct 2026")],
                ),
            ],
        ),
    ]


def profile(**changes: Any) -> Context:
    base: Context = {
        "frame": frame(),
        "settings": Shape(capture=Shape(on=True, url="/act"), use=Shape(on=True, url="/act"), effective=EFFECTIVE_ON),
        "memories": memories(GLOBALS),
        "agents": agents(),
        "org_name": "Acme Learning",
        "urls": Shape(download="/act", erase="/example/erase"),
    }
    return base | changes


TOASTS = [
    Shape(
        text="Memory deleted successfully",
        kind="ok",
        undo=Shape(url="/act", fields={"batch": "1"}, target="#global-memories"),
    ),
]
OFF = Shape(capture=Shape(on=True, url="/act"), use=Shape(on=False, url="/act"), effective=EFFECTIVE_OFF)
MANY = memories(GLOBALS, total=10_240, page=page(4, 410, 10_240), q="nurse", filtered=True, searchable=True)
CONFLICT = Shape(
    text="The user works as a nurse in Porto, in intensive care.",
    name="Mina Okafor",
    moment=moment("2 minutes ago"),
    version=4,
)
CATEGORIES = [
    Shape(value="knowledge_gaps", label="Knowledge Gaps"),
    Shape(value="learning_goals", label="Learning Goals"),
]


def memory_form(**changes: Any) -> Context:
    base: Context = {
        "frame": frame(),
        "form": form(content="The user is allergic to peanuts.", version=3, category=""),
        "editing": True,
        "categories": None,
        "whom": None,
        "region": "#global-memories",
        "urls": Shape(save="/example/memory-form", cancel="/example/profile", users="/act"),
        "ask_user": False,
        "conflict": None,
    }
    return base | changes


SHORT = form({"content": ["Ensure this field has at least 10 characters."]}, content="Short", version=3, category="")
LOGIN = {
    "frame": SIGNED_OUT,
    "form": form(login="", next=""),
    "expired": False,
    "first_run": None,
    "resume": None,
    "urls": Shape(sign_in="/act"),
}
RESUME = Shape(action="/act", fields=[("content", LONG), ("category", "preferences"), ("version", "3")])
PROFILE: dict[str, tuple[str, Context]] = {
    "login": ("auth/login.html", LOGIN),
    "login-resume": ("auth/login.html", LOGIN | {"expired": True, "resume": RESUME}),
    "resume": ("auth/resume.html", {"frame": frame(), "resume": RESUME}),
    "login-wrong": (
        "auth/login.html",
        LOGIN | {"form": form({None: ["Wrong username or password."]}, login="ada", next="/"), "expired": True},
    ),
    "login-first-run": ("auth/login.html", LOGIN | {"first_run": "flask create-org acme --admin you@example.org"}),
    "set-password": (
        "auth/set_password.html",
        {
            "frame": SIGNED_OUT,
            "account": Shape(email="ada@example.org", username="ada"),
            "form": form({"password": ["Use at least 12 characters."]}, password="", again=""),
            "urls": Shape(save="/act", sign_in="/act"),
        },
    ),
    "set-password-used": (
        "auth/set_password.html",
        {
            "frame": SIGNED_OUT,
            "account": None,
            "form": form(password="", again=""),
            "urls": Shape(save="/act", sign_in="/act"),
        },
    ),
    "no-org": ("auth/no_org.html", {"frame": frame(org=None, orgs=[], nav=[])}),
    "profile": ("profile/memory.html", profile()),
    "profile-off": (
        "profile/memory.html",
        profile(
            frame=frame(
                toasts=TOASTS,
                builtin_notice="No language model is configured: a small set of built-in rules learns from English sentences only.",
            ),
            settings=OFF,
        ),
    ),
    "profile-many": ("profile/memory.html", profile(memories=MANY)),
    "profile-empty": ("profile/memory.html", profile(memories=memories([]), agents=[])),
    "profile-no-match": (
        "profile/memory.html",
        profile(memories=memories([], q="zebra", filtered=True, searchable=True), agents=[]),
    ),
    "memory-form": ("dialogs/memory_form.html", memory_form()),
    "memory-form-new": ("dialogs/memory_form.html", memory_form(form=form(content=""), editing=False)),
    "memory-form-category": (
        "dialogs/memory_form.html",
        memory_form(
            form=form(content="", category=""),
            editing=False,
            categories=CATEGORIES,
            whom="Python Tutor · ada@example.org",
        ),
    ),
    "memory-form-short": ("dialogs/memory_form.html", memory_form(form=SHORT)),
    "memory-form-conflict": ("dialogs/memory_form.html", memory_form(conflict=CONFLICT)),
} | {
    f"error-{status}": (
        "errors/error.html",
        {
            "frame": SIGNED_OUT,
            "status": status,
            "detail": None,
            "urls": Shape(sign_in="/act" if status == 401 else None),
        },
    )
    for status in (400, 401, 403, 404, 405, 413, 429, 500, 503)
}
