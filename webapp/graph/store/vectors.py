"""Vectors in the length of their model, as the graph's tables keep them."""

from __future__ import annotations

from webapp.llm.embeddings import Embedder, Vector


def stored(vector: Vector, embedder: Embedder) -> list[float]:
    """The vector without the zeros that pad it to the common length: a search reads so many bytes less."""
    values: list[float] = vector[: embedder.profile.dimensions].tolist()
    return values


def literal(vector: Vector, embedder: Embedder) -> str:
    """A vector to compare with stored ones, as pgvector reads it."""
    return "[" + ",".join(map(str, stored(vector, embedder))) + "]"
