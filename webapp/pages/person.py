"""Tenant → a person: their two switches, their global memories and which agents remember what, for admins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from flask import Blueprint
from werkzeug.wrappers import Response

from webapp.access.policy import Action
from webapp.directory.people import find_former
from webapp.directory.types import UserView
from webapp.errors import NotVisible
from webapp.http.frame import Toast
from webapp.http.htmx import render
from webapp.http.scope import Scope
from webapp.memory import tallies
from webapp.messages import text as msg
from webapp.pages import settings, tenant_frame, where
from webapp.pages.memories.lists import global_list, global_place
from webapp.pages.memories.place import Place
from webapp.pages.memories.routes import attach

pages = Blueprint("person", __name__)
PATH = "/orgs/<org>/memory/users/<user>"
TEMPLATE = "tenant/person.html"


@dataclass(frozen=True, slots=True)
class AgentLine:
    """One agent that remembers something about the person."""

    name: str
    total: int
    url: str


@pages.get(PATH)
def show(org: str, user: str) -> Response:
    """The screen; for htmx the list of global memories."""
    scope = _scope(org, user)
    person = _user(scope)
    context = tenant_frame.head(scope, "memory") | {
        "person": {"name": _name(person), "email": person.email, "left": person.removed_at is not None},
        "settings": None if person.removed_at else _settings(scope),
        "memories": global_list(_place(scope)),
        "agents": _agents(scope),
        "urls": {"back": f"/orgs/{scope.org.key}/memory"},
    }
    return render(TEMPLATE, "memories", **context)


@pages.post(f"{PATH}/settings/<any(capture,use):side>")
def switch(org: str, user: str, side: str) -> Response:
    """Save one of the person's two switches."""
    scope = _scope(org, user)
    settings.save(scope, side)
    return settings.saved(
        _path(scope), lambda toasts: render(TEMPLATE, "settings", toasts=toasts, settings=_settings(scope))
    )


def _scope(org: str, user: str) -> Scope:
    """Admins only: their own page here too, but not a member's; that is *My memory*."""
    tenant = where.here(org, Action.READ_PEOPLE)
    try:
        return where.here(org, Action.READ_GLOBAL, user=user)
    except NotVisible:
        # Who was removed has a page for as long as something about them is kept.
        former = find_former(tenant.actor, user)
        if former is None:
            raise
        return replace(tenant, user=former)


def _name(person: UserView) -> str:
    return person.full_name or person.username


def _agents(scope: Scope) -> list[AgentLine]:
    base, who = f"/orgs/{scope.org.key}/agents", quote(_user(scope).email)
    return [
        AgentLine(each.name, each.memories, f"{base}/{each.slug}/memory?user={who}")
        for each in tallies.of_user(scope.actor, scope.user_id)
    ]


def _user(scope: Scope) -> UserView:
    if scope.user is None:
        raise NotVisible
    return scope.user


def _path(scope: Scope) -> str:
    return f"/orgs/{scope.org.key}/memory/users/{_user(scope).username}"


def _settings(scope: Scope) -> dict[str, Any]:
    return settings.switches(scope, f"{_path(scope)}/settings", "person")


def _place(scope: Scope) -> Place:
    def redraw(*, toasts: Sequence[Toast], new: int | None) -> Response:
        return render(TEMPLATE, "memories", toasts=toasts, memories=global_list(_place(scope), new=new))

    title = msg("person.title", email=_user(scope).email)
    return global_place(scope.actor, _user(scope), _path(scope), title, redraw)


attach(pages, f"{PATH}/global", "global", lambda org, user: _place(_scope(org, user)))
