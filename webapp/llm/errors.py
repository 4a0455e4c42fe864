"""What can go wrong with a model call, by one code each: what an exchange shows as its `error`."""

from __future__ import annotations

import email.utils
from collections.abc import Mapping
from datetime import UTC, datetime

MAX_RETRY_AFTER_SECONDS = 300.0

_BY_STATUS = {
    400: "model_bad_request",
    401: "model_unauthorized",
    403: "model_forbidden",
    404: "model_not_found",
    408: "model_timeout",
    409: "model_conflict",
    413: "model_bad_request",
    422: "model_bad_request",
    429: "model_rate_limited",
}
_FAULT_OF_THE_REQUEST = {"model_bad_request"}


class ModelError(Exception):
    """A call gave nothing to work with. The message is the code: it never holds what was sent or answered.

    `server_side` says that the server, not this request, is likely at fault: the same call may succeed later.
    `retry_after` is what the server asked for, in seconds, at most five minutes.
    """

    def __init__(self, code: str, *, server_side: bool, retry_after: float | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.server_side = server_side
        self.retry_after = retry_after


def from_status(status: int, headers: Mapping[str, str]) -> ModelError:
    """The error for an HTTP status that is not a success."""
    code = _BY_STATUS.get(status, "model_server_error" if status >= 500 else "model_bad_request")
    wait = retry_after_seconds(headers.get("retry-after"))
    return ModelError(code, server_side=code not in _FAULT_OF_THE_REQUEST, retry_after=wait)


def retry_after_seconds(value: str | None, *, now: datetime | None = None) -> float | None:
    """A Retry-After header, in seconds or as a date, as 0 to 300 seconds; None where it is neither."""
    if value is None:
        return None
    try:
        wait = float(value)
    except ValueError:
        moment = _date(value)
        if moment is None:
            return None
        wait = (moment - (now or datetime.now(UTC))).total_seconds()
    return min(max(wait, 0.0), MAX_RETRY_AFTER_SECONDS) if wait == wait else None


def _date(value: str) -> datetime | None:
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
