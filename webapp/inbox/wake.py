"""Waking the workers. The queue carries a call without content; the work itself lies in PostgreSQL.

A token that is lost costs a second, the workers' own tick; a queue that is down costs nothing but that.
"""

from __future__ import annotations

import time
from functools import lru_cache

import structlog
from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.serializers import JSONSerializer
from rq.worker_registration import WORKERS_BY_QUEUE_KEY

QUEUE = "memory"
JOB = "jobs.drain.drain"
TOKENS_PER_WORKER = 2
FAILURE_TTL = 3600
"""Seconds that a failed token is kept: one always means a fault worth looking at."""
_TIMEOUT = 0.25
_PAUSE_AFTER_ERROR = 5.0

log = structlog.get_logger()


def push(redis_url: str) -> bool:
    """Queue one wake-up call unless about two per worker wait already. Never raises; False when none was pushed."""
    if not redis_url:
        return False
    waker = _waker(redis_url)
    try:
        return waker.push()
    except (RedisError, OSError) as error:
        waker.pause()
        log.warning("queue_unreachable", error=type(error).__name__)
        return False


def queue(connection: Redis) -> Queue:
    """The one queue. Arguments would be JSON, never pickle; there are none."""
    return Queue(QUEUE, connection=connection, serializer=JSONSerializer)


class _Waker:
    """Pushes tokens over one connection; rests after an error, so that a dead Redis does not slow each request."""

    def __init__(self, redis_url: str) -> None:
        connection = Redis.from_url(redis_url, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT)
        self._queue = queue(connection)
        self._rests_until = 0.0

    def push(self) -> bool:
        if time.monotonic() < self._rests_until or self._queued() >= self._most():
            return False
        self._queue.enqueue(JOB, result_ttl=0, failure_ttl=FAILURE_TTL, description="drain")
        return True

    def pause(self) -> None:
        self._rests_until = time.monotonic() + _PAUSE_AFTER_ERROR

    def _queued(self) -> int:
        return int(self._queue.connection.llen(self._queue.key))

    def _most(self) -> int:
        workers = int(self._queue.connection.scard(WORKERS_BY_QUEUE_KEY % QUEUE))
        return TOKENS_PER_WORKER * max(1, workers)


@lru_cache(maxsize=4)
def _waker(redis_url: str) -> _Waker:
    return _Waker(redis_url)
