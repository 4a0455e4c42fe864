"""Finding facts, and reading messages back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

import numpy as np
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.session import transaction
from webapp.errors import Conflict, NotVisible, Unavailable
from webapp.graph import groups, held
from webapp.graph.accept import require_memory
from webapp.graph.candidates import Candidate, Found, Scope
from webapp.graph.remove import AMBIGUOUS
from webapp.graph.store import entities, episodes, facts, search
from webapp.graph.types import Episode, Fact, Group
from webapp.inbox.accept import as_utc
from webapp.llm.embeddings import Vector
from webapp.memory.content import normalise
from webapp.ranking import rank
from webapp.runtime import runtime
from webapp.terms import TermHashes, message_terms, term_hashes

FARTHEST = 3
"""Facts are told apart by up to three hops from the centre; all others are as far as the fourth."""
MAX_MESSAGE = 4_000
_OPERATORS = frozenset({"AND", "OR", "NOT", "NEAR", "TO"})


@dataclass(frozen=True, slots=True)
class Question:
    """What facts are wanted for. ``on`` is the day it is asked, against which "last week" is read."""

    text: str
    max_facts: int = 10
    as_of: datetime | None = None
    center_uuid: str | None = None
    on: date | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """Relevant facts, best first; where they were searched for."""

    ranked: list[Candidate]
    groups: list[Group]


def find_facts(actor: Actor, group_keys: Sequence[str] | None, question: Question) -> list[Fact]:
    """The facts of these groups that a query is about, at most so many: ended ones marked, behind current ones.

    No groups (None or empty) means all that the actor may read; groups they may not see count as empty. With
    ``as_of`` only facts that held at that moment. A query without a letter or figure finds nothing. While the
    embedding service is down facts are found by their words alone. Raises Unavailable while memory is switched off.
    """
    prepared = _prepared(actor, question)
    if prepared is None:
        return []
    with transaction(actor.org_id) as session:
        found = _search(session, actor, group_keys, question, prepared)
        chosen = _first_said(session, actor, found, found.ranked, question.max_facts)
        ended = {one.id for one in found.ranked if one.ended}
        return sorted(chosen, key=lambda fact: fact.id in ended)


def relevant_facts(actor: Actor, group_key: str, question: Question) -> list[Fact]:
    """The facts of one group that matter for a conversation, current ones first.

    With a centre, nearer facts come first: those about it, about a neighbour, about a neighbour's neighbour. A centre
    that the group does not have changes nothing. Otherwise as `find_facts`.
    """
    prepared = _prepared(actor, question)
    if prepared is None:
        return []
    with transaction(actor.org_id) as session:
        found = _search(session, actor, [group_key], question, prepared)
        ordered = sorted(found.ranked, key=_ended)
        if question.center_uuid and ordered:
            distance = _distances(session, actor, found, question.center_uuid)
            ordered.sort(key=lambda one: (distance[one.id], one.ended))
        return _first_said(session, actor, found, ordered, question.max_facts)


def get_fact(actor: Actor, uuid: str, group_key: str | None = None) -> Fact:
    """One fact. Raises NotVisible where the actor may read none of this uuid, Conflict where several."""
    require_memory(runtime().settings)
    _require_scope(actor)
    with transaction(actor.org_id) as session:
        visible = groups.readable(session, actor, [group_key] if group_key else None)
        found = facts.find(session, actor.org_id, uuid, [group.id for group in visible])
        if not found:
            raise NotVisible
        if len(found) > 1:
            raise Conflict(AMBIGUOUS)
        group_id, fact_id = found[0]
        groups.note_reading(session, actor, [group for group in visible if group.id == group_id])
        return search.load(session, actor.org_id, [group_id], [fact_id])[fact_id]


def last_episodes(actor: Actor, group_key: str, count: int) -> list[Episode]:
    """The messages of a group that were said last, oldest first; none of a group that the actor may not see."""
    require_memory(runtime().settings)
    _require_scope(actor)
    with transaction(actor.org_id) as session:
        visible = groups.readable(session, actor, [group_key])
        groups.note_reading(session, actor, visible)
        return episodes.newest(session, actor.org_id, visible[0].id, count) if visible else []


def _require_scope(actor: Actor) -> None:
    """A service token without the scope is refused; what persons may not see is empty to them."""
    if actor.kind == "service":
        require(actor, Action.READ_GRAPH, Target(actor.org_id))


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A question as it is searched for; ``vector`` None: the embedding service is down."""

    vector: Vector | None
    terms: TermHashes


