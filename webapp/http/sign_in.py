"""Beginning a sign-in in this browser; leading to the sign-in page and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from flask import g, make_response, redirect, request, session, url_for
from flask_login import login_user
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from webapp.access import sign_in
from webapp.db.session import installation
from webapp.http.actor import SignedInUser, Unauthenticated
from webapp.http.browsers import browser_name
from webapp.http.htmx import is_htmx, render
from webapp.runtime import runtime


def open_here(database: Session, account_id: int) -> str:
    """A new sign-in for this browser: its secret, for `begin` once the transaction is committed."""
    browser = browser_name(request.user_agent.string)
    return sign_in.open_session(database, account_id, hours=runtime().settings.session_hours, browser=browser)


def begin(secret: str) -> None:
    """Sign in with a new session: nothing of the one before is kept, its CSRF token included."""
    with installation() as database:
        who = sign_in.resume_session(database, secret, idle_minutes=runtime().settings.session_idle_minutes)
    if who is None:
        raise Unauthenticated
    session.clear()
    # A form of this request may have made a token of the old session's secret: the page of this answer needs a new one.
    g.pop("csrf_token", None)
    session.permanent = True
    login_user(SignedInUser(secret, who))


# Never handed back, whatever a form calls it.
SECRETS = ("csrf_token", "password", "current_password", "current", "new", "again")


@dataclass(frozen=True, slots=True)
class Resume:
    """What was typed into a form after the sign-in had ended: where it was to go, and its fields."""

    action: str
    fields: Sequence[tuple[str, str]]


def send_to_sign_in() -> Response:
    """To the sign-in page; afterwards back to the page the person was on.

    A request by htmx is answered 401: the page's script keeps what was typed before it leaves. What a plain form sent
    goes through the sign-in page and comes back after it; its CSRF token has been checked by now.
    """
    if is_htmx() or request.method == "GET":
        return lead_to_sign_in()
    typed = [(name, value) for name, value in request.form.items(multi=True) if name not in SECRETS]
    return sign_in_page(status=401, expired=True, resume=Resume(request.full_path.rstrip("?"), typed))


def lead_to_sign_in() -> Response:
    """The same without what was typed: where a request did not prove that a page of ours made it."""
    if is_htmx():
        return make_response("", 401)
    came_from = request.full_path if request.method == "GET" else request.referrer
    path = safe_path(came_from)
    return redirect(url_for("auth.login", next=path or None, expired=1 if path not in ("", "/") else None), 303)


def sign_in_page(
    *,
    status: int = 200,
    login: str = "",
    following: str = "",
    error: str | None = None,
    expired: bool = False,
    first_run: str | None = None,
    resume: Resume | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The page that asks who one is; `following` is where it leads."""
    form = {
        "data": {"login": login, "password": "", "next": following},
        "errors": {None: [error]} if error else {},
    }
    urls = {"sign_in": url_for("auth.login")}
    return render(
        "auth/login.html", status=status, headers=headers, form=form, expired=expired, first_run=first_run,
        resume=resume, urls=urls,
    )  # fmt: skip


def resumed() -> Resume | None:
    """What came through the sign-in page, from its hidden fields."""
    action = safe_path(request.form.get("resume_action"))
    names, values = request.form.getlist("resume_name"), request.form.getlist("resume_value")
    return Resume(action, list(zip(names, values, strict=False))) if action else None


def safe_path(address: str | None) -> str:
    """The path of an address on this site, else "": a link in a mail must not lead to somewhere else."""
    if not address or not address.isprintable() or "\\" in address:
        return ""
    parts = urlsplit(address)
    elsewhere = parts.netloc and parts.netloc != request.host
    if (
        elsewhere
        or parts.scheme not in ("", "http", "https")
        or not parts.path.startswith("/")
        or parts.path[:2] == "//"
    ):
        return ""
    return (parts.path + (f"?{parts.query}" if parts.query else "")).rstrip("?")
