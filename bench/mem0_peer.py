"""mem0 over pgvector, for `bench.peers`: run by a Python of its own, outside the project.

    python mem0_peer.py FOLDER SOCKET DATABASE_URL

Once with mem0's own settings (an HNSW index over everybody's vectors), once without that index (exact, over everybody).
Prints one line of JSON: the results, in the form of `bench.peers.Result`.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psycopg
from mem0 import Memory
from mem0.utils.lemmatization import lemmatize_for_bm25

NEIGHBOURS, BATCH = 10, 1_000


class SameEmbedder:
    """The embedding process that the other system asks, over the same socket."""

    def __init__(self, socket: str) -> None:
        self._client = httpx.Client(transport=httpx.HTTPTransport(uds=socket), base_url="http://embed/v1", timeout=60)

    def embed(self, text: str, _memory_action: str | None = None) -> list[float]:
        """One vector."""
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: list[str], _memory_action: str | None = None) -> list[list[float]]:
        """A vector per text."""
        body = {"model": "all-MiniLM-L6-v2", "input": texts, "encoding_format": "float"}
        answer = self._client.post("/embeddings", json=body)
        answer.raise_for_status()
        return [one["embedding"] for one in answer.json()["data"]]


class Known:
    """What was embedded once is not embedded again."""

    def __init__(self, embedder: SameEmbedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, list[float]] = {}

    def embed(self, text: str, _memory_action: str | None = None) -> list[float]:
        """One vector."""
        if text not in self._vectors:
            self._vectors[text] = self._embedder.embed(text)
        return self._vectors[text]

    def embed_batch(self, texts: list[str], _memory_action: str | None = None) -> list[list[float]]:
        """A vector per text."""
        return [self.embed(text) for text in texts]


def main() -> None:
    """Load, measure, drop the index, measure again."""
    folder, socket, url = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    given = json.loads((folder / "data.json").read_text())
    embedder = SameEmbedder(socket)
    memory = _memory(url, folder)
    memory.embedding_model = embedder
    numbers = _load(memory, given, np.load(folder / "vectors.npy").tolist())
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE mem0")
        results = list(_measure("mem0", memory, embedder, given, numbers))
        connection.execute("DROP INDEX mem0_hnsw_idx")
    results += _measure("mem0, exact", memory, embedder, given, numbers)
    print(json.dumps(results))


def _memory(url: str, folder: Path) -> Any:
    store = {"connection_string": url, "collection_name": "mem0", "embedding_model_dims": 384}
    return Memory.from_config(
        {
            "vector_store": {"provider": "pgvector", "config": store},
            "embedder": {"provider": "openai", "config": {"api_key": "none", "embedding_dims": 384}},
            "llm": {"provider": "openai", "config": {"api_key": "none"}},
            "history_db_path": str(folder / "history.db"),
        }
    )


def _load(memory: Any, given: dict[str, Any], vectors: list[list[float]]) -> dict[str, int]:
    """The rows that `Memory.add` leaves, by its store's own insert. Returns the number of each id."""
    ids = [str(uuid.uuid4()) for _ in given["texts"]]
    rows = [_payload(f"{text} ({n})", given["owners"][n]) for n, text in enumerate(given["texts"])]
    for start in range(0, len(rows), BATCH):
        here = slice(start, start + BATCH)
        memory.vector_store.insert(vectors=vectors[here], payloads=rows[here], ids=ids[here])
    return {one: number for number, one in enumerate(ids)}


def _payload(text: str, owner: int) -> dict[str, Any]:
    moment = "2025-01-01T00:00:00+00:00"
    return {
        "user_id": str(owner),
        "role": "user",
        "data": text,
        "hash": hashlib.md5(text.encode()).hexdigest(),
        "created_at": moment,
        "updated_at": moment,
        "text_lemmatized": lemmatize_for_bm25(text),
    }


def _measure(
    system: str, memory: Any, embedder: SameEmbedder, given: dict[str, Any], numbers: dict[str, int]
) -> Iterator[dict[str, Any]]:
    size = len(given["texts"])

    def look(user: int, text: str) -> None:
        memory.search(text, top_k=NEIGHBOURS, filters={"user_id": str(user)})

    def timed(what: str, calls: Iterable[Callable[[], object]]) -> dict[str, Any]:
        took = []
        for call in calls:
            begun = time.perf_counter()
            call()
            took.append((time.perf_counter() - begun) * 1000)
        p50, p95 = np.percentile(took, [50, 95]).round(1).tolist()
        return {"system": system, "memories": size, "what": what, "p50": p50, "p95": p95}

    asked = given["asked"]
    for user, text in asked[:20]:
        look(user, text + " please")
    yield timed("search", (lambda one=one: look(*one) for one in asked))
    memory.embedding_model = Known(embedder)
    for _, text in asked:
        memory.embedding_model.embed(text)
    yield timed("search, known", (lambda one=one: look(*one) for one in asked))
    memory.embedding_model = embedder
    shares = []
    for (user, text), true in zip(asked, given["true"], strict=False):
        rows = memory.vector_store.search(text, embedder.embed(text), NEIGHBOURS, {"user_id": str(user)})
        shares.append(len({numbers.get(one.id, -1) for one in rows} & set(true)) / NEIGHBOURS)
    yield {"system": system, "memories": size, "what": "nearest", "share": round(float(np.mean(shares)), 3)}
    texts = [f"{text} said the user, number {n}" for n, (_, text) in enumerate(asked[: given["stored"]])]
    owner = str(asked[0][0])
    yield timed("store", (lambda text=text: memory.add(text, user_id=owner, infer=False) for text in texts))


if __name__ == "__main__":
    main()
