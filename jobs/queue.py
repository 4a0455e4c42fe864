"""The worker's side of the queue: a connection that survives Redis coming and going, and a worker that runs tokens."""

from __future__ import annotations

from types import FrameType

from redis import Redis
from rq import SimpleWorker
from rq.serializers import JSONSerializer

from webapp.inbox import wake


class TokenWorker(SimpleWorker):
    """Takes wake-up tokens in this very process: the work itself happens in the drain's threads.

    It listens to one queue only: on several a token can be lost between them when the process is killed.
    """

    stopped = False

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Remember that a signal ended the loop, not a fault of the queue."""
        self.stopped = True
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]


def token_worker(redis_url: str) -> TokenWorker:
    """A worker on the one queue. Raises RedisError while the queue cannot be reached."""
    connection = Redis.from_url(redis_url, socket_connect_timeout=5)
    return TokenWorker([wake.queue(connection)], connection=connection, serializer=JSONSerializer)
