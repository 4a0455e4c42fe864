"""Tenant → People: the list, invitations and roles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from flask import Blueprint, request
from werkzeug.wrappers import Response

from webapp.access.policy import Action
from webapp.directory import invitations, names, people
from webapp.directory.agents import list_agents
from webapp.directory.people import PersonDraft
from webapp.directory.types import AgentView, UserView
from webapp.errors import Invalid
from webapp.http.frame import Toast, toast
from webapp.http.htmx import navigate, render, wants_partial
from webapp.http.paging import with_query
from webapp.http.scope import Scope
from webapp.memory.enablement import capture_offs
from webapp.messages import text as msg
from webapp.pages import tenant_frame, where
from webapp.pages.dialogs import dialog
from webapp.pages.forms.setup import PersonForm
from webapp.pages.memories.lists import search_words
from webapp.pages.memories.place import ID
from webapp.pages.people_links import LinkShape, invitation_link
from webapp.pages.shapes import pager
from webapp.pages.shapes.form import FormShape, refused, require_filled

pages = Blueprint("people", __name__)
PATH = "/orgs/<org>/people"
PERSON = f"{PATH}/<{ID}:user_id>"
PAGE_SIZE = 20
# As many agents as a form can show a field for; more are given roles on the agent's own form.
MOST_AGENTS = 50
REQUIRED = {"email": "form.enter_email", "username": "form.enter_username"}


@dataclass(frozen=True, slots=True)
class AgentRoleShape:
    """One role for one agent."""

    name: str
    role: str


@dataclass(frozen=True, slots=True)
class PersonRow:
    """See templates/tenant/people.html."""

    id: int
    name: str
    username: str
    email: str
    role: str
    agents: list[AgentRoleShape]
    you: bool
    state: str
    urls: dict[str, str | None]


@pages.get(PATH)
def show(org: str) -> Response:
    """The screen; for htmx the list."""
    return page(where.here(org, Action.READ_PEOPLE))


@pages.route(f"{PATH}/invite", methods=["GET", "POST"])
def invite(org: str) -> Response:
    """The form; then the link, shown once."""
    scope, agents = where.here(org, Action.WRITE_PEOPLE), _agents(org)
    data = _typed(PersonForm(), agents)
    if request.method == "GET":
        return _form(scope, FormShape(data), agents)
    draft = PersonDraft(email=data["email"], full_name=data["full_name"], role=data["role"])
    try:
        require_filled(data, REQUIRED)
        made = invitations.invite(scope.actor, data["username"], draft, _roles(data, agents))
    except Invalid as error:
        return _form(scope, refused(data, error), agents, status=422)
    if made.link is None:
        return changed(scope, msg("result.person_joined", name=made.user.username))
    return page(scope, link=invitation_link(scope, made.user, made.link))


@pages.route(f"{PERSON}/edit", methods=["GET", "POST"])
def edit(org: str, user_id: int) -> Response:
    """Name, role in the org, roles for agents."""
    scope, agents = where.here(org, Action.WRITE_PEOPLE), _agents(org)
    user = people.get_user(scope.actor, user_id)
    if request.method == "GET":
        return _form(scope, FormShape(_data(user, agents)), agents, user)
    data = _typed(PersonForm(), agents)
    draft = PersonDraft(full_name=data["full_name"], role=data["role"])
    try:
        people.put_person(scope.actor, user.username, draft)
        invitations.set_roles(scope.actor, user_id, _roles(data, agents))
    except Invalid as error:
        return _form(scope, refused(data, error), agents, user, status=422)
    return changed(scope, msg("result.person_saved"))


def path(scope: Scope) -> str:
    """The screen's address."""
    return f"/orgs/{scope.org.key}/people"


def changed(scope: Scope, text: str) -> Response:
    """After a change: the list again and a message."""
    message: Toast = {"text": text, "kind": "ok", "undo": None}
    if wants_partial():
        return page(scope, toasts=[message])
    toast(message)
    return navigate(with_query({}, path(scope)))


