"""A language model as the product sees one: an HTTP server that speaks the OpenAI protocol and plays a script.

What it answers is chosen by marker words in the prompt, so tests that share a server do not disturb each other.
`python -m tests.model_server --port 9000` runs it alone.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import json
import re
import socket
import struct
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock, Thread
from typing import Any, Literal

import numpy as np

DIMENSIONS = 256
FACT = re.compile(r"\bI (own|drive|play|speak|collect) ([^.\n]{3,80}\d)\.")
_THIRD_PERSON = {"own": "owns", "drive": "drives", "play": "plays", "speak": "speaks", "collect": "collects"}

Way = Literal["whole", "reset", "half", "drip", "drip_headers", "hang"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of the script. `text` is put into a chat completion; `body` is sent as it is instead.

    `message` and `choice` are merged into the completion. `way` says how the bytes go out; `delay` in seconds.
    """

    text: str = ""
    status: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    message: Mapping[str, Any] = field(default_factory=dict)
    choice: Mapping[str, Any] = field(default_factory=dict)
    delay: float = 0.0
    way: Way = "whole"

    def payload(self) -> bytes:
        """The body as bytes."""
        if self.body is not None:
            return self.body
        message = {"role": "assistant", "content": self.text, **self.message}
        choice = {"index": 0, "message": message, "finish_reason": "stop", **self.choice}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        answer = {
            "id": "c",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": [choice],
            "usage": usage,
        }
        return json.dumps(answer).encode()


