"""From a message to the memories that are about it: ranked with all of this user's, and each place given once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

RUNNERS_UP = 10
"""How many memories of each scope beyond the chosen ones are reported with the reason why they stayed out."""
CANDIDATES = 30
"""How many of each scope beyond its places are looked at, should near-duplicates be among the best."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A message to this agent by this user, said on this day (UTC).

    ``places`` says how many memories of each scope may come: of the agent by its id, of global ones by 0.
    """

    user_id: int
    agent_id: int
    message: str
    said_on: date
    places: Mapping[int, int]


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
    corpus = search.corpus(session, org_id, asked.user_id, asked.agent_id, embedder.model, vector)
    incomplete = vector is not None and not corpus.embedded
    fuller = search.fuller_model(session, org_id, asked.user_id, embedder.model) if incomplete else None
    run = runtime()
    terms = term_hashes(message_terms(asked.message, asked.said_on))
    ranking = rank(corpus.memories, terms, run.recall_floor(embedder.profile), Order(run.settings.ranking))
    decided = list(_decided(session, org_id, asked, embedder, corpus, ranking))
    views = queries.views_by_id(session, org_id, [each.id for each in decided])
    return Found([_recalled(each, views[each.id]) for each in decided if _is_live(views.get(each.id))], fuller)


def _decided(
    session: Session, org_id: int, asked: Asked, embedder: Embedder, corpus: search.Corpus, ranking: Ranking
) -> Iterator[Ranked]:
    distance = embedder.profile.duplicate_distance if runtime().settings.ranking == Order.HYBRID else 0.0
    scopes = {
        scope: best(ranking, places + CANDIDATES, np.equal(corpus.agents, scope))
        for scope, places in asked.places.items()
    }
    relevant = [each.id for ranked in scopes.values() for each in ranked if each.outcome is Outcome.CHOSEN]
    contents = search.contents(session, org_id, asked.user_id, relevant, embedder.model) if distance else {}
    for scope, ranked in scopes.items():
        decided = choose(ranked, contents, asked.places[scope], distance)
        yield from (each for each in decided if each.outcome is Outcome.CHOSEN)
        yield from [each for each in decided if each.outcome is not Outcome.CHOSEN][:RUNNERS_UP]


def _is_live(view: MemoryView | None) -> bool:
    """It may have been deleted or replaced since the statement before."""
    return view is not None and view.deleted_at is None and view.superseded_at is None


def _recalled(each: Ranked, view: MemoryView) -> RecalledMemory:
    return RecalledMemory(view, each.distance, each.text, each.score, each.outcome)
