"""What goes wrong during a chaos run. Each fault leaves the system to itself; nothing here repairs anything."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Thread

import psycopg
import redis

from tests.chaos.stack import LEASE, Stack
from tests.chaos.steps import IN_WEB, IN_WORKER
from tests.model_server import Reply, error
from webapp.inbox import wake

TAKEN_SECONDS = 6.0
FROZEN_SECONDS = LEASE + 1.5
NOBODY_CAME = "nobody came by"


@dataclass(slots=True)
class Faults:
    """The faults of one run, chosen by its seed. `done` counts those that really happened, by name; `took` has the seconds."""

    stack: Stack
    chance: random.Random
    done: Counter[str] = field(default_factory=Counter)
    took: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _deck: list[Callable[[], str | None]] = field(default_factory=list)
    _frozen: list[tuple[float, int]] = field(default_factory=list)
    _restore: list[tuple[float, Callable[[], None]]] = field(default_factory=list)

    def strike(self) -> None:
        """Let one thing go wrong."""
        if not self._deck:
            self._deck = self._shuffled()
        self.play(self._deck.pop())

    def play(self, fault: Callable[[], str | None]) -> None:
        """Let this go wrong, and note whether it did and how many seconds that took."""
        began = time.monotonic()
        happened = fault()
        self.took[happened or NOBODY_CAME] += time.monotonic() - began
        if happened:
            self.done[happened] += 1

    def _shuffled(self) -> list[Callable[[], str | None]]:
        """A deck in which every step and every kind of fault lies, the commoner ones more than once."""
        deck: list[Callable[[], str | None]] = [partial(self._kill_at, name) for name in (*IN_WORKER, *IN_WEB)]
        deck += [partial(self._freeze_at, name) for name in self.chance.sample(IN_WORKER, 4)]
        deck += 2 * [self._kill_any_worker, self._end_all_connections, self._model_outage, self._model_breakage]
        deck += 2 * [self._flush_the_queue, self._take_the_queue_away]
        deck += [self._kill_the_parent, self._crash_the_database, self._too_many_tokens, self._ask_a_worker_to_stop]
        self.chance.shuffle(deck)
        return deck

    def look(self) -> None:
        """Thaw what has been frozen long enough, and bring back what was away."""
        now = time.monotonic()
        for due, pid in [entry for entry in self._frozen if entry[0] <= now]:
            self._frozen.remove((due, pid))
            _signal(pid, signal.SIGCONT)
        for entry in [entry for entry in self._restore if entry[0] <= now]:
            self._restore.remove(entry)
            entry[1]()

    def settle(self) -> None:
        """End every fault that lasts."""
        while self._frozen or self._restore:
            self.look()
            time.sleep(0.05)
        for order in self.stack.orders.iterdir():
            order.unlink(missing_ok=True)

    def order(self, name: str, how: str, seconds: float = TAKEN_SECONDS) -> int | None:
        """Order a step to kill or stop whoever comes by; the process that did, None when nobody came."""
        order = self.stack.orders / f"{name}.{how}"
        order.touch()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            taken = list(self.stack.orders.glob(f"{name}.{how}.taken.*"))
            if taken:
                taken[0].unlink()
                return int(taken[0].suffix[1:])
            self.keep_going()
        order.unlink(missing_ok=True)
        return None

    def keep_going(self) -> None:
        """Wait a moment, with everything else taking its course."""
        self.stack.look()
        self.look()
        time.sleep(0.02)

    def _kill_at(self, name: str) -> str | None:
        return f"killed {name}" if self.order(name, "kill") else None

    def _freeze_at(self, name: str) -> str | None:
        pid = self.order(name, "stop")
        if pid is None:
            return None
        self._frozen.append((time.monotonic() + FROZEN_SECONDS, pid))
        return f"frozen {name}"

    def _kill_any_worker(self) -> str | None:
        self.chance.choice(self.stack.running("worker")).signal(signal.SIGKILL)
        return "killed a worker"

    def _ask_a_worker_to_stop(self) -> str | None:
        self.chance.choice(self.stack.running("worker")).signal(signal.SIGTERM)
        return "stopped a worker gracefully"

    def _kill_the_parent(self) -> str | None:
        self.stack.running("serve")[0].signal(signal.SIGKILL)
        return "killed the parent of web and worker"

    def _flush_the_queue(self) -> str | None:
        with contextlib.suppress(redis.RedisError):
            self.stack.valkey.empty()
        return "FLUSHALL"

    def _take_the_queue_away(self) -> str | None:
        child = self.stack.valkey._child
        if child is None or child.poll() is not None:
            return None
        child.kill()
        self._restore.append((time.monotonic() + self.chance.uniform(0.5, 4), self.stack.valkey.start))
        return "queue killed and absent"

    def _end_all_connections(self) -> str | None:
        with self.stack.superuser() as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'memory_app'")
        return "all connections terminated"

    def _crash_the_database(self) -> str | None:
        """Kill one backend as the kernel would: the server then throws everybody out and recovers from its log."""
        with contextlib.suppress(psycopg.OperationalError), self.stack.superuser() as connection:
            row = connection.execute("SELECT pg_backend_pid()").fetchone()
            if row:
                _signal(row[0], signal.SIGKILL)
                time.sleep(0.2)
        end = time.monotonic() + 60
        while not self.stack.postgres.answers() and time.monotonic() < end:
            self.keep_going()
        return "database crashed and recovered"

    def _model_outage(self) -> str | None:
        outages = [
            error(503),
            error(500),
            Reply(way="reset"),
            error(429, retry_after="1"),
            error(401),
            Reply(way="hang"),
        ]
        self.stack.model.outage = self.chance.choice(outages)
        self._restore.append((time.monotonic() + self.chance.uniform(0.5, 3), self._model_back))
        return "model outage"

    def _model_back(self) -> None:
        self.stack.model.outage = None

    def _model_breakage(self) -> str | None:
        """One call of many breaks, in a way that a second try mends."""
        broken = [error(500), error(408), Reply(way="reset"), Reply(way="hang"), Reply(body=b"<html>")]
        self.stack.model.once = self.chance.choice(broken)
        return "one call broken"

    def _too_many_tokens(self) -> str | None:
        with contextlib.suppress(redis.RedisError, OSError):
            connection = redis.Redis(unix_socket_path=str(self.stack.valkey.socket), socket_timeout=2)
            queue = wake.queue(connection)
            for _ in range(50):
                queue.enqueue(wake.JOB, result_ttl=0, failure_ttl=wake.FAILURE_TTL, description="drain")
            connection.close()
            return "50 tokens delivered"
        return None


@contextlib.contextmanager
def frozen(faults: Faults, name: str, start: Callable[[], object]) -> Iterator[bool]:
    """Freeze the process that comes by a step because of `start`, for the length of the block; False: nobody came."""
    thread = Thread(target=start, daemon=True)
    thread.start()
    pid = faults.order(name, "stop", 20)
    try:
        yield pid is not None
    finally:
        if pid is not None:
            _signal(pid, signal.SIGCONT)
        thread.join(60)


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def clear(folder: Path) -> None:
    """Remove all orders."""
    for order in folder.iterdir():
        order.unlink(missing_ok=True)
