"""The addresses that every list of memories has below its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint
from werkzeug.wrappers import Response

from webapp.pages.memories import editing, history, removing
from webapp.pages.memories.place import ID, Finder, Handler, Place

MEMORY = f"<{ID}:memory_id>"
GET, POST, FORM = ["GET"], ["POST"], ["GET", "POST"]
ROUTES: tuple[tuple[str, str, Handler, list[str]], ...] = (
    ("new", "add", editing.add, FORM),
    (f"{MEMORY}/edit", "edit", editing.edit, FORM),
    (f"{MEMORY}/delete", "delete", removing.delete, POST),
    (f"{MEMORY}/forget", "forget", removing.forget, POST),
    (f"{MEMORY}/history", "history", history.show, GET),
    (f"{MEMORY}/history/<{ID}:revision_id>/remove", "history_remove", history.remove, POST),
    ("undo", "undo", removing.undo, POST),
    ("deleted", "deleted", removing.deleted, GET),
    (f"deleted/{MEMORY}/restore", "restore", removing.restore, POST),
    (f"deleted/{MEMORY}/purge", "purge", removing.purge, FORM),
)


def attach(pages: Blueprint, base: str, name: str, find: Finder) -> None:
    """Give the list that `find` makes from the values of `base` its actions, as endpoints `<name>_<action>`."""
    for rule, action, handler, methods in ROUTES:
        pages.add_url_rule(f"{base}/{rule}", f"{name}_{action}", _view(find, handler), methods=methods)


def _view(find: Finder, handler: Handler) -> Callable[..., Response]:
    def view(memory_id: int | None = None, revision_id: int | None = None, **path: Any) -> Response:
        place: Place = find(**path)
        ids = {"memory_id": memory_id, "revision_id": revision_id}
        return handler(place, **{key: value for key, value in ids.items() if value is not None})

    return view
