"""The life of an embedded server: one process owns it by a lock on its folder, the others use it by its socket."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from webapp.embedded.account import Account, account_for, launcher
from webapp.embedded.errors import EmbeddedError, unwritable
from webapp.embedded.process import kill_group, start_child, stop_child
from webapp.embedded.socket_folder import make_private, remove_private, socket_folder

POLL_SECONDS = 0.01
CLAIM_SECONDS = 15.0
# A server that lost its owner is shutting down.
PREDECESSOR_SECONDS = 120.0
# Recovery after a crash may replay a long log.
START_SECONDS = 600.0
STOP_SECONDS = 60.0
KEEP_LOG_BYTES = 1_000_000


class EmbeddedServer(ABC):
    """A server whose data, log and socket lie in `folder`; a context manager.

    Entering it starts the server, or attaches to it where another process owns it already; with `exclusive` it waits
    for that owner to leave instead. Leaving stops the server if this process owns it.
    Raises EmbeddedError with one line that says what to do.
    """

    name: str
    socket_name: str
    stop_signal: signal.Signals

    def __init__(self, folder: Path, *, exclusive: bool = False) -> None:
        self.folder = folder.resolve()
        self.data = self.folder / "data"
        self.log = self.folder / "server.log"
        self.sockets = socket_folder(self.folder, self.socket_name)
        self._exclusive = exclusive
        self._owner_lock = -1
        self._log_start = 0
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def owned(self) -> bool:
        """Whether this process runs the server."""
        return self._child is not None

    @property
    def alive(self) -> bool:
        """Whether the server still runs, as far as its owner is concerned."""
        return self._child is not None and self._child.poll() is None

    @abstractmethod
    def prepare(self, account: Account, lock: int) -> None:
        """Make the data folder, or check the existing one; no server runs in it.

        A program that is started for this inherits the descriptor `lock`: should it outlive this process, the next
        owner waits for it as for a server.
        """

    @abstractmethod
    def command(self) -> list[str]:
        """The server's command line; its first element is the absolute path of the binary."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether the server takes work."""

    @abstractmethod
    def usable(self) -> bool:
        """Whether its owner has finished setting it up."""

    @abstractmethod
    def set_up(self) -> None:
        """What the owner does once the server answers."""

    def account(self) -> Account:
        """Who the server runs as."""
        return account_for(self.data)

    def environment(self) -> Mapping[str, str]:
        """The server's environment: nothing of the caller's, whose PG… variables would change how it starts."""
        return {"PATH": os.defpath, "LC_ALL": "C"}

    def stop(self, child: subprocess.Popen[bytes]) -> None:
        """End the server, keeping its data whole."""
        stop_child(child, self.stop_signal, grace=STOP_SECONDS)

    def reason(self) -> str:
        """Why it did not start: the last thing it said."""
        lines = self.said()
        return lines[-1] if lines else "it said nothing"

    def said(self) -> list[str]:
        """The lines that it has logged since it was started last."""
        with self.log.open("rb") as log:
            log.seek(self._log_start)
            lines = log.read().decode(errors="replace").splitlines()
        return [line.strip() for line in lines if line.strip()]

    def __enter__(self) -> Self:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._owner_lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
            self._claim_or_attach()
        except OSError as error:
            self._leave()
            raise unwritable(error, self.folder) from error
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def start(self) -> None:
        """Start the server that this process owns, for the first time or after it ended; return once it is usable."""
        if self._child:
            kill_group(self._child)
        account = self.account()
        account.own(self.folder)
        self.folder.chmod(0o700)
        with self.log.open("ab") as output:
            account.own(self.log)
            self._await_predecessor(output)
            remove_private(self.sockets)
            make_private(self.sockets, account)
            self.prepare(account, output.fileno())
            self._spawn(account, output)
        self._await()
        self.set_up()

    def _spawn(self, account: Account, output: IO[bytes]) -> None:
        command = self.command()
        start = launcher(account, self.stop_signal, [Path(command[0]), self.folder])
        self._child = start_child([*start, *command], output=output, env=self.environment())

    def _claim_or_attach(self) -> None:
        deadline = time.monotonic() + CLAIM_SECONDS
        while time.monotonic() < deadline:
            if _lock(self._owner_lock):
                return self.start()
            # Asked again: an owner that has just died leaves a server that still answers, and soon will not.
            if not self._exclusive and self.usable() and not _lock(self._owner_lock):
                return None
            time.sleep(POLL_SECONDS)
        raise EmbeddedError(f"another process uses {self.folder}: stop it, or set another DATA_DIR")

    def _await_predecessor(self, output: IO[bytes]) -> None:
        """Wait until no process of an earlier server is left.

        The server inherits the locked log as its output, so the lock is free when the last of its processes is gone.
        A process id in a file proves nothing: after a restart of a container it may be anybody's.
        """
        deadline = time.monotonic() + PREDECESSOR_SECONDS
        while not _lock(output.fileno()):
            if time.monotonic() > deadline:
                raise EmbeddedError(f"an earlier {self.name} still runs in {self.folder}: end it, then start again")
            time.sleep(POLL_SECONDS)
        if os.fstat(output.fileno()).st_size > KEEP_LOG_BYTES:
            output.truncate(0)
        self._log_start = os.fstat(output.fileno()).st_size

    def _await(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            if not self.alive or time.monotonic() > deadline:
                raise EmbeddedError(f"{self.name} did not start: {self.reason()} (see {self.log})")
            time.sleep(POLL_SECONDS)

    def _leave(self) -> None:
        if self._child:
            self.stop(self._child)
            self._child = None
            remove_private(self.sockets)
        if self._owner_lock >= 0:
            os.close(self._owner_lock)
            self._owner_lock = -1


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
