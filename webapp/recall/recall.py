"""From a message to the memories that matter for it, and the agent's knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, can, require
from webapp.db.session import transaction
from webapp.errors import Unavailable
from webapp.llm.embeddings import Vector
from webapp.memory import knowledge, queries, search
from webapp.memory.enablement import EffectiveState, effective
from webapp.memory.knowledge import Delivery
from webapp.memory.types import MemoryView
from webapp.ranking import Order, Outcome, Ranked, best, rank
from webapp.recall.context import render
from webapp.runtime import runtime
from webapp.terms import message_terms, term_hashes

# How many memories beyond the chosen ones are reported with the reason why they stayed out.
RUNNERS_UP = 10


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory with what its place came from. `distance` is the cosine distance, None while it has no vector."""

    memory: MemoryView
    distance: float | None
    score: float
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Recalled:
    """Everything a message brings up.

    `left_out` are the next best, with why they stayed out. `hidden_global` counts global memories that were recalled
    but that the caller may not read; their text is in no field, `context` included.
    """

    context: str
    global_memories: list[RecalledMemory]
    agent_memories: list[RecalledMemory]
    left_out: list[RecalledMemory]
    knowledge: Delivery
    state: EffectiveState
    hidden_global: int = 0


def recall(
    actor: Actor,
    *,
    user_id: int,
    agent_id: int,
    message: str,
    max_global: int | None = None,
    max_agent: int | None = None,
    at: datetime | None = None,
) -> Recalled:
    """Recall for one message said at `at` (now), through all gates; nothing at all when use is off for the user.

    Raises NotVisible, NotAllowed, Unavailable (memory is off for the installation). While the embedding service is
    down, memories are found by their words alone.
    """
    require(actor, Action.READ_CONTEXT, Target(actor.org_id, user_id, agent_id))
    settings = runtime().settings
    if settings.disable_memory:
        raise Unavailable("Memory is switched off for this installation (DISABLE_MEMORY).")
    vector = _embedded(message)
    limits = {
        0: settings.max_global if max_global is None else max_global,
        agent_id: settings.max_agent if max_agent is None else max_agent,
    }
    with transaction(actor.org_id) as session:
        state = effective(session, actor.org_id, user_id, agent_id)
        if not state.uses:
            return Recalled("", [], [], [], knowledge.NOTHING, state)
        found = _search(session, actor.org_id, user_id, agent_id, message, vector, limits, at or datetime.now(UTC))
        known = knowledge.delivered(session, actor.org_id, agent_id, settings.knowledge_budget)
    return _shown(actor, user_id, found, known, state)


def _embedded(message: str) -> Vector | None:
    if not message.strip():
        return None
    try:
        return runtime().embedder.embed_one(message)
    except Unavailable:
        return None


def _search(
    session: Session,
    org_id: int,
    user_id: int,
    agent_id: int,
    message: str,
    vector: Vector | None,
    limits: dict[int, int],
    at: datetime,
) -> list[RecalledMemory]:
    """The best of each scope, chosen ones first in their order; statistics are over all that this agent may use."""
    run = runtime()
    corpus = search.corpus(session, org_id, user_id, agent_id, run.embedder.model, vector)
    asked = term_hashes(message_terms(message, at.astimezone(UTC).date()))
    ranking = rank(corpus.memories, asked, run.recall_floor, Order(run.settings.ranking))
    candidates = [
        _placed(each, place, limit)
        for scope, limit in limits.items()
        for place, each in enumerate(best(ranking, limit + RUNNERS_UP, np.equal(corpus.agents, scope)))
    ]
    views = queries.views_by_id(session, org_id, [each.id for each, _outcome in candidates])
    return [
        RecalledMemory(views[each.id], each.distance, each.score, outcome)
        for each, outcome in candidates
        if each.id in views
    ]


def _placed(each: Ranked, place: int, limit: int) -> tuple[Ranked, Outcome]:
    full = each.outcome is Outcome.CHOSEN and place >= limit
    return each, Outcome.NO_PLACE if full else each.outcome


def _shown(
    actor: Actor, user_id: int, found: list[RecalledMemory], known: Delivery, state: EffectiveState
) -> Recalled:
    readable = can(actor, Action.READ_GLOBAL, Target(actor.org_id, user_id))
    chosen = [each for each in found if each.outcome is Outcome.CHOSEN]
    about_user = [each for each in chosen if each.memory.scope == "global"]
    of_agent = [each for each in chosen if each.memory.scope == "agent"]
    left_out = [each for each in found if each not in chosen and (readable or each.memory.scope == "agent")]
    shown = about_user if readable else []
    block = render(known.entries, [each.memory for each in shown], [each.memory for each in of_agent])
    return Recalled(block, shown, of_agent, left_out, known, state, len(about_user) - len(shown))
