"""Headers on every answer, and CSRF for what a browser's sign-in authenticates."""

from __future__ import annotations

from flask import Flask, Response, request

from webapp.extensions import csrf

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def register(app: Flask) -> None:
    """Check CSRF before, and set headers after, every request."""
    app.before_request(_check_csrf)
    app.after_request(_headers)


def _check_csrf() -> None:
    # A request with an Authorization header is not one that a foreign page can make a browser send.
    if request.method not in ("GET", "HEAD", "OPTIONS", "TRACE") and "Authorization" not in request.headers:
        csrf.protect()


def _headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if request.is_secure:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-store")
    return response
