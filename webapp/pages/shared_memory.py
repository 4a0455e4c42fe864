"""Agent settings → Shared Memory: the list and its forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, request
from werkzeug.wrappers import Response

from webapp.access.policy import Action
from webapp.directory.mentions import naming_members
from webapp.errors import Conflict, Invalid, Overtaken
from webapp.http.frame import Toast, toast
from webapp.http.htmx import navigate, render, wants_partial
from webapp.http.paging import with_query
from webapp.http.scope import Scope
from webapp.memory import content, knowledge, knowledge_archive
from webapp.memory.types import KnowledgeView
from webapp.messages import text as msg
from webapp.pages import agent_frame, where
from webapp.pages.dialogs import dialog
from webapp.pages.forms.memories import MemoryForm
from webapp.pages.memories.editing import ConflictShape
from webapp.pages.memories.place import ID
from webapp.pages.memories.rows import Row, RowUrls
from webapp.pages.shapes import pager
from webapp.pages.shapes.form import FormShape, refused
from webapp.pages.shapes.times import shown
from webapp.pages.try_it import closed
from webapp.runtime import runtime

pages = Blueprint("shared_memory", __name__)
PATH = "/orgs/<org>/agents/<agent>/memory/shared"
TEMPLATE = "agent/shared.html"
PAGE_SIZE = 20


@pages.get(PATH)
def show(org: str, agent: str) -> Response:
    """The screen; for htmx the list. Who may not read it is told who can give access."""
    scope = agent_frame.enter(org, agent)
    may_read = agent_frame.allowed(scope, Action.READ_KNOWLEDGE)
    context = agent_frame.head(scope, "shared", back="/shared") | {"urls": {"agents": agent_frame.agents_url(scope)}}
    if not may_read:
        return render(TEMPLATE, status=403, may_read=False, **context)
    try_it = closed(scope, agent_frame.path(scope))
    return render(TEMPLATE, "entries", may_read=True, try_it=try_it, **context, **listed(scope))


@pages.route(f"{PATH}/new", methods=["GET", "POST"])
def add(org: str, agent: str) -> Response:
    """The form, and what it saves."""
    scope = _editor(org, agent)
    data = {"content": MemoryForm().content.data or ""}
    if request.method == "GET":
        return _form(scope, FormShape(data))
    return _save(scope, data, None)


@pages.route(f"{PATH}/<{ID}:entry_id>/edit", methods=["GET", "POST"])
def edit(org: str, agent: str, entry_id: int) -> Response:
    """The form with the text as it is now, and what it saves."""
    scope = _editor(org, agent)
    entry, form = knowledge.get(scope.actor, scope.agent_id, entry_id), MemoryForm()
    if request.method == "GET":
        return _form(scope, FormShape({"content": entry.content, "version": entry.version}), entry)
    return _save(scope, {"content": form.content.data or "", "version": form.version.data}, entry)


def path(scope: Scope) -> str:
    """The screen's address."""
    return f"{agent_frame.path(scope)}/shared"


def home(scope: Scope) -> str:
    """The screen at the page of the list one was on."""
    return with_query({}, path(scope))


def url(scope: Scope, action: str) -> str:
    """The address of an action, which comes back to the page of the list one was on."""
    return with_query({}, f"{path(scope)}/{action}")


def changed(scope: Scope, text: str, *, undo: dict[str, Any] | None = None, new: int | None = None) -> Response:
    """After a change: the list again and a message."""
    message: Toast = {"text": text, "kind": "ok", "undo": undo}
    if wants_partial():
        return render(TEMPLATE, "entries", toasts=[message], **listed(scope, new=new))
    toast(message)
    return navigate(home(scope))


def listed(scope: Scope, *, new: int | None = None) -> dict[str, Any]:
    """The variables of the block `entries`."""
    budget = runtime().settings.knowledge_budget
    use = knowledge.budget_use(scope.actor, scope.agent_id, budget)
    page = pager.load(lambda number: knowledge.list_knowledge(scope.actor, scope.agent_id, page=number, size=PAGE_SIZE))
    may = agent_frame.allowed(scope, Action.WRITE_KNOWLEDGE)
    entries = {
        "rows": _rows(scope, page.rows, use, new, may=may),
        "page": pager.shape(page, path(scope)),
        "total": page.count,
        "urls": {"add": url(scope, "new") if may else None, "deleted": url(scope, "deleted") if may else None},
    }
    return {"entries": entries, "budget": {"used": use.used, "limit": budget}}


