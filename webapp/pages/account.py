"""One's own account: details, password, where one is signed in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from flask import Blueprint
from flask_login import current_user
from werkzeug.wrappers import Response

from webapp.access import sign_in
from webapp.db.session import installation
from webapp.directory import own_account
from webapp.directory.own_account import Details
from webapp.errors import Invalid
from webapp.http.actor import Unauthenticated
from webapp.http.frame import current_frame, toast
from webapp.http.htmx import navigate, render
from webapp.http.sign_in import begin, open_here
from webapp.messages import text as msg
from webapp.messages.moments import Moment
from webapp.pages.forms.account import DetailsForm, PasswordForm
from webapp.pages.memories.editing import Choice
from webapp.pages.shapes.form import FormShape, refused
from webapp.pages.shapes.times import shown
from webapp.runtime import runtime

pages = Blueprint("account", __name__)
NO_PASSWORDS = {"current": "", "new": "", "again": ""}


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One browser that is signed in; see templates/auth/account.html."""

    label: str
    here: bool
    since: Moment
    last: Moment


@pages.get("/account")
def show() -> Response:
    """The screen."""
    return _page(_account_id())


@pages.post("/account/details")
def save_details() -> Response:
    """Name, e-mail and time zone."""
    account, form = _account_id(), DetailsForm()
    data = {"full_name": form.full_name.data, "email": form.email.data, "zone": form.zone.data, "current_password": ""}
    try:
        own_account.edit(account, _details(form))
    except Invalid as error:
        return _page(account, details=refused(data, error, {"time_zone": "zone"}), status=422)
    return _saved(msg("result.account_saved"))


@pages.post("/account/password")
def save_password() -> Response:
    """A new password: every other sign-in ends, and this one gets a new id."""
    account, form = _account_id(), PasswordForm()
    new, again = form.new.data or "", form.again.data or ""
    try:
        own_account.change_password(account, current=form.current.data or "", new=new, again=again)
    except Invalid as error:
        return _page(account, password=refused(NO_PASSWORDS, error), status=422)
    with installation() as database:
        secret = open_here(database, account)
    begin(secret)
    return _saved(msg("result.password_saved"))


@pages.post("/account/sessions")
def sign_out_elsewhere() -> Response:
    """End every other sign-in."""
    account = _account_id()
    with installation() as database:
        ended = sign_in.close_sessions(database, account, except_secret=current_user.secret)
    return _saved(msg("result.signed_out", n=ended))


def _account_id() -> int:
    if not current_user.is_authenticated:
        raise Unauthenticated
    return int(current_user.who.account_id)


def _details(form: DetailsForm) -> Details:
    return Details(
        full_name=form.full_name.data or "",
        email=form.email.data or "",
        time_zone=form.zone.data or None,
        current_password=form.current_password.data or "",
    )


def _saved(text: str) -> Response:
    toast({"text": text, "kind": "ok", "undo": None})
    return navigate("/account")


def _page(
    account_id: int, *, details: FormShape | None = None, password: FormShape | None = None, status: int = 200
) -> Response:
    return render(
        "auth/account.html",
        status=status,
        details={
            "form": details or _details_now(account_id),
            "url": "/account/details",
            "zones": _zones(),
            "org_zone": _org_zone(),
        },
        password={"form": password or FormShape(NO_PASSWORDS), "url": "/account/password"},
        sessions={"rows": _sessions(account_id), "url": "/account/sessions"},
    )


@cache
def _zones() -> list[Choice]:
    """Every zone; the list is read from the system's files once per process."""
    return [Choice(zone, zone.replace("_", " ")) for zone in sorted(available_timezones())]


def _details_now(account_id: int) -> FormShape:
    now = own_account.get(account_id)
    data: dict[str, Any] = {"full_name": now.full_name, "email": now.email, "zone": now.time_zone or ""}
    return FormShape(data | {"current_password": ""})


def _org_zone() -> str:
    org = current_frame().org
    return org.time_zone if org else "UTC"


def _sessions(account_id: int) -> list[SessionRow]:
    idle = runtime().settings.session_idle_minutes
    with installation() as database:
        found = sign_in.open_sessions(database, account_id, current_user.secret, idle_minutes=idle)
    return [
        SessionRow(each.browser or msg("account.browser_unknown"), each.here, shown(each.since), shown(each.last_seen))
        for each in found
    ]
