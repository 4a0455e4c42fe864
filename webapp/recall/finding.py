"""From a message to the memories that are about it: ranked with all of this user's, and each place given once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np
from sqlalchemy.orm import Session

from webapp.llm.embeddings import Embedder, Vector
from webapp.memory import queries, search
from webapp.memory.types import MemoryView
from webapp.ranking import Order, Outcome, Ranked, Ranking, best, choose, rank
from webapp.runtime import runtime
from webapp.terms import message_terms, term_hashes

REACH = (5, 45)
"""How many of each scope beyond its places are looked at: few, and more only where near-duplicates took those up."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A message to this agent by this user, said on this day (UTC).

    ``places`` says how many memories of each scope may come: of the agent by its id, of global ones by 0; ``runners_up``
    how many more of each scope are reported with the reason why they stayed out.
    """

    user_id: int
    agent_id: int
    message: str
    said_on: date
    places: Mapping[int, int]
    runners_up: int


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory with what its place came from. `distance` is the cosine distance, None while it has no vector.

    `text` is the share of the message's words and times that it and what was said beside it hold, 0 … 1.
    """

    memory: MemoryView
    distance: float | None
    text: float
    score: float
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Found:
    """The chosen ones of each scope in their order, each scope followed by its runners-up.

    `fuller_model` names another embedding model that has embedded more of the user's memories.
    """

    memories: list[RecalledMemory]
    fuller_model: str | None


def find(session: Session, org_id: int, asked: Asked, embedder: Embedder, vector: Vector | None) -> Found:
    """The best of each scope; statistics are over all that this agent may use. By words alone without `vector`."""
    stored = None if vector is None else embedder.stored(vector)
    corpus = search.corpus(session, org_id, asked.user_id, asked.agent_id, embedder.model, stored)
    incomplete = vector is not None and not corpus.embedded
    fuller = search.fuller_model(session, org_id, asked.user_id, embedder.model) if incomplete else None
    run = runtime()
    terms = term_hashes(message_terms(asked.message, asked.said_on))
    ranking = rank(corpus.memories, terms, run.recall_floor(embedder.profile), Order(run.settings.ranking))
    decided = _decided(session, org_id, asked, embedder, corpus, ranking)
    views = queries.views_by_id(session, org_id, [each.id for each in decided]) if decided else {}
    return Found([_recalled(each, views[each.id]) for each in decided if _is_live(views.get(each.id))], fuller)


def _decided(
    session: Session, org_id: int, asked: Asked, embedder: Embedder, corpus: search.Corpus, ranking: Ranking
) -> list[Ranked]:
    """The chosen ones of each scope, each scope followed by its runners-up."""
    distance = embedder.profile.duplicate_distance if runtime().settings.ranking == Order.HYBRID else 0.0
    decided: list[list[Ranked]] = []
    for reach in REACH:
        scopes = [
            (places, best(ranking, places + max(reach, asked.runners_up), np.equal(corpus.agents, scope)))
            for scope, places in asked.places.items()
        ]
        relevant = [each.id for _, ranked in scopes for each in ranked if each.outcome is Outcome.CHOSEN]
        contents = search.contents(session, org_id, asked.user_id, relevant, embedder.model) if distance else {}
        decided = [choose(ranked, contents, places, distance) for places, ranked in scopes]
        if not any(_has_places_left(each, places) for each, (places, _) in zip(decided, scopes, strict=True)):
            break
    return [one for ranked in decided for one in _reported(ranked, asked.runners_up)]


def _has_places_left(decided: list[Ranked], places: int) -> bool:
    """Where near-duplicates were left out, others may be further down."""
    outcomes = [each.outcome for each in decided]
    return outcomes.count(Outcome.CHOSEN) < places and Outcome.NEAR_DUPLICATE in outcomes


def _reported(decided: list[Ranked], runners_up: int) -> list[Ranked]:
    chosen = [each for each in decided if each.outcome is Outcome.CHOSEN]
    return chosen + [each for each in decided if each.outcome is not Outcome.CHOSEN][:runners_up]


def _is_live(view: MemoryView | None) -> bool:
    """It may have been deleted or replaced since the statement before."""
    return view is not None and view.deleted_at is None and view.superseded_at is None


def _recalled(each: Ranked, view: MemoryView) -> RecalledMemory:
    return RecalledMemory(view, each.distance, each.text, each.score, each.outcome)
