"""One worker process: the drain and the schedule in threads, the queue's wake-up tokens in the main thread."""

from __future__ import annotations

import logging
import signal
import time
from types import FrameType

import structlog
from flask import Flask
from redis.exceptions import RedisError
from rq.exceptions import StopRequested

from jobs import drain
from jobs.queue import token_worker
from jobs.schedule import Schedule
from webapp.capture.asking import ModelExtractor
from webapp.capture.commit import Rules
from webapp.capture.extraction import BuiltInRules
from webapp.capture.pipeline import Limits, Pipeline
from webapp.errors import Unavailable
from webapp.graph.ingest import ingestion
from webapp.llm.breaker import Breaker
from webapp.llm.chat import Chat
from webapp.llm.embeddings import Embedder
from webapp.llm.errors import ModelError
from webapp.runtime import EXTENSION, Runtime
from webapp.settings import Settings

STOP_GRACE_SECONDS = 8.0
"""Less than the ten seconds that supervisors commonly wait before they kill."""
_RECONNECT_SECONDS = 2.0

log = structlog.get_logger()


def run(app: Flask) -> None:
    """Work until SIGTERM or SIGINT; then claim nothing more, finish what is in flight or give it back, and return."""
    process = Process(app)
    process.start()
    try:
        _take_tokens(process.settings.redis_url)
    except StopRequested:
        pass
    finally:
        process.stop()


class Process:
    """What a worker process consists of, without the queue: tests and benchmarks run it in their own process."""

    def __init__(self, app: Flask) -> None:
        found: Runtime = app.extensions[EXTENSION]
        self.settings = found.settings
        self.chat = _chat(found.settings)
        self.pipeline = _pipeline(found, self.chat)
        breaker = Breaker(lambda: probe(self.chat, found.embedder))
        episodes = ingestion(found.settings, self.chat, found.embedder)
        handlers = {"exchange": self.pipeline.process, "episode": episodes.process}
        self.drain = drain.Drain(app, handlers, breaker, _limits(found.settings))
        self.schedule = Schedule(app)

    def start(self) -> None:
        """Begin to work; tokens run in this process wake it."""
        drain.install(self.drain)
        self.drain.start()
        self.schedule.start()

    def stop(self, grace_seconds: float = STOP_GRACE_SECONDS) -> None:
        """Stop as `run` describes."""
        self.schedule.stop()
        self.drain.stop(grace_seconds)
        if self.chat is not None:
            self.chat.close()


def probe(chat: Chat | None, embedder: Embedder) -> None:
    """Return when the models answer; raise ModelError otherwise."""
    if chat is not None:
        chat.check()
    try:
        embedder.check()
    except Unavailable:
        raise ModelError("embedding_unavailable", server_side=True) from None


def _take_tokens(redis_url: str) -> None:
    logging.getLogger("rq.worker").setLevel(logging.CRITICAL)
    while True:
        # Until the worker has set its own handlers a signal must end the process in order, too.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _request_stop)
        try:
            worker = token_worker(redis_url)
            worker.work(logging_level="CRITICAL")
            if worker.stopped:
                return
        except (RedisError, OSError) as error:
            log.warning("queue_unreachable", error=type(error).__name__)
        time.sleep(_RECONNECT_SECONDS)


def _request_stop(_number: int, _frame: FrameType | None) -> None:
    raise StopRequested


def _chat(settings: Settings) -> Chat | None:
    if settings.built_in_chat:
        return None
    return Chat(
        model=settings.chat_model,
        base_url=settings.openai_base_url or None,
        api_key=settings.openai_api_key or "none",
        timeout=settings.model_timeout,
    )


def _pipeline(found: Runtime, chat: Chat | None) -> Pipeline:
    settings = found.settings
    rules = Rules(found.embedder.model, found.dedup_threshold, settings.secret_key)
    limits = Limits(seconds=settings.model_timeout, related=settings.related_memories)
    extractor = BuiltInRules() if chat is None else ModelExtractor(chat)
    return Pipeline(extractor, found.embedder, rules, limits)


def _limits(settings: Settings) -> drain.Limits:
    return drain.Limits(
        lanes=settings.lanes,
        lease_seconds=settings.model_timeout * drain.LEASE_PER_TIMEOUT,
        max_attempts=settings.max_attempts,
    )
