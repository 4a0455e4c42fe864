"""Turns text into vectors with whichever embedding model is set up: the client that web and workers share."""

from __future__ import annotations

import asyncio
import hashlib
import math
import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from threading import Lock
from typing import NewType

import httpx2
import numpy as np
import numpy.typing as npt
import openai

from webapp.errors import Unavailable
from webapp.llm import local
from webapp.llm.errors import retry_after_seconds
from webapp.llm.loop import LoopThread

STORED_DIMENSIONS = 1536
"""The most numbers that a vector may have. Every one is given this length: zeros behind a shorter one change neither
cosine nor dot product."""
MAX_TEXT_CHARACTERS = 8_000
"""A text is embedded by its beginning beyond this; hosted models take about 8,000 tokens."""
BATCH_SIZE = 64
CACHED_VECTORS = 4_096

Vector = npt.NDArray[np.float32]
"""Shape ``(1536,)`` and length 1, so that the dot product of two is their cosine."""
Vectors = npt.NDArray[np.float32]
"""Shape ``(n, 1536)``, each row a ``Vector``."""
StoredVector = NewType("StoredVector", npt.NDArray[np.float32])
"""A ``Vector`` without the zeros behind it, in its model's own length: as it is stored, and compared with stored ones."""


@dataclass(frozen=True, slots=True)
class EmbeddingProfile:
    """What is known about one embedding model. Distances are cosine distances, 0 … 2.

    ``dimensions`` is None while unknown: then the first answer settles it. ``dedup_threshold``: below it a
    memory is nominated as a duplicate. ``recall_floor``: beyond it nothing is relevant by its vector alone.
    ``duplicate_distance``: below it one recalled memory may repeat another (docs/recall.md).
    ``graph_similarity``: the cosine a fact must reach in graph search by its vector alone.
    """

    model: str
    dimensions: int | None = None
    dedup_threshold: float = 0.15
    recall_floor: float = 0.7
    duplicate_distance: float = 0.1
    graph_similarity: float = 0.3


_PROFILES = {
    profile.model: profile
    for profile in (
        EmbeddingProfile(local.MODEL_NAME, local.DIMENSIONS),
        EmbeddingProfile("text-embedding-3-small", 1536),
    )
}


def profile_of(model: str) -> EmbeddingProfile:
    """Return what is known about ``model``; an unknown one gets the default thresholds."""
    return _PROFILES.get(model) or EmbeddingProfile(model)


