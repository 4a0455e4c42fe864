"""Leading to the sign-in page and back."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import make_response, redirect, request, url_for
from werkzeug.wrappers import Response

from webapp.http.htmx import is_htmx


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
