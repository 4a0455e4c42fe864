"""Tenant → Activity: what was captured, skipped and failed lately, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint
from werkzeug.wrappers import Response

from webapp.access.policy import Action
from webapp.db.session import transaction
from webapp.directory.agents import find_agent, list_agents
from webapp.http.frame import reader_zone, toast
from webapp.http.htmx import navigate, render
from webapp.http.paging import with_query
from webapp.http.scope import Scope
from webapp.inbox import activity
from webapp.inbox.types import InboxStatus, State
from webapp.memory import switchers
from webapp.memory.enablement import shared_off
from webapp.memory.types import Page
from webapp.messages import text as msg
from webapp.pages import tenant_frame, where
from webapp.pages.exchange_rows import NOBODY, exchange_rows
from webapp.pages.memories.lists import search_words
from webapp.pages.memories.place import ID
from webapp.pages.people_options import nobody
from webapp.pages.shapes import pager
from webapp.pages.shapes.states import org_switch
from webapp.runtime import runtime

pages = Blueprint("activity", __name__)
PATH = "/orgs/<org>/memory/activity"
PAGE_SIZE, DAYS, MOST_AGENTS = 25, 14, 200
STATES: tuple[State, ...] = ("pending", "claimed", "done", "skipped", "failed")


@pages.get(PATH)
def show(org: str) -> Response:
    """The screen; for htmx the list."""
    scope = where.here(org, Action.READ_ACTIVITY)
    agents = list_agents(scope.actor, size=MOST_AGENTS).rows
    return render(
        "tenant/activity.html",
        "activity",
        **tenant_frame.head(scope, "activity"),
        **_list(scope),
        queue=_queue(scope),
        days=_days(scope),
        blocked=_blocked(scope),
        agent_options=[(each.slug, each.name) for each in agents],
    )


@pages.post(f"{PATH}/<{ID}:item_id>/retry")
def retry(org: str, item_id: int) -> Response:
    """Put a failed exchange back to the head of its line. It answers with the page: the figures change too."""
    scope = where.here(org, Action.RETRY_EXCHANGE)
    activity.retry(scope.actor, item_id, runtime().settings)
    toast({"text": msg("result.retried"), "kind": "ok", "undo": None})
    return navigate(with_query({}, _path(scope)))


def _path(scope: Scope) -> str:
    return f"/orgs/{scope.org.key}/memory/activity"


def _queue(scope: Scope) -> dict[str, Any]:
    counts = activity.counts(scope.actor)
    oldest = _age(counts.oldest_seconds) if counts.oldest_seconds is not None else None
    return {"waiting": counts.waiting, "running": counts.running, "failed": counts.failed, "oldest": oldest}


def _age(seconds: float) -> str:
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= size:
            return msg(f"activity.age_{unit}", n=int(seconds // size))
    return msg("activity.age_seconds", n=int(seconds))


def _days(scope: Scope) -> list[dict[str, Any]]:
    found = activity.per_day(scope.actor, days=DAYS, zone=str(reader_zone()))
    if not any(day.done or day.skipped or day.failed for day in found):
        return []
    return [
        {"label": f"{day.day.day} {day.day:%b}", "done": day.done, "skipped": day.skipped, "failed": day.failed}
        for day in found
    ]


def _blocked(scope: Scope) -> dict[str, Any] | None:
    with transaction(scope.org.id) as session:
        off = shared_off(session, scope.org.id, installation_off=runtime().settings.disable_memory)
        off = switchers.named(session, scope.org.id, off)
    if off is None:
        return None
    state = org_switch(off.level != "org", off)
    text = f"{state.reason} {state.fix}" if state.fix else state.reason
    return {"text": text, "url": f"/orgs/{scope.org.key}/memory", "label": msg("activity.open_switch")}


def _list(scope: Scope) -> dict[str, Any]:
    filters = {name: search_words(name) for name in ("state", "agent", "user")}
    page = pager.load(lambda number: _page(scope, filters, number))
    exchanges = {
        "rows": exchange_rows(scope, page.rows, _path(scope)),
        "page": pager.shape(page, _path(scope)),
        "total": page.count,
        "nobody": nobody(scope, filters["user"], page.rows),
        "urls": {"list": _path(scope), "clear": _path(scope)},
    }
    return {"exchanges": exchanges, "filters": filters | {"active": any(filters.values())}}


def _page(scope: Scope, filters: dict[str, str], number: int) -> Page[InboxStatus]:
    states: Sequence[State] = [each for each in STATES if each == filters["state"]]
    rows, count = activity.recent(
        scope.actor, states=states, person=filters["user"], agent_id=_agent_id(scope, filters["agent"]),
        limit=PAGE_SIZE, offset=(number - 1) * PAGE_SIZE,
    )  # fmt: skip
    return Page(rows, count, number, PAGE_SIZE)


def _agent_id(scope: Scope, reference: str) -> int | None:
    """What names no agent of the org matches nothing."""
    if not reference:
        return None
    with transaction(scope.org.id) as session:
        agent = find_agent(session, scope.org.id, reference)
    return agent.id if agent else NOBODY
