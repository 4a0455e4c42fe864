"""Deleting with Undo, *Don't remember this again*, *Recently deleted*."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from flask import request
from werkzeug.wrappers import Response

from webapp.errors import Conflict, NotVisible
from webapp.http.frame import Toast, toast
from webapp.http.htmx import navigate, render, wants_partial
from webapp.memory import queries
from webapp.memory.types import MemoryView
from webapp.memory.write import removal
from webapp.messages import text as msg
from webapp.messages.moments import Moment
from webapp.pages.dialogs import dialog
from webapp.pages.forms.memories import UndoForm
from webapp.pages.memories.place import Place, done
from webapp.pages.shapes import pager
from webapp.pages.shapes.times import shown
from webapp.runtime import runtime

PAGE_SIZE = 25
# Not `page`: that is the list's which one comes from and goes back to.
PAGE = "deleted"


@dataclass(frozen=True, slots=True)
class DeletedRow:
    """See templates/memory/deleted.html. `exists_url` leads to the same text written anew: restoring would conflict."""

    id: int
    text: str
    moment: Moment
    days_left: int
    owner: str | None
    category: str | None
    exists_url: str | None
    urls: dict[str, str]


def delete(place: Place, memory_id: int) -> Response:
    """Delete at once; Undo brings it back."""
    place.memory(memory_id)
    return undoable(place, removal.delete(place.actor, [memory_id]), msg("result.memory_deleted"))


def forget(place: Place, memory_id: int) -> Response:
    """Delete, and never capture the same statement again; Undo takes back both."""
    place.memory(memory_id)
    gone = removal.delete(place.actor, [memory_id], forget=True)
    return undoable(place, gone, msg("result.memory_forgotten"))


def undoable(place: Place, gone: removal.Deleted, text: str) -> Response:
    """The answer to a deletion: the list without it, and an Undo of the whole batch."""
    undo = {"url": place.url("undo"), "fields": {"batch": str(gone.batch)}, "target": place.region}
    return done(place, text, undo=undo)


def undo(place: Place) -> Response:
    """Take one deletion back, all of it."""
    try:
        count = removal.restore_batch(place.actor, UUID(UndoForm().batch.data or ""))
    except (ValueError, NotVisible):
        raise NotVisible(msg("result.undo_gone")) from None
    except Conflict as error:
        raise Conflict(msg("result.restore_conflict"), existing_id=error.existing_id) from error
    return done(place, msg("result.memories_restored", n=count))


def deleted(place: Place) -> Response:
    """What can still be restored."""
    return _deleted(place)


def restore(place: Place, memory_id: int) -> Response:
    """Bring one back; a conflict is shown beside the row."""
    place.memory(memory_id)
    try:
        removal.restore(place.actor, memory_id)
    except Conflict as error:
        return _deleted(place, conflict=(memory_id, error.existing_id), status=409)
    return _after(place, msg("result.memories_restored", n=1))


def purge(place: Place, memory_id: int) -> Response:
    """Ask, then delete for good."""
    memory = place.memory(memory_id)
    if memory.deleted_at is None:
        raise NotVisible
    if request.method == "GET":
        return _ask_to_purge(place, memory)
    removal.purge(place.actor, [memory_id])
    return _after(place, msg("result.memory_purged"))


def _ask_to_purge(place: Place, memory: MemoryView) -> Response:
    return dialog(
        "confirm",
        title=msg("deleted.purge"),
        text=msg("confirm.purge"),
        points=[memory.content],
        button=msg("confirm.purge_button"),
        kind="danger",
        typed=None,
        choices=None,
        ticks=[],
        fields={},
        form=None,
        region="#deleted",
        urls={"confirm": place.url(f"deleted/{memory.id}/purge"), "cancel": place.url("deleted")},
    )


def _after(place: Place, text: str) -> Response:
    message: Toast = {"text": text, "kind": "ok", "undo": None}
    if wants_partial():
        return _deleted(place, toasts=(message,))
    toast(message)
    return navigate(place.url("deleted"))


def _deleted(
    place: Place, *, toasts: tuple[Toast, ...] = (), conflict: tuple[int, int | None] | None = None, status: int = 200
) -> Response:
    wanted = queries.MemoryFilter(
        state="deleted",
        scope="agent" if place.agent else "global",
        user_id=place.user.id if place.user else None,
        agent_id=place.agent.id if place.agent else None,
    )
    page = pager.load(lambda number: queries.list_memories(place.actor, wanted, page=number, size=PAGE_SIZE), name=PAGE)
    # A 409 is kept for what goes back into a dialog; here the list itself says what is in the way.
    return render(
        "memory/deleted.html",
        "deleted",
        200 if conflict and wants_partial() else status,
        toasts=toasts,
        deleted={
            "rows": [_row(place, memory, conflict) for memory in page.rows],
            "page": pager.shape(page, f"{place.base}/deleted", name=PAGE),
            "total": page.count,
        },
        days=runtime().settings.restore_days,
        urls={"back": place.home},
        back_label=place.title,
    )


def _row(place: Place, memory: MemoryView, conflict: tuple[int, int | None] | None) -> DeletedRow:
    at = memory.deleted_at or datetime.now(UTC)
    left = at + timedelta(days=runtime().settings.restore_days) - datetime.now(UTC)
    in_the_way = conflict is not None and conflict[0] == memory.id
    existing = conflict[1] if conflict and in_the_way else None
    return DeletedRow(
        id=memory.id,
        text=memory.content,
        moment=shown(at),
        days_left=max(0, left.days + 1),
        owner=memory.user.email if place.user is None else None,
        category=memory.category.name if memory.category else None,
        exists_url=(place.url(f"{existing}/history") if existing else place.home) if in_the_way else None,
        urls={
            "restore": place.url(f"deleted/{memory.id}/restore"),
            "purge": place.url(f"deleted/{memory.id}/purge"),
        },
    )
