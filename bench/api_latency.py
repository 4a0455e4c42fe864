"""How long the JSON API takes, over a growing database: list, create, and context for users of several sizes.

    python -m bench.api_latency [--sizes 10000 100000 1000000] [--requests 300] [--profile]

Real HTTP to the production server (gunicorn, the default workers and threads) over embedded PostgreSQL; the query's
embedding is cached, as in a conversation that asks again. Prints a table and writes bench/out/api_latency.json.
`--profile` prints instead where the time of one request goes.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx2
import numpy as np
import psycopg

from bench import _api_data
from bench._api_data import MEASURED, MODEL, SMALL, Person
from bench._application import Application, application
from tests import model_server, servers
from tests.functional.installation import free_port, wait_until
from webapp.access import tokens
from webapp.db.session import installation
from webapp.memory import categories

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "bench" / "out" / "api_latency.json"
CLIENTS, SECONDS = 8, 5.0
QUESTION = {"message": "How does the nurse in Berlin learn recursion?"}


@dataclass(frozen=True, slots=True)
class Result:
    """One line: milliseconds at three points; of processor time, in web server and database; requests per second.

    The processor's time does not depend on what else the machine does meanwhile.
    """

    memories: int
    what: str
    p50: float
    p95: float
    p99: float
    cpu: float
    per_second: float


def main() -> None:
    """Grow the database step by step and measure at each."""
    given = _arguments()
    results: list[Result] = []
    with model_server.running() as model, servers.valkey() as queue:
        environ = {
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": "none",
            "MEMORY_EMBEDDING_MODEL": MODEL,
            # Limits are counted as in production, and never reached.
            "REDIS_URL": queue.url,
            "RATE_LIMIT": "1000000/minute",
            "RATE_LIMIT_ADDRESS": "1000000/minute",
        }
        with application(with_model=False, **environ) as place:
            bench = Bench(place)
            for size in given.sizes:
                bench.grow(size)
                if given.profile:
                    bench.profile(size)
                    continue
                results += bench.measure(size, given.requests)
                _show(results)
    if results:
        OUT.parent.mkdir(exist_ok=True)
        OUT.write_text(json.dumps([asdict(one) for one in results], indent=2) + "\n")


class Bench:
    """The growing database, and the requests that are measured over it."""

    def __init__(self, place: Application) -> None:
        self.place = place
        self.users: dict[str, int] = {}
        self.category_id = categories.create(place.actor, place.agent_id, name="Bench").id
        self.rows = self.strangers = 0
        self._web: list[int] = []
        with installation() as session:
            made = tokens.create(
                session,
                name="bench",
                created_by="bench",
                org_id=place.actor.org_id,
                scopes=("memories:read", "memories:write", "context:read"),
            )
        self.headers = {"Authorization": f"Token {made.secret}"}
        with self._superuser() as connection:
            _api_data.prepare(connection)

    def grow(self, size: int) -> None:
        """Add the measured users that fit, and strangers up to `size` memories in all."""
        with self._superuser() as connection:
            for name, count in MEASURED.items():
                if name not in self.users and count <= size // 5:
                    self.users[name] = self.place.user(name)
                    org, agent = self.place.actor.org_id, self.place.agent_id
                    _api_data.fill(connection, [Person(org, agent, self.category_id, self.users[name], count)])
                    self.rows += count
            count = (size - self.rows) // SMALL
            _api_data.fill(connection, list(_api_data.strangers(connection, count, self.strangers)))
            self.strangers += count
            self.rows += count * SMALL
            connection.execute("VACUUM ANALYZE")
            # What was loaded is written first, not while requests are timed.
            connection.execute("CHECKPOINT")

    def measure(self, size: int, requests: int) -> Iterator[Result]:
        """Every operation, one after the other."""
        with self._server() as url, httpx2.Client(base_url=url, headers=self.headers, timeout=60) as client:
            for what, send in self.operations(client):
                for _ in range(20):
                    send()
                before = self._processor_ms()
                took = [_timed(send) for _ in range(requests)]
                cpu = (self._processor_ms() - before) / requests
                p50, p95, p99 = np.percentile(took, [50, 95, 99])
                yield Result(size, what, p50, p95, p99, cpu, self._throughput(url, what))

    def operations(self, client: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
        """What is measured: its name and one request. The first asks no database: how fast the machine is just now."""
        numbers = iter(range(10**9))
        yield "nothing (healthz)", lambda: client.get("/healthz")
        for name in self.users:
            path = f"/api/ai-agent/orgs/bench/users/{name}"
            yield f"list, {name[1:]} memories", partial(client.get, f"{path}/global-memories/")
            yield f"context, {name[1:]} memories", partial(client.post, f"{path}/agents/bench/context/", json=QUESTION)
        mine = "/api/ai-agent/orgs/bench/users/u200/global-memories/"
        start = time.monotonic_ns()
        yield "create", lambda: client.post(mine, json={"content": f"Benchmark memory {start} {next(numbers)}"})

    def profile(self, size: int) -> None:
        """Where one request's time goes, in this process: the database's share, and the functions that cost most."""
        client = _InProcess(self.place, self.headers)
        for what, send in self.operations(client):
            for _ in range(20):
                send()
            with _database_time() as spent:
                began, worked = time.perf_counter(), time.process_time()
                for _ in range(50):
                    send()
                total, own = (time.perf_counter() - began) * 20, (time.process_time() - worked) * 20
            print(
                f"\n{size:,} memories, {what}: {total:.2f} ms, of which {own:.2f} are work of this process; "
                f"{len(spent) / 50:.0f} statements took {sum(spent) * 20:.2f} ms"
            )
            with cProfile.Profile() as profiler:
                for _ in range(50):
                    send()
            pstats.Stats(profiler).sort_stats("cumulative").print_stats(r"webapp|flask_limiter|pydantic|cursor", 30)

    def _throughput(self, url: str, what: str) -> float:
        """Requests per second with eight clients, each over its own connection."""
        until = time.monotonic() + SECONDS

        def work(_number: int) -> int:
            with httpx2.Client(base_url=url, headers=self.headers, timeout=60) as client:
                send = dict(self.operations(client))[what]
                count = 0
                while time.monotonic() < until:
                    send()
                    count += 1
                return count

        with ThreadPoolExecutor(CLIENTS) as pool:
            return sum(pool.map(work, range(CLIENTS))) / SECONDS

    def _processor_ms(self) -> float:
        """What the web server's workers and the database's backends have worked so far."""
        with self._superuser() as connection:
            rows = connection.execute("SELECT pid FROM pg_stat_activity WHERE usename = 'memory_app'").fetchall()
        return sum(_processor_ms(pid) for pid in (*self._web, *(row[0] for row in rows)))

    @contextmanager
    def _superuser(self) -> Iterator[psycopg.Connection]:
        url = self.place.superuser_url.replace("+psycopg", "")
        with psycopg.connect(url, autocommit=True) as connection:
            yield connection

    @contextmanager
    def _server(self) -> Iterator[str]:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        env = os.environ | self.place.settings.environment() | {"PORT": str(port), "LOG_LEVEL": "error"}
        command = [sys.executable, "-m", "gunicorn", "wsgi:app"]
        with ExitStack() as stack:
            process = stack.enter_context(subprocess.Popen(command, cwd=ROOT, env=env))
            stack.callback(process.terminate)
            wait_until(lambda: _answers(f"{url}/readyz"), "the server")
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
            self._web = [int(pid) for pid in children.split()]
            yield url


class _InProcess:
    """The same requests without a server, for the profiler."""

    def __init__(self, place: Application, headers: dict[str, str]) -> None:
        self._client = place.app.test_client()
        self._headers = headers

    def get(self, path: str) -> Any:
        """One GET."""
        return self._client.get(path, headers=self._headers)

    def post(self, path: str, json: Any) -> Any:
        """One POST."""
        return self._client.post(path, headers=self._headers, json=json)


@contextmanager
def _database_time() -> Iterator[list[float]]:
    spent: list[float] = []
    execute = psycopg.Cursor.execute

    def timed(*given: Any, **more: Any) -> Any:
        began = time.perf_counter()
        try:
            return execute(*given, **more)
        finally:
            spent.append(time.perf_counter() - began)

    with patch.object(psycopg.Cursor, "execute", timed):
        yield spent


def _timed(send: Callable[[], Any]) -> float:
    began = time.perf_counter()
    answer = send()
    took = (time.perf_counter() - began) * 1000
    assert answer.status_code < 300, answer.text
    return took


def _processor_ms(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def _answers(url: str) -> bool:
    try:
        return httpx2.get(url).status_code == 200
    except httpx2.TransportError:
        return False


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--profile", action="store_true")
    return parser.parse_args()


def _show(results: list[Result]) -> None:
    print(f"\n{'memories':>10}  {'request':<26} {'p50':>7} {'p95':>7} {'p99':>7} {'cpu':>6}  {'1/s':>6}", flush=True)
    for one in results:
        print(
            f"{one.memories:>10,}  {one.what:<26} {one.p50:>7.1f} {one.p95:>7.1f} {one.p99:>7.1f} {one.cpu:>6.1f}  {one.per_second:>6.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
