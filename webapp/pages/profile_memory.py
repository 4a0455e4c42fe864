"""My memory: one's own switches, global memories, and what each agent remembers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint
from werkzeug.wrappers import Response

from webapp.access.policy import Action
from webapp.http.frame import Toast
from webapp.http.htmx import render
from webapp.http.scope import Scope
from webapp.messages import text as msg
from webapp.pages import settings, where
from webapp.pages.memories.lists import global_list, global_place
from webapp.pages.memories.place import Place
from webapp.pages.memories.routes import attach
from webapp.pages.profile_agents import agent_place, agent_sections

pages = Blueprint("profile_memory", __name__)
PATH = "/orgs/<org>/me/memory"
TEMPLATE = "profile/memory.html"


@pages.get(PATH)
def show(org: str) -> Response:
    """The screen; for htmx the list of global memories, which is what its search and pager ask for."""
    scope = _scope(org)
    context: dict[str, Any] = {
        "settings": _settings(scope),
        "memories": global_list(_globals(scope)),
        "agents": agent_sections(scope),
        "org_name": scope.org.name,
        "urls": {"download": f"{path(scope)}/download", "erase": f"{path(scope)}/erase"},
    }
    return render(TEMPLATE, "memories", **context)


@pages.post(f"{PATH}/settings/<any(capture,use):side>")
def switch(org: str, side: str) -> Response:
    """Save one of the two switches."""
    scope = _scope(org)
    settings.save(scope, side)
    return settings.saved(
        path(scope), lambda toasts: render(TEMPLATE, "settings", toasts=toasts, settings=_settings(scope))
    )


def path(scope: Scope) -> str:
    """The address of *My memory* in this org."""
    return f"/orgs/{scope.org.key}/me/memory"


def _scope(org: str) -> Scope:
    return where.own(org, Action.READ_GLOBAL)


def _settings(scope: Scope) -> dict[str, Any]:
    return settings.switches(scope, f"{path(scope)}/settings", "me")


def _globals(scope: Scope) -> Place:
    def redraw(*, toasts: Sequence[Toast], new: int | None) -> Response:
        return render(TEMPLATE, "memories", toasts=toasts, memories=global_list(_globals(scope), new=new))

    assert scope.user is not None
    return global_place(scope.actor, scope.user, path(scope), msg("profile.title"), redraw)


attach(pages, f"{PATH}/global", "global", lambda org: _globals(_scope(org)))
attach(pages, f"{PATH}/agents/<agent>", "agent", lambda org, agent: agent_place(_scope(org), agent))
