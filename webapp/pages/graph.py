"""Graph: the groups one may see, and a group's facts, entities, picture and messages."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, request
from werkzeug.wrappers import Response

from webapp.access.policy import Action, Target, can
from webapp.errors import Unavailable
from webapp.graph import queries, retrieve
from webapp.graph.queries import GroupView
from webapp.graph.retrieve import Question
from webapp.graph.types import Entity, Fact, FactState
from webapp.http.htmx import render
from webapp.http.scope import Scope
from webapp.memory.types import Page
from webapp.messages import text as msg
from webapp.pages import graph_shapes as shapes
from webapp.pages import where
from webapp.pages.graph_shapes import Place
from webapp.pages.memories.lists import search_words
from webapp.pages.memories.place import ID
from webapp.pages.shapes import pager
from webapp.pages.shapes.tabs import Tab
from webapp.runtime import runtime

pages = Blueprint("graph", __name__)
GROUPS = "/orgs/<org>/graph"
PATH = f"{GROUPS}/<group>"
PAGE_SIZE, FOUND_AT_MOST, DRAWN_AT_MOST = 25, 50, 40
# Whose a group is decides who sees it, and every verb asks that of the group itself.
ANY_MEMBER = Action.READ_ORG_STATUS
STATES: dict[str, FactState] = {"current": "current", "ended": "ended"}
VIEWS = ("facts", "entities", "picture", "messages")


@pages.get(GROUPS)
def groups(org: str) -> Response:
    """The groups; for htmx the list."""
    scope = where.here(org, ANY_MEMBER)
    words = search_words()
    page = pager.load(lambda number: queries.list_groups(scope.actor, search=words, page=number, size=PAGE_SIZE))
    path = f"/orgs/{scope.org.key}/graph"
    listed = {
        "rows": [shapes.group_row(view, scope.org.key) for view in page.rows],
        "page": pager.shape(page, path),
        "total": page.count,
        "urls": {"list": path, "clear": path},
    }
    return render("graph/groups.html", "groups", groups=listed, q=words)


@pages.get(PATH)
def facts(org: str, group: str) -> Response:
    """A group's facts, searched or in the order of time; for htmx the list."""
    scope, view, place = opened(org, group)
    words = search_words()
    state: FactState = STATES.get(request.args.get("state", ""), "all")
    off = runtime().settings.disable_memory
    page = _facts(scope, place.key, "" if off else words, state)
    listed = {
        "rows": [shapes.fact_row(fact, place) for fact in page.rows],
        "page": pager.shape(page, place.path),
        "total": page.count,
        "found": bool(words),
        "urls": {"list": place.path, "clear": place.path},
    }
    around = head(scope, view, place, "facts")
    return render("graph/facts.html", "facts", facts=listed, filters=_filters(words, state), off=off, **around)


@pages.get(f"{PATH}/entities")
def entities(org: str, group: str) -> Response:
    """A group's entities; for htmx the list."""
    scope, view, place = opened(org, group)
    words = search_words()
    page = pager.load(
        lambda number: queries.list_entities(scope.actor, place.key, words=words, page=number, size=PAGE_SIZE)
    )
    path = place.url("entities")
    listed = {
        "rows": [shapes.entity_row(one, place) for one in page.rows],
        "page": pager.shape(page, path),
        "total": page.count,
        "urls": {"list": path, "clear": path},
    }
    return render("graph/entities.html", "entities", entities=listed, q=words, **head(scope, view, place, "entities"))


