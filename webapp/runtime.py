"""What this process was configured with, found through the application context like the database engine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from flask import current_app

from webapp.embedded.embedding import embedding_socket
from webapp.llm.embeddings import Embedder
from webapp.llm.local import MODEL_NAME
from webapp.settings import Settings

EXTENSION = "agent_memory"
HOSTED_EMBEDDING_MODEL = "text-embedding-3-small"


class Runtime:
    """Settings and the model clients of one process. Clients connect at their first use."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding client: the built-in model's process, or the configured server."""
        settings = self.settings
        if settings.built_in_embedding:
            return Embedder(model=MODEL_NAME, socket_path=str(embedding_socket(settings.data_dir)))
        return Embedder(
            model=settings.embedding_model or HOSTED_EMBEDDING_MODEL,
            base_url=settings.openai_base_url or None,
            api_key=settings.openai_api_key or "none",
        )

    @property
    def dedup_threshold(self) -> float:
        """Cosine distance under which a memory is compared as a duplicate."""
        chosen = self.settings.dedup_threshold
        return self.embedder.profile.dedup_threshold if chosen is None else chosen

    @property
    def recall_floor(self) -> float:
        """Cosine distance beyond which a memory is not relevant by its vector alone."""
        chosen = self.settings.recall_floor
        return self.embedder.profile.recall_floor if chosen is None else chosen


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
