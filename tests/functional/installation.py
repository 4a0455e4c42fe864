"""A whole installation in its own processes, as an operator would start it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

PROJECT = Path(__file__).resolve().parents[2]
FLASK = (sys.executable, "-m", "flask", "--app", "jobs.cli")
SERVE = (*FLASK, "serve")
PATIENCE = 90.0
# With a model server named, though nobody is there, no model is loaded: most of these tests need none.
NO_MODEL = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
INHERITED = ("PATH", "HOME", "LANG", "TMPDIR")


def wait_until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Return the condition's first true value; fail by naming what was waited for."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s for {what}"
        time.sleep(0.02)
    return found


def free_port() -> int:
    """A port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _tied_to_this_run() -> list[str]:
    """What a command starts with so that it ends with the tests, even if they are killed."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig=TERM", "--"] if setpriv else []


@dataclass
class Installation:
    """One data folder and the processes over it. `prefix` is a command that starts another one as somebody else."""

    folder: Path
    environ: Mapping[str, str] = field(default_factory=lambda: NO_MODEL)
    prefix: Sequence[str] = ()
    serving: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.port = free_port()
        self.output = self.folder.parent / f"{self.folder.name}.output"

    @property
    def url(self) -> str:
        """Where its web server listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def demo(self) -> dict[str, Any]:
        """What stands in demo.json."""
        found: dict[str, Any] = json.loads((self.folder / "demo.json").read_text())
        return found

    def environment(self, **more: str) -> dict[str, str]:
        """What its processes are told."""
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        fixed = {"DATA_DIR": str(self.folder), "PORT": str(self.port)}
        return inherited | fixed | dict(self.environ) | more

    def begin(self, **more: str) -> None:
        """Start `flask serve`, without waiting."""
        with self.output.open("wb") as output:
            self.serving = subprocess.Popen(
                [*_tied_to_this_run(), *self.prefix, *SERVE],
                cwd=PROJECT,
                env=self.environment(**more),
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def start(self, **more: str) -> None:
        """Start `flask serve` and wait until it says that it is ready."""
        self.begin(**more)
        wait_until(self._ready_or_ended, "readiness")
        assert self.serving is not None
        assert self.serving.poll() is None, self.said()

    def run(self, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [*self.prefix, *(command or SERVE)],
            cwd=PROJECT,
            env=self.environment(**more),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def refusal(self, **more: str) -> str:
        """Start `flask serve`, which must give up with one line on standard error; return that line."""
        done = self.run(**more)
        assert done.returncode != 0
        lines = done.stderr.strip().splitlines()
        assert len(lines) == 1, done.stderr
        return lines[0]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send the signal to `flask serve` alone, wait for its end, and return its exit status."""
        assert self.serving is not None
        self.serving.send_signal(number)
        return self.serving.wait(PATIENCE)

    def kill_everything(self) -> None:
        """`kill -9` of every process, the supervisor first."""
        assert self.serving is not None
        self.serving.kill()
        self.serving.wait()
        for pid in self.processes():
            _kill(pid)
        wait_until(lambda: not self.processes(), "the end of every killed process")

    def clean_up(self) -> None:
        """Leave nothing running, whatever a test did."""
        if self.serving:
            self.kill_everything()

    def said(self) -> str:
        """Everything that `flask serve` printed."""
        return self.output.read_text()

    def status(self, path: str, timeout: float = 20) -> int:
        """The status that the web server answers with; 0 when it does not answer within `timeout` seconds."""
        try:
            return httpx2.get(self.url + path, timeout=timeout).status_code
        except httpx2.HTTPError:
            return 0

    def processes(self) -> dict[int, str]:
        """Living processes that work in the data folder, or were started for it: id → command."""
        found = {int(entry.name): _command(entry) for entry in Path("/proc").glob("[0-9]*") if self._is_mine(entry)}
        return {pid: command for pid, command in found.items() if command}

    def pids_of(self, pattern: str) -> list[int]:
        """Process ids whose command matches."""
        return [pid for pid, command in self.processes().items() if re.search(pattern, command)]

    def _ready_or_ended(self) -> bool:
        assert self.serving is not None
        return "is ready" in self.said() or self.serving.poll() is not None

    def _is_mine(self, process: Path) -> bool:
        name = os.fsencode(self.folder)
        try:
            mine = name in (process / "environ").read_bytes() or name in (process / "cmdline").read_bytes()
            return mine or name in os.fsencode((process / "cwd").readlink())
        except OSError:
            return False


def _command(process: Path) -> str:
    """The command line; empty for one that is dead and not yet collected."""
    try:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
