"""The web server and a worker as units of their own, over stores that somebody else runs."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx2
import pytest
import redis

from tests import servers
from tests.functional.installation import FLASK, NO_MODEL, PATIENCE, PROJECT, Installation, wait_until

Make = Callable[..., Installation]


@pytest.fixture(scope="module")
def parts(installation: Make, database: servers.Database, valkey_url: str) -> Installation:
    stores = {"DATABASE_URL": database.app_url, "REDIS_URL": valkey_url, "SECRET_KEY": "a secret for tests only"}
    return installation(environ=NO_MODEL | stores | {"METRICS_TOKEN": "for-the-test", "WEB_WORKERS": "1"})


@contextmanager
def started(made: Installation, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    with made.output.open("wb") as output:
        child = subprocess.Popen(command, cwd=PROJECT, env=made.environment(), stdout=output, stderr=output)
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def test_gunicorn_alone_serves_and_counts(parts: Installation) -> None:
    with started(parts, FLASK[0], "-m", "gunicorn", "wsgi:app") as web:
        wait_until(lambda: parts.status("/readyz") == 200 or web.poll() is not None, "readiness")
        answer = httpx2.get(parts.url + "/metrics", headers={"Authorization": "Bearer for-the-test"}, timeout=20)
        assert 'route="/readyz",status="200"' in answer.text
        web.send_signal(signal.SIGTERM)
        assert web.wait(PATIENCE) == 0, parts.said()


def test_a_worker_alone_ends_when_it_is_asked_to(parts: Installation) -> None:
    with started(parts, *FLASK, "worker") as worker:
        wait_until(lambda: registered(parts) or worker.poll() is not None, "the worker at the queue")
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE) == 0, parts.said()


def registered(parts: Installation) -> bool:
    with redis.Redis.from_url(parts.environ["REDIS_URL"]) as client:
        return bool(client.smembers("rq:workers"))
