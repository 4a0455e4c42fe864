"""A list of global memories as screens show it: one's own, or a person's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import request

from webapp.access.actor import Actor
from webapp.directory.types import UserView
from webapp.memory import content, queries
from webapp.pages.memories.place import Place, Redraw
from webapp.pages.memories.rows import Row, row
from webapp.pages.shapes import pager
from webapp.pages.shapes.pager import PageShape

GLOBALS_SIZE = 25
REGION = "#global-memories"


@dataclass(frozen=True, slots=True)
class GlobalList:
    """See the variable `memories` of templates/profile/memory.html and tenant/person.html."""

    rows: list[Row]
    page: PageShape
    total: int
    q: str
    filtered: bool
    searchable: bool
    urls: dict[str, str | None]


def search_words(name: str = "q") -> str:
    """What was searched for, without what no text can hold: a NUL byte would be a database error."""
    return content.clean(request.args.get(name, ""))


def kept(*names: str) -> dict[str, str]:
    """The filters of this request that a screen's own links keep."""
    return {name: request.args[name] for name in names if request.args.get(name)}


def global_place(actor: Actor, user: UserView, path: str, title: str, redraw: Redraw) -> Place:
    """Where a person's global memories are shown and changed."""
    return Place(actor, path, f"{path}/global", REGION, title, redraw, user=user, query=kept("q", "page"))


def global_list(place: Place, *, new: int | None = None) -> GlobalList:
    """One page of them, newest first."""
    words = search_words()
    wanted = queries.MemoryFilter(scope="global", user_id=_user(place).id, text=words or None)
    page = pager.load(lambda number: queries.list_memories(place.actor, wanted, page=number, size=GLOBALS_SIZE))
    may = place.writable(_user(place).id)
    urls: dict[str, Any] = {"list": place.path, "clear": place.path, "add": None, "deleted": None}
    if may:
        urls |= {"add": place.url("new"), "deleted": place.url("deleted")}
    return GlobalList(
        rows=[row(memory, place, new=new) for memory in page.rows],
        page=pager.shape(page, place.path),
        total=page.count,
        q=words,
        filtered=bool(words),
        searchable=bool(words) or page.pages > 1,
        urls=urls,
    )


def _user(place: Place) -> UserView:
    assert place.user is not None, "a list of global memories is one person's"
    return place.user
