"""`/healthz`, `/readyz` and `/metrics`: what a supervisor, a load balancer and Prometheus ask."""

from __future__ import annotations

import hmac
import os
from functools import cache

import redis
from alembic.migration import MigrationContext
from flask import Blueprint, Flask, Response, abort, jsonify, request
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest, multiprocess
from sqlalchemy.exc import SQLAlchemyError

from webapp.db.migrate import head
from webapp.db.session import db
from webapp.runtime import runtime

NAME = "health"
QUEUE_SECONDS = 1.0


def register(app: Flask) -> None:
    """Add the three routes; none of them asks who calls, except `/metrics` for its token."""
    blueprint = Blueprint(NAME, __name__)
    blueprint.get("/healthz")(alive)
    blueprint.get("/readyz")(ready)
    blueprint.get("/metrics")(metrics)
    app.register_blueprint(blueprint)


def alive() -> Response:
    """200 as long as the process answers; touches nothing else."""
    return jsonify(status="alive")


def ready() -> tuple[Response, int]:
    """200 once the database is at this version's schema, 503 before.

    Without the queue the answer is still 200 but `degraded`: work is accepted and done, only later.
    """
    database, queue = _database(), _queue()
    healthy = {"database": database, "queue": queue}
    if database != "ok":
        return jsonify(status="not ready", **healthy), 503
    return jsonify(status="ready" if queue == "ok" else "degraded", **healthy), 200


def metrics() -> Response:
    """Prometheus's text format over all processes, for whoever holds the token; without a token there is no such page."""
    token = runtime().settings.metrics_token
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not token or not hmac.compare_digest(given.encode(), token.encode()):
        abort(404)
    return Response(generate_latest(_registry()), content_type=CONTENT_TYPE_LATEST)


def _registry() -> CollectorRegistry:
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return REGISTRY
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry


def _database() -> str:
    try:
        with db.engine.connect() as connection:
            current = MigrationContext.configure(connection).get_current_revision()
    except SQLAlchemyError:
        return "unreachable"
    return "ok" if current == _head() else "not migrated"


@cache
def _head() -> str:
    return head()


def _queue() -> str:
    try:
        with redis.Redis.from_url(runtime().settings.redis_url, socket_timeout=QUEUE_SECONDS) as client:
            client.ping()
    except (redis.RedisError, ValueError):
        return "unreachable"
    return "ok"
