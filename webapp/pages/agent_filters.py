"""What User Memories is narrowed to: from the address to the query, and back to the fields of the form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from webapp.errors import Invalid
from webapp.http.frame import reader_zone
from webapp.http.paging import day_range
from webapp.memory.queries import MemoryFilter
from webapp.pages.memories.lists import kept, search_words

NAMES = ("user", "q", "start", "end", "origin", "category")
ORIGINS = ("captured", "manual", "imported")
FIELDS = {"start_date": "start", "end_date": "end"}


@dataclass(frozen=True, slots=True)
class Filters:
    """See templates/agent/memory.html: every value as text. `active`: something is narrowed."""

    user: str
    q: str
    start: str
    end: str
    origin: str
    category: str
    active: bool

    def __getitem__(self, name: str) -> Any:
        """By name, as the template's loop over names reads them."""
        return getattr(self, name)


def filters(*, own_only: bool = False) -> Filters:
    """The filters in this request's address; who sees only their own has none by person."""
    given = {name: search_words(name) for name in NAMES}
    given |= {"user": ""} if own_only else {}
    return Filters(**given, active=any(given.values()))


def wanted(shown: Filters, agent_id: int, *, own: int | None) -> MemoryFilter:
    """The query behind them; `own` is the reader's id where they see only their own. Raises Invalid for a bad date."""
    start, end = _days(shown)
    return MemoryFilter(
        scope="agent",
        agent_id=agent_id,
        user_id=own,
        person=shown.user or None if own is None else None,
        text=shown.q or None,
        origin=shown.origin if shown.origin in ORIGINS else None,
        start=start,
        end=end,
        category_slug=shown.category or None,
    )


def without_category(found: MemoryFilter) -> MemoryFilter:
    """The same in every category: what the counts on the tabs are of."""
    return replace(found, category_slug=None)


def query() -> dict[str, str]:
    """What the screen's links keep."""
    return kept(*NAMES, "page")


def _days(shown: Filters) -> tuple[datetime | None, datetime | None]:
    try:
        return day_range(shown.start, shown.end, reader_zone())
    except Invalid as error:
        raise Invalid({FIELDS[name]: found for name, found in error.errors.items()}) from None
