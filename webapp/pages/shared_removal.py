"""Agent settings → Shared Memory: deleting, restoring, history."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Blueprint, request
from werkzeug.wrappers import Response

from webapp.access.policy import Action
from webapp.errors import Conflict, Invalid
from webapp.http.frame import Toast, toast
from webapp.http.htmx import navigate, render, wants_partial
from webapp.http.scope import Scope
from webapp.memory import knowledge, knowledge_archive
from webapp.memory.types import KnowledgeView
from webapp.messages import text as msg
from webapp.pages import where
from webapp.pages.agent_frame import allowed
from webapp.pages.dialogs import dialog
from webapp.pages.memories.place import ID
from webapp.pages.memories.removing import PAGE, DeletedRow
from webapp.pages.shapes import pager
from webapp.pages.shapes.revisions import shapes
from webapp.pages.shapes.times import shown
from webapp.pages.shared_memory import PATH, changed, home, path, url
from webapp.runtime import runtime

pages = Blueprint("shared_removal", __name__)
ENTRY = f"{PATH}/<{ID}:entry_id>"
PAGE_SIZE = 25


@pages.route(f"{ENTRY}/delete", methods=["GET", "POST"])
def delete(org: str, agent: str, entry_id: int) -> Response:
    """Ask, because everyone feels it at once; then delete, with Undo."""
    scope = _editor(org, agent)
    if request.method == "GET":
        return _ask_to_delete(scope, knowledge.get(scope.actor, scope.agent_id, entry_id))
    knowledge.delete(scope.actor, scope.agent_id, entry_id)
    undo = {"url": url(scope, "undo"), "fields": {"entry": entry_id}, "target": "#shared"}
    return changed(scope, msg("result.memory_deleted"), undo=undo)


@pages.post(f"{PATH}/undo")
def undo(org: str, agent: str) -> Response:
    """Take a deletion back."""
    scope, raw = _editor(org, agent), request.form.get("entry", "")
    if not (raw.isascii() and raw.isdigit() and len(raw) < 19):
        raise Invalid(msg("result.undo_gone"))
    try:
        knowledge.restore(scope.actor, scope.agent_id, int(raw))
    except Conflict as error:
        raise Conflict(msg("result.restore_conflict")) from error
    return changed(scope, msg("result.memories_restored", n=1))


@pages.get(f"{PATH}/deleted")
def deleted(org: str, agent: str) -> Response:
    """What can still be restored."""
    return _deleted(_editor(org, agent))


@pages.post(f"{PATH}/deleted/<{ID}:entry_id>/restore")
def restore(org: str, agent: str, entry_id: int) -> Response:
    """Bring one back; a conflict is shown beside the row."""
    scope = _editor(org, agent)
    try:
        knowledge.restore(scope.actor, scope.agent_id, entry_id)
    except Conflict:
        return _deleted(scope, conflict=entry_id)
    return _after(scope, msg("result.memories_restored", n=1))


@pages.route(f"{PATH}/deleted/<{ID}:entry_id>/purge", methods=["GET", "POST"])
def purge(org: str, agent: str, entry_id: int) -> Response:
    """Ask, then delete for good."""
    scope = _editor(org, agent)
    if request.method == "GET":
        text = knowledge_archive.deleted_text(scope.actor, scope.agent_id, entry_id)
        urls = {"confirm": url(scope, f"deleted/{entry_id}/purge"), "cancel": url(scope, "deleted")}
        return _confirm(msg("deleted.purge"), msg("confirm.purge"), text, msg("confirm.purge_button"), "#deleted", urls)
    knowledge_archive.purge(scope.actor, scope.agent_id, entry_id)
    return _after(scope, msg("result.memory_purged"))


@pages.get(f"{ENTRY}/history")
def history(org: str, agent: str, entry_id: int) -> Response:
    """Every revision, newest first."""
    scope = where.here(org, Action.READ_KNOWLEDGE, agent=agent)
    return dialog("history", **_history(scope, entry_id))


@pages.post(f"{ENTRY}/history/<{ID}:revision_id>/remove")
def remove_from_history(org: str, agent: str, entry_id: int, revision_id: int) -> Response:
    """*Remove from history*: blank the earlier texts of one revision."""
    scope = _editor(org, agent)
    knowledge_archive.remove_from_history(scope.actor, scope.agent_id, entry_id, revision_id)
    message: Toast = {"text": msg("result.history_removed"), "kind": "ok", "undo": None}
    if wants_partial():
        context = _history(scope, entry_id)
        return render("dialogs/history.html", "revisions", toasts=[message], in_dialog=True, **context)
    toast(message)
    return navigate(url(scope, f"{entry_id}/history"))


def _editor(org: str, agent: str) -> Scope:
    return where.here(org, Action.WRITE_KNOWLEDGE, agent=agent)


def _ask_to_delete(scope: Scope, entry: KnowledgeView) -> Response:
    urls = {"confirm": url(scope, f"{entry.id}/delete"), "cancel": home(scope)}
    button = msg("shared.delete_button")
    return _confirm(msg("shared.delete_title"), msg("shared.delete_text"), entry.content, button, "#shared", urls)


def _confirm(title: str, text: str, point: str, button: str, region: str, urls: dict[str, str]) -> Response:
    return dialog(
        "confirm", title=title, text=text, points=[point], button=button, kind="danger", typed=None, choices=None,
        ticks=[], fields={}, form=None, region=region, urls=urls,
    )  # fmt: skip


def _after(scope: Scope, text: str) -> Response:
    message: Toast = {"text": text, "kind": "ok", "undo": None}
    if wants_partial():
        return _deleted(scope, toasts=(message,))
    toast(message)
    return navigate(url(scope, "deleted"))


def _deleted(scope: Scope, *, toasts: Sequence[Toast] = (), conflict: int | None = None) -> Response:
    page = pager.load(
        lambda number: knowledge.list_knowledge(scope.actor, scope.agent_id, deleted=True, page=number, size=PAGE_SIZE),
        name=PAGE,
    )
    return render(
        "memory/deleted.html",
        "deleted",
        409 if conflict and not wants_partial() else 200,
        toasts=toasts,
        deleted={
            "rows": [_row(scope, entry, conflict) for entry in page.rows],
            "page": pager.shape(page, f"{path(scope)}/deleted", name=PAGE),
            "total": page.count,
        },
        days=runtime().settings.restore_days,
        urls={"back": home(scope)},
        back_label=msg("agent.tab_shared"),
    )


def _row(scope: Scope, entry: KnowledgeView, conflict: int | None) -> DeletedRow:
    at = entry.deleted_at or datetime.now(UTC)
    left = at + timedelta(days=runtime().settings.restore_days) - datetime.now(UTC)
    return DeletedRow(
        id=entry.id,
        text=entry.content,
        moment=shown(at),
        days_left=max(0, left.days + 1),
        owner=None,
        category=None,
        exists_url=path(scope) if conflict == entry.id else None,
        urls={
            "restore": url(scope, f"deleted/{entry.id}/restore"),
            "purge": url(scope, f"deleted/{entry.id}/purge"),
        },
    )


def _history(scope: Scope, entry_id: int) -> dict[str, Any]:
    text, changes = knowledge_archive.history(scope.actor, scope.agent_id, entry_id)
    may = allowed(scope, Action.WRITE_KNOWLEDGE)

    def remove_url(revision_id: int) -> str:
        return url(scope, f"{entry_id}/history/{revision_id}/remove")

    return {
        "of": text,
        "revisions": shapes(changes, ("content",), current=text, remove=remove_url if may else None),
        "region": "#history",
        "urls": {"close": home(scope)},
    }
