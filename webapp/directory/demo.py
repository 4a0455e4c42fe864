"""The demo: two orgs with their people, agents and credentials, written once to `demo.json`."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import Any

from sqlalchemy import exists, select

from webapp.access import sign_in, tokens
from webapp.access.actor import SCOPES, Actor, system
from webapp.db.models import Account
from webapp.db.session import installation
from webapp.directory import demo_story
from webapp.directory.accounts import create_superuser
from webapp.directory.agents import AgentDraft, put_agent
from webapp.directory.orgs import create_org
from webapp.directory.people import PersonDraft, put_person
from webapp.directory.types import OrgView
from webapp.memory import enablement

FILE = "demo.json"
PEOPLE = (
    ("admin", "Ada Admin", "admin"),
    ("curator", "Cora Curator", "member"),
    ("reader", "Rex Reader", "member"),
    ("learner", "Lena Learner", "member"),
)


def is_empty() -> bool:
    """Whether the installation has no account yet."""
    with installation() as session:
        return not session.scalar(select(exists(select(Account.id))))


def create(data_dir: Path, base_url: str) -> dict[str, Any]:
    """Make the demo in an empty installation and write its credentials to `demo.json`, mode 0600.

    Returns what stands in the file. Nothing is changed where there are accounts already.
    """
    demo, other = _org("demo", "Demo Academy"), _org("other", "Other Company")
    boss = system(demo.id, "demo", how="command")
    users = {name: put_person(boss, name, _draft(name, full, role))[0].id for name, full, role in PEOPLE}
    outsider = system(other.id, "demo", how="command")
    users["outsider"] = put_person(outsider, "outsider", _draft("outsider", "Otto Outsider", "member"))[0].id
    users["root"] = create_superuser("root", "root@example.org")
    _agents(boss)
    demo_story.tell(boss, users)
    passwords = {name: secrets.token_urlsafe(12) for name in users}
    made = {
        "base_url": base_url,
        "org": "demo",
        "agent": "python-tutor",
        "passwords": passwords,
        "tokens": _tokens(users, demo, other, passwords),
    }
    _write_private(data_dir / FILE, json.dumps(made, indent=2) + "\n")
    return made


def _org(key: str, name: str) -> OrgView:
    return create_org(key, name=name, by="demo")


def _draft(name: str, full_name: str, role: Any) -> PersonDraft:
    return PersonDraft(email=f"{name}@example.org", full_name=full_name, role=role)


def _agents(boss: Actor) -> None:
    enablement.switch_org(boss, True)
    tutor = AgentDraft(
        name="Python Tutor",
        description="Teaches Python, from the first line to design",
        enable_memory_component=True,
        editors=["curator"],
        viewers=["reader"],
    )
    put_agent(boss, "python-tutor", tutor)
    desk = AgentDraft(
        name="Help Desk", description="Answers questions about courses and bookings", enable_memory_component=True
    )
    put_agent(boss, "help-desk", desk)


def _tokens(users: dict[str, int], demo: OrgView, other: OrgView, passwords: dict[str, str]) -> dict[str, str]:
    made = {}
    with installation() as session:
        for name, user_id in users.items():
            sign_in.set_password(session, user_id, passwords[name])
            org_id = {"root": None, "outsider": other.id}.get(name, demo.id)
            token = tokens.create(session, name="Demo", created_by="demo", org_id=org_id, account_id=user_id)
            made[name] = token.secret
        service = tokens.create(session, name="Demo service", created_by="demo", org_id=demo.id, scopes=SCOPES)
        return made | {"service": service.secret}


def _write_private(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
