"""How long the screens take over a million memories: the time to the first byte of every page, and its size.

    python -m bench.pages [--requests 30]

Real HTTP to the production server (gunicorn) over embedded PostgreSQL, signed in as an admin, a curator and a learner.
Prints a table and writes bench/out/pages.json. What is in the database: `bench/_pages_data.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx2
import numpy as np
import psycopg

from bench import _pages_data
from bench._application import Application, application
from tests.functional.installation import free_port, wait_until
from webapp.access import sign_in
from webapp.db.session import installation
from webapp.directory import agents, people
from webapp.memory import categories

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "bench" / "out" / "pages.json"
PASSWORD = "correct horse battery staple"
PARTIAL = {"HX-Request": "true", "HX-Request-Type": "partial"}
TENANT, AGENT, ME = "/orgs/bench/memory", "/orgs/bench/agents/bench/memory", "/orgs/bench/me/memory"
PAGES = (
    ("admin", "Tenant, global", TENANT),
    ("admin", "Tenant, search for a user", f"{TENANT}?q=u49"),
    ("admin", "Tenant, agents", f"{TENANT}?view=agent"),
    ("admin", "A person", f"{TENANT}/users/learner"),
    ("admin", "Activity", f"{TENANT}/activity"),
    ("admin", "Audit", f"{TENANT}/audit"),
    ("admin", "People", "/orgs/bench/people"),
    ("admin", "Agents", "/orgs/bench/agents"),
    ("admin", "Tokens", "/orgs/bench/tokens"),
    ("curator", "User Memories, 100,000", AGENT),
    ("curator", "User Memories, page 2,500", f"{AGENT}?page=2500"),
    ("curator", "User Memories, one category", f"{AGENT}?category=c3"),
    ("curator", "User Memories, one person", f"{AGENT}?user=u17"),
    ("curator", "User Memories, a date range", f"{AGENT}?start=2020-01-01"),
    ("curator", "User Memories, text", f"{AGENT}?q=number+4711"),
    ("curator", "Categories", f"{AGENT}/categories"),
    ("curator", "Shared Memory", f"{AGENT}/shared"),
    ("curator", "Recently deleted", f"{AGENT}/deleted"),
    ("learner", "My memory, 10,000", ME),
    ("learner", "My memory, search", f"{ME}?q=number+4711"),
    ("learner", "Account", "/account"),
    ("learner", "My tokens", "/orgs/bench/me/tokens"),
)


@dataclass(frozen=True, slots=True)
class Result:
    """One page: milliseconds to its first byte, whole and as what htmx asks for, and its kilobytes."""

    page: str
    p50: float
    p95: float
    part_p50: float
    kilobytes: float


def main() -> None:
    """Fill, serve, ask."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--requests", type=int, default=30)
    given = parser.parse_args()
    with application(with_model=False, OPENAI_BASE_URL="http://127.0.0.1:9/v1") as place:
        count = _prepare(place)
        print(f"{count:,} memories")
        with _server(place) as url:
            clients = {who: _signed_in(url, who) for who in ("admin", "curator", "learner")}
            results = [_measured(clients[who], page, path, given.requests) for who, page, path in PAGES]
    for one in results:
        print(
            f"{one.page:32} p50 {one.p50:6.1f}  p95 {one.p95:6.1f}  part {one.part_p50:6.1f} ms  {one.kilobytes:6.1f} kB"
        )
    print(f"median of all pages: {np.median([one.p50 for one in results]):.1f} ms")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps([asdict(one) for one in results], indent=2) + "\n")


def _prepare(place: Application) -> int:
    draft = people.PersonDraft(role="admin", email="admin@bench.invalid")
    people.put_person(place.actor, "admin", draft)
    for name in ("curator", "learner"):
        place.user(name)
    agents.put_agent(place.actor, "bench", agents.AgentDraft(editors=["curator"]))
    categories.list_categories(place.actor, place.agent_id, include_inactive=True)
    with psycopg.connect(place.superuser_url.replace("+psycopg", ""), autocommit=True) as connection:
        count = _pages_data.fill(connection, place.actor.org_id)
    with installation() as session:
        for name in ("admin", "curator", "learner"):
            account = sign_in.find_account(session, name)
            assert account is not None
            sign_in.set_password(session, account.id, PASSWORD)
    return count


def _measured(client: httpx2.Client, page: str, path: str, requests: int) -> Result:
    whole = [_first_byte(client, path, {}) for _ in range(requests + 3)][3:]
    part = [_first_byte(client, path, PARTIAL) for _ in range(requests + 3)][3:]
    size = len(client.get(path).content) / 1000
    p50, p95 = (float(each) for each in np.percentile(whole, [50, 95]))
    return Result(page, p50, p95, float(np.median(part)), size)


def _first_byte(client: httpx2.Client, path: str, headers: dict[str, str]) -> float:
    began = time.perf_counter()
    with client.stream("GET", path, headers=headers) as answer:
        took = (time.perf_counter() - began) * 1000
        assert answer.status_code == 200, (path, answer.status_code)
        answer.read()
    return took


def _signed_in(url: str, name: str) -> httpx2.Client:
    client = httpx2.Client(base_url=url, timeout=60)
    token = re.search(r'name="csrf_token" value="([^"]+)"', client.get("/login").text)
    assert token
    answer = client.post("/login", data={"login": name, "password": PASSWORD, "csrf_token": token[1]})
    assert answer.status_code == 303, answer.status_code
    return client


@contextmanager
def _server(place: Application) -> Iterator[str]:
    port = free_port()
    env = os.environ | place.settings.environment() | {"PORT": str(port), "LOG_LEVEL": "error"}
    with ExitStack() as stack:
        command = [sys.executable, "-m", "gunicorn", "wsgi:app"]
        process = stack.enter_context(subprocess.Popen(command, cwd=ROOT, env=env))
        stack.callback(process.terminate)
        wait_until(lambda: _answers(f"http://127.0.0.1:{port}/healthz"), "the server")
        yield f"http://127.0.0.1:{port}"


def _answers(url: str) -> bool:
    try:
        return httpx2.get(url, timeout=5).status_code == 200
    except httpx2.TransportError:
        return False


if __name__ == "__main__":
    main()
