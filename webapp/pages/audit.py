"""Tenant → Audit: who switched, edited, exported, erased, or read another person's memories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Blueprint
from werkzeug.wrappers import Response

from webapp.access.policy import Action
from webapp.directory import names
from webapp.http.frame import reader_zone
from webapp.http.htmx import render
from webapp.http.paging import day_range
from webapp.http.scope import Scope
from webapp.memory import audit
from webapp.memory.audit import Event, EventFilter
from webapp.messages import CATALOGUE
from webapp.messages import text as msg
from webapp.messages.audit import KINDS
from webapp.messages.moments import Moment
from webapp.pages import tenant_frame, where
from webapp.pages.memories.lists import search_words
from webapp.pages.shapes import pager
from webapp.pages.shapes.times import shown

pages = Blueprint("audit", __name__)
PAGE_SIZE = 50
NAMES = ("kind", "actor", "start", "end")


@dataclass(frozen=True, slots=True)
class EventRow:
    """See templates/tenant/audit.html."""

    moment: Moment
    actor: str
    what: str
    about: str | None


@pages.get("/orgs/<org>/memory/audit")
def show(org: str) -> Response:
    """The screen; for htmx the list."""
    scope = where.here(org, Action.READ_AUDIT)
    filters = {name: search_words(name) for name in NAMES}
    return render(
        "tenant/audit.html",
        "events",
        **tenant_frame.head(scope, "audit"),
        events=_events(scope, _wanted(filters)),
        filters=filters | {"active": any(filters.values())},
        kinds=[(kind, msg(f"audit.kind_{kind}")) for kind in KINDS],
    )


def _events(scope: Scope, wanted: EventFilter) -> dict[str, Any]:
    page = pager.load(lambda number: audit.list_events(scope.actor, wanted, page=number, size=PAGE_SIZE))
    path = f"/orgs/{scope.org.key}/memory/audit"
    return {
        "rows": _rows(scope, page.rows),
        "page": pager.shape(page, path),
        "total": page.count,
        "urls": {"list": path, "clear": path},
    }


def _wanted(filters: dict[str, str]) -> EventFilter:
    start, end = day_range(filters["start"], filters["end"], reader_zone())
    return EventFilter(actions=KINDS.get(filters["kind"]), actor=filters["actor"] or None, start=start, end=end)


def _rows(scope: Scope, events: list[Event]) -> list[EventRow]:
    agent_ids = {event.target_id for event in events if event.target_kind == "agent" and event.target_id}
    agents = names.agent_names(scope.actor, agent_ids)
    return [EventRow(shown(event.at), event.actor_label, what(event), _about(event, agents)) for event in events]


def what(event: Event) -> str:
    """What was done, as a sentence; switches say which way."""
    switched = _switched(event.detail)
    if switched:
        return ", ".join(switched)
    key = f"audit.does.{event.action}"
    return msg(key) if key in CATALOGUE else event.action


def _switched(detail: Any) -> list[str]:
    found = []
    for name, value in detail.items():
        on = value[1] if isinstance(value, list) and len(value) == 2 else value
        key = f"audit.switched.{name}_{'on' if on else 'off'}"
        if isinstance(on, bool) and key in CATALOGUE:
            found.append(msg(key))
    return found


def _about(event: Event, agents: dict[int, str]) -> str | None:
    person = event.target_username or (event.target_label if event.target_kind == "user" else None)
    thing = {"agent": agents.get(event.target_id or -1, event.target_label)}.get(event.target_kind)
    if event.target_kind in ("memory", "knowledge", "category", "token") and event.target_id:
        thing = msg(f"audit.thing_{event.target_kind}", id=event.target_id)
    return " · ".join(part for part in (person, thing) if part) or event.target_label or None
