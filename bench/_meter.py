"""Times calls by the clock and by the processor: on a busy machine only the second tells what a thing costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds by the clock, and of processor time in all the processes that take part."""

    p50_ms: float
    p95_ms: float
    cpu_p50_ms: float
    cpu_p95_ms: float


def measure(calls: Sequence[Callable[[], object]], pids: Sequence[int], runs: int) -> Times:
    """Time `runs` calls, all of them in turn; each is called once before. `pids` are the other processes at work."""
    for call in calls:
        call()
    timed = [_time(calls[run % len(calls)], pids) for run in range(max(runs, len(calls)))]
    wall, cpu = np.percentile(timed, (50, 95), axis=0).round(2).T.tolist()
    return Times(*wall, *cpu)


def _time(call: Callable[[], object], pids: Sequence[int]) -> tuple[float, float]:
    others, own, clock = _seconds(pids), time.process_time(), time.perf_counter()
    call()
    wall = time.perf_counter() - clock
    return wall * 1e3, (time.process_time() - own + _seconds(pids) - others) * 1e3


def _seconds(pids: Sequence[int]) -> float:
    """Time on a processor (Linux), to the nanosecond."""
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids) / 1e9
