"""The life of an embedded server: one process owns it by a lock on its folder, the others use it by its socket."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import Self

from webapp.embedded.account import Account, account_for, launcher
from webapp.embedded.errors import EmbeddedError
from webapp.embedded.process import open_log, start_child, stop_child
from webapp.embedded.socket_folder import make_private, remove_private, socket_folder

POLL_SECONDS = 0.01
CLAIM_SECONDS = 15.0
# Recovery after a crash may replay a long log; a server that is alive is waited for.
START_SECONDS = 600.0
STOP_SECONDS = 60.0


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
        self._lock = -1
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def owned(self) -> bool:
        """Whether this process runs the server."""
        return self._child is not None

    @property
    def pid(self) -> int | None:
        """The server's process id where this process runs it."""
        return self._child.pid if self._child else None

    @abstractmethod
    def prepare(self, account: Account) -> None:
        """Make the data folder, or check the existing one."""

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

    def __enter__(self) -> Self:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
            self._claim_or_attach()
        except OSError as error:
            self._leave()
            raise EmbeddedError(
                f"cannot use {error.filename or self.folder} ({error.strerror}): set DATA_DIR to a folder that you may write"
            ) from error
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def _claim_or_attach(self) -> None:
        deadline = time.monotonic() + CLAIM_SECONDS
        while time.monotonic() < deadline:
            if self._claim():
                return self._start()
            if not self._exclusive and self.usable():
                return None
            time.sleep(POLL_SECONDS)
        raise EmbeddedError(f"another process uses {self.folder}: stop it, or set another DATA_DIR")

    def _claim(self) -> bool:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _start(self) -> None:
        account = account_for(self.data)
        account.own(self.folder)
        self.folder.chmod(0o700)
        make_private(self.sockets, account)
        self.prepare(account)
        command = self.command()
        start = launcher(account, self.stop_signal, [Path(command[0]), self.folder])
        with open_log(self.log) as output:
            self._child = start_child([*start, *command], output=output, env={"PATH": os.defpath, "LC_ALL": "C"})
        self._await()
        self.set_up()

    def _await(self) -> None:
        assert self._child is not None
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            if self._child.poll() is not None or time.monotonic() > deadline:
                raise EmbeddedError(f"{self.name} did not start: {self.reason()} (see {self.log})")
            time.sleep(POLL_SECONDS)

    def reason(self) -> str:
        """The last line of the server's log."""
        lines = self.log.read_text(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")

    def _leave(self) -> None:
        if self._child:
            self.stop(self._child)
            self._child = None
            remove_private(self.sockets)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def stop(self, child: subprocess.Popen[bytes]) -> None:
        """End the server, keeping its data whole."""
        stop_child(child, self.stop_signal, grace=STOP_SECONDS)