def _prepared(actor: Actor, question: Question) -> _Prepared | None:
    """Outside any transaction, since a model is asked; None where there is nothing to search for."""
    require_memory(runtime().settings)
    _require_scope(actor)
    query = question.text.strip()[-MAX_MESSAGE:]
    if not _says_something(query):
        return None
    on = question.on or datetime.now(UTC).date()
    return _Prepared(_vector(query), term_hashes(message_terms(query, on)))


def _search(
    session: Session, actor: Actor, group_keys: Sequence[str] | None, question: Question, prepared: _Prepared
) -> _Found:
    visible = groups.readable(session, actor, group_keys)
    if not visible:
        return _Found([], [])
    as_of = as_utc(question.as_of)
    scope = Scope(actor.org_id, visible, as_of or datetime.now(UTC), as_of)
    found = held.candidates(session, scope, runtime().embedder, prepared.vector, prepared.terms)
    return _Found(_relevant(found, prepared.terms), visible)


def _says_something(query: str) -> bool:
    return any(letter.isalnum() for word in query.split() if word not in _OPERATORS for letter in word)


def _vector(query: str) -> Vector | None:
    try:
        return runtime().embedder.embed_one(query)
    except Unavailable:
        return None


def _relevant(found: Found, terms: TermHashes) -> list[Candidate]:
    """Those that share a word with the question, or are near enough by their vector; best first."""
    if not found.candidates:
        return []
    floor = similarity_floor()
    ranking = rank(found.columns, terms, 1.0 - floor, whole=found.whole)
    counts = (ranking.texts > 0) | (np.nan_to_num(found.columns.similarities, nan=-1.0) >= floor)
    in_order = np.lexsort((-found.columns.ids, -ranking.scores))
    return [found.candidates[place] for place in in_order if counts[place]]


def similarity_floor() -> float:
    """The cosine that a fact without a word of the query must reach: the setting, else what suits the model."""
    chosen = runtime().settings.similarity_threshold
    return runtime().embedder.profile.graph_similarity if chosen is None else chosen


def _first_said(session: Session, actor: Actor, found: _Found, ranked: Sequence[Candidate], limit: int) -> list[Fact]:
    """The first facts in this order. One sentence about three entities is three facts; the first of them says it.

    They are loaded a few at a time, since which say the same shows only then; one that is gone meanwhile is left out.
    """
    group_ids = [group.id for group in found.groups]
    said: dict[tuple[str, str, datetime | None], Fact] = {}
    for start in range(0, len(ranked), limit):
        ids = [one.id for one in ranked[start : start + limit]]
        loaded = search.load(session, actor.org_id, group_ids, ids)
        for fact in (loaded[one] for one in ids if one in loaded):
            if len(said) < limit:
                said.setdefault((fact.group_key, normalise(fact.text), fact.valid_at), fact)
        if len(said) == limit:
            break
    read = {fact.group_key for fact in said.values()}
    groups.note_reading(session, actor, [group for group in found.groups if group.key in read])
    return list(said.values())


def _ended(one: Candidate) -> bool:
    return one.ended


def _distances(session: Session, actor: Actor, found: _Found, center_uuid: str) -> dict[int, int]:
    """Fact id → hops from the centre: 1 for a fact about it, up to `FARTHEST` + 1."""
    centers = entities.find(session, actor.org_id, center_uuid, [group.id for group in found.groups])
    ends = [end for one in found.ranked for end in (one.source_id, one.target_id)]
    reached = search.hops(session, actor.org_id, *centers[0], ends) if centers else {}
    return {
        one.id: 1 + min(reached.get(end, FARTHEST) for end in (one.source_id, one.target_id)) for one in found.ranked
    }
