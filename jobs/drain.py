"""Works off the inbox: many lanes in flight in one process, orgs in turn, nothing claimed while the models are out."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass
from threading import Event, Lock, Thread

import structlog
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from webapp import trace
from webapp.inbox import claim
from webapp.inbox.types import Item, Usage
from webapp.llm.breaker import Breaker
from webapp.llm.errors import ModelError

TICK_SECONDS = 1.0
LEASE_PER_TIMEOUT = 1.5
"""The lease over the soft limit of a model call: 90 s over 60 s."""
OUTAGE_DELAY_SECONDS = 2.0
_RECORDING_TRIES, _RECORDING_PAUSE = 20, 0.5

Handler = Callable[[Item], None]
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one process takes on: lanes at once, seconds of a lease, attempts per item."""

    lanes: int
    lease_seconds: float
    max_attempts: int


class Drain:
    """The drain of one process. `handlers` end an item of their kind in one transaction, or raise.

    It looks for work when woken and every second by itself, so a queue that is down or lost its tokens costs a
    second at most.
    """

    def __init__(self, app: Flask, handlers: Mapping[str, Handler], breaker: Breaker, limits: Limits) -> None:
        self._app = app
        self._handlers = handlers
        self._breaker = breaker
        self._limits = limits
        self._running: dict[tuple[int, int], tuple[Item, Future[None]]] = {}
        self._lock = Lock()
        self._woken, self._stopping = Event(), Event()
        self._last_org = 0
        self._last_lane: dict[int, str] = {}
        self._pool = ThreadPoolExecutor(limits.lanes + 1, thread_name_prefix="lane")
        self._thread = Thread(target=self._loop, name="drain", daemon=True)

    def start(self) -> None:
        """Begin to claim."""
        self._thread.start()

    def wake(self) -> None:
        """Look for work now instead of at the next tick."""
        self._woken.set()

    def stop(self, grace_seconds: float) -> None:
        """Claim nothing more; wait for what is in flight, then give the rest back untried."""
        self._stopping.set()
        self._woken.set()
        self._thread.join(grace_seconds)
        wait_for([future for _, future in self._in_flight()], timeout=grace_seconds)
        with self._app.app_context():
            for item, _ in self._in_flight():
                self._record(item, lambda item=item: claim.release(item))  # type: ignore[misc]
        self._pool.shutdown(wait=False, cancel_futures=True)

    def work(self, item: Item) -> None:
        """Work off one claimed item and end its claim, whatever happens; what the threads of the drain do."""
        trace.start()
        try:
            with self._app.app_context():
                self._handle(item)
        finally:
            with self._lock:
                self._running.pop((item.org_id, item.id), None)
            self._woken.set()

    def _in_flight(self) -> list[tuple[Item, Future[None]]]:
        with self._lock:
            return list(self._running.values())

    def _loop(self) -> None:
        with self._app.app_context():
            while not self._stopping.is_set():
                if not self._fill():
                    self._woken.wait(TICK_SECONDS)
                    self._woken.clear()

    def _fill(self) -> int:
        """Claim for every free lane, orgs in turn; how many items that were."""
        if self._breaker.is_open:
            if self._breaker.is_due:
                self._pool.submit(self._ask_again)
            return 0
        try:
            return self._claim_in_turns(self._limits.lanes - len(self._in_flight()))
        except Exception as error:
            # Whatever it is, this thread must go on: without it the process lives and works off nothing.
            log.warning("inbox_unreachable", error=type(error).__name__)
            return 0

    def _ask_again(self) -> None:
        self._breaker.ask_again()
        self._woken.set()

    def _claim_in_turns(self, free: int) -> int:
        if free <= 0:
            return 0
        orgs, taken = self._in_turn(claim.due_orgs()), 0
        share = math.ceil(free / max(1, len(orgs)))
        for most in (share, free):
            for org_id in orgs:
                if taken < free and not self._stopping.is_set():
                    taken += self._claim(org_id, min(most, free - taken))
        return taken

    def _in_turn(self, orgs: list[int]) -> list[int]:
        later = [org for org in orgs if org > self._last_org]
        return later + [org for org in orgs if org <= self._last_org]

    def _claim(self, org_id: int, most: int) -> int:
        items = claim.claim(
            org_id,
            most,
            lease_seconds=self._limits.lease_seconds,
            max_attempts=self._limits.max_attempts,
            after_lane=self._last_lane.get(org_id, ""),
        )
        for item in items:
            self._last_org, self._last_lane[org_id] = org_id, item.lane
            self._submit(item)
        return len(items)

    def _submit(self, item: Item) -> None:
        with self._lock:
            future = self._pool.submit(self.work, item)
            self._running[item.org_id, item.id] = item, future

    def _handle(self, item: Item) -> None:
        try:
            self._handlers[item.kind](item)
        except claim.Fenced:
            self._lost(item)
        except ModelError as error:
            self._model_failed(item, error)
        except Exception as error:
            self._failed(item, error)

    def _model_failed(self, item: Item, error: ModelError) -> None:
        if not error.server_side:
            self._record(item, lambda: claim.fail(item, error.code))
        elif self._stopping.is_set():
            # Its call was cut off, or the models are out; either way the next worker begins anew.
            self._record(item, lambda: claim.release(item))
        elif self._breaker.outage(error):
            delay = max(OUTAGE_DELAY_SECONDS, error.retry_after or 0.0)
            self._record(item, lambda: claim.retry(item, error.code, delay_seconds=delay, count_attempt=False))
        else:
            self._try_again(item, error.code, error.retry_after or 0.0)

    def _failed(self, item: Item, error: Exception) -> None:
        # The message of an error may quote what was being stored: its type and place are all that is logged.
        log.error("item_failed", org=item.org_id, item=item.id, error=type(error).__name__, at=_place(error))
        if claim.database_is_away(error):
            delay = claim.backoff_seconds(1)
            self._record(item, lambda: claim.retry(item, "database", delay_seconds=delay, count_attempt=False))
        else:
            self._try_again(item, "internal", 0.0)

    def _try_again(self, item: Item, code: str, at_least: float) -> None:
        if item.attempts >= self._limits.max_attempts:
            self._record(item, lambda: claim.fail(item, code))
            return
        delay = max(at_least, claim.backoff_seconds(item.attempts))
        self._record(item, lambda: claim.retry(item, code, delay_seconds=delay, count_attempt=True))

    def _record(self, item: Item, change: Callable[[], None]) -> None:
        """Write down how it ended, trying for some seconds where the database is away; after that the lease ends it."""
        for tried in range(_RECORDING_TRIES):
            try:
                change()
                item.meter.clear()
                return
            except claim.Fenced:
                if tried:
                    # Most likely an earlier try did commit, its cost included.
                    item.meter.clear()
                self._lost(item)
                return
            except SQLAlchemyError as error:
                log.warning("inbox_unreachable", error=type(error).__name__)
                time.sleep(_RECORDING_PAUSE)

    def _lost(self, item: Item) -> None:
        log.info("claim_lost", org=item.org_id, item=item.id)
        if item.meter.total == Usage():
            return
        try:
            claim.charge(item)
        except SQLAlchemyError as error:
            log.warning("inbox_unreachable", error=type(error).__name__)


_current: Drain | None = None


def install(drain_of_process: Drain) -> None:
    """Make this the drain that tokens wake."""
    global _current
    _current = drain_of_process


def drain() -> None:
    """The token's job: wake this process's drain. Raises RuntimeError in a worker that has none."""
    if _current is None:
        raise RuntimeError("This worker was not started by `flask worker`.")
    _current.wake()


def _place(error: Exception) -> str:
    trail = error.__traceback__
    while trail is not None and trail.tb_next is not None:
        trail = trail.tb_next
    return f"{trail.tb_frame.f_code.co_filename}:{trail.tb_lineno}" if trail else ""
