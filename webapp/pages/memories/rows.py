"""One memory as a row of a list."""

from __future__ import annotations

from dataclasses import dataclass, replace

from webapp.memory.types import MemoryView
from webapp.messages import text as msg
from webapp.messages.moments import Moment
from webapp.pages.memories.place import Place
from webapp.pages.shapes.times import shown


@dataclass(frozen=True, slots=True)
class CategoryMark:
    """The category a row names."""

    name: str
    inactive: bool


@dataclass(frozen=True, slots=True)
class RowUrls:
    """Where a row's controls lead; None hides the control."""

    edit: str | None = None
    delete: str | None = None
    history: str | None = None
    forget: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """See templates/components/_row.html."""

    id: int
    text: str
    moment: Moment
    origin: str | None
    owner: str | None
    category: CategoryMark | None
    session: str | None
    edited_by: str | None
    is_new: bool
    note: str | None
    urls: RowUrls


def row(memory: MemoryView, place: Place, *, new: int | None = None) -> Row:
    """The row of one memory. Whose it is is named where the list has several people's."""
    category = memory.category
    # A person's own edit of what is about them needs no mark; somebody else's does.
    by_other = memory.edited_by if memory.edited_by != memory.user.username else None
    return Row(
        id=memory.id,
        text=memory.content,
        moment=shown(memory.created_at),
        origin=memory.origin,
        owner=(memory.user.email or msg("users.unknown")) if place.user is None else None,
        category=CategoryMark(category.name, not category.is_active) if category else None,
        session=memory.source_session_id,
        edited_by=by_other,
        is_new=memory.id == new,
        note=None,
        urls=_urls(memory, place),
    )


def without_category(shown_row: Row) -> Row:
    """The same row under a heading that names its category already."""
    return replace(shown_row, category=None)


def _urls(memory: MemoryView, place: Place) -> RowUrls:
    history = place.url(f"{memory.id}/history")
    if not place.writable(memory.user.id):
        return RowUrls(history=history)
    forget = place.url(f"{memory.id}/forget") if memory.user.id == place.actor.account_id else None
    return RowUrls(place.url(f"{memory.id}/edit"), place.url(f"{memory.id}/delete"), history, forget)
