"""Acting on several memories of one agent: delete, move, merge, delete all of a category."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from flask import Blueprint, request
from werkzeug.wrappers import Response

from webapp.errors import Conflict, Invalid
from webapp.memory import categories
from webapp.memory.types import MemoryView
from webapp.memory.write import organise, removal
from webapp.messages import text as msg
from webapp.pages.dialogs import dialog
from webapp.pages.memories.editing import MOST_CATEGORIES
from webapp.pages.memories.place import Finder, Place, done
from webapp.pages.memories.removing import undoable
from webapp.pages.shapes.form import FormShape, refused
from webapp.pages.shapes.times import shown

# At once, so that one request ends in good time; more is narrowed by a filter first.
MOST = 10_000
MOST_MERGED = 20


class Selected(Protocol):
    """The ids of everything the screen's filters match, or of the whole category."""

    def __call__(self, place: Place, *, everything: bool) -> list[int]: ...


def attach(pages: Blueprint, base: str, find: Finder, selected: Selected) -> None:
    """Give a list the actions on several of its rows."""

    def view(handler: Callable[..., Response]) -> Callable[..., Response]:
        return lambda **path: handler(find(**path), selected)

    pages.add_url_rule(f"{base}/bulk", "bulk", view(act), methods=["POST"])
    pages.add_url_rule(f"{base}/merge", "merge", view(merge), methods=["POST"])
    pages.add_url_rule(f"{base}/delete-all", "delete_all", view(delete_all), methods=["GET", "POST"])


def act(place: Place, selected: Selected) -> Response:
    """Delete or move what is ticked, or all that match; or ask for the text that a merge leaves."""
    ids = selected(place, everything=False) if request.form.get("all") else _ticked()
    doing = request.form.get("do")
    if not ids:
        raise Invalid(msg("bulk.nothing"))
    if len(ids) > MOST:
        raise Invalid(msg("bulk.too_many", n=MOST))
    if doing == "delete":
        return _delete(place, ids)
    if doing == "move":
        return _move(place, ids)
    if doing == "merge":
        return _ask_to_merge(place, _memories(place, ids))
    raise Invalid(msg("bulk.nothing"))


def delete_all(place: Place, selected: Selected) -> Response:
    """Ask with the number, then delete everything in the category."""
    ids = selected(place, everything=True)
    if len(ids) > MOST:
        raise Invalid(msg("bulk.too_many", n=MOST))
    if request.method == "POST" and ids:
        return _delete(place, ids)
    name = _category_name(place)
    return dialog(
        "confirm", title=msg("bulk.delete_all_title", category=name), text=msg("bulk.delete_all", category=name),
        points=[], button=msg("bulk.delete_button", n=len(ids)), kind="danger", typed=None, choices=None, ticks=[],
        fields={}, form=None, region=place.region,
        urls={"confirm": place.url("delete-all"), "cancel": place.home},
    )  # fmt: skip


def merge(place: Place, _selected: Selected) -> Response:
    """Save the text that stays."""
    ids, data = _ticked(), {"content": request.form.get("content", "")}
    memories = _memories(place, ids)
    try:
        kept = organise.merge(place.actor, ids, data["content"])
    except Invalid as error:
        return _merge_form(place, memories, refused(data, error), 422)
    except Conflict:
        return _merge_form(place, memories, FormShape(data, {"content": [msg("result.memory_exists")]}), 409)
    return done(place, msg("result.merged", n=len(ids)), new=kept)


def _delete(place: Place, ids: Sequence[int]) -> Response:
    gone = removal.delete(place.actor, ids)
    return undoable(place, gone, msg("result.memories_deleted", n=len(gone.memory_ids)))


def _move(place: Place, ids: Sequence[int]) -> Response:
    slug = request.form.get("category", "")
    if not slug:
        raise Invalid(msg("memory.category_empty"))
    return done(place, msg("result.moved", n=organise.move(place.actor, ids, slug)))


def _ticked() -> list[int]:
    raw = request.form.getlist("id")
    if not all(each.isascii() and each.isdigit() and len(each) < 19 for each in raw):
        raise Invalid(msg("bulk.nothing"))
    return sorted({int(each) for each in raw})


def _memories(place: Place, ids: Sequence[int]) -> list[MemoryView]:
    if len(ids) < 2:
        raise Invalid(organise.TWO)
    if len(ids) > MOST_MERGED:
        raise Invalid(msg("bulk.merge_many", n=MOST_MERGED))
    found = [place.memory(each) for each in ids]
    if len({memory.user.id for memory in found}) != 1:
        raise Invalid(organise.ONE_PERSON)
    return sorted(found, key=lambda memory: memory.created_at, reverse=True)


def _ask_to_merge(place: Place, memories: Sequence[MemoryView]) -> Response:
    # All of them, for the reader to make one sentence of; the newest, which stays, first.
    together = "\n".join(memory.content for memory in memories)
    return _merge_form(place, memories, FormShape({"content": together}))


def _merge_form(place: Place, memories: Sequence[MemoryView], form: FormShape, status: int = 200) -> Response:
    rows: list[dict[str, Any]] = [
        {"id": memory.id, "text": memory.content, "moment": shown(memory.created_at)} for memory in memories
    ]
    return dialog(
        "merge", status=status, rows=rows, whom=memories[0].user.email, form=form, region=place.region,
        urls={"merge": place.url("merge"), "cancel": place.home},
    )  # fmt: skip


def _category_name(place: Place) -> str:
    slug = request.args.get("category", "")
    known = categories.list_categories(
        place.actor, place.agent_id, include_inactive=place.user is None, size=MOST_CATEGORIES
    )
    return next((each.name for each in known.rows if each.slug == slug), slug)
