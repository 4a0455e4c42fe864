"""What the process says about itself: structured log, request ids, metrics.

People's text is personal data and never gets here: exceptions are logged as types and places in the code, without
their messages (a database error's message repeats the row), paths as routes, without the names in them.
"""

from __future__ import annotations

import logging
import sys
import time
import traceback
from collections.abc import MutableMapping
from typing import Any

import structlog
from flask import Flask, Response, g, request
from prometheus_client import Histogram

from webapp import health, trace
from webapp.runtime import EXTENSION, Runtime

REQUEST_ID_HEADER = "X-Request-ID"
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
# Names under which a text might be logged by mistake; its length is all that is kept.
TEXT_FIELDS = {"content", "text", "message", "user_message", "assistant_message", "body", "prompt", "query", "context"}

REQUESTS = Histogram(
    "http_request_seconds", "Time to answer, by route and status", ("method", "route", "status"), namespace="memory"
)

log = structlog.get_logger()


def register(app: Flask) -> None:
    """Give each request an id, log and measure its answer, and serve health and metrics. Register it first."""
    runtime: Runtime = app.extensions[EXTENSION]
    configure_logging(runtime.settings.log_level)
    app.before_request(_begin)
    app.after_request(_end)
    health.register(app)


def configure_logging(level: str, *, as_json: bool | None = None) -> None:
    """Send this project's and other libraries' records to standard error: JSON, or plain lines on a terminal.

    Other libraries are heard from `warning` on: what they say below that may quote a request.
    """
    plain = sys.stderr.isatty() if as_json is None else not as_json
    render: Any = structlog.dev.ConsoleRenderer() if plain else structlog.processors.JSONRenderer(ensure_ascii=False)
    structlog.configure(
        processors=[*_processors(), render],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
    )
    handler = logging.StreamHandler(sys.stderr)
    formatter = structlog.stdlib.ProcessorFormatter
    handler.setFormatter(
        formatter(foreign_pre_chain=_processors(), processors=[formatter.remove_processors_meta, render])
    )
    logging.basicConfig(level=max(logging.WARNING, logging.getLevelName(level.upper())), handlers=[handler], force=True)


def log_exception(event: str, error: BaseException, **fields: object) -> None:
    """Log where an unexpected error came from, never what it says."""
    log.error(event, exc_info=error, **fields)


def describe(error: BaseException) -> list[dict[str, Any]]:
    """The error and its causes, latest first: the type, and each frame as `file:line function`."""
    found: list[dict[str, Any]] = []
    current: BaseException | None = error
    while current is not None and len(found) < 5:
        frames = traceback.extract_tb(current.__traceback__)
        places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        found.append({"type": type(current).__name__, "frames": places[-20:]})
        current = current.__cause__ or current.__context__
    return found


def _processors() -> list[Any]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _add_request_id,
        _without_messages,
        _without_text,
    ]


def _add_request_id(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    if request_id := trace.current_request_id():
        event.setdefault("request_id", request_id)
    return event


def _without_messages(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    given = event.pop("exc_info", None)
    if given is True or isinstance(given, tuple):
        given = sys.exc_info()[1] if given is True else given[1]
    if isinstance(given, BaseException):
        event["exception"] = describe(given)
    return event


def _without_text(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name in TEXT_FIELDS & event.keys():
        event[name] = f"({len(str(event[name]))} characters)"
    return event


def _begin() -> None:
    g.started = time.perf_counter()
    trace.start(request.headers.get(REQUEST_ID_HEADER))


def _end(response: Response) -> Response:
    seconds = time.perf_counter() - g.started
    route = request.url_rule.rule if request.url_rule else "(none)"
    method = request.method if request.method in METHODS else "(other)"
    response.headers[REQUEST_ID_HEADER] = trace.current_request_id() or ""
    REQUESTS.labels(method, route, response.status_code).observe(seconds)
    write = log.debug if request.blueprint == health.NAME else log.info
    write("request", method=method, route=route, status=response.status_code, ms=round(seconds * 1000, 1))
    return response
