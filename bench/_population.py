"""Fills a migrated database with memories, by COPY as the superuser: policies allow nobody else.

The rows are those that the write verbs leave: the same columns, terms and indexes.
"""

from __future__ import annotations

import hashlib
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

import numpy as np
import numpy.typing as npt
import psycopg

from tests.servers import TALLY
from webapp.llm.embeddings import StoredVector
from webapp.llm.local import DIMENSIONS, MODEL_NAME
from webapp.terms import memory_terms, packed

SIZES = (20, 200, 2_000, 10_000, 20_000)
MODEL = MODEL_NAME
BURST = 3
"""Memories that one conversation leaves one after the other, before other people's come between."""
POOL = 10_000
# Microseconds from 2000-01-01 to the first memory; then one a second.
FIRST_MOMENT, STEP = 788_918_400_000_000, 1_000_000
CHUNK = 2_000


@dataclass(frozen=True, slots=True)
class Population:
    """Who has how many: user ids by the number of their memories. `seconds` is what loading took.

    Memory number n, from 0, has the id n + 1 and belongs to `owners[n]`.
    """

    org_id: int
    agent_id: int
    users: dict[int, list[int]]
    owners: npt.NDArray[np.int64]
    seconds: float

    @property
    def count(self) -> int:
        """Memories in all."""
        return len(self.owners)


class Contents(Protocol):
    """What memory number n says, in UTF-8; its terms, packed; its vector, as `halfvec_sent` makes it."""

    def content(self, number: int) -> bytes:
        """The text."""

    def terms(self, number: int) -> bytes:
        """The terms of the text."""

    def sent(self, number: int) -> bytes:
        """The vector."""


class RandomVectors:
    """Vectors as different as unrelated texts: slices of one random row, told by a number."""

    def __init__(self, seed: int = 7, length: int = 1 << 22) -> None:
        values = np.random.default_rng(seed).standard_normal(length, dtype=np.float32) / np.sqrt(DIMENSIONS)
        self._values = values.astype(np.float16)
        self._sent = self._values.astype(">f2").tobytes()

    def sent(self, number: int) -> bytes:
        """The vector as PostgreSQL takes it."""
        start = self._start(number)
        return halfvec_sent(self._sent[2 * start : 2 * (start + DIMENSIONS)])

    def vector(self, number: int) -> StoredVector:
        """The same as an array."""
        start = self._start(number)
        return StoredVector(self._values[start : start + DIMENSIONS].astype(np.float32))

    def _start(self, number: int) -> int:
        return int(number * 2_654_435_761 % (self._values.size - DIMENSIONS))


