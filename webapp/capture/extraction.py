"""What goes into finding candidates and what comes out, whoever finds them: a language model or the built-in rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from webapp.capture.types import Candidate, Category, Evidence, Existing, Message
from webapp.inbox.types import Usage
from webapp.llm.rules import Kind, extract


@dataclass(frozen=True, slots=True)
class Context:
    """What is known beside the exchange itself. `zone` is an IANA name; `deadline` a `time.monotonic()` value."""

    categories: Sequence[Category]
    existing: Sequence[Existing]
    said_at: datetime
    zone: str
    deadline: float


@dataclass(frozen=True, slots=True)
class Extraction:
    """Candidates in the order they were said, each with the messages it was found in; unchecked."""

    candidates: Sequence[Candidate]
    usage: Usage = field(default_factory=Usage)


class Extractor(Protocol):
    """Finds candidates in an exchange. Raises ModelError when it could not."""

    def extract(self, messages: Sequence[Message], context: Context) -> Extraction:
        """The candidates of this exchange."""
        ...


# The default categories that the rules file under; the other kinds are about the person: global memories.
_CATEGORIES: dict[Kind, str] = {
    "struggle": "knowledge_gaps",
    "goal": "learning_goals",
    "preference": "preferences",
    "achievement": "progress_milestones",
}


class BuiltInRules:
    """The rule-based extractor: English first-person statements, for installations without a language model."""

    MODEL = "built-in rules"

    def extract(self, messages: Sequence[Message], context: Context) -> Extraction:  # noqa: ARG002
        """What the user states about themselves. Asks nobody and never fails."""
        found = [
            _candidate(message.index, statement.kind, statement.text, statement.quote)
            for message in messages
            if message.role == "user"
            for statement in extract(message.text)
        ]
        return Extraction(found, Usage(self.MODEL))


def _candidate(index: int, kind: Kind, text: str, quote: str) -> Candidate:
    slug = _CATEGORIES.get(kind)
    return Candidate(text, "agent" if slug else "global", slug, Evidence(index, quote))
