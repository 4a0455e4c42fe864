"""Signing in and out, one-time links, and the way to a person's first page."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, redirect, request, session, url_for
from flask_limiter.util import get_remote_address
from flask_login import current_user, login_user, logout_user
from werkzeug.wrappers import Response

from webapp.access import sign_in
from webapp.db.models import Account
from webapp.db.session import installation
from webapp.directory.demo import is_empty
from webapp.directory.orgs import all_orgs, orgs_of
from webapp.errors import Invalid, TooMany
from webapp.http.actor import SignedInUser, Unauthenticated
from webapp.http.frame import toast
from webapp.http.htmx import render
from webapp.http.sign_in import safe_path
from webapp.messages import text as msg
from webapp.pages.forms.auth import LoginForm, SetPasswordForm
from webapp.runtime import runtime

pages = Blueprint("auth", __name__)
FIRST_ORG = "make create-org KEY=acme ADMIN=you@example.org"


@pages.get("/")
def home() -> Response:
    """Lead to where this person's work is: the tenant for admins, else their own memory."""
    if not current_user.is_authenticated:
        return redirect(url_for("auth.login"))
    with installation() as database:
        who = current_user.who
        orgs = orgs_of(database, who.account_id) or (all_orgs(database) if who.is_superuser else [])
    key = next((org.key for org in orgs if org.key == session.get("org")), orgs[0].key if orgs else None)
    return redirect(f"/orgs/{key}/me/memory" if key else url_for("auth.no_org"))


@pages.get("/no-organisation")
def no_org() -> Response:
    """For an account without a membership."""
    return render("auth/no_org.html")


@pages.route("/login", methods=["GET", "POST"])
def login() -> Response:
    """The sign-in page."""
    form = LoginForm()
    if request.method == "GET":
        form.next.data = safe_path(request.args.get("next"))
        return _login_page(form)
    try:
        secret = _check(form)
    except (Invalid, TooMany) as error:
        message = error.errors["non_field_errors"][0] if isinstance(error, Invalid) else error.detail
        return _login_page(form, message, status=429 if isinstance(error, TooMany) else 422)
    _begin(secret)
    return redirect(safe_path(form.next.data) or url_for("auth.home"), 303)


@pages.post("/logout")
def logout() -> Response:
    """End this sign-in."""
    if current_user.is_authenticated:
        with installation() as database:
            sign_in.close_session(database, current_user.secret)
    logout_user()
    session.clear()
    return redirect(url_for("auth.login"), 303)


@pages.route("/set-password/<secret>", methods=["GET", "POST"])
def set_password(secret: str) -> Response:
    """Choose a password by a one-time link, and be signed in."""
    form = SetPasswordForm()
    errors: dict[str, list[str]] = {}
    if request.method == "POST":
        try:
            return _set_password(secret, form)
        except Invalid as error:
            errors = error.errors
    with installation() as database:
        link = sign_in.look_up_link(database, secret, "set_password")
        account = database.get(Account, link.account_id) if link else None
        person = {"email": account.email, "username": account.username} if account else None
    urls = {"save": request.path, "sign_in": url_for("auth.login")}
    form_shown = {"data": {}, "errors": errors}
    status = 422 if errors else 200 if person else 410
    return render("auth/set_password.html", status=status, account=person, form=form_shown, urls=urls)


@pages.get("/sign-in/<secret>")
def open_link(secret: str) -> Response:
    """A person's one-time sign-in link: it opens *My memory*."""
    with installation() as database:
        link = sign_in.use_link(database, secret, "sign_in")
        if link is None:
            raise Unauthenticated
        opened = sign_in.open_session(database, link.account_id, hours=runtime().settings.session_hours)
        orgs = {org.id: org.key for org in orgs_of(database, link.account_id)}
    _begin(opened)
    return redirect(f"/orgs/{orgs[link.org_id]}/me/memory" if link.org_id in orgs else url_for("auth.home"), 303)


def _login_page(form: LoginForm, error: str | None = None, status: int = 200) -> Response:
    shown: dict[str, Any] = {
        "data": {"login": form.login.data or "", "next": form.next.data or ""},
        "errors": {"non_field_errors": [error]} if error else {},
    }
    return render(
        "auth/login.html",
        status=status,
        form=shown,
        expired=bool(request.args.get("expired")),
        first_run=FIRST_ORG if is_empty() else None,
        urls={"sign_in": url_for("auth.login")},
    )


def _check(form: LoginForm) -> str:
    """The secret of a new sign-in. Failures are counted in a transaction of their own, which a refusal keeps."""
    name, password = (form.login.data or "").strip(), form.password.data or ""
    keys = (f"account:{name.lower()}", f"address:{get_remote_address()}")
    with installation() as database:
        sign_in.check_throttle(database, *keys)
    try:
        with installation() as database:
            account_id = sign_in.check_password(database, name, password)
            sign_in.clear_failures(database, keys[0])
            return sign_in.open_session(database, account_id, hours=runtime().settings.session_hours)
    except Invalid:
        with installation() as database:
            sign_in.count_failure(database, *keys)
        raise


def _set_password(secret: str, form: SetPasswordForm) -> Response:
    if form.password.data != form.again.data:
        raise Invalid({"again": ["The two passwords differ."]})
    with installation() as database:
        link = sign_in.use_link(database, secret, "set_password")
        if link is None:
            return redirect(request.path, 303)
        sign_in.set_password(database, link.account_id, form.password.data or "")
        opened = sign_in.open_session(database, link.account_id, hours=runtime().settings.session_hours)
    _begin(opened)
    toast(msg("set_password.saved"))
    return redirect(url_for("auth.home"), 303)


def _begin(secret: str) -> None:
    """Sign in with a new session: nothing of the anonymous one is kept, its CSRF token included."""
    with installation() as database:
        who = sign_in.resume_session(database, secret, idle_minutes=runtime().settings.session_idle_minutes)
    if who is None:
        raise Unauthenticated
    session.clear()
    session.permanent = True
    login_user(SignedInUser(secret, who))
