"""Examples: people, agents, tokens, one's own account."""

from __future__ import annotations

from types import SimpleNamespace as Shape
from typing import Any

from tests.browser.examples import LONG, Context, form, frame, moment
from tests.browser.examples_tenant import AGENTS, listed, tenant
from webapp.access.actor import SCOPES


def person(
    id: int,
    name: str,
    state: str = "active",
    role: str = "member",
    you: bool = False,
    agents: list[Shape] | None = None,
    learns: bool = True,
) -> Shape:
    urls = Shape(
        switches=None if learns else "/act",
        edit="/example/person-form-edit",
        reset="/act",
        disable="/act" if state != "disabled" else None,
        enable="/act" if state == "disabled" else None,
        remove="/example/confirm-remove",
    )
    username = name.split()[0].lower()
    return Shape(
        id=id,
        name=name,
        username=username,
        email=f"{username}@example.org",
        role=role,
        agents=agents or [],
        you=you,
        state=state,
        urls=urls,
    )


PEOPLE = [
    person(1, "Ada Lindqvist", role="admin", you=True),
    person(
        2,
        "Mina Okafor",
        agents=[Shape(name="Python Tutor", role="editor"), Shape(name="Writing Coach", role="viewer")],
        learns=False,
    ),
    person(3, "Omar Haddad", state="invited"),
    person(4, "Jun Watanabe", state="disabled"),
]
LINK = Shape(
    name="Omar Haddad",
    url="https://memory.example.org/set-password/7hK2mVn4",
    until="7 Dec 2026, 12:02",
    mailed_to=None,
)


def token(id: int, name: str, state: str, scopes: list[str], **changes: Any) -> Shape:
    base = {
        "id": id,
        "name": name,
        "prefix": "am_7hK2",
        "scopes": scopes,
        "created": moment("3 Nov 2026"),
        "last_used": moment(),
        "expires": None,
        "state": state,
        "urls": Shape(revoke="/example/confirm-all" if state == "active" else None),
    }
    return Shape(**(base | changes))


TOKENS = [
    token(1, "chat-prod", "active", SCOPES[:2]),
    token(2, "nightly import", "expired", SCOPES[2:4], last_used=None, expires=moment("12 Nov 2026")),
    token(3, "old", "revoked", []),
]
CREATED = Shape(name="chat-prod", secret="am_7hK2mVn4Qx9TbLw3ZsYpRdFg")
ZONES = [Shape(value="Europe/Stockholm", label="Europe/Stockholm"), Shape(value="Asia/Tokyo", label="Asia/Tokyo")]


def account(rows: int = 2) -> Context:
    session = [
        Shape(id=1, label="Firefox on Linux", here=True, since=moment("2 days ago"), last=moment("just now")),
        Shape(id=2, label="Safari on iPhone", here=False, since=moment("12 Nov 2026"), last=moment("yesterday")),
    ]
    return {
        "frame": frame(""),
        "details": Shape(
            form=form(
                {"email": ["Enter your current password to change the e-mail."]},
                full_name="Ada Lindqvist",
                email="ada@example.org",
                current_password="",
                zone="",
            ),
            url="/act",
            zones=ZONES,
            org_zone="Europe/Lisbon",
        ),
        "password": Shape(form=form(current="", new="", again=""), url="/act"),
        "sessions": Shape(rows=session[:rows], url="/act"),
    }


DIALOG: Context = {
    "frame": frame("tenant"),
    "urls": Shape(save="/act", cancel="/act"),
    "editing": False,
    "in_dialog": False,
}
SLUG_HINT = "Part of addresses and API paths: small letters, digits, dashes and underscores. "
NEW_PERSON = form(email="", username="", full_name="", role="member", agent_1="", agent_2="")


def field(name: str, kind: str, required: bool, about: str) -> Shape:
    return Shape(name=name, kind=kind, required=required, about=about)


OPERATION = Shape(
    id="add_global",
    method="POST",
    path="/orgs/{org}/users/{user}/global-memories/",
    summary="Add a global memory by hand.",
    paragraphs=["A service token needs the scope `memories:write`."],
    parameters=[field("org", "path, string", True, "Key of the organisation")],
    body=[field("content", "string", True, "10 to 10,000 characters")],
    answers=[
        field("201", "GlobalMemory", False, "Made"),
        field("409", "object", False, "There is one like it already"),
    ],
    curl='curl -X POST "$BASE_URL/api/ai-agent/orgs/acme/users/ada/global-memories/"',
)
API = {
    "title": "JSON API",
    "about": "`{user}` is a username.",
    "prefixes": ["/api/ai-agent"],
    "groups": {"Global memories": [OPERATION]},
}
SETUP: dict[str, tuple[str, Context]] = {
    "people": (
        "tenant/people.html",
        tenant("People", people=listed(PEOPLE, link=None), filters=Shape(q="", active=False)),
    ),
    "people-link": (
        "tenant/people.html",
        tenant("People", people=listed(PEOPLE, link=LINK), filters=Shape(q="", active=False)),
    ),
    "person-form": (
        "dialogs/person_form.html",
        DIALOG
        | {
            "form": NEW_PERSON,
            "name": None,
            "agents": [Shape(id=1, name="Python Tutor"), Shape(id=2, name="Writing Coach")],
            "region": "#people",
        },
    ),
    "agents": (
        "tenant/agents.html",
        {
            "frame": frame("agents"),
            "org_name": "Acme Learning",
            "agents": AGENTS,
            "list": listed(AGENTS),
            "filters": Shape(q="", state="active", active=False),
        },
    ),
    "agent-form": (
        "dialogs/agent_form.html",
        DIALOG
        | {
            "form": form(name="Python Tutor", slug="python-tutor", description=LONG[:90], editors="mina", viewers=""),
            "editing": True,
            "unique_id": "3c9e6f7a-1f6b-4a7e-9a52-2f1f2f3a4b5c",
            "slug_hint": None,
            "region": "#agents",
        },
    ),
    "agent-form-new": (
        "dialogs/agent_form.html",
        DIALOG
        | {
            "form": form(name="", slug="", description="", editors="", viewers=""),
            "unique_id": None,
            "slug_hint": SLUG_HINT + "Left empty, it is made from the name.",
            "region": "#agents",
            "urls": Shape(save="/act", cancel="/act", slug="/act/slug"),
        },
    ),
    "tokens": (
        "tenant/tokens.html",
        tenant("Tokens", tokens=listed(TOKENS, created=CREATED), urls=Shape(add="/example/token-form")),
    ),
    "tokens-mine": (
        "profile/tokens.html",
        {
            "frame": frame(""),
            "org_name": "Acme Learning",
            "tokens": listed([], created=None),
            "urls": Shape(add="/example/token-form"),
        },
    ),
    "token-form": (
        "dialogs/token_form.html",
        DIALOG
        | {
            "form": form({"scopes": ["Choose at least one."]}, name="chat", scopes=[], expires=""),
            "scopes": SCOPES,
            "region": "#tokens",
        },
    ),
    "account": ("auth/account.html", account()),
    "erased": (
        "profile/erased.html",
        {
            "frame": frame(),
            "org_name": "Acme Learning",
            "moment": moment(),
            "counts": [
                Shape(label="Memories", n=39),
                Shape(label="Revisions", n=52),
                Shape(label="Waiting conversations", n=2),
            ],
            "stopped": True,
            "urls": Shape(back="/act"),
        },
    ),
    "api-docs": ("api/docs.html", {"frame": frame("")} | API),
}
