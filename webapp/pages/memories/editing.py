"""Adding and editing one memory of a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import request
from werkzeug.wrappers import Response

from webapp.errors import Conflict, Invalid, NotVisible, Overtaken
from webapp.memory import categories
from webapp.memory.types import MemoryView
from webapp.memory.write import manual
from webapp.messages import text as msg
from webapp.messages.moments import Moment
from webapp.pages.dialogs import dialog
from webapp.pages.forms.memories import MemoryForm
from webapp.pages.memories.place import Place, done
from webapp.pages.one_person import one_person
from webapp.pages.shapes.form import FormShape, refused
from webapp.pages.shapes.times import shown

FIELDS = {"category_slug": "category", "user_id": "user"}
MOST_CATEGORIES = 500


@dataclass(frozen=True, slots=True)
class ConflictShape:
    """What somebody else saved meanwhile; see templates/components/conflict.html."""

    text: str
    name: str
    moment: Moment
    version: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a select."""

    value: str
    label: str


def add(place: Place) -> Response:
    """The form, and what it saves."""
    form = MemoryForm()
    data = {"content": form.content.data, "category": form.category.data, "user": form.user.data}
    if request.method == "GET":
        return _form(place, FormShape(data | {"category": request.args.get("category", "")}))
    try:
        added = manual.add(place.actor, _draft(place, form))
    except Invalid as error:
        return _form(place, refused(data, error, FIELDS), status=422)
    except Conflict:
        return _form(place, _exists(data), status=409)
    return done(place, msg("result.memory_created"), new=added.id)


def edit(place: Place, memory_id: int) -> Response:
    """The form with the text as it is now, and what it saves."""
    memory = place.memory(memory_id)
    if memory.deleted_at or memory.superseded_at:
        raise NotVisible
    form = MemoryForm()
    if request.method == "GET":
        return _form(place, FormShape(_data(memory)), memory)
    data = {"content": form.content.data, "category": form.category.data, "version": form.version.data}
    try:
        manual.edit(place.actor, memory_id, **_changes(place, memory, data))
    except Invalid as error:
        return _form(place, refused(data, error, FIELDS), memory, status=422)
    except Overtaken:
        return _form(place, FormShape(data), place.memory(memory_id), status=409, overtaken=True)
    except Conflict:
        return _form(place, _exists(data), memory, status=409)
    return done(place, msg("result.memory_updated"))


def _draft(place: Place, form: MemoryForm) -> manual.Draft:
    user_id = place.user.id if place.user else _named_user(place, (form.user.data or "").strip())
    return manual.Draft(
        user_id=user_id,
        content=form.content.data or "",
        agent_id=place.agent.id if place.agent else None,
        category_slug=form.category.data if place.agent else None,
    )


def _named_user(place: Place, reference: str) -> int:
    if not reference:
        raise Invalid({"user": [msg("result.user_needed")]})
    return one_person(place.actor.org_id, reference).id


def _changes(place: Place, memory: MemoryView, data: dict[str, Any]) -> dict[str, Any]:
    # A category that was deactivated meanwhile may stay; only another one is a choice that the verb checks.
    moved = place.agent is not None and memory.category is not None and data["category"] != memory.category.slug
    return {
        "content": data["content"],
        "category_slug": data["category"] if moved else None,
        "expected_version": data["version"],
    }


def _data(memory: MemoryView) -> dict[str, Any]:
    category = memory.category.slug if memory.category else ""
    return {"content": memory.content, "category": category, "version": memory.version}


def _exists(data: dict[str, Any]) -> FormShape:
    return FormShape(data, {"content": [msg("result.memory_exists")]})


def _form(
    place: Place, form: FormShape, memory: MemoryView | None = None, *, status: int = 200, overtaken: bool = False
) -> Response:
    action = f"{memory.id}/edit" if memory else "new"
    return dialog(
        "memory_form",
        status=status,
        form=form,
        editing=memory is not None,
        categories=_choices(place, memory),
        ask_user=place.user is None and memory is None,
        whom=_whom(place, memory),
        region=place.region,
        urls={
            "save": place.url(action),
            "cancel": place.home,
            "users": place.url("users") if place.user is None else None,
        },
        conflict=_conflict(memory) if memory and overtaken else None,
    )


def _conflict(memory: MemoryView) -> ConflictShape:
    name = memory.edited_by or memory.user.username
    return ConflictShape(memory.content, name, shown(memory.updated_at), memory.version)


def _choices(place: Place, memory: MemoryView | None) -> list[Choice] | None:
    if place.agent is None:
        return None
    active = categories.list_categories(place.actor, place.agent.id, size=MOST_CATEGORIES).rows
    choices = [Choice(each.slug, each.name) for each in active]
    if memory and memory.category and not memory.category.is_active:
        choices.append(Choice(memory.category.slug, f"{memory.category.name} ({msg('category.inactive')})"))
    return choices


def _whom(place: Place, memory: MemoryView | None) -> str | None:
    email = memory.user.email if memory else place.user.email if place.user else None
    parts = [place.agent.name if place.agent else None, email]
    return " · ".join(part for part in parts if part) or None