def halfvec_sent(values: bytes) -> bytes:
    """As PostgreSQL takes a halfvec: its length, a number that is not used, the values (big-endian)."""
    return struct.pack(">hh", len(values) // 2, 0) + values


class MadeUp:
    """Texts from a pool, told apart by a number, and random vectors: loading costs little beside PostgreSQL's work."""

    def __init__(self, vectors: RandomVectors) -> None:
        self._texts = _texts()
        self._vectors = vectors

    def content(self, number: int) -> bytes:
        """A sentence of the pool and the number."""
        return self._texts[number % POOL][0] + b" no %d" % number

    def terms(self, number: int) -> bytes:
        """Their terms."""
        return self._texts[number % POOL][1] + packed([str(number)])

    def sent(self, number: int) -> bytes:
        """A slice of the long random row."""
        return self._vectors.sent(number)


def long_tailed(count: int) -> dict[int, int]:
    """How many users of each size: one or a few large ones, two fifths of the rest by 200, three fifths by 20."""
    if count < 50_000:
        made = {20_000: 0, 10_000: 0, 2_000: 1}
    elif count < 500_000:
        made = {20_000: 1, 10_000: 1, 2_000: 10}
    else:
        made = {20_000: 1, 10_000: 3, 2_000: 20}
    rest = count - sum(size * users for size, users in made.items())
    return made | {200: rest * 2 // 5 // 200, 20: rest * 3 // 5 // 20}


def fill(
    url: str, org_id: int, agent_id: int, category_id: int, sizes: dict[int, int], contents: Contents
) -> Population:
    """Load memories for so many users of each size, in the order in which they were said, conversations mixed."""
    began = time.perf_counter()
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        # Foreign keys are checked by triggers; what is loaded here keeps them by construction.
        connection.execute("SET session_replication_role = replica")
        users = {size: _people(connection, org_id, number, size) for size, number in sizes.items()}
        owner = _arrivals([(user, size) for size, found in users.items() for user in found])
        rows = _Rows(org_id, agent_id, category_id, owner, contents)
        for start in range(0, len(owner), CHUNK):
            numbers = range(start, min(start + CHUNK, len(owner)))
            for table, row in rows.tables.items():
                _copy(connection, table, map(row, numbers))
        connection.execute("SELECT setval('memory_id_seq', %s)", [len(owner) + 1])
        connection.execute(TALLY)
        # What is not in the log yet does not count as visible to everybody, so the log is written first.
        connection.execute("CHECKPOINT")
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")
    return Population(org_id, agent_id, users, owner, time.perf_counter() - began)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of memory number n, from 0; every third one is global."""

    org_id: int
    agent_id: int
    category_id: int
    owner: npt.NDArray[np.int64]
    contents: Contents

    @property
    def tables(self) -> dict[str, Callable[[int], bytes]]:
        """Table with its columns → its row."""
        return {
            "memory (org_id, id, user_id, agent_id, category_id, content, content_hash, origin, source_session_id, "
            "occurred_at, created_at, updated_at)": self.memory,
            "memory_search (org_id, user_id, memory_id, agent_id, session_key, said_at, terms)": self.search,
            "memory_vector (org_id, user_id, memory_id, embedding_model, agent_id, embedding)": self.vector,
        }

    def memory(self, number: int) -> bytes:
        content = self.contents.content(number)
        moment = _integer(FIRST_MOMENT + number * STEP)
        agent, category = self._scope(number)
        return _row(
            _integer(self.org_id), _integer(number + 1), self._user(number), agent, category, content,
            hashlib.sha256(content).digest(), b"imported", b"s%d" % (number // BURST), moment, moment, moment,
        )  # fmt: skip

    def search(self, number: int) -> bytes:
        moment, session = _integer(FIRST_MOMENT + number * STEP), _integer(number // BURST + 1)
        agent, _ = self._scope(number)
        return _row(
            _integer(self.org_id), self._user(number), _integer(number + 1), agent, session, moment,
            self.contents.terms(number),
        )  # fmt: skip

    def vector(self, number: int) -> bytes:
        agent, _ = self._scope(number)
        embedding = self.contents.sent(number)
        return _row(_integer(self.org_id), self._user(number), _integer(number + 1), MODEL.encode(), agent, embedding)

    def _user(self, number: int) -> bytes:
        return _integer(int(self.owner[number]))

    def _scope(self, number: int) -> tuple[bytes | None, bytes | None]:
        return (None, None) if number % 3 == 0 else (_integer(self.agent_id), _integer(self.category_id))


def _arrivals(users: Sequence[tuple[int, int]]) -> npt.NDArray[np.int64]:
    """Whose the next memory is: bursts of each user, all in one random order."""
    ids = np.array([user for user, _ in users], dtype=np.int64)
    bursts = np.repeat(ids, [-(-size // BURST) for _, size in users])
    np.random.default_rng(11).shuffle(bursts)
    owner = np.repeat(bursts, BURST)
    # The last burst of each user is cut to their number of memories.
    seen = np.zeros(int(ids.max()) + 1, dtype=np.int64)
    limit = np.zeros_like(seen)
    limit[ids] = [size for _, size in users]
    order = np.argsort(owner, kind="stable")
    starts = np.searchsorted(owner[order], owner[order])
    rank = np.empty_like(owner)
    rank[order] = np.arange(len(owner)) - starts
    return owner[rank < limit[owner]]


def _texts() -> list[tuple[bytes, bytes]]:
    """Sentences of made-up words as often as words are (Zipf), with their terms."""
    chance = np.random.default_rng(5)
    words = [
        first + middle + last for first in "bdfglmnprst" for middle in ("ala", "eno", "iru", "osi") for last in _ENDINGS
    ]
    picks = np.minimum(chance.zipf(1.3, (POOL, 11)), len(words)) - 1
    sentences = ["The user " + " ".join(words[pick] for pick in row) for row in picks]
    return [(text.encode(), packed(memory_terms(text, date(2025, 1, 1)))) for text in sentences]


_ENDINGS = [f"{one}{two}" for one in "bdfgklmnprst" for two in ("o", "an", "ek", "il", "us", "yr", "ad", "em", "in")]


def _people(connection: psycopg.Connection, org_id: int, number: int, size: int) -> list[int]:
    found = connection.execute(
        "INSERT INTO account (username, email) SELECT format('u%%sx%%s', %s::int, n), format('u%%sx%%s@bench.invalid', "
        "%s::int, n) FROM generate_series(1, %s) n RETURNING id",
        [size, size, number],
    ).fetchall()
    ids = [row[0] for row in found]
    for table in ("membership", "subject"):
        connection.execute(f"INSERT INTO {table} (org_id, user_id) SELECT %s, unnest(%s::bigint[])", [org_id, ids])
    return ids


def _copy(connection: psycopg.Connection, table: str, rows: Iterable[bytes]) -> None:
    with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)") as copy:
        copy.write(b"".join(_framed(rows)))


def _framed(rows: Iterable[bytes]) -> Iterator[bytes]:
    yield b"PGCOPY\n\xff\r\n\0" + bytes(8)
    yield from rows
    yield struct.pack(">h", -1)


def _row(*fields: bytes | None) -> bytes:
    parts = [struct.pack(">h", len(fields))]
    for field in fields:
        parts.append(struct.pack(">i", -1) if field is None else struct.pack(">i", len(field)) + field)
    return b"".join(parts)


def _integer(value: int) -> bytes:
    return struct.pack(">q", value)
