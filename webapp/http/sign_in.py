"""Leading to the sign-in page and back."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import request, url_for
from werkzeug.wrappers import Response

from webapp.http.htmx import navigate


def send_to_sign_in() -> Response:
    """To the sign-in page; afterwards back to the page the person was on."""
    came_from = request.headers.get("HX-Current-URL") or (request.full_path if request.method == "GET" else "")
    return navigate(url_for("auth.login", next=safe_path(came_from) or None, expired=1 if came_from else None))


def safe_path(address: str | None) -> str:
    """The path of an address on this site, else "": a link in a mail must not lead to somewhere else."""
    if not address:
        return ""
    parts = urlsplit(address)
    if (parts.netloc and parts.netloc != request.host) or not parts.path.startswith("/") or parts.path[:2] in ("//", "/\\"):
        return ""
    return (parts.path + (f"?{parts.query}" if parts.query else "")).rstrip("?")
