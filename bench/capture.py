"""How fast a worker process turns exchanges into memories, and how long one waits until it is visible.

    python -m bench.capture [--exchanges 400]

Prints a table and writes bench/out/capture.json. A real worker process over real PostgreSQL and Valkey, with a
scripted model that answers at once or after two seconds. A backlog shows throughput; exchanges that trickle in show
the time from accepting one to its memory being there, by the database's clock.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests import servers
from tests.capture_world import Place, World, close, eventually
from tests.model_server import running
from webapp import create_app
from webapp.settings import Settings

ROOT = Path(__file__).parent.parent
OUT = Path(__file__).parent / "out" / "capture.json"


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the table."""

    model: str
    load: str
    exchanges: int
    per_second: float
    visible_p50_ms: float
    visible_p95_ms: float
    most_in_flight: int
    worker_mb: float
    cpu_ms: float


def main() -> None:
    """Run all lines and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exchanges", type=int, default=400)
    given = parser.parse_args()
    results = [
        measure(delay=0.0, exchanges=given.exchanges, rate=None),
        measure(delay=2.0, exchanges=given.exchanges, rate=None),
        measure(delay=0.0, exchanges=min(given.exchanges, 200), rate=10.0),
        measure(delay=2.0, exchanges=min(given.exchanges, 200), rate=10.0),
    ]
    _print(results)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps([asdict(result) for result in results], indent=2) + "\n")


def measure(*, delay: float, exchanges: int, rate: float | None) -> Result:
    """One line: a backlog that lies there when the worker starts, or `rate` exchanges a second while it runs."""
    with ExitStack() as stack:
        world, env = _world(stack, delay)
        place = world.place(min(exchanges, 200))
        if rate is None:
            _say(world, place, exchanges, 0.0)
        else:
            _say(world, world.place(), 1, 0.0)
        worker = stack.enter_context(_worker(env))
        eventually(lambda: world.model.calls, 60)
        cpu_before = _cpu_ms(worker.pid)
        if rate is not None:
            _say(world, place, exchanges, 1 / rate)
        world.settled(place, 600)
        memory, cpu = _memory_mb(worker.pid), _cpu_ms(worker.pid) - cpu_before
        rows = world.rows(
            place,
            "SELECT extract(epoch FROM done_at) AS done, extract(epoch FROM done_at - created_at) * 1000 AS waited, "
            "state, created FROM inbox ORDER BY done_at",
        )
    name = "instant" if not delay else f"{delay:g} s"
    load = "backlog" if rate is None else f"{rate:g}/s"
    return Result(name, load, len(rows), *_times(rows), world.model.most_in_flight, memory, cpu / len(rows))


def _times(rows: list[Any]) -> tuple[float, float, float]:
    """Exchanges per second, and milliseconds until one is visible: the median and the 95th percentile."""
    assert all((row.state, row.created) == ("done", 1) for row in rows), "an exchange did not become a memory"
    done = np.array([float(row.done) for row in rows])
    # The first tenth is spent on starting; what follows is the steady rate.
    skipped = len(done) // 10
    per_second = (len(done) - skipped - 1) / max(done[-1] - done[skipped], 1e-9)
    p50, p95 = np.percentile([float(row.waited) for row in rows], [50, 95])
    return float(per_second), float(p50), float(p95)


def _world(stack: ExitStack, delay: float) -> tuple[World, dict[str, str]]:
    folder = stack.enter_context(servers.scratch_folder())
    database = stack.enter_context(servers.database(stack.enter_context(servers.postgres(folder)), "bench"))
    queue = stack.enter_context(servers.valkey())
    model = stack.enter_context(running(delay=delay))
    env = {
        "DATA_DIR": str(folder / "data"),
        "DATABASE_URL": database.app_url,
        "DATABASE_OWNER_URL": database.owner_url,
        "REDIS_URL": queue.url,
        "SECRET_KEY": "a secret of the benchmark",
        "OPENAI_BASE_URL": model.url,
        "OPENAI_API_KEY": "bench",
        "MEMORY_EMBEDDING_MODEL": "scripted",
        "DEMO": "0",
    }
    settings = Settings.from_env(env, dotenv=None)
    app = create_app(settings)
    stack.enter_context(app.app_context())
    stack.callback(close, app)
    return World(app, settings, model), env


def _say(world: World, place: Place, count: int, pause: float) -> None:
    began = time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, began + number * pause - time.monotonic()))
        world.say(place, f"I own the boat Kestrel {number:05d}.", user=place.users[number % len(place.users)])


@contextmanager
def _worker(env: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "flask", "--app", "jobs.cli", "worker"]
    worker = subprocess.Popen(command, env=os.environ | env, cwd=ROOT, start_new_session=True)
    try:
        yield worker
    finally:
        worker.terminate()
        worker.wait(30)


def _memory_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def _cpu_ms(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def _print(results: list[Result]) -> None:
    print(
        f"{'model':<9}{'load':<9}{'exchanges':>10}{'per s':>8}{'in flight':>11}{'p50 ms':>9}{'p95 ms':>9}{'worker MB':>11}{'cpu ms':>8}"
    )
    for one in results:
        print(
            f"{one.model:<9}{one.load:<9}{one.exchanges:>10}{one.per_second:>8.1f}{one.most_in_flight:>11}"
            f"{one.visible_p50_ms:>9.0f}{one.visible_p95_ms:>9.0f}{one.worker_mb:>11.0f}{one.cpu_ms:>8.1f}"
        )


if __name__ == "__main__":
    main()
