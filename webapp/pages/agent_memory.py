"""Agent settings → User Memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint
from werkzeug.wrappers import Response

from webapp.access.policy import Action
from webapp.directory.types import UserView
from webapp.errors import Invalid
from webapp.http.frame import Toast
from webapp.http.htmx import fragment, navigate, render
from webapp.http.paging import with_query
from webapp.http.scope import Scope
from webapp.memory import categories, enablement, queries
from webapp.memory.types import CategoryView, MemoryView
from webapp.messages import text as msg
from webapp.pages import agent_frame, settings, where
from webapp.pages.agent_filters import Filters, filters, query, wanted, without_category
from webapp.pages.memories import bulk
from webapp.pages.memories.editing import MOST_CATEGORIES, Choice
from webapp.pages.memories.place import Place
from webapp.pages.memories.routes import attach
from webapp.pages.memories.rows import row
from webapp.pages.people_options import nobody, options
from webapp.pages.shapes import pager
from webapp.pages.try_it import closed

pages = Blueprint("agent_memory", __name__)
PATH = "/orgs/<org>/agents/<agent>/memory"
TEMPLATE = "agent/memory.html"
PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class CategoryTab:
    """One of the category tabs; the first, with an empty slug, is All."""

    label: str
    slug: str
    url: str
    current: bool
    count: int
    inactive: bool


@pages.get(PATH)
def show(org: str, agent: str) -> Response:
    """The screen; for htmx the list, which is what its filters, tabs and pager ask for."""
    scope = agent_frame.enter(org, agent)
    place = _place(scope)
    context = agent_frame.head(scope, "users") | _list(scope, place)
    return render(
        TEMPLATE,
        "memories",
        **context,
        own_only=place.user is not None,
        try_it=closed(scope, agent_frame.path(scope)),
        urls={"agents": agent_frame.agents_url(scope)},
    )


@pages.post(f"{PATH}/enable", defaults={"back": ""})
@pages.post(f"{PATH}/<any(shared,categories):back>/enable")
def enable(org: str, agent: str, back: str) -> Response:
    """The agent's switch. It answers with the page it stood on."""
    scope = where.here(org, Action.WRITE_AGENT_SETTINGS, agent=agent)
    enablement.switch_agent(scope.actor, scope.agent_id, settings.sent())
    home = "/".join(part for part in (agent_frame.path(scope), back) if part)
    settings.toast_switched(agent_frame.agent_of(scope).name, f"{home}/enable")
    return navigate(home)


@pages.get(f"{PATH}/users")
def users(org: str, agent: str) -> Response:
    """Suggestions for the fields that ask for a person."""
    scope = agent_frame.enter(org, agent)
    return fragment("components/_user_options.html", options=options(scope))


def find_place(org: str, agent: str) -> Place:
    """The list of this screen, for the actions on it."""
    return _place(agent_frame.enter(org, agent))


def _place(scope: Scope) -> Place:
    def redraw(*, toasts: Sequence[Toast], new: int | None) -> Response:
        return render(TEMPLATE, "memories", toasts=toasts, **_list(scope, _place(scope), new=new))

    base, agent = agent_frame.path(scope), agent_frame.agent_of(scope)
    return Place(
        scope.actor, base, base, "#memories", msg("agent.tab_users"), redraw,
        user=_only(scope), agent=agent, query=query(),
    )  # fmt: skip


def _only(scope: Scope) -> UserView | None:
    """The reader, where they may read only their own here; None for who reads everybody's."""
    if agent_frame.allowed(scope, Action.READ_AGENT_MEMORY):
        return None
    return where.own(scope.org.key, Action.READ_AGENTS).user


def _list(scope: Scope, place: Place, *, new: int | None = None) -> dict[str, Any]:
    shown = filters(own_only=place.user is not None)
    found = _wanted(shown, place)
    known = _categories(place)
    counts = queries.count_by_category(place.actor, without_category(found))
    total = _total(shown, known, counts)
    page = pager.load(
        lambda number: queries.list_memories(place.actor, found, page=number, size=PAGE_SIZE, count=total)
    )
    return {
        "filters": shown,
        "memories": {
            "rows": [row(memory, place, new=new) for memory in page.rows],
            "page": pager.shape(page, place.path),
            "total": page.count,
            "nothing": _nothing(scope, shown, page.rows),
            "urls": _urls(scope, place, shown),
        },
        "categories": _tabs(place, shown, known, counts),
        "move_to": [Choice(each.slug, each.name) for each in known if each.is_active],
    }


def _nothing(scope: Scope, shown: Filters, rows: Sequence[MemoryView]) -> str | None:
    """Why a list that was narrowed to people is empty: there is no such person, or nothing about them."""
    only_person = shown.user and not any((shown.q, shown.start, shown.end, shown.origin, shown.category))
    if rows or not shown.user:
        return None
    return nobody(scope, shown.user, rows) or (msg("users.nothing_of", name=shown.user) if only_person else None)


def _total(shown: Filters, known: Sequence[CategoryView], counts: dict[int, int]) -> int | None:
    """How many match, from the counts on the tabs; None for a category that the reader's tabs do not know."""
    if not shown.category:
        return sum(counts.values())
    return next((counts.get(each.id, 0) for each in known if each.slug == shown.category), None)


def _wanted(shown: Filters, place: Place) -> queries.MemoryFilter:
    return wanted(shown, place.agent_id, own=place.user.id if place.user else None)


def _categories(place: Place) -> list[CategoryView]:
    """All of the agent's for who curates or reads it, the active ones for its users."""
    everything = place.user is None
    found = categories.list_categories(place.actor, place.agent_id, include_inactive=everything, size=MOST_CATEGORIES)
    return found.rows


def _tabs(place: Place, shown: Filters, known: Sequence[CategoryView], counts: dict[int, int]) -> list[CategoryTab]:
    def tab(label: str, slug: str, count: int, inactive: bool) -> CategoryTab:
        url = with_query({"category": slug or None, "page": None}, place.path)
        return CategoryTab(label, slug, url, slug == shown.category, count, inactive)

    # An inactive category that holds nothing is the manager's business only.
    filed = [each for each in known if each.is_active or counts.get(each.id)]
    everything = tab(msg("users.category_all"), "", sum(counts.values()), False)
    return [everything] + [tab(each.name, each.slug, counts.get(each.id, 0), not each.is_active) for each in filed]


def _urls(scope: Scope, place: Place, shown: Filters) -> dict[str, str | None]:
    may = place.user is not None or agent_frame.allowed(scope, Action.WRITE_AGENT_MEMORY)
    reads = agent_frame.allowed(scope, Action.READ_CATEGORIES)
    return {
        "list": place.path,
        "clear": place.path,
        "users": f"{place.base}/users",
        "categories": f"{place.base}/categories" if reads else None,
        "add": place.url("new") if may else None,
        "deleted": place.url("deleted") if may else None,
        "bulk": place.url("bulk") if may else None,
        "delete_all": place.url("delete-all") if may and shown.category else None,
    }


def _selected(place: Place, *, everything: bool) -> list[int]:
    """The ids of all that match; with `everything` the whole category, whatever else is filtered."""
    shown = filters(own_only=place.user is not None)
    found = _wanted(shown, place)
    if everything:
        if not shown.category:
            raise Invalid(msg("bulk.no_category"))
        found = queries.MemoryFilter(
            scope="agent", agent_id=found.agent_id, user_id=found.user_id, category_slug=shown.category
        )
    return queries.matching_ids(place.actor, found, limit=bulk.MOST + 1)


attach(pages, PATH, "memory", find_place)
bulk.attach(pages, PATH, find_place, _selected)