def _editor(org: str, agent: str) -> Scope:
    return where.here(org, Action.WRITE_KNOWLEDGE, agent=agent)


def _save(scope: Scope, data: dict[str, Any], entry: KnowledgeView | None) -> Response:
    try:
        content.check(data["content"])
        warnings = [] if request.form.get("confirmed") else _warnings(scope, data["content"], entry)
        if warnings:
            return _form(scope, FormShape(data), entry, 422, warnings=warnings)
        saved = _write(scope, data, entry)
    except Invalid as error:
        return _form(scope, _in_its_words(refused(data, error)), entry, 422)
    except Overtaken:
        return _form(scope, FormShape(data), knowledge.get(scope.actor, scope.agent_id, entry.id), 409, overtaken=True)  # type: ignore[union-attr]
    except Conflict:
        return _form(scope, FormShape(data, {"content": [msg("shared.exists")]}), entry, 409)
    over = saved.id in knowledge.left_out(scope.actor, scope.agent_id, runtime().settings.knowledge_budget)
    text = msg("result.memory_updated" if entry else "result.memory_created")
    return changed(scope, f"{text}. {msg('shared.over')}." if over else text, new=None if entry else saved.id)


def _write(scope: Scope, data: dict[str, Any], entry: KnowledgeView | None) -> KnowledgeView:
    if entry is None:
        return knowledge.add(scope.actor, scope.agent_id, data["content"])
    return knowledge.edit(scope.actor, scope.agent_id, entry.id, data["content"], expected_version=data["version"])


def _warnings(scope: Scope, text: str, entry: KnowledgeView | None) -> list[str]:
    """What the writer should know before everyone receives it; they may save it all the same."""
    found = [msg("shared.warn_personal")] if naming_members(scope.actor, [text])[0] else []
    use = knowledge.budget_use(scope.actor, scope.agent_id, runtime().settings.knowledge_budget)
    delivered_now = len(entry.content) if entry and entry.id not in use.left_out else 0
    if use.used - delivered_now + len(content.clean(text)) > use.budget:
        found.append(msg("shared.warn_budget", n=use.budget))
    return found


def _in_its_words(form: FormShape) -> FormShape:
    short = msg("form.too_short")
    errors = {
        name: [msg("shared.too_short") if each == short else each for each in found]
        for name, found in form.errors.items()
    }
    return FormShape(form.data, errors)


def _form(
    scope: Scope,
    form: FormShape,
    entry: KnowledgeView | None = None,
    status: int = 200,
    *,
    warnings: Sequence[str] = (),
    overtaken: bool = False,
) -> Response:
    save = url(scope, f"{entry.id}/edit" if entry else "new")
    return dialog(
        "knowledge_form", status=status, form=form, editing=entry is not None, region="#shared", warnings=warnings,
        urls={"save": save, "cancel": home(scope)}, conflict=_conflict(scope, entry) if entry and overtaken else None,
    )  # fmt: skip


def _conflict(scope: Scope, entry: KnowledgeView) -> ConflictShape:
    name = knowledge_archive.history(scope.actor, scope.agent_id, entry.id)[1][0].actor_label
    return ConflictShape(entry.content, name, shown(entry.updated_at), entry.version)


def _rows(
    scope: Scope, entries: Sequence[KnowledgeView], use: knowledge.Delivery, new: int | None, *, may: bool
) -> list[Row]:
    personal = naming_members(scope.actor, [entry.content for entry in entries])
    return [
        _row(scope, entry, use, new, personal=named, may=may) for entry, named in zip(entries, personal, strict=True)
    ]


def _row(
    scope: Scope, entry: KnowledgeView, use: knowledge.Delivery, new: int | None, *, personal: bool, may: bool
) -> Row:
    by = entry.created_by
    name = (by.full_name or by.username) if by else msg("users.unknown")
    over = entry.id in use.left_out
    return Row(
        id=entry.id,
        text=entry.content,
        moment=shown(entry.created_at),
        origin=None,
        owner=msg("shared.added_by", name=name),
        category=None,
        session=None,
        edited_by=None,
        is_new=entry.id == new,
        note=msg("shared.over") if over else msg("shared.personal_mark") if personal else None,
        urls=RowUrls(
            edit=url(scope, f"{entry.id}/edit") if may else None,
            delete=url(scope, f"{entry.id}/delete") if may else None,
            history=url(scope, f"{entry.id}/history"),
        ),
    )
