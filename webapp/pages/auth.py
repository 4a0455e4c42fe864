"""Signing in and out, one-time links, and the way to a person's first page."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, redirect, request, session, url_for
from flask_limiter.util import get_remote_address
from flask_login import current_user, logout_user
from werkzeug.wrappers import Response

from webapp.access import sign_in
from webapp.access.policy import Action
from webapp.db.models import Account
from webapp.db.session import installation
from webapp.directory.demo import is_empty
from webapp.directory.orgs import all_orgs, orgs_of
from webapp.errors import NON_FIELD, Invalid, TooMany
from webapp.http.actor import Unauthenticated
from webapp.http.frame import home_path, toast
from webapp.http.htmx import render
from webapp.http.sign_in import begin, open_here, resumed, safe_path, sign_in_page
from webapp.messages import text as msg
from webapp.pages import where
from webapp.pages.forms.auth import LoginForm, SetPasswordForm
from webapp.pages.shapes.form import FormShape, refused

pages = Blueprint("auth", __name__)
FIRST_ORG = ".venv/bin/flask create-org acme --admin you@example.org"


@pages.get("/")
def home() -> Response:
    """Lead to where this person's work is, in the org they were in last."""
    if not current_user.is_authenticated:
        return redirect(url_for("auth.login"))
    with installation() as database:
        who = current_user.who
        orgs = orgs_of(database, who.account_id) or (all_orgs(database) if who.is_superuser else [])
    key = next((org.key for org in orgs if org.key == session.get("org")), orgs[0].key if orgs else None)
    return redirect(url_for("auth.org_home", org=key) if key else url_for("auth.no_org"))


@pages.get("/orgs/<org>")
def org_home(org: str) -> Response:
    """The tenant's memory for admins, else one's own."""
    scope = where.here(org, Action.READ_ORG_STATUS)
    return redirect(home_path(scope.org, scope.actor))


@pages.get("/no-organisation")
def no_org() -> Response:
    """For an account without a membership."""
    if not current_user.is_authenticated:
        raise Unauthenticated
    return render("auth/no_org.html")


@pages.route("/login", methods=["GET", "POST"])
def login() -> Response:
    """The sign-in page."""
    form = LoginForm()
    if request.method == "GET":
        return _login_page(form, following=safe_path(request.args.get("next")))
    following = safe_path(form.next.data)
    try:
        begin(_check(form))
    except Invalid as error:
        return _login_page(form, error.errors[NON_FIELD][0], status=422, following=following)
    except TooMany as error:
        wait = {"Retry-After": str(error.retry_after)}
        return _login_page(form, error.detail, status=429, following=following, headers=wait)
    resume = resumed()
    return render("auth/resume.html", resume=resume) if resume else redirect(following or url_for("auth.home"), 303)


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
    shown = FormShape({"password": "", "again": ""})
    if request.method == "POST":
        try:
            return _set_password(secret, form)
        except Invalid as error:
            shown = refused({"password": "", "again": ""}, error)
    with installation() as database:
        link = sign_in.look_up_link(database, secret, "set_password")
        account = database.get(Account, link.account_id) if link else None
        person = {"email": account.email, "username": account.username} if account else None
    urls = {"save": request.path, "sign_in": url_for("auth.login")}
    status = 422 if shown.errors else 200 if person else 410
    return render("auth/set_password.html", status=status, account=person, form=shown, urls=urls)


@pages.get("/sign-in/<secret>")
def open_link(secret: str) -> Response:
    """A person's one-time sign-in link: it opens *My memory*."""
    with installation() as database:
        link = sign_in.use_link(database, secret, "sign_in")
        if link is None:
            raise Unauthenticated
        opened = open_here(database, link.account_id)
        orgs = {org.id: org.key for org in orgs_of(database, link.account_id)}
    begin(opened)
    return redirect(f"/orgs/{orgs[link.org_id]}/me/memory" if link.org_id in orgs else url_for("auth.home"), 303)


def _login_page(form: LoginForm, error: str | None = None, **given: Any) -> Response:
    return sign_in_page(
        login=form.login.data or "",
        error=error,
        expired=bool(request.args.get("expired")),
        first_run=FIRST_ORG if is_empty() else None,
        resume=resumed(),
        **given,
    )


def _check(form: LoginForm) -> str:
    """The secret of a new sign-in. The attempt is counted in a transaction of its own, which a refusal keeps."""
    name, password = (form.login.data or "").strip(), form.password.data or ""
    if not name.isprintable():
        raise Invalid(sign_in.WRONG)
    address = f"address:{get_remote_address()}"
    with installation() as database:
        key = sign_in.throttle_key(database, name)
        blocked = sign_in.count_attempt(database, key, address)
    if blocked:
        raise TooMany(sign_in.BLOCKED, retry_after=blocked)
    with installation() as database:
        account_id = sign_in.check_password(database, name, password)
        sign_in.forget_attempts(database, key)
        sign_in.forgive(database, address)
        return open_here(database, account_id)


def _set_password(secret: str, form: SetPasswordForm) -> Response:
    if form.password.data != form.again.data:
        raise Invalid({"again": ["The two passwords differ."]})
    with installation() as database:
        link = sign_in.use_link(database, secret, "set_password")
        if link is None:
            return redirect(request.path, 303)
        sign_in.set_password(database, link.account_id, form.password.data or "")
        opened = open_here(database, link.account_id)
    begin(opened)
    toast({"text": msg("result.password_saved"), "kind": "ok", "undo": None})
    return redirect(url_for("auth.home"), 303)
