"""Keeps processes running until a signal says otherwise, and leaves none behind."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Protocol

import structlog

from webapp.embedded.account import caller, launcher
from webapp.embedded.errors import EmbeddedError
from webapp.embedded.process import kill_group, start_child

POLL_SECONDS = 0.1
GRACE_SECONDS = 35.0
FIRST_DELAY_SECONDS, LONGEST_DELAY_SECONDS = 0.5, 30.0
STEADY_SECONDS = 60.0
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

log = structlog.get_logger()


class Child(Protocol):
    """What can be started, and started again."""

    name: str

    @property
    def alive(self) -> bool:
        """Whether it runs."""

    def start(self) -> None:
        """Start it; what an earlier start left behind is removed first."""


@dataclass(slots=True)
class Process:
    """A command that runs until it is told to end."""

    name: str
    command: Sequence[str]
    env: Mapping[str, str]
    cwd: Path
    pass_fds: Sequence[int] = ()
    child: subprocess.Popen[bytes] | None = None

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self.child is not None and self.child.poll() is None

    def start(self) -> None:
        """Start it, tied to this process's life; children that a dead predecessor left are killed first."""
        self.kill()
        command = [*launcher(caller(), signal.SIGTERM, ()), *self.command]
        self.child = start_child(command, env=self.env, cwd=self.cwd, pass_fds=self.pass_fds)

    def ask_to_end(self) -> None:
        """Ask it to finish what it has in hand."""
        if self.child and self.alive:
            self.child.terminate()

    def kill(self) -> None:
        """End it and all of its children at once."""
        if self.child:
            kill_group(self.child)


@dataclass(slots=True)
class _Watch:
    """One child's history: how often it died lately, and when it may start again."""

    child: Child
    deaths: int = 0
    started: float = field(default_factory=time.monotonic)
    due: float = 0.0

    def look(self) -> None:
        now = time.monotonic()
        if self.child.alive:
            return
        if not self.due:
            self._schedule(now)
        elif now >= self.due:
            self._restart(now)

    def _schedule(self, now: float) -> None:
        self.deaths = 1 if now - self.started > STEADY_SECONDS else self.deaths + 1
        delay = min(FIRST_DELAY_SECONDS * 2 ** (self.deaths - 1), LONGEST_DELAY_SECONDS)
        self.due = now + delay
        log.warning("process_ended", process=self.child.name, restart_in_seconds=delay)

    def _restart(self, now: float) -> None:
        self.due, self.started = 0.0, now
        try:
            self.child.start()
        except (EmbeddedError, OSError) as error:
            log.error("process_not_started", process=self.child.name, reason=str(error))


class Signals:
    """Within its block the first Ctrl-C, SIGTERM or SIGHUP raises KeyboardInterrupt, and each one is counted."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Signals:
        self._before = {number: signal.signal(number, self._on_signal) for number in SIGNALS}
        return self

    def __exit__(self, *_error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1
        if self.count == 1:
            raise KeyboardInterrupt


class Supervisor:
    """Restarts what dies, with back-off; ends what it started when its own `with` block ends."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals
        self._watched: list[_Watch] = []
        self._processes: list[Process] = []

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(self, *_error: object) -> None:
        """Let every process finish what it has in hand; at the second signal, or after the grace time, kill."""
        for process in self._processes:
            process.ask_to_end()
        deadline = time.monotonic() + GRACE_SECONDS
        while any(process.alive for process in self._processes):
            if time.monotonic() > deadline or self._signals.count > 1:
                break
            time.sleep(POLL_SECONDS / 5)
        for process in self._processes:
            process.kill()

    def watch(self, child: Child) -> None:
        """Restart a child, which runs already and is ended by its own context, whenever it dies."""
        self._watched.append(_Watch(child))

    def run(self, process: Process) -> None:
        """Start a process, watch it, and end it with this supervisor."""
        self._processes.append(process)
        process.start()
        self.watch(process)

    def look(self) -> None:
        """Start again whatever has died and whose delay is over."""
        for watch in self._watched:
            watch.look()

    def keep(self) -> None:
        """Look after everything until a signal raises KeyboardInterrupt."""
        while True:
            self.look()
            time.sleep(POLL_SECONDS)
