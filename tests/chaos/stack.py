"""The processes of a chaos run: real stores, `flask serve` as a parent of web and worker, and workers beside it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg

from tests.model_server import ModelServer
from tests.servers import scratch_folder
from webapp.embedded.postgres import EmbeddedPostgres
from webapp.embedded.valkey import EmbeddedValkey
from webapp.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
MODEL_TIMEOUT = 3.0
LEASE = MODEL_TIMEOUT * 1.5


@dataclass(slots=True)
class Command:
    """A process that is started again as soon as it has ended."""

    name: str
    arguments: list[str]
    env: dict[str, str]
    log: Path
    child: subprocess.Popen[bytes] | None = None
    starts: int = 0
    resting_until: float = 0.0

    def look(self) -> None:
        """Start it if it does not run; not more often than every half second, so that a taken port may come free."""
        if self.child is not None and self.child.poll() is None:
            return
        if time.monotonic() < self.resting_until:
            return
        with self.log.open("ab") as output:
            self.child = subprocess.Popen(
                self.arguments, env=self.env, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        self.starts += 1
        self.resting_until = time.monotonic() + 0.5

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, if it runs."""
        if self.child is not None and self.child.poll() is None:
            self.child.send_signal(number)

    def end(self) -> None:
        """Wait for its end, then end what is left in its session."""
        if self.child is None:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(15)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()


@dataclass(slots=True)
class Stack:
    """Everything that runs, and where its orders and logs lie. A context manager; use it from the main thread."""

    folder: Path
    model: ModelServer
    mutation: str = ""
    postgres: EmbeddedPostgres = field(init=False)
    valkey: EmbeddedValkey = field(init=False)
    commands: list[Command] = field(default_factory=list)
    port: int = 0
    _resources: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        for name in ("orders", "logs", "data"):
            (self.folder / name).mkdir()
            (self.folder / name).chmod(0o777)
        # Nothing here is to survive a power cut, but everything a crash of the server: commits wait for the log.
        self.postgres = self._resources.enter_context(EmbeddedPostgres(self.folder / "postgres", fast=True))
        with self.superuser() as connection:
            connection.execute("ALTER DATABASE memory SET synchronous_commit = on")
        self.valkey = self._resources.enter_context(EmbeddedValkey(self.folder / "valkey", durable=False))
        self.port = _free_port()
        self._commands()
        self.look()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for command in self.commands:
            command.signal(signal.SIGTERM)
        for command in self.commands:
            command.end()
        self._resources.close()

    @property
    def orders(self) -> Path:
        """Where orders are put."""
        return self.folder / "orders"

    def settings(self) -> Settings:
        """What the processes are told, for the harness's own use of the product."""
        return Settings.from_env(self._told(), dotenv=None)

    def look(self) -> None:
        """Start again what has ended."""
        for command in self.commands:
            command.look()

    def running(self, name: str) -> list[Command]:
        """The commands of this name."""
        return [command for command in self.commands if command.name == name]

    @contextmanager
    def superuser(self) -> Iterator[psycopg.Connection]:
        """A connection that sees everything; waits for a server that is recovering."""
        with self._connected() as connection:
            yield connection

    def _connected(self) -> psycopg.Connection:
        url = self.postgres.superuser_url.replace("+psycopg", "")
        end = time.monotonic() + 60
        while True:
            try:
                return psycopg.connect(url, autocommit=True, connect_timeout=5)
            except psycopg.OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def _told(self) -> dict[str, str]:
        return {
            "DATA_DIR": str(self.folder / "data"),
            "DATABASE_URL": self.postgres.app_url,
            "DATABASE_OWNER_URL": self.postgres.owner_url,
            "REDIS_URL": self.valkey.url,
            "SECRET_KEY": "a secret of the chaos run",
            "DEMO": "0",
            "PORT": str(self.port),
            "WEB_WORKERS": "2",
            "MEMORY_WORKERS": "1",
            "MEMORY_LANES": "12",
            "MEMORY_MODEL_TIMEOUT_SECONDS": str(MODEL_TIMEOUT),
            "MEMORY_MAX_ATTEMPTS": "50",
            # Back-pressure sets the pace: on a slow machine the load takes longer instead of piling up.
            "MEMORY_BACKLOG_LIMIT": "200",
            "MEMORY_EMBEDDING_MODEL": "scripted",
            "OPENAI_BASE_URL": self.model.url,
            "OPENAI_API_KEY": "chaos",
            "RATE_LIMIT": "",
            "RATE_LIMIT_ADDRESS": "",
        }

    def _commands(self) -> None:
        env = os.environ | self._told() | {
            "CHAOS_ORDERS": str(self.orders),
            "CHAOS_MUTATION": self.mutation,
            "PYTHONPATH": f"{ROOT / 'tests/chaos/site'}:{ROOT}",
            "PYTHONWARNINGS": "ignore",
        }  # fmt: skip
        flask = [sys.executable, "-m", "flask", "--app", "jobs.cli"]
        for name, verb in (("serve", "serve"), ("worker", "worker"), ("worker", "worker")):
            log = self.folder / "logs" / f"{name}{len(self.commands)}.log"
            self.commands.append(Command(name, [*flask, verb], env, log))


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for one run, gone afterwards."""
    with scratch_folder() as folder:
        yield folder


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
