"""Page or partial: the one place that decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response, make_response, redirect, render_template, request
from jinja2_fragments.flask import render_block
from werkzeug.wrappers import Response as BaseResponse


def is_htmx() -> bool:
    """Whether htmx sent the request, for a piece or for a page."""
    return "HX-Request" in request.headers


def wants_partial() -> bool:
    """Whether htmx asked for a piece. `HX-Request` alone is not enough: a navigation by `HX-Location` carries it too."""
    return request.headers.get("HX-Request-Type") == "partial"


def render(
    template: str,
    block: str | None = None,
    status: int = 200,
    *,
    toasts: Sequence[Mapping[str, Any]] = (),
    headers: Mapping[str, str] | None = None,
    **context: Any,
) -> Response:
    """The whole page, or the named block where a partial is wanted. `block` is a constant of the view.

    `toasts` go with a block, out of band; a page shows those that were flashed.
    """
    if block is not None and wants_partial():
        body = render_block(template, block, **context)
        if toasts:
            body += render_template("components/_toasts.html", toasts=toasts)
    else:
        body = render_template(template, **context)
    return _varied(make_response(body, status, dict(headers or {})))


def fragment(template: str, status: int = 200, **context: Any) -> Response:
    """A template that is a piece by itself."""
    return _varied(make_response(render_template(template, **context), status))


def navigate(url: str) -> BaseResponse:
    """Go to another page after a write: 303 for a plain form, `HX-Location` for htmx, which would nest the page."""
    if wants_partial():
        return _varied(make_response("", 200, {"HX-Location": url}))
    return redirect(url, 303)


def _varied(response: Response) -> Response:
    response.headers["Vary"] = "HX-Request, HX-Request-Type"
    return response
