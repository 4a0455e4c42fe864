"""Tenant → a person: their two switches and global memories, for admins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint
from werkzeug.wrappers import Response

from webapp.access.policy import Action
from webapp.errors import NotVisible
from webapp.http.frame import Toast
from webapp.http.htmx import render
from webapp.http.scope import Scope
from webapp.messages import text as msg
from webapp.pages import settings, tenant_frame, where
from webapp.pages.memories.lists import global_list, global_place
from webapp.pages.memories.place import Place
from webapp.pages.memories.routes import attach

pages = Blueprint("person", __name__)
PATH = "/orgs/<org>/memory/users/<user>"
TEMPLATE = "tenant/person.html"


@pages.get(PATH)
def show(org: str, user: str) -> Response:
    """The screen; for htmx the list of global memories."""
    scope = _scope(org, user)
    person = _user(scope)
    context = tenant_frame.head(scope, "memory") | {
        "person": {"name": person.full_name or person.username, "email": person.email},
        "settings": _settings(scope),
        "memories": global_list(_place(scope)),
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
    where.here(org, Action.READ_PEOPLE)
    return where.here(org, Action.READ_GLOBAL, user=user)


def _user(scope: Scope) -> Any:
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
