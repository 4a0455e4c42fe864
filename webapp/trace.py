"""The id of the request or job being served, for logs, error pages and the audit log."""

from __future__ import annotations

import secrets
from contextvars import ContextVar

_request_id: ContextVar[str | None] = ContextVar("request_id", default=None)


def start(given: str | None = None) -> str:
    """Set the id for this context: the proxy's when it is harmless, else a new one of 16 hex digits."""
    harmless = given is not None and 8 <= len(given) <= 64 and given.replace("-", "").isalnum() and given.isascii()
    request_id = given if harmless and given else secrets.token_hex(8)
    _request_id.set(request_id)
    return request_id


def current_request_id() -> str | None:
    """The id of what is being served, or None outside a request or job."""
    return _request_id.get()
