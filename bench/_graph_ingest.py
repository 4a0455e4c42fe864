"""What ingestion costs beside the model, for `bench.graph`: a scripted model that answers at once."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench._application import Application, application
from jobs.worker import Process
from tests.capture_world import eventually
from tests.model_server import Call, Reply, running
from webapp.db.session import transaction
from webapp.embedded.embedding import embedding_socket
from webapp.graph import accept
from webapp.graph.accept import NewMessage

PEER = Path(__file__).with_name("graph_peer.py")


def ingestion(count: int, peer: str) -> Iterator[dict[str, Any]]:
    """A line for the rules, one for the model, and one for the peer where there is one."""
    with application() as place:
        yield _ours(place, count, "ingestion, built-in rules", calls=None)
        if peer:
            yield from _peer(peer, count, str(embedding_socket(place.settings.data_dir)))
    with running() as model:
        model.rule(_answer)
        given: dict[str, Any] = {
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": "none",
            "MEMORY_EMBEDDING_MODEL": "builtin",
        }
        with application(**given) as place:
            yield _ours(place, count, "ingestion, {:.1f} model calls a message", calls=lambda: len(model.chats()))


def _ours(place: Application, count: int, what: str, calls: Any) -> dict[str, Any]:
    """Messages of one group one after the other: what they wait for is their own processing."""
    process = Process(place.app)
    process.start()
    took = []
    try:
        for number in range(count):
            text = f"Person {number} works for Company {number}"
            begun = time.perf_counter()
            accept.add_messages(place.actor, "bench", [NewMessage(text, "user", "Ann")], place.settings)
            process.drain.wake()
            eventually(lambda: not _unfinished(place), 30)
            took.append((time.perf_counter() - begun) * 1000)
    finally:
        process.stop()
    p50, p95 = (round(float(np.percentile(took, at)), 1) for at in (50, 95))
    label = what.format(calls() / count) if calls else what
    return {"system": "agent-memory", "facts": count, "what": label, "p50": p50, "p95": p95}


def _unfinished(place: Application) -> bool:
    from sqlalchemy import text

    with transaction(place.actor.org_id) as session:
        return bool(session.scalar(text("SELECT 1 FROM inbox WHERE state IN ('pending', 'claimed') LIMIT 1")))


def _answer(call: Call) -> Reply | None:
    if call.endpoint != "chat":
        return None
    found = re.findall(r"Person \d+ works for Company \d+", call.prompt.rpartition("NEW MESSAGE")[2])
    person, company = found[0].split(" works for ") if found else ("Ann", "Ann")
    fact: dict[str, Any] = {
        "source": person, "target": company, "relation": "WORKS_FOR", "fact": f"{person} works for {company}", "single": None,
        "valid_at": None, "invalid_at": None, "same": None, "replaces": [],
    }  # fmt: skip
    entities = [{"name": name, "known": None} for name in (person, company)]
    return Reply(json.dumps({"entities": entities, "facts": [fact], "ended": []}))


def _peer(python: str, count: int, socket: str) -> list[dict[str, Any]]:
    command = [python, str(PEER), "ingest", str(count), socket]
    ran = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"EMBEDDING_DIM": "384"})
    if ran.returncode:
        print("the peer failed:", ran.stderr[-2000:], flush=True)
        return []
    lines: list[dict[str, Any]] = json.loads(ran.stdout.splitlines()[-1])
    return lines