class Embedder:
    """Embeds text through a server that speaks the OpenAI protocol. Safe to share between threads.

    The connection is opened at the first use, so one built before a fork may be used after it.
    """

    def __init__(
        self,
        *,
        model: str,
        base_url: str | None = None,
        api_key: str = "none",
        socket_path: str | None = None,
        timeout: float = 10.0,
        cached_vectors: int = CACHED_VECTORS,
    ) -> None:
        """``socket_path`` reaches the built-in model's process; ``base_url`` any other server (None: OpenAI's).

        ``timeout`` limits each request in seconds, connecting, a second attempt over a connection that broke, and
        a dripping answer included.
        """
        self.profile = profile_of(model)
        self._base_url = "http://embedding-server/v1" if socket_path else base_url
        self._api_key = api_key
        self._socket_path = socket_path
        self._timeout = timeout
        self._loop = LoopThread("embedding-calls")
        self._client: openai.AsyncOpenAI | None = None
        self._cache = _VectorCache(cached_vectors)
        self._dimensions = self.profile.dimensions

    @property
    def model(self) -> str:
        """The name that stored vectors carry; vectors of different names are never compared."""
        return self.profile.model

    @property
    def dimensions(self) -> int:
        """The length of the vectors that ``embed`` returns."""
        return STORED_DIMENSIONS

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text, in the order of ``texts``: shape ``(len(texts), 1536)``.

        Raises ``ValueError`` for a text without a visible character, and ``Unavailable`` when the server
        cannot be reached or answers with anything but one finite, non-zero vector of the right length per text.
        """
        if not all(text.strip() for text in texts):
            raise ValueError("a text to embed must not be empty")
        shortened = [_sendable(text) for text in texts]
        cached = {text: self._cache.get(text) for text in shortened}
        found = {text: vector for text, vector in cached.items() if vector is not None}
        for batch in _batches([text for text in cached if text not in found]):
            for text, vector in zip(batch, self._request(batch), strict=True):
                found[text] = vector
                self._cache.put(text, vector)
        return _padded([found[text] for text in shortened])

    def embed_one(self, text: str) -> Vector:
        """Return the vector of one text; raises as ``embed`` does."""
        return np.asarray(self.embed([text])[0])

    def known(self, text: str) -> Vector | None:
        """The vector of a text that was embedded not long ago; None says that ``embed`` would have to ask the server."""
        vector = self._cache.get(_sendable(text))
        return None if vector is None else np.asarray(_padded([vector])[0])

    @property
    def stored_length(self) -> int:
        """The length of vectors of this model as they are stored; before its first answer the longest there may be."""
        return self._dimensions or STORED_DIMENSIONS

    def stored(self, vector: Vector) -> StoredVector:
        """A vector that ``embed`` returned, as the database keeps it; all those of one model have one length."""
        return StoredVector(vector[: self.stored_length])

    def check(self) -> None:
        """Return when the server embeds; raise ``Unavailable`` otherwise. Asks the server each time."""
        self._request(["ready?"])

    def close(self) -> None:
        """End the calls that are in flight and the connections; the next call opens them anew."""
        client, self._client = self._client, None
        self._loop.close(client.close if client else None)

    def _request(self, texts: Sequence[str]) -> list[Vector]:
        # "from None" twice: an error's own message may repeat the text that was sent, and tracebacks are logged.
        try:
            answer = self._loop.run(self._within_time(texts))
            vectors = {item.index: np.asarray(item.embedding, dtype=np.float64) for item in answer.data}
        except openai.APIStatusError as error:
            detail = f"The embedding service refused the request (HTTP {error.status_code})."
            raise Unavailable(detail, retry_after=_retry_after(error.response)) from None
        except (openai.APIError, TimeoutError, CancelledError, AttributeError, TypeError, ValueError):
            raise Unavailable("The embedding service cannot be reached or gave no readable answer.") from None
        if sorted(vectors) != list(range(len(texts))):
            raise Unavailable(f"The embedding service gave {len(vectors)} vectors for {len(texts)} texts.")
        dimensions = self._dimensions or vectors[0].size
        checked = [self._checked(vectors[index], dimensions) for index in range(len(texts))]
        self._dimensions = dimensions
        return checked

    async def _within_time(self, texts: Sequence[str]) -> openai.types.CreateEmbeddingResponse:
        # The client's own retries would sleep for as long as a server asks, inside somebody's request.
        client = self._connected()
        async with asyncio.timeout(self._timeout):
            try:
                return await client.embeddings.create(model=self.model, input=list(texts))
            except openai.APITimeoutError:
                raise
            except openai.APIConnectionError:
                return await client.embeddings.create(model=self.model, input=list(texts))

    def _checked(self, values: npt.NDArray[np.float64], dimensions: int) -> Vector:
        if values.shape != (dimensions,):
            raise Unavailable(f"A vector of {self.model} has {values.size} numbers instead of {dimensions}.")
        if dimensions > STORED_DIMENSIONS:
            raise Unavailable(f"{self.model} has {dimensions} dimensions; at most {STORED_DIMENSIONS} can be stored.")
        norm = float(np.linalg.norm(values))
        if not math.isfinite(norm) or norm == 0.0:
            raise Unavailable(f"{self.model} gave a vector that is zero or not finite.")
        return np.asarray(values / norm, dtype=np.float32)

    def _connected(self) -> openai.AsyncOpenAI:
        """The client, made in the loop that uses it."""
        if self._client is None:
            transport = httpx2.AsyncHTTPTransport(uds=self._socket_path) if self._socket_path else None
            self._client = openai.AsyncOpenAI(
                base_url=self._base_url,
                api_key=self._api_key,
                timeout=self._timeout,
                max_retries=0,
                http_client=httpx2.AsyncClient(transport=transport, timeout=self._timeout) if transport else None,
            )
        return self._client


class _VectorCache:
    """The vectors used last, by a hash that only this process can compute: the text itself is not kept."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._key = os.urandom(32)
        self._lock = Lock()
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()

    def get(self, text: str) -> Vector | None:
        name = self._name(text)
        with self._lock:
            if (vector := self._vectors.get(name)) is not None:
                self._vectors.move_to_end(name)
            return vector

    def put(self, text: str, vector: Vector) -> None:
        with self._lock:
            self._vectors[self._name(text)] = vector
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)

    def _name(self, text: str) -> bytes:
        return hashlib.blake2b(text.encode(), key=self._key, digest_size=16).digest()


def _sendable(text: str) -> str:
    return text[:MAX_TEXT_CHARACTERS].encode("utf-8", "replace").decode()


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), BATCH_SIZE):
        yield texts[start : start + BATCH_SIZE]


def _padded(vectors: Sequence[Vector]) -> Vectors:
    padded = np.zeros((len(vectors), STORED_DIMENSIONS), dtype=np.float32)
    for row, vector in zip(padded, vectors, strict=True):
        row[: len(vector)] = vector
    return padded


def _retry_after(response: httpx2.Response) -> int | None:
    seconds = retry_after_seconds(response.headers.get("Retry-After"))
    return None if seconds is None else math.ceil(seconds)
