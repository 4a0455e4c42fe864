"""What calls to a model cost, as the server counted it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """What the model calls of one item cost, as the server counted it; None where it did not say."""

    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None

    def plus(self, other: Usage) -> Usage:
        """Both together; the model is the one named last."""
        return Usage(
            other.model or self.model, _sum(self.tokens_in, other.tokens_in), _sum(self.tokens_out, other.tokens_out)
        )


class Meter:
    """Adds up the calls made for one piece of work, whatever becomes of their answers."""

    def __init__(self) -> None:
        self.total = Usage()

    def add(self, usage: Usage) -> None:
        """Count one answered call."""
        self.total = self.total.plus(usage)

    def clear(self) -> None:
        """Begin anew, after the total was written down."""
        self.total = Usage()


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one + (other or 0)
