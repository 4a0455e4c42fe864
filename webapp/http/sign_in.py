"""Beginning a sign-in in this browser; leading to the sign-in page and back."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import make_response, redirect, request, session, url_for
from flask_login import login_user
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from webapp.access import sign_in
from webapp.db.session import installation
from webapp.http.actor import SignedInUser, Unauthenticated
from webapp.http.browsers import browser_name
from webapp.http.htmx import is_htmx
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
    session.permanent = True
    login_user(SignedInUser(secret, who))


def send_to_sign_in() -> Response:
    """To the sign-in page; afterwards back to the page the person was on.

    A request by htmx is answered 401: the page's script keeps what was typed before it leaves.
    """
    if is_htmx():
        return make_response("", 401)
    came_from = request.full_path if request.method == "GET" else request.referrer
    path = safe_path(came_from)
    return redirect(url_for("auth.login", next=path or None, expired=1 if path not in ("", "/") else None), 303)


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
