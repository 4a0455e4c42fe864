"""Pages of lists as links: the numbers near the current page, the first and the last, gaps between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from flask import request

from webapp.http.paging import MAX_PAGE, with_query
from webapp.memory.types import Page

NEAR = 2
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PageLink:
    """One numbered page."""

    number: int
    url: str
    current: bool


@dataclass(frozen=True, slots=True)
class PageShape:
    """See templates/components/lists.html. `first` and `last` count rows from 1; None in `links` is a gap."""

    number: int
    pages: int
    first: int
    last: int
    total: int
    links: list[PageLink | None]
    previous: str | None
    next: str | None


def shape(page: Page[Any], path: str, *, name: str = "page") -> PageShape:
    """The pager of a list that lives at `path` with the filters of this request; `name` is its parameter there."""

    def url(number: int) -> str:
        return with_query({name: number if number > 1 else None}, path)

    first = (page.number - 1) * page.size + 1
    return PageShape(
        number=page.number,
        pages=page.pages,
        first=min(first, page.count),
        last=min(first + page.size - 1, page.count),
        total=page.count,
        links=[PageLink(each, url(each), each == page.number) if each else None for each in _numbers(page)],
        previous=url(page.number - 1) if page.number > 1 else None,
        next=url(page.number + 1) if page.number < page.pages else None,
    )


def load(fetch: Callable[[int], Page[T]], *, name: str = "page") -> Page[T]:
    """The page that the address asks for; past the end, the last one: deleting a page's last row steps back a page."""
    found = fetch(asked(name))
    return found if found.number <= found.pages else fetch(found.pages)


def asked(name: str = "page") -> int:
    """The page number in the address; what is no page number counts as the first."""
    raw = request.args.get(name, "1")
    return max(1, min(int(raw[:8]), MAX_PAGE)) if raw.isascii() and raw.isdigit() else 1


def _numbers(page: Page[Any]) -> list[int | None]:
    near = {number for number in range(page.number - NEAR, page.number + NEAR + 1) if 1 <= number <= page.pages}
    found: list[int | None] = []
    for number in sorted({1, page.pages} | near):
        if found and found[-1] != number - 1:
            found.append(None)
        found.append(number)
    return found
