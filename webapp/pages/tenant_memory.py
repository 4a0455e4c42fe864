"""Tenant → Memory: the master switch, people and agents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Blueprint, request
from werkzeug.wrappers import Response

from webapp.access.policy import Action
from webapp.db.session import transaction
from webapp.directory.agents import list_agents
from webapp.directory.people import list_people
from webapp.http.htmx import navigate, render
from webapp.http.scope import Scope
from webapp.memory import enablement, switchers, tallies
from webapp.messages import text as msg
from webapp.messages.moments import Moment
from webapp.pages import settings, tenant_frame, where
from webapp.pages.agent_rows import agent_rows
from webapp.pages.memories.lists import search_words
from webapp.pages.shapes import pager
from webapp.pages.shapes.states import org_switch
from webapp.pages.shapes.tabs import Tab
from webapp.pages.shapes.times import shown
from webapp.runtime import runtime

pages = Blueprint("tenant_memory", __name__)
PATH = "/orgs/<org>/memory"
PAGE_SIZE = 10
VIEWS = ("global", "agent")


@dataclass(frozen=True, slots=True)
class UserRow:
    """One person; see templates/tenant/memory.html."""

    name: str
    username: str
    email: str
    total: int
    last_captured: Moment | None
    url: str
    left: bool
    unlearning: bool


@pages.get(PATH)
def show(org: str) -> Response:
    """The screen; for htmx the list of people or agents."""
    scope = where.here(org, Action.READ_ORG_SETTINGS)
    view = request.args.get("view", VIEWS[0])
    view = view if view in VIEWS else VIEWS[0]
    return render("tenant/memory.html", "results", **_head(scope, view), **_list(scope, view))


@pages.post(f"{PATH}/switch")
def switch(org: str) -> Response:
    """The master switch. It answers with the page."""
    scope = where.here(org, Action.WRITE_ORG_SETTINGS)
    enablement.switch_org(scope.actor, settings.sent())
    settings.toast_switched(scope.org.name, f"{path(scope)}/switch")
    return navigate(path(scope))


def path(scope: Scope) -> str:
    """The screen's address."""
    return f"/orgs/{scope.org.key}/memory"


def _head(scope: Scope, view: str) -> dict[str, Any]:
    tabs = [Tab(msg(f"tenant.{name}"), f"{path(scope)}?view={name}", name == view) for name in VIEWS]
    return tenant_frame.head(scope, "memory") | {"system": _system(scope), "view": view, "views": tabs}


def _system(scope: Scope) -> dict[str, Any]:
    on = enablement.org_enabled(scope.actor)
    with transaction(scope.org.id) as session:
        off = enablement.shared_off(session, scope.org.id, installation_off=runtime().settings.disable_memory)
        off = switchers.named(session, scope.org.id, off)
    reach = tallies.reach(scope.actor)
    effect = msg(
        "tenant.effect", agents=msg("tenant.effect_agents", n=reach.agents), users=msg("tenant.users", n=reach.users)
    )
    state = org_switch(on, off)
    reason = effect if state.on else state.reason if not state.fix else f"{state.reason} {state.fix}"
    return {"on": on, "url": f"{path(scope)}/switch", "effect": reason, "off_text": None if on else reason}


def _list(scope: Scope, view: str) -> dict[str, Any]:
    words = search_words()
    found = _users(scope, words) if view == "global" else _agents(scope, words)
    here = f"{path(scope)}?view={view}"
    missing = msg("users.nobody", name=words) if words and view == "global" else None
    return (
        found
        | {"filters": {"q": words, "active": bool(words)}, "nobody": missing}
        | {"list": {"page": found["page"], "total": found["page"].total, "urls": {"list": path(scope), "clear": here}}}
    )


def _users(scope: Scope, words: str) -> dict[str, Any]:
    page = pager.load(
        lambda number: list_people(scope.actor, search=words, page=number, size=PAGE_SIZE, with_kept=True)
    )
    held = tallies.per_user(scope.actor, [each.id for each in page.rows])
    unlearning = enablement.capture_offs(scope.actor, [each.id for each in page.rows])
    rows = []
    for each in page.rows:
        tally = held.get(each.id, tallies.UserTally())
        last = shown(tally.last_captured) if tally.last_captured else None
        url = f"{path(scope)}/users/{each.username}"
        rows.append(
            UserRow(
                each.full_name,
                each.username,
                each.email,
                tally.global_memories,
                last,
                url,
                each.removed_at is not None,
                each.id in unlearning,
            )
        )
    return {"users": rows, "page": pager.shape(page, path(scope))}


def _agents(scope: Scope, words: str) -> dict[str, Any]:
    page = pager.load(lambda number: list_agents(scope.actor, search=words, page=number, size=PAGE_SIZE))
    return {"agents": agent_rows(scope, page.rows, manage=False), "page": pager.shape(page, path(scope))}
