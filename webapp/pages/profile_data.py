"""One's own data: downloading everything, erasing everything."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, request
from werkzeug.wrappers import Response

from webapp.access.policy import Action
from webapp.http.htmx import render
from webapp.http.scope import Scope
from webapp.messages import CATALOGUE
from webapp.messages import text as msg
from webapp.pages import where
from webapp.pages.dialogs import dialog
from webapp.pages.profile_memory import PATH, path
from webapp.pages.shapes.form import FormShape
from webapp.pages.shapes.times import shown
from webapp.privacy import export
from webapp.privacy.erase import Receipt, erase

pages = Blueprint("profile_data", __name__)


@dataclass(frozen=True, slots=True)
class CountRow:
    """One line of the receipt."""

    label: str
    n: int


@pages.get(f"{PATH}/download")
def download(org: str) -> Response:
    """Everything held about me, as one JSON file."""
    scope = where.own(org, Action.EXPORT_USER)
    held = export.about_user(scope.actor, scope.user_id)
    name = f"memory-{scope.org.key}-{_username(scope)}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(held, content_type="application/json; charset=utf-8", headers=headers)


@pages.route(f"{PATH}/erase", methods=["GET", "POST"])
def erase_mine(org: str) -> Response:
    """Ask for the username, then erase and hand over the receipt."""
    scope = where.own(org, Action.ERASE_USER)
    if request.method == "GET":
        return _ask(scope, FormShape({"username": "", "stop": False}))
    data = {"username": request.form.get("username", "").strip(), "stop": request.form.get("stop") == "true"}
    if data["username"] != _username(scope):
        return _ask(scope, FormShape(data, {"username": [msg("confirm.erase_typed", word=_username(scope))]}), 422)
    return _receipt(scope, erase(scope.actor, scope.user_id, stop_learning=bool(data["stop"])))


def receipt_rows(receipt: Receipt) -> list[CountRow]:
    """The counts in words; a table that has no words of its own yet is named as it is."""
    keys = {table: f"erased.of_{table}" for table in receipt.counts}
    return [CountRow(msg(key) if key in CATALOGUE else table, receipt.counts[table]) for table, key in keys.items()]


def _ask(scope: Scope, form: FormShape, status: int = 200) -> Response:
    word = _username(scope)
    return dialog(
        "confirm",
        status=status,
        title=msg("confirm.erase_title", org=scope.org.name),
        text=msg("confirm.erase"),
        points=[msg("confirm.erase_memories"), msg("confirm.erase_history"), msg("confirm.erase_conversations")],
        button=msg("confirm.erase_button"),
        kind="danger",
        typed={"word": word, "name": "username", "label": msg("form.confirm_typed", word=word)},
        choices=None,
        ticks=[{"name": "stop", "label": msg("confirm.erase_stop"), "hint": msg("confirm.erase_stop_hint")}],
        fields={},
        form=form,
        region=None,
        urls={"confirm": f"{path(scope)}/erase", "cancel": path(scope)},
    )


def _receipt(scope: Scope, receipt: Receipt) -> Response:
    return render(
        "profile/erased.html",
        org_name=scope.org.name,
        moment=shown(receipt.at),
        counts=receipt_rows(receipt),
        stopped=receipt.stopped,
        urls={"back": path(scope)},
    )


def _username(scope: Scope) -> str:
    return scope.user.username if scope.user else ""
