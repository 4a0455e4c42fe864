"""The history of one memory, and taking texts out of it."""

from __future__ import annotations

from typing import Any

from werkzeug.wrappers import Response

from webapp.http.frame import Toast, toast
from webapp.http.htmx import navigate, render, wants_partial
from webapp.memory import queries
from webapp.memory.write import scrub
from webapp.messages import text as msg
from webapp.pages.dialogs import dialog
from webapp.pages.memories.place import Place
from webapp.pages.shapes.revisions import shapes


def show(place: Place, memory_id: int) -> Response:
    """Every revision, newest first."""
    return dialog("history", **_context(place, memory_id))


def remove(place: Place, memory_id: int, revision_id: int) -> Response:
    """*Remove from history*: blank the earlier texts of one revision."""
    place.memory(memory_id)
    scrub.remove_from_history(place.actor, memory_id, revision_id)
    message: Toast = {"text": msg("result.history_removed"), "kind": "ok", "undo": None}
    if wants_partial():
        context = _context(place, memory_id)
        return render("dialogs/history.html", "revisions", toasts=[message], in_dialog=True, **context)
    toast(message)
    return navigate(place.url(f"{memory_id}/history"))


def _context(place: Place, memory_id: int) -> dict[str, Any]:
    memory = place.memory(memory_id)
    live = memory.deleted_at is None and memory.superseded_at is None

    def remove_url(revision_id: int) -> str:
        return place.url(f"{memory_id}/history/{revision_id}/remove")

    may = live and place.writable(memory.user.id)
    changes = queries.history(place.actor, memory_id)
    return {
        "of": memory.content,
        "revisions": shapes(changes, ("content",), current=memory.content, remove=remove_url if may else None),
        "region": "#history",
        "urls": {"close": place.home},
    }
