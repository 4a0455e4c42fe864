"""What recall, lists, counts and writing cost as the table grows, and that the search stays exact.

    python -m bench.growth [--sizes 10000 100000 1000000]

Prints a table per number of memories and writes bench/out/growth.json. Users are long-tailed: one with 20,000
memories, most with 20 or 200. `cpu` is the processor time of this process and of its database backend together, which
does not depend on what else the machine does; times by the clock do. `pages` are the 8 kB pages that the two searches
of one recall touch. 5,000,000 memories take 25 GB of disk.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import psycopg
from rich.console import Console
from rich.table import Table
from sqlalchemy import text

from bench._application import Application, application
from bench._meter import Times, measure
from bench._population import MODEL, MadeUp, Population, RandomVectors, fill, long_tailed
from webapp.db import binary
from webapp.db.halfvec import Halfvec
from webapp.db.session import transaction
from webapp.llm.embeddings import StoredVector, Vector, Vectors, profile_of
from webapp.memory import categories, queries, search
from webapp.memory.nearest import nearest
from webapp.memory.queries import MemoryFilter
from webapp.memory.write import manual
from webapp.recall.recall import recall
from webapp.runtime import runtime

OUT = Path(__file__).parent / "out" / "growth.json"
RUNS, USERS, NEIGHBOURS = 100, 20, 10
MESSAGES = ("What did I say about fenodil and gosiyr?", "Tell me more of that, please.", "dalabek or firudil, no 7")
ONE_DAY = (datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 1, 2, tzinfo=UTC))


class KnownVectors:
    """Stands in for the embedding client, as if every text were in its cache: the text picks a vector."""

    def __init__(self, vectors: RandomVectors) -> None:
        self.profile = profile_of(MODEL)
        self.model = MODEL
        self._vectors = vectors

    def stored(self, vector: Vector) -> StoredVector:
        """They have the model's own length."""
        return StoredVector(vector)

    def known(self, given: str) -> Vector:
        """As if every text had been embedded before."""
        return self.embed_one(given)

    def embed_one(self, given: str) -> Vector:
        """The vector of the text."""
        return self._vectors.vector(1_000_000_007 + sum(given.encode()))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The same for several."""
        return np.array([self.embed_one(each) for each in texts])


@dataclass(frozen=True, slots=True)
class Cost:
    """What one thing takes, done again and again. `exact`: the share of the true nearest that the search finds."""

    what: str
    times: Times
    pages: int | None = None
    exact: float | None = None


@dataclass(frozen=True, slots=True)
class Growth:
    """One number of memories."""

    memories: int
    loaded_per_second: float
    bytes_per_memory: dict[str, float]
    costs: list[Cost]


class Bench:
    """One filled database."""

    def __init__(self, product: Application, population: Population) -> None:
        self._product = product
        self._population = population
        self._org_id = product.actor.org_id
        with transaction(self._org_id) as session:
            self._backend = session.scalar(text("SELECT pg_backend_pid()")) or 0
        self._numbers = itertools.count(1)

    def run(self) -> Growth:
        """Everything that is measured."""
        population = self._population
        recalls = [self._recalls(size, users[:USERS]) for size, users in population.users.items() if users]
        costs = [*recalls, *self._lists(), self._writes()]
        return Growth(population.count, round(population.count / population.seconds), self._bytes(), costs)

    def _time(self, calls: Sequence[Callable[[], object]]) -> Times:
        return measure(calls, [self._backend], RUNS)

    def _recalls(self, size: int, users: Sequence[int]) -> Cost:
        agent, actor = self._population.agent_id, self._product.actor
        calls = [
            lambda user=user, message=message: recall(actor, user_id=user, agent_id=agent, message=message)
            for user in users
            for message in MESSAGES
        ]
        exact = float(np.mean([self._exactness(user, scope) for user in users[:5] for scope in (None, agent)]))
        return Cost(f"recall, user of {size:,}", self._time(calls), self._pages(users[0]), exact)

    def _exactness(self, user_id: int, agent_id: int | None) -> float:
        """The share of the ten nearest by brute force that the search returns."""
        asked = StoredVector(runtime().embedder.embed_one(MESSAGES[0]))
        with transaction(self._org_id) as session:
            found = nearest(session, self._org_id, user_id, agent_id, MODEL, asked, NEIGHBOURS)
        query = "SELECT memory_id, embedding::real[] FROM memory_vector WHERE user_id = %s AND agent_id IS NOT DISTINCT FROM %s"
        with psycopg.connect(self._product.superuser_url.replace("+psycopg", "")) as connection:
            rows = connection.execute(query, [user_id, agent_id]).fetchall()
        ids, vectors = np.array([row[0] for row in rows]), np.array([row[1] for row in rows], dtype=np.float64)
        stored = asked.astype(np.float16).astype(np.float64)
        cosines = vectors @ stored / np.linalg.norm(vectors, axis=1) / np.linalg.norm(stored)
        true = ids[np.argsort(-cosines)[:NEIGHBOURS]]
        return len({one.memory_id for one in found}.intersection(true.tolist())) / len(true)

    def _pages(self, user_id: int) -> int:
        vector = runtime().embedder.embed_one(MESSAGES[0])
        given = {
            "org": self._org_id, "user": user_id, "agent": self._population.agent_id, "model": MODEL,
            "vector": Halfvec(vector), "length": len(vector),
        }  # fmt: skip
        with transaction(self._org_id) as session:
            ((plan,),) = binary.rows(session, f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {search.CORPUS}", given)
        return int(plan[0]["Plan"]["Shared Hit Blocks"] + plan[0]["Plan"]["Shared Read Blocks"])

    def _lists(self) -> list[Cost]:
        actor, agent = self._product.actor, self._population.agent_id
        size, largest = next((size, users[0]) for size, users in self._population.users.items() if users)
        mine, every = MemoryFilter(scope="global", user_id=largest), MemoryFilter(scope="agent", agent_id=agent)
        one_day = MemoryFilter(scope="agent", agent_id=agent, start=ONE_DAY[0], end=ONE_DAY[1])
        things: dict[str, Callable[[], object]] = {
            f"list of the user of {size:,}, page 1": lambda: queries.list_memories(actor, mine),
            f"list of the user of {size:,}, page 100": lambda: queries.list_memories(actor, mine, page=100),
            "list of the agent, page 1, with its count": lambda: queries.list_memories(actor, every),
            "list of the agent, one day": lambda: queries.list_memories(actor, one_day),
            "counts of the agent by category": lambda: queries.count_by_category(actor, every),
        }
        return [Cost(what, self._time([call])) for what, call in things.items()]

    def _writes(self) -> Cost:
        size, users = next((size, users) for size, users in self._population.users.items() if len(users) > 1)
        actor = self._product.actor

        def add() -> None:
            number = next(self._numbers)
            manual.add(actor, manual.Draft(users[number % len(users)], f"The user has said new thing number {number}"))

        return Cost(f"add one memory, embedded, user of {size:,}", self._time([add]))

    def _bytes(self) -> dict[str, float]:
        query = "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relname = ANY(%s) ORDER BY relname"
        tables = ["memory", "memory_search", "memory_vector"]
        with psycopg.connect(self._product.superuser_url.replace("+psycopg", "")) as connection:
            found = connection.execute(query, [tables]).fetchall()
        return {table: round(size / self._population.count) for table, size in found}


def grow(count: int) -> Growth:
    """Fill a database of its own with so many memories, and measure."""
    # Random vectors are unrelated; with this floor half of them are relevant, so that every place is fought for.
    with application(with_model=False, MEMORY_RECALL_FLOOR="1") as product:
        vectors = RandomVectors()
        runtime().embedder = KnownVectors(vectors)  # type: ignore[assignment]
        filed = categories.list_categories(product.actor, product.agent_id).rows[0]
        place = (product.superuser_url, product.actor.org_id, product.agent_id, filed.id)
        population = fill(*place, long_tailed(count), MadeUp(vectors))
        return Bench(product, population).run()


def show(growth: Growth) -> None:
    """Print the table of one number of memories."""
    title = f"{growth.memories:,} memories; {growth.loaded_per_second:,} loaded a second; bytes per memory {growth.bytes_per_memory}"
    table = Table("what", "p50 ms", "p95 ms", "cpu p50", "cpu p95", "pages", "exact", title=title, title_justify="left")
    for one in growth.costs:
        blank = ["" if each is None else str(each) for each in (one.pages, one.exact)]
        table.add_row(one.what, *map(str, asdict(one.times).values()), *blank)
    Console(width=140).print(table)


def main() -> None:
    """Measure each size, print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], help="numbers of memories"
    )
    given = parser.parse_args()
    found = []
    for count in given.sizes:
        found.append(grow(count))
        show(found[-1])
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps([asdict(each) for each in found], indent=1))


if __name__ == "__main__":
    main()