@pages.get(f"{PATH}/entities/<{ID}:entity_id>")
def entity(org: str, group: str, entity_id: int) -> Response:
    """One entity: its timeline and what it is connected with."""
    scope, _view, place = opened(org, group)
    found = queries.get_entity(scope.actor, place.key, entity_id)
    near = queries.neighbourhood(scope.actor, place.key, entity_id, DRAWN_AT_MOST // 2)
    return render(
        "graph/entity.html",
        entity=shapes.entity_head(found),
        timeline=shapes.timeline(found, place),
        picture=shapes.picture(near, place, entity_id) if len(near.entities) > 1 else None,
        group={"key": place.key, "url": place.path},
    )


@pages.get(f"{PATH}/picture")
def picture(org: str, group: str) -> Response:
    """The best connected entities, or the surroundings of one; for htmx the picture."""
    scope, view, place = opened(org, group)
    center = _center()
    found = queries.neighbourhood(scope.actor, place.key, center, DRAWN_AT_MOST)
    middle = next((one.entity for one in found.entities if one.entity.id == center), None)
    around = head(scope, view, place, "picture")
    return render(
        "graph/picture.html",
        "picture",
        picture=shapes.picture(found, place, center) if found.entities else None,
        title=msg("graph.picture_of", name=middle.name) if middle else msg("graph.picture_best", n=len(found.entities)),
        middle={"id": str(middle.id), "url": place.url("entities", middle.id)} if middle else None,
        choices=_choices(scope, place, middle),
        urls={"list": place.url("picture")},
        **around,
    )


@pages.get(f"{PATH}/messages")
def messages(org: str, group: str) -> Response:
    """A group's messages; for htmx the list."""
    scope, view, place = opened(org, group)
    failed = request.args.get("failed") == "true"
    page = pager.load(
        lambda number: queries.list_episodes(scope.actor, place.key, failed=failed, page=number, size=PAGE_SIZE)
    )
    may_retry = can(scope.actor, Action.RETRY_EXCHANGE, Target(scope.org.id))
    path = place.url("messages")
    listed = {
        "rows": [shapes.message_row(one, place, may_retry=may_retry) for one in page.rows],
        "page": pager.shape(page, path),
        "total": page.count,
        "failed": failed,
        "urls": {"all": path, "failed": f"{path}?failed=true"},
    }
    return render("graph/messages.html", "messages", messages=listed, **head(scope, view, place, "messages"))


def opened(org: str, group: str) -> tuple[Scope, GroupView, Place]:
    """The org and the group of an address. Raises NotVisible for a group that the reader may not see."""
    scope = where.here(org, ANY_MEMBER)
    view = queries.open_group(scope.actor, group)
    writable = can(scope.actor, Action.WRITE_GRAPH, Target(scope.org.id, view.group.owner_id))
    return scope, view, Place(scope.org.key, view.group.key, writable)


def head(scope: Scope, view: GroupView, place: Place, current: str) -> dict[str, Any]:
    """The variables of templates/graph/_head.html."""
    counts = {"facts": view.facts, "entities": view.entities, "picture": None, "messages": view.episodes}
    paths = {"facts": place.path} | {name: place.url(name) for name in VIEWS[1:]}
    owner = place.url("owner") if can(scope.actor, Action.OWN_GRAPH, Target(scope.org.id)) else None
    return {
        "group": {"key": place.key, "owner": view.owner, "waiting": view.waiting, "failed": view.failed},
        "views": [Tab(msg(f"graph.{name}"), paths[name], name == current, counts[name]) for name in VIEWS],
        "group_urls": {
            "all": f"/orgs/{scope.org.key}/graph",
            "delete": place.url("delete") if place.writable else None,
            "owner": owner,
            "failed": f"{paths['messages']}?failed=true",
        },
    }


def _filters(words: str, state: FactState) -> dict[str, Any]:
    return {"q": words, "state": state, "active": bool(words) or state != "all"}


def _center() -> int | None:
    """The entity that the address puts in the middle; what is no id counts as none."""
    raw = request.args.get("center", "")
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 19 else None


def _choices(scope: Scope, place: Place, middle: Entity | None) -> list[tuple[str, str]]:
    """What can be put in the middle: the first entities by their links, and the one that is there."""
    best = queries.list_entities(scope.actor, place.key, size=PAGE_SIZE).rows
    choices = [(str(one.entity.id), one.entity.name) for one in best]
    if middle and str(middle.id) not in dict(choices):
        choices.insert(0, (str(middle.id), middle.name))
    return choices


def _facts(scope: Scope, key: str, words: str, state: FactState) -> Page[Fact]:
    if not words:
        return pager.load(lambda number: queries.list_facts(scope.actor, key, state=state, page=number, size=PAGE_SIZE))
    try:
        found = retrieve.find_facts(scope.actor, [key], Question(words, FOUND_AT_MOST))
    except Unavailable:
        found = []
    wanted = {"all": (True, False), "current": (False,), "ended": (True,)}[state]
    kept = [fact for fact in found if (shapes.held(fact).state == "ended") in wanted]
    return Page(kept, len(kept), 1, FOUND_AT_MOST)
