"""The values of graph memory: what a message is made into, and what is kept and shown. Nothing here reads or writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from webapp.inbox.types import State

RoleType = Literal["user", "assistant", "system"]
FactState = Literal["all", "current", "ended"]
MAX_NAME = 200
"""Characters of an entity's name."""
MAX_FACT = 1_000
"""Characters of a fact's sentence."""
MAX_RELATION = 64


@dataclass(frozen=True, slots=True)
class Message:
    """One message as extraction reads it. ``said_at`` is aware; ``speaker`` is a name, never empty."""

    text: str
    role_type: RoleType
    speaker: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Single:
    """The attribute of one entity that has one value at a time, which a statement gives: ("Orbit", "ceo")."""

    of: str
    what: str


@dataclass(frozen=True, slots=True)
class Named:
    """An entity named in a message. ``known`` is the number of the known entity that the model takes it for."""

    name: str
    aliases: tuple[str, ...] = ()
    known: int | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact found in a message. ``source`` and ``target`` are names of listed entities; equal: about one alone.

    ``start`` None: it has held since an unknown time. ``same`` and ``replaces`` are numbers of facts that were shown.
    """

    source: str
    target: str
    relation: str
    text: str
    start: datetime | None
    end: datetime | None = None
    single: Single | None = None
    same: int | None = None
    replaces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ending:
    """That something ceased: the value ``other`` of an attribute, or (``fact``) a fact that was shown."""

    at: datetime
    single: Single | None = None
    other: str | None = None
    fact: int | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found in a message. ``rejections`` counts by reason what was found and turned away."""

    entities: tuple[Named, ...] = ()
    statements: tuple[Statement, ...] = ()
    endings: tuple[Ending, ...] = ()
    rejections: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KnownEntity:
    """An entity that is there already, as the model is shown it. ``number`` counts from 1; never its database id."""

    number: int
    id: int
    name: str
    summary: str


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact that is there already, as the model is shown it. ``what`` is the single-valued attribute it gives."""

    number: int
    id: int
    source_id: int
    target_id: int
    relation: str
    text: str
    slot: str
    what: str | None
    start: datetime | None
    end: datetime | None


@dataclass(frozen=True, slots=True)
class Group:
    """A group of one org. ``owner_id`` None: nobody owns it yet. The counts are of its facts and of their terms.

    ``revision`` is the number of the last change of its facts.
    """

    id: int
    key: str
    owner_id: int | None
    fact_count: int = 0
    term_count: int = 0
    revision: int = 0


@dataclass(frozen=True, slots=True)
class Entity:
    """A node as it is shown. ``by_hand``: it was written by hand, and stays when no message mentions it."""

    id: int
    uuid: str
    group_key: str
    name: str
    summary: str
    by_hand: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Fact:
    """An edge as it is shown. ``episodes`` are the uuids of the messages that say it, oldest first.

    ``valid_at`` None: since an unknown time; ``invalid_at`` None: it still holds; ``expired_at``: when the system
    knew that it had ended.
    """

    id: int
    uuid: str
    group_key: str
    name: str
    text: str
    source_id: int
    source_uuid: str
    source_name: str
    target_id: int
    target_uuid: str
    target_name: str
    valid_at: datetime | None
    invalid_at: datetime | None
    created_at: datetime
    expired_at: datetime | None
    episodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Episode:
    """One message as it is kept. ``state`` is that of its processing, ``work_id`` its number; ``error``: why it failed."""

    id: int
    uuid: str
    name: str
    content: str
    role_type: RoleType
    role: str
    source_description: str
    occurred_at: datetime
    created_at: datetime
    state: State
    error: str | None
    work_id: int | None = None


@dataclass(frozen=True, slots=True)
class Counted:
    """An entity and how many facts it is in."""

    entity: Entity
    facts: int


@dataclass(frozen=True, slots=True)
class Link:
    """Two entities and how many facts connect them, ended ones included."""

    source_id: int
    target_id: int
    facts: int
    current: int
