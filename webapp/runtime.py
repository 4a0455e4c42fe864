"""What this process was configured with, found through the application context like the database engine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flask import current_app

from webapp.embedded.embedding import embedding_socket
from webapp.errors import Unavailable
from webapp.holder import Holder
from webapp.llm.embeddings import Embedder, EmbeddingProfile
from webapp.llm.local import MODEL_NAME
from webapp.settings import Settings

EXTENSION = "agent_memory"
HOSTED_EMBEDDING_MODEL = "text-embedding-3-small"


class Runtime:
    """Settings, the model clients and the graph indexes of one process. Clients connect at their first use."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._embedders: dict[str, Embedder] = {}
        # By org, group and which vectors (`graph.held`).
        self.graph_indexes: Holder[tuple[int, int, Any], Any] = Holder(settings.graph_index_mb * 1_000_000)

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding client: the built-in model's process, or the configured server."""
        settings = self.settings
        chosen = MODEL_NAME if settings.built_in_embedding else settings.embedding_model
        return self.embedder_of(chosen or HOSTED_EMBEDDING_MODEL)

    def embedder_of(self, model: str) -> Embedder:
        """The client of this model, which need not be the one that is set up: vectors of another one may be stored.

        Raises Unavailable for a hosted model where no server is set up: no text leaves for a server nobody named.
        """
        if model != MODEL_NAME and self.settings.built_in_chat:
            raise Unavailable(f"No server is set up that could answer for {model} (OPENAI_API_KEY, OPENAI_BASE_URL).")
        # Two threads may both make one; the first to arrive is kept, and one that never connects holds nothing.
        return self._embedders.get(model) or self._embedders.setdefault(model, self._client(model))

    def _client(self, model: str) -> Embedder:
        settings = self.settings
        if model == MODEL_NAME:
            return Embedder(model=model, socket_path=str(embedding_socket(settings.data_dir)))
        base_url, api_key = settings.openai_base_url or None, settings.openai_api_key or "none"
        return Embedder(model=model, base_url=base_url, api_key=api_key)

    @property
    def dedup_threshold(self) -> float:
        """Cosine distance under which a memory is compared as a duplicate."""
        chosen = self.settings.dedup_threshold
        return self.embedder.profile.dedup_threshold if chosen is None else chosen

    def recall_floor(self, profile: EmbeddingProfile) -> float:
        """Cosine distance beyond which a memory is not relevant by its vector of this model alone."""
        chosen = self.settings.recall_floor
        return profile.recall_floor if chosen is None else chosen


@dataclass(frozen=True, slots=True)
class BuiltInParts:
    """Which built-in parts stand in for a configured model."""

    chat: bool
    embedding: bool


def runtime() -> Runtime:
    """The runtime of the current application; raises RuntimeError outside an application context."""
    found: Runtime = current_app.extensions[EXTENSION]
    return found


def built_in_parts(settings: Settings) -> BuiltInParts:
    """What the screens' banner names."""
    return BuiltInParts(settings.built_in_chat, settings.built_in_embedding)
