"""Storing and searching beside mem0 over pgvector: the same memories, vectors, queries and embedding process, one run.

    python -m bench.peers --peer /path/to/python [--sizes 10000 100000] [--queries 200]

Prints a table and writes bench/out/peers.json. `--peer` is a Python with mem0ai 2.2.1, psycopg[binary,pool] and httpx;
without it only the product is measured. Every user has 200 memories. Each query occurs once: `embed` is the time that
its embedding alone takes, which both systems spend in the same process and which is part of `search`; `search, known`
is a search whose embedding is known already, as where a person asks again. `nearest` is the share of the ten truly
nearest memories of the user that the vector search of each system returns.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from bench import _graph_data
from bench._application import Application, application
from bench._population import MODEL, Population, fill, halfvec_sent
from webapp.db.session import transaction
from webapp.embedded.embedding import embedding_socket
from webapp.memory import categories, search
from webapp.memory.write import manual
from webapp.recall.recall import recall
from webapp.runtime import runtime
from webapp.terms import memory_terms, packed

OUT = Path(__file__).parent / "out" / "peers.json"
PEER = Path(__file__).with_name("mem0_peer.py")
EACH, NEIGHBOURS, STORED = 200, 10, 100


@dataclass(frozen=True, slots=True)
class Result:
    """One line: milliseconds at the median and the 95th percentile, or a share from 0 to 1."""

    system: str
    memories: int
    what: str
    p50: float | None = None
    p95: float | None = None
    share: float | None = None


class Sentences:
    """The memories of `_graph_data`: sentences and their vectors."""

    def __init__(self, data: _graph_data.Data) -> None:
        self._data = data

    def content(self, number: int) -> bytes:
        """The sentence; its number makes a repeated one another memory."""
        return f"{self._data.facts[number].text} ({number})".encode()

    def terms(self, number: int) -> bytes:
        """Its terms."""
        return packed(memory_terms(self.content(number).decode(), date(2025, 1, 1)))

    def sent(self, number: int) -> bytes:
        """Its vector."""
        return halfvec_sent(self._data.vectors[number].astype(">f2").tobytes())


def main() -> None:
    """Measure all sizes and print them."""
    given = _arguments()
    results: list[Result] = []
    for size in given.sizes:
        with application() as place:
            data = _graph_data.make(size, given.queries, runtime().embedder)
            filed = categories.create(place.actor, place.agent_id, name="Benchmark")
            population = fill(
                place.superuser_url, place.actor.org_id, place.agent_id, filed.id, {EACH: size // EACH}, Sentences(data)
            )
            results += _ours(place, population, data)
            _show(results)
            if given.peer:
                results += _peer(given.peer, place, population, data)
                _show(results)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps([asdict(one) for one in results], indent=2) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--peer", default="")
    return parser.parse_args()


def asked(population: Population, queries: Sequence[str]) -> list[tuple[int, str]]:
    """Who asks what: the users in turn."""
    users = population.users[EACH]
    return [(users[number % len(users)], text) for number, text in enumerate(queries)]


def _ours(place: Application, population: Population, data: _graph_data.Data) -> Iterator[Result]:
    actor, agent, embedder = place.actor, place.agent_id, runtime().embedder
    asking = asked(population, data.queries)

    def look(user: int, text: str) -> None:
        recall(actor, user_id=user, agent_id=agent, message=text)

    for user, text in asking[:20]:
        look(user, text + " please")
    size = population.count
    yield _timed(size, "embed", (lambda text=text: embedder.embed_one(text + " now") for text in data.queries))  # type: ignore[misc]
    yield _timed(size, "search", (lambda one=one: look(*one) for one in asking))  # type: ignore[misc]
    yield _timed(size, "search, known", (lambda one=one: look(*one) for one in asking))  # type: ignore[misc]
    yield Result("agent-memory", size, "nearest", share=_nearest(place, population, data))
    owner = population.users[EACH][0]
    drafts = [manual.Draft(owner, f"{text} said the user, number {n}") for n, text in enumerate(data.queries[:STORED])]
    yield _timed(size, "store", (lambda draft=draft: manual.add(actor, draft) for draft in drafts))  # type: ignore[misc]


def _timed(size: int, what: str, calls: Iterable[Callable[[], object]]) -> Result:
    took = []
    for call in calls:
        begun = time.perf_counter()
        call()
        took.append((time.perf_counter() - begun) * 1000)
    p50, p95 = np.percentile(took, [50, 95]).round(1).tolist()
    return Result("agent-memory", size, what, p50, p95)


def _nearest(place: Application, population: Population, data: _graph_data.Data) -> float:
    shares = []
    for user, text in asked(population, data.queries)[:50]:
        vector = runtime().embedder.stored(runtime().embedder.embed_one(text))
        with transaction(place.actor.org_id) as session:
            found = search.corpus(session, place.actor.org_id, user, place.agent_id, MODEL, vector).memories
        best = found.ids[np.argsort(-found.similarities)[:NEIGHBOURS]] - 1
        shares.append(len(np.intersect1d(best, _true(population, data, user, vector))) / NEIGHBOURS)
    return round(float(np.mean(shares)), 3)


def _true(population: Population, data: _graph_data.Data, user: int, vector: npt.NDArray[np.float32]) -> list[int]:
    """The numbers of the user's nearest memories, by brute force."""
    own = np.flatnonzero(population.owners == user)
    cosines = data.vectors[own] @ vector
    return [int(one) for one in own[np.argsort(-cosines)[:NEIGHBOURS]]]


def _peer(python: str, place: Application, population: Population, data: _graph_data.Data) -> list[Result]:
    embedder = runtime().embedder
    asking = asked(population, data.queries)
    true = [_true(population, data, user, embedder.stored(embedder.embed_one(text))) for user, text in asking[:50]]
    given = {
        "texts": [one.text for one in data.facts],
        "owners": population.owners.tolist(),
        "asked": asking,
        "true": true,
        "stored": STORED,
    }
    with tempfile.TemporaryDirectory(prefix="mem0-peer-") as folder:
        np.save(Path(folder) / "vectors.npy", data.vectors)
        (Path(folder) / "data.json").write_text(json.dumps(given))
        url = place.superuser_url.replace("+psycopg", "")
        command = [python, str(PEER), folder, str(embedding_socket(place.settings.data_dir)), url]
        env = os.environ | {"MEM0_TELEMETRY": "false", "MEM0_DIR": folder}
        ran = subprocess.run(command, capture_output=True, text=True, env=env)
    if ran.returncode:
        print("the peer failed:", ran.stderr[-2000:], flush=True)
        return []
    return [Result(**line) for line in json.loads(ran.stdout.splitlines()[-1])]


def _show(results: Sequence[Result]) -> None:
    table = Table("system", "memories", "what", "p50 ms", "p95 ms", "share")
    for one in results:
        figures = ("" if value is None else f"{value:.1f}" for value in (one.p50, one.p95))
        table.add_row(
            one.system, f"{one.memories:,}", one.what, *figures, "" if one.share is None else f"{one.share:.3f}"
        )
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