def error(
    status: int, message: str = "", *, param: str | None = None, code: str | None = None, **headers: str
) -> Reply:
    """A refusal in the protocol's form; header names are given with underscores."""
    body = json.dumps({"error": {"message": message, "type": "error", "param": param, "code": code}}).encode()
    return Reply(status=status, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def answer(*global_memories: object, **by_category: Sequence[object]) -> Reply:
    """An answer in the seed's form."""
    found = bool(global_memories or by_category)
    return Reply(
        json.dumps({"has_memories": found, "global_memories": global_memories, "mentor_memories": by_category})
    )


@dataclass(frozen=True, slots=True)
class Call:
    """One request that arrived: its endpoint, its parameters, and the text of all messages."""

    endpoint: str
    parameters: Mapping[str, Any]
    prompt: str
    at: float


Rule = Callable[[Call], Reply | None]


class ModelServer:
    """The server, in a thread of its own. Without a script it repeats what FACT finds in the prompt."""

    def __init__(self, *, delay: float = 0.0) -> None:
        self.delay = delay
        self.calls: list[Call] = []
        self.on_call: Callable[[Call], None] | None = None
        self.embed: Callable[[Sequence[str]], Reply] = embeddings
        self.outage: Reply | None = None
        self.once: Reply | None = None
        self.in_flight = self.most_in_flight = 0
        self._scripts: dict[str, list[Reply]] = {}
        self._rules: list[Rule] = []
        self._lock = Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="model-server", daemon=True)
        self._server: asyncio.Server | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """What OPENAI_BASE_URL is set to."""
        return f"http://127.0.0.1:{self.port}/v1"

    def script(self, marker: str, *replies: Reply) -> None:
        """Answer prompts with this word by one reply after the other; the last one is repeated."""
        with self._lock:
            self._scripts[marker] = list(replies)

    def rule(self, rule: Rule) -> None:
        """Ask this function first; None passes on."""
        with self._lock:
            self._rules.insert(0, rule)

    def forget(self) -> None:
        """Drop scripts, rules and what was called."""
        with self._lock:
            self._scripts.clear()
            self._rules.clear()
            self.calls.clear()
            self.on_call, self.outage, self.once, self.embed = None, None, None, embeddings

    def chats(self, marker: str = "") -> list[Call]:
        """The chat calls with this word in their prompt, in order of arrival."""
        with self._lock:
            return [call for call in self.calls if call.endpoint == "chat" and marker in call.prompt]

    def start(self, port: int = 0) -> None:
        """Listen; returns when ready."""
        ready = asyncio.run_coroutine_threadsafe(self._listen(port), self._loop)
        self._thread.start()
        self.port = ready.result(10)

    def stop(self) -> None:
        """Close every connection and stop listening."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def reply_to(self, call: Call) -> Reply:
        """What this call is answered with."""
        with self._lock:
            self.calls.append(call)
            rules, scripts = list(self._rules), list(self._scripts)
        if self.on_call is not None:
            self.on_call(call)
        if self.outage is not None:
            return self.outage
        if (once := self.once) is not None:
            self.once = None
            return once
        if call.endpoint == "embeddings":
            given = call.parameters.get("input", [])
            return self.embed([given] if isinstance(given, str) else given)
        for rule in rules:
            if (reply := rule(call)) is not None:
                return reply
        marker = next((marker for marker in scripts if marker in call.prompt), None)
        return self._next(marker) if marker else Reply(repeat_facts(call.prompt), delay=self.delay)

    def _next(self, marker: str) -> Reply:
        with self._lock:
            replies = self._scripts[marker]
            return replies.pop(0) if len(replies) > 1 else replies[0]

    async def _listen(self, port: int) -> int:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        return int(self._server.sockets[0].getsockname()[1])

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read(reader)) is not None:
                path, body = request
                reply = self.reply_to(_call(path, body))
                self.in_flight += 1
                self.most_in_flight = max(self.most_in_flight, self.in_flight)
                try:
                    await asyncio.sleep(reply.delay)
                    if not await _send(writer, reply):
                        return
                finally:
                    self.in_flight -= 1
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


@contextmanager
def running(*, delay: float = 0.0) -> Iterator[ModelServer]:
    """A server for the length of a block."""
    server = ModelServer(delay=delay)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def repeat_facts(prompt: str) -> str:
    """What a dutiful model would find: each sentence of the form of FACT, once, in the third person."""
    found = [f"The user {_THIRD_PERSON[verb]} {what}." for verb, what in FACT.findall(prompt)]
    facts = list(dict.fromkeys(found))
    return json.dumps({"has_memories": bool(facts), "global_memories": facts, "mentor_memories": {}})


def vector(text: str) -> list[float]:
    """A deterministic embedding: words and their beginnings hashed into signs, so that like texts lie near."""
    found = np.zeros(DIMENSIONS)
    for word in re.findall(r"\w+", text.lower()):
        for piece, weight in ((word, 1.0), (word[:4], 0.5)):
            digest = hashlib.blake2b(piece.encode(), digest_size=8).digest()
            place, sign = struct.unpack("<Ii", digest)
            found[place % DIMENSIONS] += weight if sign >= 0 else -weight
    found[0] += 0.01
    return [float(value) for value in found / np.linalg.norm(found)]


def embeddings(texts: Sequence[str]) -> Reply:
    """An answer with one vector per text."""
    return embedding_answer([vector(text) for text in texts])


def embedding_answer(vectors: Sequence[Sequence[float]]) -> Reply:
    """An answer with these vectors, in the binary form that the client asks for."""
    encoded = [base64.b64encode(np.asarray(one, dtype=np.float32).tobytes()).decode() for one in vectors]
    data = [{"object": "embedding", "index": place, "embedding": one} for place, one in enumerate(encoded)]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return Reply(body=json.dumps({"object": "list", "data": data, "model": "scripted", "usage": usage}).encode())


def _call(path: str, body: bytes) -> Call:
    endpoint = "embeddings" if path.endswith("/embeddings") else "chat" if path.endswith("/chat/completions") else path
    parameters = json.loads(body or b"{}")
    messages = parameters.get("messages", [])
    return Call(endpoint, parameters, "\n".join(str(message.get("content")) for message in messages), time.monotonic())


async def _read(reader: asyncio.StreamReader) -> tuple[str, bytes] | None:
    head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
    if not head:
        return None
    line, *fields = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (one.partition(":") for one in fields)}
    return line.split(" ")[1], await reader.readexactly(int(headers.get("content-length", "0")))


async def _send(writer: asyncio.StreamWriter, reply: Reply) -> bool:
    """Send the reply in its way; False when the connection is of no more use."""
    if reply.way == "reset":
        return _reset(writer)
    if reply.way == "hang":
        await asyncio.sleep(3600)
    body = reply.payload()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **reply.headers}
    head = f"HTTP/1.1 {reply.status} Scripted\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    data = head.encode() + b"\r\n" + body
    if reply.way in {"drip", "drip_headers"}:
        start = 0 if reply.way == "drip_headers" else len(head) + 2
        await _drip(writer, data, start)
    else:
        writer.write(data[: len(data) - len(body) // 2] if reply.way == "half" else data)
    await writer.drain()
    return reply.way == "whole"


async def _drip(writer: asyncio.StreamWriter, data: bytes, start: int) -> None:
    writer.write(data[:start])
    for place in range(start, len(data)):
        writer.write(data[place : place + 1])
        await writer.drain()
        await asyncio.sleep(0.05)


def _reset(writer: asyncio.StreamWriter) -> bool:
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    return False


def main() -> None:
    """Run the server alone, for benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each chat answer")
    given = parser.parse_args()
    server = ModelServer(delay=given.delay)
    server.start(given.port)
    print(server.url, flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
