"""Domain errors to answers: one table, three forms (JSON, page, fragment)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Flask, Response, jsonify, make_response, request
from flask_login import current_user
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import DBAPIError, OperationalError
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from webapp.errors import (
    Conflict,
    DomainError,
    Invalid,
    NotAllowed,
    NotVisible,
    Overtaken,
    TooMany,
    Unavailable,
    Unprocessable,
)
from webapp.extensions import limiter
from webapp.http.actor import Unauthenticated
from webapp.http.frame import error_page
from webapp.http.limits import retry_after
from webapp.http.paging import PastTheEnd
from webapp.http.sign_in import lead_to_sign_in, send_to_sign_in
from webapp.observability import log_exception
from webapp.trace import current_request_id

STATUS: Mapping[type[DomainError], int] = {
    Invalid: 400,
    NotAllowed: 403,
    NotVisible: 404,
    PastTheEnd: 404,
    Conflict: 409,
    Overtaken: 412,
    Unprocessable: 422,
    TooMany: 429,
    Unavailable: 503,
}
API_PREFIXES = ("/api/", "/dm/api/")


def register(app: Flask) -> None:
    """Every way out of a request that is not a normal answer passes here."""
    app.register_error_handler(DomainError, _domain)
    app.register_error_handler(Unauthenticated, _unauthenticated)
    app.register_error_handler(CSRFError, _csrf)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(DBAPIError, _database)
    app.register_error_handler(Exception, _unexpected)


def wants_json() -> bool:
    """Whether this request belongs to the JSON API."""
    return request.path.startswith(API_PREFIXES)


def answer(status: int, detail: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Response:
    """One error in the form the caller reads. `body` is the JSON where it is more than the detail."""
    if wants_json():
        response = jsonify(body if body is not None else _body(status, detail))
        response.status_code = status
    else:
        response = _page(status, detail)
    response.headers.update(headers or {})
    return response


def _domain(error: DomainError) -> Response:
    status = STATUS[type(error)]
    if isinstance(error, Invalid):
        return answer(status, _first(error), error.errors)
    if isinstance(error, Conflict):
        return answer(status, error.detail, {"error": error.detail})
    headers = {}
    if isinstance(error, (TooMany, Unavailable)) and error.retry_after:
        headers["Retry-After"] = str(error.retry_after)
    return answer(status, error.detail, None, headers)


def _first(error: Invalid) -> str:
    field, messages = next(iter(error.errors.items()))
    return messages[0] if field == "non_field_errors" else f"{field}: {messages[0]}"


def _unauthenticated(error: Unauthenticated) -> BaseResponse:
    if wants_json():
        return answer(401, error.detail, None, {"WWW-Authenticate": "Token"})
    return send_to_sign_in()


def _csrf(_error: CSRFError) -> BaseResponse:
    if wants_json():
        if not current_user.is_authenticated:
            return _unauthenticated(Unauthenticated())
        return answer(403, "CSRF token missing or incorrect.")
    if not current_user.is_authenticated:
        return lead_to_sign_in()
    return answer(400, "This form has run out. Reload the page and send it again.")


def _http(error: HTTPException) -> BaseResponse:
    status = error.code or 500
    details = {
        404: "Not found.",
        405: f'Method "{request.method}" not allowed.',
        413: "Request body is too large.",
        429: "Request was throttled.",
    }
    response = answer(status, details.get(status) or error.description or error.name)
    if status == 405 and getattr(error, "valid_methods", None):
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods))  # type: ignore[attr-defined]
    if status == 429:
        response.headers["Retry-After"] = str(retry_after(limiter))
    return response


def _database(error: DBAPIError) -> Response:
    # Only the class is logged: a database error's message repeats parameters, and parameters are people's text.
    log_exception("database_error", error)
    if isinstance(error, OperationalError) or error.connection_invalidated:
        return answer(503, "The database is not available right now.", None, {"Retry-After": "2"})
    return answer(500, "Internal server error.")


def _unexpected(error: Exception) -> Response:
    log_exception("unexpected_error", error)
    return answer(500, "Internal server error.")


def _body(status: int, detail: str) -> dict[str, Any]:
    return {"detail": detail} | ({"request_id": current_request_id()} if status >= 500 else {})


def _page(status: int, detail: str) -> Response:
    return make_response(error_page(status, detail), status)
