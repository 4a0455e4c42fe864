"""Start and stop a child so that nothing of it is left, whatever ends the parent."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO


def start_child(
    command: Sequence[str],
    *,
    output: IO[bytes] | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own, so that Ctrl-C in a terminal reaches the parent alone.

    `output` takes both of its streams (the parent's own when None). Prefix the command with `account.launcher`
    to tie it to the parent's life: the kernel follows the *thread* that starts it, so call this from the main one.
    """
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        env=env,
        cwd=cwd,
        pass_fds=pass_fds,
        start_new_session=True,
    )


def stop_child(child: subprocess.Popen[bytes], number: signal.Signals, *, grace: float) -> None:
    """Ask the child to end, wait up to `grace` seconds, then kill what is left of it and its own children."""
    with contextlib.suppress(ProcessLookupError):
        child.send_signal(number)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(timeout=grace)
    kill_group(child)


def kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill everything in the child's process group and collect the child."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
