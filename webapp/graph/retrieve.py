"""Finding facts, and reading messages back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.session import transaction
from webapp.errors import Conflict, NotVisible, Unavailable
from webapp.graph import groups
from webapp.graph.accept import require_memory
from webapp.graph.remove import AMBIGUOUS
from webapp.graph.store import entities, episodes, facts, search
from webapp.graph.store.search import Candidate, Scope
from webapp.graph.types import Episode, Fact, Group
from webapp.inbox.accept import as_utc
from webapp.llm.embeddings import Vector
from webapp.memory.content import normalise
from webapp.ranking import Memories, Statistics, best, rank
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
class _Scored:
    candidate: Candidate
    score: float


def find_facts(actor: Actor, group_keys: Sequence[str] | None, question: Question) -> list[Fact]:
    """The facts of these groups that a query is about, at most so many: ended ones marked, behind current ones.

    No groups (None or empty) means all that the actor may read; groups they may not see count as empty. With
    ``as_of`` only facts that held at that moment. A query without a letter or figure finds nothing. While the
    embedding service is down facts are found by their words alone. Raises Unavailable while memory is switched off.
    """
    ranked = _ranked(actor, group_keys, question)
    return [one.candidate.fact for one in sorted(ranked[: question.max_facts], key=_ended)]


def relevant_facts(actor: Actor, group_key: str, question: Question) -> list[Fact]:
    """The facts of one group that matter for a conversation, current ones first.

    With a centre, nearer facts come first: those about it, about a neighbour, about a neighbour's neighbour. A centre
    that the group does not have changes nothing. Otherwise as `find_facts`.
    """
    ranked = sorted(_ranked(actor, [group_key], question), key=_ended)
    if question.center_uuid and ranked:
        distance = _distances(actor, group_key, question.center_uuid, ranked)
        ranked.sort(key=lambda one: (distance[one.candidate.fact.id], one.candidate.ended))
    return [one.candidate.fact for one in ranked[: question.max_facts]]


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
        return search.load(session, actor.org_id, found[0][0], [found[0][1]])[0]


def last_episodes(actor: Actor, group_key: str, count: int) -> list[Episode]:
    """The messages of a group that were said last, oldest first; none of a group that the actor may not see."""
    require_memory(runtime().settings)
    _require_scope(actor)
    with transaction(actor.org_id) as session:
        visible = groups.readable(session, actor, [group_key])
        return episodes.newest(session, actor.org_id, visible[0].id, count) if visible else []


def _require_scope(actor: Actor) -> None:
    """A service token without the scope is refused; what persons may not see is empty to them."""
    if actor.kind == "service":
        require(actor, Action.READ_GRAPH, Target(actor.org_id))


def _ranked(actor: Actor, group_keys: Sequence[str] | None, question: Question) -> list[_Scored]:
    """Relevant facts, best first, each sentence once."""
    require_memory(runtime().settings)
    _require_scope(actor)
    query = question.text.strip()[-MAX_MESSAGE:]
    if not _says_something(query):
        return []
    with transaction(actor.org_id) as session:
        visible = groups.readable(session, actor, group_keys)
    if not visible:
        return []
    vector = _vector(query)
    terms = term_hashes(message_terms(query, question.on or datetime.now(UTC).date()))
    scope = Scope(actor.org_id, [group.id for group in visible], as_utc(question.as_of))
    with transaction(actor.org_id) as session:
        found, whole = search.candidates(session, scope, runtime().embedder, vector, terms)
    return _once(_scored(found, terms, whole))


def _says_something(query: str) -> bool:
    return any(letter.isalnum() for word in query.split() if word not in _OPERATORS for letter in word)


def _vector(query: str) -> Vector | None:
    try:
        return runtime().embedder.embed_one(query)
    except Unavailable:
        return None


def _scored(found: Sequence[Candidate], terms: TermHashes, whole: Statistics) -> list[_Scored]:
    if not found:
        return []
    memories = Memories.of(
        [one.fact.id for one in found], [one.terms for one in found], [one.similarity for one in found]
    )
    floor = similarity_floor()
    ranking = rank(memories, terms, 1.0 - floor, whole=whole)
    by_id = {one.fact.id: one for one in found}
    return [
        _Scored(by_id[one.id], one.score)
        for one in best(ranking, len(found))
        if one.text > 0 or (one.distance is not None and 1.0 - one.distance >= floor)
    ]


def similarity_floor() -> float:
    """The cosine that a fact without a word of the query must reach: the setting, else what suits the model."""
    chosen = runtime().settings.similarity_threshold
    return runtime().embedder.profile.graph_similarity if chosen is None else chosen


def _once(ranked: Sequence[_Scored]) -> list[_Scored]:
    """One sentence about three entities is three facts; one of them says it."""
    said: dict[tuple[str, str, datetime | None], _Scored] = {}
    for one in ranked:
        fact = one.candidate.fact
        said.setdefault((fact.group_key, normalise(fact.text), fact.valid_at), one)
    return list(said.values())


def _ended(one: _Scored) -> bool:
    return one.candidate.ended


def _distances(actor: Actor, group_key: str, center_uuid: str, ranked: Sequence[_Scored]) -> dict[int, int]:
    """Fact id → hops from the centre: 1 for a fact about it, up to `FARTHEST` + 1."""
    with transaction(actor.org_id) as session:
        reached = _reached(session, groups.readable(session, actor, [group_key]), actor.org_id, center_uuid, ranked)
    return {
        one.candidate.fact.id: 1 + min(reached.get(end, FARTHEST) for end in (one.candidate.source_id, one.candidate.target_id))
        for one in ranked
    }  # fmt: skip


def _reached(
    session: Session, visible: Sequence[Group], org_id: int, center_uuid: str, ranked: Sequence[_Scored]
) -> dict[int, int]:
    found = entities.find(session, org_id, center_uuid, [group.id for group in visible])
    if not found:
        return {}
    ends = [end for one in ranked for end in (one.candidate.source_id, one.candidate.target_id)]
    return search.hops(session, org_id, found[0][0], found[0][1], ends)
