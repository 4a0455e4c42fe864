"""Tells an outage of the models from the fault of one request, so that an outage costs no exchange an attempt."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from threading import Lock

import structlog

from webapp.llm.errors import ModelError

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0

log = structlog.get_logger()


class Breaker:
    """Open while the models are out. Only its own question, which carries nobody's text, finds that out and ends it.

    `probe` returns when the models answer and raises ModelError otherwise. Safe to share between threads.
    """

    def __init__(self, probe: Callable[[], None]) -> None:
        self._probe = probe
        self._lock = Lock()
        self._open = False
        self._pause = FIRST_PAUSE_SECONDS
        self._ask_again = 0.0
        self._answered_at = float("-inf")

    @property
    def is_open(self) -> bool:
        """Whether nothing should be started now."""
        return self._open

    @property
    def is_due(self) -> bool:
        """Whether it is open and time to ask again."""
        return self._open and time.monotonic() >= self._ask_again

    def outage(self, error: ModelError) -> bool:
        """Whether a failure on the server's side means that the models are out: asks them, unless that is known.

        A rate limit is an outage by itself. The breaker stays open for as long as the server asked to wait.
        """
        noticed = time.monotonic()
        with self._lock:
            if self._open:
                return True
            if error.code == "model_rate_limited":
                self._back_off(error)
            elif self._answered_at < noticed:
                self._ask(error)
            return self._open

    def ask_again(self) -> None:
        """Ask once more if that is due; closes the breaker when the models answer."""
        with self._lock:
            if self.is_due:
                self._ask(None)

    def _ask(self, failure: ModelError | None) -> None:
        try:
            self._probe()
        except ModelError as error:
            self._back_off(failure or error)
        else:
            if self._open:
                log.info("models_available")
            self._open, self._pause = False, FIRST_PAUSE_SECONDS
            self._answered_at = time.monotonic()

    def _back_off(self, error: ModelError) -> None:
        if self._open:
            self._pause = min(self._pause * 2, LONGEST_PAUSE_SECONDS)
        self._open = True
        pause = max(self._pause * random.uniform(0.75, 1.0), error.retry_after or 0.0)
        self._ask_again = time.monotonic() + pause
        log.warning("models_unavailable", error=error.code, pause=round(pause, 1))
