"""Tenant → People: reset links, disabling, removing."""

from __future__ import annotations

from flask import Blueprint, request
from werkzeug.wrappers import Response

from webapp.access.policy import Action
from webapp.directory import disabling, people
from webapp.directory.types import UserView
from webapp.errors import Invalid
from webapp.http.paging import with_query
from webapp.http.scope import Scope
from webapp.messages import text as msg
from webapp.pages import where
from webapp.pages.dialogs import dialog
from webapp.pages.people import PERSON, changed, page, path
from webapp.pages.people_links import invitation_link
from webapp.pages.shapes.form import FormShape, refused
from webapp.privacy.erase import erase

pages = Blueprint("people_access", __name__)
KEEP, ERASE = "keep", "erase"


@pages.post(f"{PERSON}/reset")
def reset(org: str, user_id: int) -> Response:
    """A link by which the person chooses a new password."""
    scope = _admin(org)
    user = people.get_user(scope.actor, user_id)
    link = people.invite_link(scope.actor, user_id, "set_password")
    return page(scope, link=invitation_link(scope, user, link))


@pages.post(f"{PERSON}/<any(disable,enable):change>")
def disable(org: str, user_id: int, change: str) -> Response:
    """Shut out, or let in again."""
    scope = _admin(org)
    (disabling.disable if change == "disable" else disabling.enable)(scope.actor, user_id)
    return changed(scope, msg(f"result.person_{change}d"))


@pages.route(f"{PERSON}/remove", methods=["GET", "POST"])
def remove(org: str, user_id: int) -> Response:
    """Ask whether what is remembered goes too, then remove."""
    scope = _admin(org)
    user = people.get_user(scope.actor, user_id)
    chosen = request.form.get("memories", KEEP)
    if request.method == "GET":
        return _ask(scope, user, FormShape({"memories": KEEP}))
    try:
        people.remove_person(scope.actor, user_id)
    except Invalid as error:
        return _ask(scope, user, refused({"memories": chosen}, error), 422)
    if chosen == ERASE:
        erase(scope.actor, user_id)
    return changed(scope, msg(f"result.person_removed_{ERASE if chosen == ERASE else KEEP}"))


def _admin(org: str) -> Scope:
    return where.here(org, Action.WRITE_PEOPLE)


def _ask(scope: Scope, user: UserView, form: FormShape, status: int = 200) -> Response:
    name = user.full_name or user.username
    options = [
        {"value": each, "label": msg(f"confirm.remove_{each}"), "hint": msg(f"confirm.remove_{each}_hint")}
        for each in (KEEP, ERASE)
    ]
    return dialog(
        "confirm",
        status=status,
        title=msg("confirm.remove_title", name=name, org=scope.org.name),
        text=msg("confirm.remove"),
        points=[],
        button=msg("confirm.remove_button"),
        kind="danger",
        typed=None,
        choices={"name": "memories", "label": msg("confirm.remove_memories"), "options": options},
        ticks=[],
        fields={},
        form=form,
        region="#people",
        urls={
            "confirm": with_query({}, f"{path(scope)}/{user.id}/remove"),
            "cancel": with_query({}, path(scope)),
        },
    )
