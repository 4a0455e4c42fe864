"""Examples: the tenant's screens, people, agents, tokens, one's own account."""

from __future__ import annotations

from types import SimpleNamespace as Shape
from typing import Any

from tests.browser.examples import EFFECTIVE_OFF, EFFECTIVE_ON, LONG, Context, form, frame, moment, page
from tests.browser.examples_agent import tab
from tests.browser.examples_profile import GLOBALS, memories

SECTIONS = ["Memory", "Activity", "People", "Agents", "Tokens", "Audit"]
LIST = Shape(list="#", clear="#", add="/example/agent-form", invite="/example/person-form")


def tenant(current: str, **context: Any) -> Context:
    return {"frame": frame("tenant"), "sections": [tab(name, name == current) for name in SECTIONS], "in_dialog": False} | context


def listed(rows: list[Shape], total: int | None = None, **changes: Any) -> Shape:
    n = len(rows) if total is None else total
    return Shape(**({"rows": rows, "page": page(1, max(1, -(-n // 10)), n, 10), "total": n, "urls": LIST} | changes))


def system(on: bool = True) -> Shape:
    off = "Off since 14:02 by Mina Okafor. New conversations are not remembered and cannot be recovered later."
    return Shape(on=on, url="#", effect="3 agents have memory on, 41 users", off_text=None if on else off)


USERS = [
    Shape(name="Ada Lindqvist", username="ada", email="ada@example.org", total=39, last_captured=moment(), url="#"),
    Shape(name="", username="omar", email="omar@example.org", total=1_204, last_captured=None, url="#"),
    Shape(name="Wolfeschlegelsteinhausenbergerdorff-Montgomery, Adolph Blaine", username="wolfe", email="wolfe@a-rather-long-domain-name.example", total=0, last_captured=moment("12 Nov 2026"), url="#"),
]


def agent(id: int, name: str, on: bool, archived: bool = False, total: int = 1_284) -> Shape:
    urls = Shape(edit="/example/agent-form", archive=None if archived else "#", restore="#" if archived else None)
    return Shape(id=id, name=name, description=LONG[:90], on=on, archived=archived, total=total, url="/example/agent-users", urls=urls)


AGENTS = [agent(1, "Python Tutor", True), agent(2, "Writing Coach", False, total=1), agent(3, "Statistics Helper 2024", False, True, 77)]


def memory(view: str, **changes: Any) -> Context:
    views = [tab("Global", view == "global"), tab("Agent", view == "agent")]
    base = {"system": system(), "view": view, "views": views, "filters": Shape(q="", active=False), "list": listed(USERS, 41), "users": USERS, "agents": AGENTS}
    return tenant("Memory", **(base | changes))


def exchange(id: int, state: str, **changes: Any) -> Shape:
    base = {
        "id": id, "user": "ada@example.org", "agent": "Python Tutor", "state": state, "moment": moment(), "reason": None, "error": None, "attempts": 1,
        "created": 0, "superseded": 0, "duplicates": 0, "rejected": 0, "urls": Shape(retry=None),
    }  # fmt: skip
    return Shape(**(base | changes))


EXCHANGES = [
    exchange(1, "pending", moment=moment("just now")),
    exchange(2, "failed", error="The model server answered 429 five times.", attempts=5, urls=Shape(retry="#")),
    exchange(3, "done", created=2, superseded=1, duplicates=1, rejected=3),
    exchange(4, "skipped", reason="Learning is turned off by the user."),
]
DAYS = [{"label": f"{d} Nov", "done": 20 + (d * 7) % 23, "skipped": d % 5, "failed": 3 if d == 22 else 0} for d in range(17, 31)]


def activity(**changes: Any) -> Context:
    base = {
        "queue": Shape(waiting=4, running=2, failed=1, oldest="4 minutes"), "days": DAYS, "exchanges": listed(EXCHANGES, 1_043),
        "filters": Shape(state="", agent="", user="", active=False), "agent_options": [("python-tutor", "Python Tutor")], "blocked": None,
    }  # fmt: skip
    return tenant("Activity", **(base | changes))


EVENTS = [
    Shape(moment=moment(), actor="Mina Okafor", what="Turned memory on for the agent Python Tutor", about="Python Tutor"),
    Shape(moment=moment("yesterday"), actor="Ada Lindqvist", what="Exported everything held about a person", about="ada@example.org"),
    Shape(moment=moment("12 Nov 2026"), actor="service token “chat-prod”", what="Read another person's memories", about=None),
]


def person(id: int, name: str, state: str = "active", role: str = "member", you: bool = False, agents: list[Shape] | None = None) -> Shape:
    urls = Shape(edit="/example/person-form-edit", reset="#", disable="#" if state != "disabled" else None, enable="#" if state == "disabled" else None, remove="/example/confirm-remove")
    username = name.split()[0].lower()
    return Shape(id=id, name=name, username=username, email=f"{username}@example.org", role=role, agents=agents or [], you=you, state=state, urls=urls)


PEOPLE = [
    person(1, "Ada Lindqvist", role="admin", you=True),
    person(2, "Mina Okafor", agents=[Shape(name="Python Tutor", role="editor"), Shape(name="Writing Coach", role="viewer")]),
    person(3, "Omar Haddad", state="invited"),
    person(4, "Jun Watanabe", state="disabled"),
]
LINK = Shape(name="Omar Haddad", url="https://memory.example.org/set-password/7hK2mVn4", until="7 Dec 2026, 12:02", mailed_to=None)


def token(id: int, name: str, state: str, scopes: list[str], **changes: Any) -> Shape:
    base = {"id": id, "name": name, "prefix": "am_7hK2", "scopes": scopes, "created": moment("3 Nov 2026"), "last_used": moment(), "expires": None, "state": state, "urls": Shape(revoke="/example/confirm-all" if state == "active" else None)}
    return Shape(**(base | changes))


SCOPES = ["exchanges:write", "context:read", "memories:read", "memories:write", "knowledge:read", "knowledge:write", "categories:read", "categories:write", "settings:read", "settings:write", "people:write", "graph:read", "graph:write"]
TOKENS = [token(1, "chat-prod", "active", SCOPES[:2]), token(2, "nightly import", "expired", SCOPES[2:4], last_used=None, expires=moment("12 Nov 2026")), token(3, "old", "revoked", [])]
CREATED = Shape(name="chat-prod", secret="am_7hK2mVn4Qx9TbLw3ZsYpRdFg")
ZONES = [Shape(value="Europe/Stockholm", label="Europe/Stockholm"), Shape(value="Asia/Tokyo", label="Asia/Tokyo")]


def account(rows: int = 2) -> Context:
    session = [Shape(id=1, label="Firefox on Linux", here=True, since=moment("2 days ago"), last=moment("just now")), Shape(id=2, label="Safari on iPhone", here=False, since=moment("12 Nov 2026"), last=moment("yesterday"))]
    return {
        "frame": frame(""),
        "details": Shape(form=form({"email": ["Enter your current password to change the e-mail."]}, full_name="Ada Lindqvist", email="ada@example.org", current_password="", zone=""), url="#", zones=ZONES, org_zone="Europe/Lisbon"),
        "password": Shape(form=form(current="", new="", again=""), url="#"),
        "sessions": Shape(rows=session[:rows], url="#"),
    }


PERSON = {"person": Shape(name="Ada Lindqvist", email="ada@example.org"), "memories": memories(GLOBALS), "urls": Shape(back="#")}
SETTINGS = Shape(capture=Shape(on=True, url="#"), use=Shape(on=True, url="#"), effective=EFFECTIVE_ON)
DIALOG: Context = {"frame": frame("tenant"), "urls": Shape(save="#", cancel="#"), "editing": False, "in_dialog": False}
NEW_PERSON = form(email="", username="", full_name="", role="member", agent_1="", agent_2="")
TENANT: dict[str, tuple[str, Context]] = {
    "tenant-global": ("tenant/memory.html", memory("global")),
    "tenant-agent": ("tenant/memory.html", memory("agent", list=listed(AGENTS))),
    "tenant-off": ("tenant/memory.html", memory("global", system=system(False), list=listed([]), users=[], filters=Shape(q="zz", active=True))),
    "tenant-person": ("tenant/person.html", tenant("Memory", settings=SETTINGS, **PERSON)),
    "tenant-person-off": ("tenant/person.html", tenant("Memory", settings=Shape(capture=Shape(on=True, url="#"), use=Shape(on=False, url="#"), effective=EFFECTIVE_OFF), **(PERSON | {"memories": memories([])}))),
    "activity": ("tenant/activity.html", activity()),
    "activity-empty": ("tenant/activity.html", activity(blocked=Shape(text="Memory is off for the organisation: nothing is captured.", url="#", label="Memory settings"), days=[], exchanges=listed([]), queue=Shape(waiting=0, running=0, failed=0, oldest=None))),
    "audit": ("tenant/audit.html", tenant("Audit", events=listed(EVENTS, 230), filters=Shape(kind="", actor="", start="", end="", active=False), kinds=[("edit", "Edits")])),
    "people": ("tenant/people.html", tenant("People", people=listed(PEOPLE, link=None), filters=Shape(q="", active=False))),
    "people-link": ("tenant/people.html", tenant("People", people=listed(PEOPLE, link=LINK), filters=Shape(q="", active=False))),
    "person-form": ("dialogs/person_form.html", DIALOG | {"form": NEW_PERSON, "name": None, "agents": [Shape(id=1, name="Python Tutor"), Shape(id=2, name="Writing Coach")], "region": "#people"}),
    "agents": ("tenant/agents.html", {"frame": frame("agents"), "org_name": "Acme Learning", "agents": AGENTS, "list": listed(AGENTS), "filters": Shape(q="", state="active", active=False)}),
    "agent-form": ("dialogs/agent_form.html", DIALOG | {"form": form(name="Python Tutor", slug="python-tutor", description=LONG[:90], editors="mina", viewers=""), "editing": True, "unique_id": "3c9e6f7a-1f6b-4a7e-9a52-2f1f2f3a4b5c", "region": "#agents"}),
    "tokens": ("tenant/tokens.html", tenant("Tokens", tokens=listed(TOKENS, created=CREATED), urls=Shape(add="/example/token-form"))),
    "tokens-mine": ("profile/tokens.html", {"frame": frame(""), "org_name": "Acme Learning", "tokens": listed([], created=None), "urls": Shape(add="/example/token-form")}),
    "token-form": ("dialogs/token_form.html", DIALOG | {"form": form({"scopes": ["Choose at least one."]}, name="chat", scopes=[], expires=""), "scopes": SCOPES, "region": "#tokens"}),
    "account": ("auth/account.html", account()),
    "erased": ("profile/erased.html", {"frame": frame(), "org_name": "Acme Learning", "moment": moment(), "counts": [Shape(label="Memories", n=39), Shape(label="Revisions", n=52), Shape(label="Waiting conversations", n=2)], "stopped": True, "urls": Shape(back="#")}),
}
