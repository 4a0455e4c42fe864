"""The embedding client against a real HTTP server: what it guarantees, and what it refuses to pass on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.model_server import DIMENSIONS, ModelServer, Reply, Way, embedding_answer, error, running, vector
from webapp.errors import Unavailable
from webapp.llm.embeddings import BATCH_SIZE, MAX_TEXT_CHARACTERS, STORED_DIMENSIONS, Embedder, profile_of
from webapp.llm.local import MODEL_NAME


@pytest.fixture(scope="module")
def shared_server() -> Iterator[ModelServer]:
    with running() as server:
        yield server


@pytest.fixture
def server(shared_server: ModelServer) -> ModelServer:
    shared_server.forget()
    return shared_server


@pytest.fixture
def connect(server: ModelServer) -> Iterator[Callable[..., Embedder]]:
    with ExitStack() as stack:

        def connect(**arguments: Any) -> Embedder:
            given = {"model": "scripted", "base_url": server.url, "timeout": 5.0} | arguments
            return stack.enter_context(closing(Embedder(**given)))

        yield connect


@pytest.fixture
def embedder(connect: Callable[..., Embedder]) -> Embedder:
    return connect()


def sent(server: ModelServer) -> list[list[str]]:
    return [list(call.parameters["input"]) for call in server.calls]


def test_each_text_gets_its_vector_of_length_one_padded_with_zeros(embedder: Embedder) -> None:
    found = embedder.embed(["tea", "falcon"])
    assert found.shape == (2, STORED_DIMENSIONS) == (2, embedder.dimensions)
    assert found[0, :DIMENSIONS] == pytest.approx(vector("tea"), abs=1e-6)
    assert found[1, :DIMENSIONS] == pytest.approx(vector("falcon"), abs=1e-6)
    assert not found[:, DIMENSIONS:].any()
    assert np.linalg.norm(found, axis=1) == pytest.approx([1, 1])


@pytest.mark.parametrize("model", ["scripted", "text-embedding-3-small"])
def test_what_is_stored_has_the_length_of_the_models_answers(
    server: ModelServer, connect: Callable[..., Embedder], model: str
) -> None:
    own = [0.6, 0.8, *[0.0] * (profile_of(model).dimensions or 3)][: profile_of(model).dimensions]
    server.embed = lambda texts: embedding_answer([own] * len(texts))
    embedder = connect(model=model)
    assert embedder.stored(embedder.embed_one("tea")).tolist() == pytest.approx(own)


def test_no_texts_need_no_server(server: ModelServer, embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, STORED_DIMENSIONS)
    assert not server.calls


def test_a_vector_that_is_not_of_length_one_becomes_so(server: ModelServer, embedder: Embedder) -> None:
    server.embed = lambda texts: embedding_answer([[3.0, 4.0]] * len(texts))
    assert embedder.embed_one("tea")[:2].tolist() == pytest.approx([0.6, 0.8])


def test_the_answer_may_come_in_another_order_and_in_plain_numbers(server: ModelServer, embedder: Embedder) -> None:
    data = [{"object": "embedding", "index": index, "embedding": [float(index), 1.0]} for index in (1, 0)]
    server.once = Reply(body=json.dumps({"object": "list", "data": data, "model": "m"}).encode())
    assert embedder.embed(["zero", "one"])[:, 0].tolist() == pytest.approx([0.0, 0.5**0.5])


def test_what_is_known_is_not_asked_again(server: ModelServer, embedder: Embedder) -> None:
    embedder.embed(["tea", "falcon", "tea"])
    embedder.embed(["sea", "falcon"])
    assert sent(server) == [["tea", "falcon"], ["sea"]]


def test_what_is_known_is_given_without_the_server(server: ModelServer, embedder: Embedder) -> None:
    assert embedder.known("tea") is None
    vector = embedder.embed_one("tea")
    found = embedder.known("tea")
    assert found is not None
    assert found.tolist() == vector.tolist()
    assert len(server.calls) == 1


def test_the_cache_is_bounded_and_keeps_what_was_used_last(
    server: ModelServer, connect: Callable[..., Embedder]
) -> None:
    embedder = connect(cached_vectors=2)
    for text in ("tea", "falcon", "tea", "sea", "tea", "falcon"):
        embedder.embed_one(text)
    assert sent(server) == [["tea"], ["falcon"], ["sea"], ["falcon"]]


def test_the_cache_holds_no_text_and_no_hash_that_another_could_make(connect: Callable[..., Embedder]) -> None:
    embedder, other = connect(), connect()
    for each in (embedder, other):
        each.embed_one("a secret about tea")
    (key,), (other_key,) = embedder._cache._vectors, other._cache._vectors
    assert b"tea" not in key
    assert key != other_key


def test_many_texts_go_in_several_requests(server: ModelServer, embedder: Embedder) -> None:
    texts = [f"text {number}" for number in range(BATCH_SIZE + 1)]
    assert embedder.embed(texts).shape == (BATCH_SIZE + 1, STORED_DIMENSIONS)
    assert [len(batch) for batch in sent(server)] == [BATCH_SIZE, 1]


def test_a_long_text_is_embedded_by_its_beginning(server: ModelServer, embedder: Embedder) -> None:
    embedder.embed_one("x" * 60_000)
    assert sent(server) == [["x" * MAX_TEXT_CHARACTERS]]


def test_half_a_character_does_not_break_the_request(embedder: Embedder) -> None:
    assert embedder.embed_one("tea \ud83d").any()


@pytest.mark.parametrize("texts", [[""], ["tea", " \n"]])
def test_an_empty_text_is_refused(embedder: Embedder, texts: Sequence[str]) -> None:
    with pytest.raises(ValueError, match="empty"):
        embedder.embed(texts)


@pytest.mark.parametrize(
    "vectors",
    [
        [[1.0, 0.0]],
        [[1.0, 0.0]] * 3,
        [[1.0, 0.0], [0.0, 0.0]],
        [[1.0, 0.0], [float("nan"), 1.0]],
        [[1.0, 0.0], [float("inf"), 1.0]],
        [[1.0, 0.0], [1.0, 0.0, 0.0]],
        [[], []],
        [[1.0] * 3072] * 2,
    ],
    ids=["fewer", "more", "zero", "not a number", "infinite", "uneven", "empty", "too long"],
)
def test_a_faulty_vector_is_refused_and_not_kept(
    server: ModelServer, connect: Callable[..., Embedder], vectors: list[list[float]]
) -> None:
    embedder = connect()
    server.once = embedding_answer(vectors)
    with pytest.raises(Unavailable):
        embedder.embed(["tea", "falcon"])
    assert not embedder._cache._vectors
    server.once = embedding_answer([[1.0, 0.0], [0.0, 1.0]])
    assert embedder.embed(["tea", "falcon"]).any()


def test_a_known_model_must_have_its_length(connect: Callable[..., Embedder]) -> None:
    embedder = connect(model="text-embedding-3-small")
    with pytest.raises(Unavailable, match="256 numbers instead of 1536"):
        embedder.embed_one("tea")


def test_a_model_that_is_too_long_to_store_is_named(server: ModelServer, embedder: Embedder) -> None:
    server.once = embedding_answer([[1.0] * 3072])
    with pytest.raises(Unavailable, match="scripted has 3072 dimensions; at most 1536 can be stored"):
        embedder.embed_one("tea")


@pytest.mark.parametrize(
    "reply",
    [
        error(500),
        error(401),
        error(400, "your text was: a secret"),
        Reply(way="reset"),
        Reply(way="half"),
        Reply(body=b"<html>a secret</html>"),
        Reply(body=b"{}"),
        Reply(body=b'{"data": null}'),
        Reply(body=b'{"data": [{"index": 0, "embedding": null}]}'),
        Reply(body=b'{"data": [{"index": 0, "embedding": "no base64!"}]}'),
        Reply(body=b'{"data": [{"index": 0, "embedding": ["a secret"]}]}'),
        Reply(body=b'{"data": [7]}'),
    ],
    ids=lambda reply: (reply.body or str(reply.status).encode()).decode()[:40] + reply.way,
)
def test_a_failing_service_is_unavailable_and_its_words_are_not_repeated(
    server: ModelServer, embedder: Embedder, reply: Reply
) -> None:
    server.outage = reply
    with pytest.raises(Unavailable) as raised:
        embedder.embed_one("a secret")
    assert "secret" not in str(raised.value)
    assert raised.value.__context__ is None or raised.value.__suppress_context__
    server.outage = None
    assert embedder.embed_one("a secret").any()


def test_how_long_the_service_asks_to_wait_is_passed_on(server: ModelServer, embedder: Embedder) -> None:
    server.outage = error(429, Retry_After="7")
    started = time.monotonic()
    with pytest.raises(Unavailable) as raised:
        embedder.embed_one("tea")
    assert raised.value.retry_after == 7
    assert time.monotonic() - started < 5


def test_a_connection_that_breaks_is_tried_once_more(server: ModelServer, embedder: Embedder) -> None:
    server.once = Reply(way="reset")
    assert embedder.embed_one("tea").any()
    assert len(server.calls) == 2


@pytest.mark.parametrize("way", ["hang", "drip", "drip_headers"])
def test_a_slow_answer_ends_with_the_timeout(server: ModelServer, connect: Callable[..., Embedder], way: Way) -> None:
    embedder = connect(timeout=0.3)
    server.outage = Reply(body=embedding_answer([[1.0, 0.0]]).payload(), way=way)
    started = time.monotonic()
    with pytest.raises(Unavailable):
        embedder.embed_one("tea")
    assert time.monotonic() - started < 3


def test_nobody_listening_is_unavailable(connect: Callable[..., Embedder], tmp_path: Path) -> None:
    with pytest.raises(Unavailable):
        connect(model=MODEL_NAME, socket_path=str(tmp_path / "nobody.sock")).check()


def test_after_closing_the_next_call_connects_anew(embedder: Embedder) -> None:
    embedder.embed_one("tea")
    embedder.close()
    assert embedder.embed_one("falcon").any()


def test_the_check_asks_each_time(server: ModelServer, embedder: Embedder) -> None:
    embedder.check()
    server.outage = error(500)
    with pytest.raises(Unavailable):
        embedder.check()


def test_thresholds_follow_the_model() -> None:
    assert profile_of(MODEL_NAME).dimensions == 384
    assert profile_of("text-embedding-3-small").dimensions == 1536
    assert profile_of("unheard-of").dimensions is None
    assert profile_of("unheard-of").recall_floor == 0.7
