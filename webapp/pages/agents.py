"""Agents: those I may see; an admin adds, edits, archives and restores them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, request
from werkzeug.wrappers import Response

from webapp.access.policy import Action, Target, can
from webapp.directory import agents as directory
from webapp.directory import slugs
from webapp.directory.agents import AgentDraft
from webapp.directory.types import AgentView
from webapp.errors import Conflict, Invalid
from webapp.http.frame import Toast, toast
from webapp.http.htmx import fragment, navigate, render, wants_partial
from webapp.http.paging import with_query
from webapp.http.scope import Scope
from webapp.messages import text as msg
from webapp.pages import where
from webapp.pages.agent_rows import agent_rows
from webapp.pages.dialogs import dialog
from webapp.pages.forms.setup import AgentForm
from webapp.pages.memories.lists import search_words
from webapp.pages.shapes import pager
from webapp.pages.shapes.form import FormShape, refused, require_filled

pages = Blueprint("agents", __name__)
PATH = "/orgs/<org>/agents"
PAGE_SIZE = 20
STATES: dict[str, bool | None] = {"active": False, "archived": True, "all": None}
FIELDS = ("name", "slug", "description", "editors", "viewers")


@pages.get(PATH)
def show(org: str) -> Response:
    """The screen; for htmx the list."""
    scope = where.here(org, Action.READ_AGENTS)
    return render("tenant/agents.html", "agents", org_name=scope.org.name, **_list(scope))


@pages.route(f"{PATH}/new", methods=["GET", "POST"])
def add(org: str) -> Response:
    """The form, and what it saves."""
    scope, form = where.here(org, Action.WRITE_AGENTS), AgentForm()
    data = _typed(form)
    if request.method == "GET":
        return _form(scope, FormShape(data))
    try:
        require_filled(data, {"name": "form.enter_name"})
        added = slugs.add_agent(scope.actor, _draft(data), data["slug"].strip())
    except Invalid as error:
        return _form(scope, refused(data, error), status=422)
    except Conflict as error:
        return _form(scope, FormShape(data, {"slug": [error.detail]}), status=409)
    made = "" if data["slug"].strip() else f". {msg('result.agent_slug', slug=added.slug)}"
    return _changed(scope, msg("result.agent_added") + made)


@pages.get(f"{PATH}/new/slug")
def slug(org: str) -> Response:
    """The hint beside the slug, as it is for the name that was typed."""
    scope = where.here(org, Action.WRITE_AGENTS)
    return fragment("components/_hint.html", hint=_slug_hint(scope, request.args.get("name", "")))


@pages.route(f"{PATH}/<agent>/edit", methods=["GET", "POST"])
def edit(org: str, agent: str) -> Response:
    """Name, description, editors and viewers. The slug stays: it is part of addresses."""
    scope, form = where.here(org, Action.WRITE_AGENTS, agent=agent), AgentForm()
    now = directory.get_agent(scope.actor, agent)
    if request.method == "GET":
        return _form(scope, FormShape(_data(now)), now)
    data = _typed(form) | {"slug": now.slug}
    try:
        require_filled(data, {"name": "form.enter_name"})
        directory.put_agent(scope.actor, now.slug, _draft(data))
    except Invalid as error:
        return _form(scope, refused(data, error), now, status=422)
    return _changed(scope, msg("result.agent_saved"))


@pages.post(f"{PATH}/<agent>/<any(archive,restore):change>")
def archive(org: str, agent: str, change: str) -> Response:
    """Archived, its memories stay readable and nothing is learned or used."""
    scope = where.here(org, Action.WRITE_AGENTS, agent=agent)
    slug = directory.get_agent(scope.actor, agent).slug
    directory.put_agent(scope.actor, slug, AgentDraft(is_archived=change == "archive"))
    return _changed(scope, msg(f"result.agent_{change}d"))


def _path(scope: Scope) -> str:
    return f"/orgs/{scope.org.key}/agents"


def _changed(scope: Scope, text: str) -> Response:
    message: Toast = {"text": text, "kind": "ok", "undo": None}
    if wants_partial():
        return render("tenant/agents.html", "agents", toasts=[message], **_list(scope))
    toast(message)
    return navigate(with_query({}, _path(scope)))


def _list(scope: Scope) -> dict[str, Any]:
    words = search_words()
    state = request.args.get("state", "active")
    state = state if state in STATES else "active"
    page = pager.load(
        lambda number: directory.list_agents(
            scope.actor, search=words, archived=STATES[state], page=number, size=PAGE_SIZE
        )
    )
    manage = can(scope.actor, Action.WRITE_AGENTS, Target(scope.org.id))
    urls = {"list": _path(scope), "clear": _path(scope), "add": with_query({}, f"{_path(scope)}/new")}
    return {
        "agents": agent_rows(scope, page.rows, manage=manage),
        "list": {
            "page": pager.shape(page, _path(scope)),
            "total": page.count,
            "urls": urls if manage else urls | {"add": None},
        },
        "filters": {"q": words, "state": state, "active": bool(words) or state != "active"},
    }


def _typed(form: AgentForm) -> dict[str, str]:
    return {name: form[name].data or "" for name in FIELDS}


def _draft(data: dict[str, str]) -> AgentDraft:
    return AgentDraft(
        name=data["name"],
        description=data["description"],
        editors=_lines(data["editors"]),
        viewers=_lines(data["viewers"]),
    )


def _lines(text: str) -> Sequence[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _data(agent: AgentView) -> dict[str, str]:
    return {
        "name": agent.name,
        "slug": agent.slug,
        "description": agent.description,
        "editors": "\n".join(agent.editors),
        "viewers": "\n".join(agent.viewers),
    }


def _slug_hint(scope: Scope, name: str) -> str:
    made = msg("agents.slug_made", slug=slugs.propose_slug(scope.actor, name)) if name.strip() else ""
    return f"{msg('agents.slug_hint')} {made or msg('agents.slug_empty')}"


def _form(scope: Scope, form: FormShape, agent: AgentView | None = None, *, status: int = 200) -> Response:
    save = f"{_path(scope)}/{agent.slug}/edit" if agent else f"{_path(scope)}/new"
    return dialog(
        "agent_form",
        status=status,
        form=form,
        editing=agent is not None,
        unique_id=str(agent.unique_id) if agent else None,
        slug_hint=None if agent else _slug_hint(scope, form.data["name"]),
        region="#agents",
        urls={"save": with_query({}, save), "cancel": with_query({}, _path(scope)), "slug": f"{_path(scope)}/new/slug"},
    )