def page(scope: Scope, *, link: LinkShape | None = None, toasts: Sequence[Toast] = (), status: int = 200) -> Response:
    """The screen, with a link that was just made: it goes into no redirect and no cookie."""
    words = search_words()
    found = pager.load(lambda number: people.list_people(scope.actor, search=words, page=number, size=PAGE_SIZE))
    listed = {
        "rows": _rows(scope, found.rows),
        "link": link,
        "page": pager.shape(found, path(scope)),
        "total": found.count,
        "urls": {"list": path(scope), "clear": path(scope), "invite": with_query({}, f"{path(scope)}/invite")},
    }
    filters = {"q": words, "active": bool(words)}
    head = tenant_frame.head(scope, "people")
    return render("tenant/people.html", "people", status, toasts=toasts, people=listed, filters=filters, **head)


def _rows(scope: Scope, users: Sequence[UserView]) -> list[PersonRow]:
    ids = {user.id for user in users}
    waiting, unlearning = names.invited(scope.actor, ids), capture_offs(scope.actor, ids)
    agent_ids = {agent_id for user in users for agent_id in user.agent_roles}
    agents = {key: each.name for key, each in names.agent_names(scope.actor, agent_ids).items()}
    return [
        _row(scope, user, agents, is_invited=user.id in waiting, learns=user.id not in unlearning) for user in users
    ]


def _row(scope: Scope, user: UserView, agents: dict[int, str], *, is_invited: bool, learns: bool) -> PersonRow:
    you = user.id == scope.actor.account_id

    def url(action: str) -> str:
        return with_query({}, f"{path(scope)}/{user.id}/{action}")

    held = [AgentRoleShape(agents.get(agent_id, ""), role) for agent_id, role in user.agent_roles.items()]
    return PersonRow(
        id=user.id,
        name=user.full_name,
        username=user.username,
        email=user.email,
        role=user.role,
        agents=sorted(held, key=lambda each: each.name.lower()),
        you=you,
        state="disabled" if user.disabled else "invited" if is_invited else "active",
        urls={
            "edit": url("edit"),
            "reset": None if user.disabled else url("reset"),
            "disable": None if user.disabled or you else url("disable"),
            "enable": url("enable") if user.disabled else None,
            "remove": url("remove"),
            "switches": None if learns else f"/orgs/{scope.org.key}/memory/users/{quote(user.username)}",
        },
    )


def _agents(org: str) -> list[AgentView]:
    return list_agents(where.here(org, Action.READ_AGENTS).actor, archived=False, size=MOST_AGENTS).rows


def _typed(form: PersonForm, agents: Sequence[AgentView]) -> dict[str, Any]:
    data: dict[str, Any] = {name: form[name].data or "" for name in ("email", "username", "full_name", "role")}
    return data | {f"agent_{each.id}": request.form.get(f"agent_{each.id}", "") for each in agents}


def _roles(data: dict[str, Any], agents: Sequence[AgentView]) -> dict[int, Any]:
    chosen = {each.id: data[f"agent_{each.id}"] or None for each in agents}
    if any(role not in (None, "editor", "viewer") for role in chosen.values()):
        raise Invalid(msg("result.role_unknown"))
    return chosen


def _data(user: UserView, agents: Sequence[AgentView]) -> dict[str, Any]:
    data: dict[str, Any] = {"email": user.email, "username": user.username, "full_name": user.full_name}
    data["role"] = user.role
    return data | {f"agent_{each.id}": user.agent_roles.get(each.id, "") for each in agents}


def _form(
    scope: Scope, form: FormShape, agents: Sequence[AgentView], user: UserView | None = None, *, status: int = 200
) -> Response:
    save = f"{path(scope)}/{user.id}/edit" if user else f"{path(scope)}/invite"
    return dialog(
        "person_form",
        status=status,
        form=form,
        editing=user is not None,
        name=(user.full_name or user.username) if user else None,
        agents=agents,
        region="#people",
        urls={"save": with_query({}, save), "cancel": with_query({}, path(scope))},
    )
