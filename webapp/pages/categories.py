"""Agent settings → User Memories → Categories: the manager."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Blueprint, request
from werkzeug.wrappers import Response

from webapp.access.policy import Action
from webapp.errors import Conflict, Invalid, Overtaken
from webapp.http.frame import Toast, toast
from webapp.http.htmx import navigate, render, wants_partial
from webapp.http.scope import Scope
from webapp.memory import categories, queries, revisions
from webapp.memory.types import CategoryView
from webapp.messages import text as msg
from webapp.pages import agent_frame, where
from webapp.pages.dialogs import dialog
from webapp.pages.forms.categories import CategoryForm
from webapp.pages.memories.editing import MOST_CATEGORIES, ConflictShape
from webapp.pages.memories.place import ID
from webapp.pages.shapes.form import FormShape, refused
from webapp.pages.shapes.times import shown

pages = Blueprint("categories", __name__)
PATH = "/orgs/<org>/agents/<agent>/memory/categories"
CATEGORY = f"{PATH}/<{ID}:category_id>"
# A slug is made from the name; a complaint about it is one about the name.
FIELDS = {"slug": "name"}


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """See templates/agent/categories.html."""

    id: int
    name: str
    slug: str
    description: str
    extraction_prompt: str
    active: bool
    total: int
    urls: dict[str, str | None]


@pages.get(PATH)
def show(org: str, agent: str) -> Response:
    """The screen; `?rename=<id>` makes that row a field."""
    scope = where.here(org, Action.READ_CATEGORIES, agent=agent)
    raw = request.args.get("rename", "")
    renaming = int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 19 else None
    return _page(scope, _renaming(scope, renaming) if renaming else None)


@pages.route(f"{PATH}/new", methods=["GET", "POST"])
def add(org: str, agent: str) -> Response:
    """The form, and what it saves."""
    scope, form = _editor(org, agent), CategoryForm()
    data = _typed(form)
    if request.method == "GET":
        return _form(scope, FormShape(data))
    try:
        categories.create(scope.actor, scope.agent_id, **data)
    except Invalid as error:
        return _form(scope, refused(data, error, FIELDS), status=422)
    except Conflict as error:
        return _form(scope, FormShape(data, {"name": [error.detail]}), status=409)
    return _changed(scope, msg("result.category_added"))


@pages.route(f"{CATEGORY}/edit", methods=["GET", "POST"])
def edit(org: str, agent: str, category_id: int) -> Response:
    """Name, description and extraction prompt."""
    scope, form = _editor(org, agent), CategoryForm()
    category = categories.get(scope.actor, scope.agent_id, category_id)
    if request.method == "GET":
        return _form(scope, FormShape(_data(category)), category)
    data, version = _typed(form), form.version.data
    try:
        categories.edit(scope.actor, scope.agent_id, category_id, data, expected_version=version)
    except Invalid as error:
        return _form(scope, refused(data | {"version": version}, error, FIELDS), category, status=422)
    except Overtaken:
        return _form(scope, FormShape(data | {"version": version}), category, status=409, overtaken=True)
    return _changed(scope, msg("result.category_saved"))


@pages.post(f"{CATEGORY}/rename")
def rename(org: str, agent: str, category_id: int) -> Response:
    """Save a name that was changed in its row. The slug stays as it is."""
    scope, form = _editor(org, agent), CategoryForm()
    data = {"name": form.name.data or "", "version": form.version.data}
    try:
        categories.edit(
            scope.actor, scope.agent_id, category_id, {"name": data["name"]}, expected_version=form.version.data
        )
    except Invalid as error:
        return _page(scope, _renaming_shape(scope, category_id, refused(data, error)), 422)
    except Overtaken:
        now = categories.get(scope.actor, scope.agent_id, category_id)
        both = FormShape(data | {"version": now.version}, {"name": [msg("category.overtaken", name=now.name)]})
        return _page(scope, _renaming_shape(scope, category_id, both), 409)
    return _changed(scope, msg("result.category_saved"))


@pages.post(f"{CATEGORY}/<any(deactivate,reactivate):change>")
def activate(org: str, agent: str, category_id: int, change: str) -> Response:
    """Stop or begin filing under it. Nothing is deleted."""
    scope = _editor(org, agent)
    categories.edit(scope.actor, scope.agent_id, category_id, {"is_active": change == "reactivate"})
    return _changed(scope, msg(f"result.category_{change}d"))


def _editor(org: str, agent: str) -> Scope:
    return where.here(org, Action.WRITE_CATEGORIES, agent=agent)


def _path(scope: Scope) -> str:
    return f"{agent_frame.path(scope)}/categories"


def _page(scope: Scope, renaming: dict[str, Any] | None = None, status: int = 200) -> Response:
    may = agent_frame.allowed(scope, Action.WRITE_CATEGORIES)
    urls = {
        "agents": agent_frame.agents_url(scope),
        "back": agent_frame.path(scope),
        "add": f"{_path(scope)}/new" if may else None,
    }
    head = agent_frame.head(scope, "users", back="/categories")
    return render(
        "agent/categories.html", "categories", status, **head, categories=_rows(scope), renaming=renaming, urls=urls
    )


def _changed(scope: Scope, text: str) -> Response:
    message: Toast = {"text": text, "kind": "ok", "undo": None}
    if wants_partial():
        rows = _rows(scope)
        return render("agent/categories.html", "categories", toasts=[message], categories=rows, renaming=None)
    toast(message)
    return navigate(_path(scope))


def _rows(scope: Scope) -> list[CategoryRow]:
    known = categories.list_categories(scope.actor, scope.agent_id, include_inactive=True, size=MOST_CATEGORIES)
    held = queries.count_by_category(scope.actor, queries.MemoryFilter(scope="agent", agent_id=scope.agent_id))
    return [_row(scope, each, held.get(each.id, 0)) for each in known.rows]


def _row(scope: Scope, category: CategoryView, total: int) -> CategoryRow:
    may, base = agent_frame.allowed(scope, Action.WRITE_CATEGORIES), f"{_path(scope)}/{category.id}"
    return CategoryRow(
        id=category.id,
        name=category.name,
        slug=category.slug,
        description=category.description,
        extraction_prompt=category.extraction_prompt,
        active=category.is_active,
        total=total,
        urls={
            "memories": f"{agent_frame.path(scope)}?category={category.slug}" if total else None,
            "edit": f"{base}/edit" if may else None,
            "rename": f"{_path(scope)}?rename={category.id}" if may else None,
            "deactivate": f"{base}/deactivate" if may and category.is_active else None,
            "reactivate": f"{base}/reactivate" if may and not category.is_active else None,
        },
    )


def _renaming(scope: Scope, category_id: int) -> dict[str, Any] | None:
    if not agent_frame.allowed(scope, Action.WRITE_CATEGORIES):
        return None
    category = categories.get(scope.actor, scope.agent_id, category_id)
    return _renaming_shape(scope, category_id, FormShape({"name": category.name, "version": category.version}))


def _renaming_shape(scope: Scope, category_id: int, form: FormShape) -> dict[str, Any]:
    urls = {"save": f"{_path(scope)}/{category_id}/rename", "cancel": _path(scope)}
    return {"id": category_id, "form": form, "urls": urls}


def _typed(form: CategoryForm) -> dict[str, Any]:
    return {name: form[name].data or "" for name in ("name", "description", "extraction_prompt")}


def _data(category: CategoryView) -> dict[str, Any]:
    return {
        "name": category.name,
        "description": category.description,
        "extraction_prompt": category.extraction_prompt,
        "version": category.version,
    }


def _form(
    scope: Scope,
    form: FormShape,
    category: CategoryView | None = None,
    *,
    status: int = 200,
    overtaken: bool = False,
) -> Response:
    save = f"{_path(scope)}/{category.id}/edit" if category else f"{_path(scope)}/new"
    return dialog(
        "category_form",
        status=status,
        form=form,
        editing=category is not None,
        slug=category.slug if category else None,
        region="#categories",
        urls={"save": save, "cancel": _path(scope)},
        conflict=_conflict(scope, category) if category and overtaken else None,
    )


def _conflict(scope: Scope, category: CategoryView) -> ConflictShape:
    change = revisions.last_of_category(scope.actor, scope.agent_id, category.id)
    lines = (category.name, category.description, category.extraction_prompt)
    text = "\n".join(line for line in lines if line)
    return ConflictShape(text, change.actor_label, shown(change.at), category.version)
