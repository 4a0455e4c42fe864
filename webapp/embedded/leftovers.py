"""Server processes that outlived their owner and still hold its data folder."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

from webapp.embedded.errors import EmbeddedError

WAIT_SECONDS = 60.0


def wait_for_servers_of(data: Path, stop_signal: signal.Signals) -> None:
    """Wait until no PostgreSQL process works in `data`, then drop the lock file that a killed one left behind.

    The caller owns the folder, so whatever still runs there has lost its owner and is on its way out, or is told to
    go. PostgreSQL's own check trusts a process id, which after a restart of a container may be anybody's.
    Raises EmbeddedError when they do not end.
    """
    deadline = time.monotonic() + WAIT_SECONDS
    while left := _servers_of(data):
        if time.monotonic() > deadline:
            raise EmbeddedError(f"PostgreSQL processes {left} still use {data}: end them, then start again")
        _ask_postmaster(data, left, stop_signal)
        time.sleep(0.05)
    if Path("/proc/self/cwd").exists():
        (data / "postmaster.pid").unlink(missing_ok=True)


def _ask_postmaster(data: Path, left: list[int], stop_signal: signal.Signals) -> None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        postmaster = int((data / "postmaster.pid").read_text().splitlines()[0])
        if postmaster in left:
            os.kill(postmaster, stop_signal)


def _servers_of(data: Path) -> list[int]:
    """Ids of processes named `postgres` whose working folder is the data folder (as every one of its own is)."""
    return [int(entry.name) for entry in Path("/proc").glob("[0-9]*") if _works_in(entry, data)]


def _works_in(process: Path, data: Path) -> bool:
    try:
        return (process / "comm").read_text().strip() == "postgres" and (process / "cwd").readlink() == data
    except OSError:
        return False
