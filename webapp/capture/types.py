"""The values that capture passes from step to step. Plain data: nothing here reads or writes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

Role = Literal["user", "assistant"]
Scope = Literal["global", "agent"]
RelationKind = Literal["none", "same", "supersedes"]
DecisionKind = Literal["add", "same", "supersede", "reject"]


class Reason(StrEnum):
    """Why the gate turned a candidate away. The values are counted and shown on the exchange."""

    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    CONTENTLESS = "contentless"
    UNKNOWN_CATEGORY = "unknown_category"
    INACTIVE_CATEGORY = "inactive_category"
    INSTRUCTION = "instruction"
    SECRET = "secret"
    NOT_SAID = "not_said"
    NOT_THE_USER = "not_the_user"
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    THIRD_PERSON = "third_person"
    TRANSLATED = "translated"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of an exchange, or a part of one. ``index`` is its place in the exchange, from 0.

    ``at`` is aware or None. Of a long message's later parts, the first ``overlap`` characters of ``text`` repeat the
    end of the part before (:mod:`webapp.capture.chunks`).
    """

    index: int
    role: Role
    speaker: str
    text: str
    at: datetime | None = None
    overlap: int = 0


@dataclass(frozen=True, slots=True)
class Category:
    """A category as capture needs it. ``extraction_prompt`` may be empty: then the description stands in."""

    slug: str
    name: str
    description: str
    extraction_prompt: str = ""
    is_active: bool = True


@dataclass(frozen=True, slots=True)
class Existing:
    """A live memory put before the model. ``number`` is what the prompt calls it, from 1; never its database id.

    ``created_at`` is when it was learned: the time of the exchange it came from, else of the row.
    """

    number: int
    id: int
    text: str
    scope: Scope
    category_slug: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a candidate comes from: the message's index and words that stand in it."""

    message_index: int
    quote: str


@dataclass(frozen=True, slots=True)
class Relation:
    """What the model says of an existing memory, by its number in the prompt. Unchecked."""

    kind: RelationKind = "none"
    number: int | None = None


NO_RELATION = Relation()


@dataclass(frozen=True, slots=True)
class Candidate:
    """What might become a memory. Only agent memories have a category."""

    text: str
    scope: Scope
    category_slug: str | None = None
    evidence: Evidence | None = None
    relation: Relation = NO_RELATION


@dataclass(frozen=True, slots=True)
class Rejected:
    """A candidate that the gate turned away, and why."""

    candidate: Candidate
    reason: Reason


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be done with a candidate. ``existing`` is the row it repeats (same) or replaces (supersede).

    ``note`` says in one word what decided: the difference found, ``model``, ``restated``, ``change``.
    """

    kind: DecisionKind
    candidate: Candidate
    existing: Existing | None = None
    note: str = ""
