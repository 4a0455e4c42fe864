"""Asks a language model one question and hears one answer: any server that speaks the OpenAI protocol."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import CancelledError
from threading import Lock
from typing import Any

import httpx2
import openai

from webapp.llm.answer_body import MAX_ANSWER_BYTES, Completion, read_completion
from webapp.llm.capabilities import Capabilities, refusal_words
from webapp.llm.errors import ModelError, from_status
from webapp.llm.loop import LoopThread
from webapp.llm.usage import Meter

MAX_TOKENS = 4096
"""Room for an answer: about a hundred memories. A longer one is `model_truncated_answer`."""
MAX_ADAPTATIONS = 6
PROBE_SECONDS = 10.0
PROBE = "Answer with one word: ready"

Messages = Sequence[Mapping[str, str]]


class _Refused(Exception):
    """A 400: either a parameter the server does not know, or the request itself (then `words` is None)."""

    def __init__(self, words: str | None, error: ModelError) -> None:
        super().__init__(error.code)
        self.words = words
        self.error = error


class Chat:
    """One model on one server. Safe to share between threads; calls of all threads run side by side.

    The connection is opened at the first use, so one built before a fork may be used after it.
    """

    def __init__(
        self, *, model: str, base_url: str | None = None, api_key: str = "none", timeout: float = 60.0
    ) -> None:
        """`timeout` limits a whole call in seconds, connecting and a dripping answer included."""
        self.model = model
        self._base_url = base_url
        self._api_key = api_key
        self._timeout = timeout
        self._capabilities = Capabilities()
        self._settled = False
        self._lock = Lock()
        self._loop = LoopThread("chat-calls")
        self._client: openai.AsyncOpenAI | None = None

    def complete(
        self,
        messages: Messages,
        schema: Mapping[str, Any] | None = None,
        *,
        deadline: float | None = None,
        meter: Meter | None = None,
    ) -> Completion:
        """The model's answer to `messages`, in the form of `schema` (name, strict, schema) where the server can.

        What the server refuses (schema, JSON mode, token limit, temperature) is left out, in this call and from then
        on. `deadline` is a `time.monotonic()` value that shortens the timeout. `meter` is told what the answer cost,
        whatever it is worth. Raises ModelError.
        """
        deadline = min(deadline or float("inf"), time.monotonic() + self._timeout)
        asked = known = self._capabilities
        for _ in range(MAX_ADAPTATIONS):
            parameters = {"messages": list(messages), **asked.parameters(schema, MAX_TOKENS)}
            try:
                completion = self._call(parameters, deadline)
            except _Refused as refused:
                if (learned := self._capabilities) != known:
                    asked = known = learned
                else:
                    asked = self._adapted(asked, refused)
                continue
            self._settle(asked, by_schema=schema is not None)
            return read_completion(completion, self.model, meter or Meter())
        raise ModelError("model_bad_request", server_side=False)

    def check(self) -> None:
        """Return when the server answers at all; raise ModelError otherwise. Asks it a one-word question."""
        try:
            self.complete([{"role": "user", "content": PROBE}], deadline=time.monotonic() + PROBE_SECONDS)
        except ModelError as error:
            if error.server_side:
                raise

    def close(self) -> None:
        """End the calls that are in flight (they raise ModelError `model_call_cancelled`) and the connections."""
        client, self._client = self._client, None
        self._loop.close(client.close if client else None)

    def _adapted(self, asked: Capabilities, refused: _Refused) -> Capabilities:
        if refused.words is None:
            raise refused.error from None
        adapted = asked.without(refused.words)
        # A refusal that names nothing is worth guessing about only while nothing has been understood yet.
        adapted = asked.simpler() if adapted is None and not self._settled else adapted
        if adapted is None:
            raise refused.error from None
        return adapted

    def _settle(self, understood: Capabilities, *, by_schema: bool) -> None:
        if by_schema and not (self._settled and self._capabilities == understood):
            with self._lock:
                self._capabilities, self._settled = understood, True

    def _call(self, parameters: Mapping[str, Any], deadline: float) -> bytes:
        try:
            return self._loop.run(self._post(parameters, deadline))
        except CancelledError:
            raise ModelError("model_call_cancelled", server_side=True) from None

    async def _post(self, parameters: Mapping[str, Any], deadline: float) -> bytes:
        # "from None" throughout: an error's own text may repeat what was sent, and tracebacks are logged.
        try:
            async with asyncio.timeout(deadline - time.monotonic()):
                return await self._answer(parameters)
        except (TimeoutError, openai.APITimeoutError, httpx2.TimeoutException):
            raise ModelError("model_timeout", server_side=True) from None
        except openai.APIStatusError as error:
            raise _status_error(error) from None
        except (openai.APIError, httpx2.HTTPError, OSError):
            raise ModelError("model_unreachable", server_side=True) from None

    async def _answer(self, parameters: Mapping[str, Any]) -> bytes:
        create = self._opened().chat.completions.with_streaming_response.create
        body = bytearray()
        async with create(model=self.model, **parameters) as response:
            async for chunk in response.iter_bytes():
                body += chunk
                if len(body) > MAX_ANSWER_BYTES:
                    raise ModelError("model_oversized_answer", server_side=False)
        return bytes(body)

    def _opened(self) -> openai.AsyncOpenAI:
        if self._client is None:
            self._client = openai.AsyncOpenAI(
                base_url=self._base_url,
                api_key=self._api_key,
                timeout=self._timeout,
                max_retries=0,
                http_client=openai.DefaultAsyncHttpxClient(event_hooks={"response": [_bound]}),
            )
        return self._client


class _Bounded(httpx2.AsyncByteStream):
    """An answer that ends in an error once it is too large, whatever the status it came with."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_ANSWER_BYTES:
                raise ModelError("model_oversized_answer", server_side=False)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(response: httpx2.Response) -> None:
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)


def _status_error(error: openai.APIStatusError) -> Exception:
    found = from_status(error.status_code, error.response.headers)
    return _Refused(refusal_words(error.body), found) if error.status_code in {400, 422} else found
