"""What goes into reading a message and what comes out, whoever reads it: a language model or the built-in rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from webapp.graph import rules
from webapp.graph.types import Extraction, KnownEntity, KnownFact, Message
from webapp.llm.usage import Meter, Usage


@dataclass(frozen=True, slots=True)
class Context:
    """What is known beside the message. ``familiar`` are names of the group that stand in it.

    ``before`` are the messages before it, oldest first; ``deadline`` is a ``time.monotonic()`` value; ``meter`` counts
    what is spent on it.
    """

    familiar: Sequence[str] = ()
    entities: Sequence[KnownEntity] = ()
    facts: Sequence[KnownFact] = ()
    before: Sequence[Message] = ()
    deadline: float = float("inf")
    meter: Meter = field(default_factory=Meter)


class Extractor(Protocol):
    """Reads a message. Raises ModelError when it could not."""

    wants_context: bool
    """Whether known entities and facts are looked for: it costs an embedding and three queries."""

    def extract(self, message: Message, context: Context) -> Extraction:
        """The entities and statements of this message, checked."""
        ...


class BuiltInRules:
    """The rule-based extractor, for installations without a language model."""

    wants_context = False

    def extract(self, message: Message, context: Context) -> Extraction:
        """What the rules find. Asks nobody and never fails."""
        context.meter.add(Usage(rules.MODEL))
        return rules.extract(message, context.familiar)
