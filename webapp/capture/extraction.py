"""What goes into finding candidates and what comes out, whoever finds them: a language model or the built-in rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from webapp.capture.types import Candidate, Category, Evidence, Existing, Message
from webapp.llm.rules import Kind, extract
from webapp.llm.usage import Meter, Usage

BUILT_IN_MODEL = "built-in rules"


@dataclass(frozen=True, slots=True)
class Context:
    """What is known beside the exchange itself, and the meter that counts what is spent on it.

    `zone` is an IANA name; `deadline` a `time.monotonic()` value.
    """

    categories: Sequence[Category]
    existing: Sequence[Existing]
    said_at: datetime
    zone: str
    deadline: float
    meter: Meter = field(default_factory=Meter)


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found in one part: unchecked candidates in the order they were said, and what was no candidate."""

    candidates: Sequence[Candidate]
    rejections: Mapping[str, int] = field(default_factory=dict)


class Extractor(Protocol):
    """Finds candidates in an exchange, which is given in parts. Raises ModelError when it could not."""

    def extract(self, parts: Sequence[Sequence[Message]], context: Context) -> list[Extraction]:
        """One extraction for each part."""
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

    def extract(self, parts: Sequence[Sequence[Message]], context: Context) -> list[Extraction]:
        """What the user states about themselves. Asks nobody and never fails."""
        context.meter.add(Usage(BUILT_IN_MODEL))
        said_on = context.said_at.astimezone(ZoneInfo(context.zone)).date()
        return [Extraction(_stated(part, said_on)) for part in parts]


def _stated(part: Sequence[Message], said_on: date) -> list[Candidate]:
    return [
        _candidate(message.index, statement.kind, statement.text, statement.quote)
        for message in part
        if message.role == "user"
        for statement in extract(message.text, said_on)
    ]


def _candidate(index: int, kind: Kind, text: str, quote: str) -> Candidate:
    slug = _CATEGORIES.get(kind)
    return Candidate(text, "agent" if slug else "global", slug, Evidence(index, quote))
