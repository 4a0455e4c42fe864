"""Graph: a fact with the messages that say it, and what changes a group: deleting, reading again, whose it is."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, request
from werkzeug.wrappers import Response

from webapp.access.policy import Action, Target, can
from webapp.errors import Invalid, NotAllowed, NotVisible
from webapp.graph import groups, queries, remove
from webapp.http.frame import toast
from webapp.http.htmx import navigate, render, wants_partial
from webapp.http.scope import Scope
from webapp.inbox import activity
from webapp.messages import text as msg
from webapp.pages import graph_shapes as shapes
from webapp.pages.dialogs import dialog
from webapp.pages.graph import PATH, opened
from webapp.pages.graph_shapes import Place
from webapp.pages.memories.place import ID
from webapp.pages.shapes.form import FormShape, refused
from webapp.pages.shapes.times import shown
from webapp.runtime import runtime

pages = Blueprint("graph_actions", __name__)
FORM = ["GET", "POST"]


@pages.get(f"{PATH}/facts/<{ID}:fact_id>")
def fact(org: str, group: str, fact_id: int) -> Response:
    """A fact, when it held, and the messages that say it."""
    scope, _view, place = opened(org, group)
    found, said = queries.get_fact(scope.actor, place.key, fact_id)
    return render(
        "graph/fact.html",
        "dialog",
        in_dialog=wants_partial(),
        fact=shapes.fact_row(found, place),
        learned=shown(found.created_at),
        end_learned=shown(found.expired_at) if found.expired_at else None,
        messages=[shapes.message_row(one, place, may_retry=False) for one in said],
        urls={"close": place.path},
    )


@pages.route(f"{PATH}/facts/<{ID}:fact_id>/delete", methods=FORM)
def delete_fact(org: str, group: str, fact_id: int) -> Response:
    """Ask, then delete for good."""
    scope, place = _writing(org, group)
    found, _said = queries.get_fact(scope.actor, place.key, fact_id)
    if request.method == "GET":
        return _question(place, "fact", [found.text], place.path)
    remove.delete_fact(scope.actor, found.uuid, place.key)
    return _done(msg("graph.deleted_fact"), place.path)


@pages.route(f"{PATH}/messages/<{ID}:episode_id>/delete", methods=FORM)
def delete_message(org: str, group: str, episode_id: int) -> Response:
    """Ask, then delete for good."""
    scope, place = _writing(org, group)
    found = queries.get_episode(scope.actor, place.key, episode_id)
    if request.method == "GET":
        return _question(place, "message", [found.content[:200]], place.url("messages"))
    remove.delete_episode(scope.actor, found.uuid, place.key)
    return _done(msg("graph.deleted_message"), place.url("messages"))


@pages.post(f"{PATH}/messages/<{ID}:episode_id>/retry")
def retry(org: str, group: str, episode_id: int) -> Response:
    """Read a message again that could not be read."""
    scope, _view, place = opened(org, group)
    found = queries.get_episode(scope.actor, place.key, episode_id)
    if found.work_id is None:
        raise NotVisible
    activity.retry(scope.actor, found.work_id, runtime().settings)
    return _done(msg("graph.retried"), place.url("messages"))


@pages.route(f"{PATH}/delete", methods=FORM)
def delete_group(org: str, group: str) -> Response:
    """Ask for the group's name, then delete everything in it."""
    scope, place = _writing(org, group)
    view = queries.open_group(scope.actor, place.key)
    typed = request.form.get("name", "").strip()
    form = FormShape({"name": typed})
    if request.method == "POST" and typed == place.key:
        remove.delete_group(scope.actor, place.key)
        return _done(msg("graph.deleted_group"), f"/orgs/{scope.org.key}/graph")
    if request.method == "POST":
        form = refused(form.data, Invalid({"name": [msg("graph.delete_group_wrong")]}))
    counts = {"messages": view.episodes, "facts": view.facts, "entities": view.entities}
    points = [msg(f"graph.{name}_count", n=count) for name, count in counts.items()]
    asked = {"word": place.key, "name": "name", "label": msg("graph.delete_group_typed", name=place.key)}
    return _question(place, "group", points, place.path, typed=asked, form=form)


@pages.route(f"{PATH}/owner", methods=FORM)
def owner(org: str, group: str) -> Response:
    """Whose the group is; an org admin sets it."""
    scope, view, place = opened(org, group)
    if not can(scope.actor, Action.OWN_GRAPH, Target(scope.org.id)):
        raise NotAllowed
    form = FormShape({"username": request.form.get("username", view.owner or "").strip()})
    status = 200
    if request.method == "POST":
        try:
            groups.set_owner(scope.actor, place.key, form.data["username"])
            return _done(msg("graph.owner_saved"), place.path)
        except Invalid as error:
            form, status = refused(form.data, error), 422
    urls = {"save": place.url("owner"), "cancel": place.path}
    partial = wants_partial()
    return render("graph/owner.html", "dialog", status, in_dialog=partial, name=place.key, form=form, urls=urls)


def _writing(org: str, group: str) -> tuple[Scope, Place]:
    scope, _view, place = opened(org, group)
    if not place.writable:
        raise NotAllowed
    return scope, place


def _question(place: Place, kind: str, points: list[str], cancel: str, **more: Any) -> Response:
    form: FormShape | None = more.get("form")
    return dialog(
        "confirm",
        status=422 if form and form.errors else 200,
        title=msg(f"graph.delete_{kind}_title", name=place.key),
        text=msg(f"graph.delete_{kind}_text"),
        points=points,
        button=msg(f"graph.delete_{kind}_button"),
        kind="danger",
        region="#main",
        choices=None,
        ticks=[],
        fields={},
        urls={"confirm": request.path, "cancel": cancel},
        **({"typed": None, "form": None} | more),
    )


def _done(said: str, url: str) -> Response:
    toast({"text": said, "kind": "ok", "undo": None})
    return navigate(url)
