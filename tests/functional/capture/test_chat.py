"""What servers answer: every dressing and breakage of a chat call, over real HTTP."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from tests.model_server import ModelServer, Reply, error, running
from webapp.llm.chat import Chat
from webapp.llm.errors import ModelError, retry_after_seconds

SCHEMA = {"name": "memories", "strict": True, "schema": {"type": "object"}}
QUESTION = [{"role": "user", "content": "MARK what was said"}]


@pytest.fixture(scope="module")
def shared() -> Iterator[ModelServer]:
    with running() as server:
        yield server


@pytest.fixture
def server(shared: ModelServer) -> ModelServer:
    shared.forget()
    return shared


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while _opened:
        _opened.pop().close()


_opened: list[Chat] = []


def chat(server: ModelServer, timeout: float = 5.0) -> Chat:
    return opened(Chat(model="scripted", base_url=server.url, api_key="test", timeout=timeout))


def opened(made: Chat) -> Chat:
    _opened.append(made)
    return made


def failure(server: ModelServer, reply: Reply, timeout: float = 5.0) -> ModelError:
    server.script("MARK", reply)
    with pytest.raises(ModelError) as caught:
        chat(server, timeout).complete(QUESTION, SCHEMA)
    return caught.value


def test_an_answer_comes_with_its_cost(server: ModelServer) -> None:
    server.script("MARK", Reply("fine"))
    completion = chat(server).complete(QUESTION, SCHEMA)
    assert (completion.text, completion.tokens_in, completion.tokens_out) == ("fine", 100, 10)
    sent = server.chats("MARK")[0].parameters
    assert sent["response_format"] == {"type": "json_schema", "json_schema": SCHEMA}
    assert (sent["temperature"], sent["max_tokens"], sent["model"]) == (0, 4096, "scripted")


def test_content_in_parts_is_joined(server: ModelServer) -> None:
    server.script("MARK", Reply(message={"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}))
    assert chat(server).complete(QUESTION, SCHEMA).text == "ab"


STATUSES = [
    (error(400, "The messages are too long.", code="context_length_exceeded"), "model_bad_request", False),
    (error(401, "Incorrect API key."), "model_unauthorized", True),
    (error(403, "Country not supported."), "model_forbidden", True),
    (error(404, "The model does not exist."), "model_not_found", True),
    (error(408, "Request timed out."), "model_timeout", True),
    (error(409, "Conflict."), "model_conflict", True),
    (error(413, "Too large."), "model_bad_request", False),
    (error(429, "Slow down."), "model_rate_limited", True),
    (error(500, "Oops."), "model_server_error", True),
    (Reply(status=502, body=b"<html><body>Bad gateway</body></html>"), "model_server_error", True),
    (error(503, "Overloaded."), "model_server_error", True),
    (Reply(body=b"<html><body>Sign in</body></html>"), "model_unreadable_response", True),
    (Reply(body=b""), "model_unreadable_response", True),
    (Reply(body=b"[1, 2]"), "model_unreadable_response", True),
    (Reply(body=b'{"choices": []}'), "model_unreadable_response", True),
    (Reply(body=b'{"choices": [{"message": null}]}'), "model_unreadable_response", True),
    (Reply(body=b"[" * 200_000), "model_unreadable_response", True),
    (Reply(body=b'data: {"choices": []}\n\n'), "model_unreadable_response", True),
    (Reply("x", way="reset"), "model_unreachable", True),
    (Reply("x" * 1000, way="half"), "model_unreachable", True),
    (Reply("half an ans", choice={"finish_reason": "length"}), "model_truncated_answer", False),
    (Reply("", choice={"finish_reason": "content_filter"}), "model_refused", False),
    (Reply("", message={"refusal": "I cannot help with that."}), "model_refused", False),
    (Reply(message={"content": None, "tool_calls": [{"id": "1"}]}), "model_tool_calls", False),
    (Reply(message={"content": None}), "model_empty_answer", False),
    (Reply(" \n"), "model_empty_answer", False),
    (Reply("x" * 10_000_000), "model_oversized_answer", False),
    (Reply(status=500, body=b"x" * 10_000_000), "model_oversized_answer", False),
]


@pytest.mark.parametrize(("reply", "code", "server_side"), STATUSES, ids=lambda value: str(value)[:40])
def test_each_breakage_has_its_own_code(server: ModelServer, reply: Reply, code: str, server_side: bool) -> None:
    found = failure(server, reply)
    assert (found.code, found.server_side) == (code, server_side)


def test_no_error_repeats_what_was_sent_or_answered(server: ModelServer) -> None:
    found = failure(server, error(400, "You said MARK what was said", code="content_filter"))
    assert str(found) == "model_bad_request"
    assert found.__cause__ is None
    assert found.__suppress_context__


def test_nothing_listens() -> None:
    with pytest.raises(ModelError, match="model_unreachable"):
        opened(Chat(model="scripted", base_url="http://127.0.0.1:9/v1", timeout=5)).complete(QUESTION, SCHEMA)


@pytest.mark.parametrize("way", ["hang", "drip", "drip_headers"])
def test_the_deadline_ends_a_call_that_never_ends(server: ModelServer, way: str) -> None:
    began = time.monotonic()
    assert failure(server, Reply("x" * 1000, way=way), timeout=0.6).code == "model_timeout"  # type: ignore[arg-type]
    assert time.monotonic() - began < 1.5


def test_a_call_can_be_cancelled(server: ModelServer) -> None:
    server.script("MARK", Reply(way="hang"))
    asking = chat(server, timeout=30)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(asking.complete, QUESTION, SCHEMA)
        while not server.chats("MARK"):
            time.sleep(0.01)
        asking.close()
        with pytest.raises(ModelError, match="model_call_cancelled"):
            call.result(5)


def refusing(server: ModelServer, *refused: str, vague: bool = False) -> None:
    """Play a server that knows none of these parameters."""

    def rule(call: object) -> Reply | None:
        parameters = call.parameters  # type: ignore[attr-defined]
        format_ = (parameters.get("response_format") or {}).get("type", "")
        for name in refused:
            if name in parameters or name == format_:
                words = "Bad request." if vague else f"Unsupported parameter: '{name}' of response_format."
                words = words if vague or name == format_ else f"Unsupported parameter: '{name}'."
                return error(400, words)
        return None

    server.rule(rule)  # type: ignore[arg-type]
    server.script("MARK", Reply("fine"))


REFUSALS = [
    (("json_schema",), {"response_format": {"type": "json_object"}, "max_tokens": 4096, "temperature": 0}),
    (("json_schema", "json_object"), {"max_tokens": 4096, "temperature": 0}),
    (("max_tokens",), {"max_completion_tokens": 4096, "temperature": 0}),
    (("max_tokens", "max_completion_tokens", "temperature"), {}),
    (("json_schema", "json_object", "max_tokens", "temperature"), {"max_completion_tokens": 4096}),
]


@pytest.mark.parametrize(("refused", "left"), REFUSALS, ids=str)
def test_what_a_server_does_not_know_is_learned_once(
    server: ModelServer, refused: tuple[str, ...], left: dict[str, object]
) -> None:
    refusing(server, *refused)
    asking = chat(server)
    assert asking.complete(QUESTION, SCHEMA).text == "fine"
    assert len(server.chats("MARK")) == len(refused) + 1
    asking.complete(QUESTION, SCHEMA)
    assert len(server.chats("MARK")) == len(refused) + 2
    sent = server.chats("MARK")[-1].parameters
    for name, value in left.items():
        assert sent[name] == value
    assert not set(refused) & set(sent)


def test_a_vague_refusal_is_explored_once(server: ModelServer) -> None:
    refusing(server, "json_schema", "json_object", vague=True)
    asking = chat(server)
    asking.complete(QUESTION, SCHEMA)
    asking.complete(QUESTION, SCHEMA)
    assert len(server.chats("MARK")) == 4
    assert "response_format" not in server.chats("MARK")[-1].parameters


def test_a_refusal_teaches_nothing_once_the_server_is_known(server: ModelServer) -> None:
    server.script("MARK", Reply("fine"), error(400, "Bad request."), Reply("fine"))
    asking = chat(server)
    asking.complete(QUESTION, SCHEMA)
    with pytest.raises(ModelError, match="model_bad_request"):
        asking.complete(QUESTION, SCHEMA)
    asking.complete(QUESTION, SCHEMA)
    assert len(server.chats("MARK")) == 3
    assert server.chats("MARK")[-1].parameters["response_format"]["type"] == "json_schema"


def test_a_request_that_is_always_refused_ends(server: ModelServer) -> None:
    found = failure(server, error(400, "Bad request."))
    assert found.code == "model_bad_request"
    assert len(server.chats("MARK")) <= 6


NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
WAITS = [
    (None, None),
    ("7", 7.0),
    ("0.5", 0.5),
    ("-3", 0.0),
    ("86400", 300.0),
    ("nan", None),
    ("inf", 300.0),
    ("soon", None),
    ("Sun, 01 Mar 2026 12:00:30 GMT", 30.0),
    ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
    ("Sun, 01 Mar 2099 12:00:00 GMT", 300.0),
    ("Sun, 99 Foo 2026 12:00:30 GMT", None),
]


@pytest.mark.parametrize(("value", "seconds"), WAITS, ids=str)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(value, now=NOW) == seconds


def test_retry_after_reaches_the_error(server: ModelServer) -> None:
    moment = (datetime.now(UTC) + timedelta(seconds=20)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    assert failure(server, error(429, retry_after="9")).retry_after == 9.0
    assert 15 < (failure(server, error(429, retry_after=moment)).retry_after or 0) <= 20


def test_the_probe_asks_one_word_and_passes_what_is_not_an_outage(server: ModelServer) -> None:
    asking = chat(server)
    server.script("Answer with one word", Reply("ready"), Reply(""), error(503))
    asking.check()
    asking.check()
    with pytest.raises(ModelError, match="model_server_error"):
        asking.check()
    assert "response_format" not in server.calls[0].parameters


def test_forty_calls_run_side_by_side(server: ModelServer) -> None:
    server.script("MARK", Reply("fine", delay=0.5))
    asking = chat(server)
    began = time.monotonic()
    with ThreadPoolExecutor(40) as pool:
        answers = list(pool.map(lambda _: asking.complete(QUESTION, SCHEMA).text, range(40)))
    assert answers == ["fine"] * 40
    assert time.monotonic() - began < 3
    assert json.dumps(server.chats("MARK")[0].parameters["messages"]) == json.dumps(QUESTION)
