"""Tenant → Audit: who switched, edited, exported, erased, or read another person's memories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from flask import Blueprint
from werkzeug.wrappers import Response

from webapp.access.policy import Action
from webapp.directory import names
from webapp.directory.names import Named
from webapp.http.frame import reader_zone
from webapp.http.htmx import render
from webapp.http.paging import day_range
from webapp.http.scope import Scope
from webapp.memory import audit
from webapp.memory.audit import Event, EventFilter, Kept
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
    actor: Part
    what: str
    about: list[Part]


@dataclass(frozen=True, slots=True)
class Part:
    """Somebody who did it, or something it was about; `url` None where it leads nowhere.

    `username` is a person's, where the text is another name: full names are chosen freely and may be shared. `dialog`:
    it opens over the list.
    """

    text: str
    url: str | None = None
    username: str | None = None
    dialog: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """What rows name and lead to; `base` is the prefix of every address."""

    base: str
    people: dict[int, Named]
    agents: dict[int, Named]
    kept: dict[tuple[str, int], Kept]


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
    known = _known(scope, events)
    return [EventRow(shown(event.at), _actor(event, known), what(event), _about(event, known)) for event in events]


def _known(scope: Scope, events: list[Event]) -> Known:
    agent_ids = {event.target_id for event in events if event.target_kind == "agent" and event.target_id}
    user_ids = {user_id for event in events for user_id in (event.actor_id, event.target_user_id) if user_id}
    return Known(
        f"/orgs/{scope.org.key}",
        names.people_names(scope.actor, user_ids),
        names.agent_names(scope.actor, agent_ids),
        audit.still_kept(scope.actor, events),
    )


def _actor(event: Event, known: Known) -> Part:
    here = known.people.get(event.actor_id or -1)
    return _named(here) if here else Part(event.actor_label)


def _named(person: Named, url: str | None = None) -> Part:
    return Part(person.name, url, person.reference if person.reference != person.name else None)


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


def _about(event: Event, known: Known) -> list[Part]:
    """The person and the thing that it was about, each with a link where it still exists."""
    found = [_person(event, known)]
    if event.target_kind == "agent":
        agent = known.agents.get(event.target_id or -1)
        label = agent.name if agent else event.target_label
        found.append(Part(label, f"{known.base}/agents/{agent.reference}/memory" if agent else None))
    elif event.target_kind in ("memory", "knowledge", "category", "token") and event.target_id:
        url = _history(known, event.target_kind, event.target_id)
        found.append(Part(msg(f"audit.thing_{event.target_kind}", id=event.target_id), url, dialog=url is not None))
    parts = [part for part in found if part.text]
    return parts or ([Part(event.target_label)] if event.target_label else [])


def _person(event: Event, known: Known) -> Part:
    """Without a link for an erased person, whose name the event no longer tells."""
    label = event.target_username or (event.target_label if event.target_kind == "user" else "")
    here = known.people.get(event.target_user_id or -1) if event.target_username else None
    return _named(here, f"{known.base}/memory/users/{quote(here.reference)}") if here else Part(label)


def _history(known: Known, kind: str, thing_id: int) -> str | None:
    """The history of a memory or of shared memory: it shows what was deleted and replaced, too."""
    kept = known.kept.get((kind, thing_id))
    if kept is None:
        return None
    if kept.agent_slug is None:
        return f"{known.base}/memory/users/{quote(kept.username or '')}/global/{thing_id}/history"
    shared = "/shared" if kind == "knowledge" else ""
    return f"{known.base}/agents/{kept.agent_slug}/memory{shared}/{thing_id}/history"
