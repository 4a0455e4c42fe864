"""From a message to the memories that matter for it, and the agent's knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, can, require
from webapp.db.session import transaction
from webapp.errors import Unavailable
from webapp.llm.embeddings import Embedder, Vector
from webapp.memory import knowledge
from webapp.memory.enablement import EffectiveState, effective
from webapp.memory.knowledge import Delivery
from webapp.ranking import Outcome
from webapp.recall.context import render
from webapp.recall.finding import Asked, Found, find
from webapp.recall.finding import RecalledMemory as RecalledMemory
from webapp.runtime import runtime

RUNNERS_UP = 10
_Looked = tuple[Found, Delivery]


@dataclass(frozen=True, slots=True)
class Recalled:
    """Everything a message brings up.

    `left_out` are the next best, with why they stayed out, where that was asked for. `hidden_global` counts global memories that were recalled
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
    explain: bool = False,
) -> Recalled:
    """Recall for one message said at `at` (now), through all gates; nothing at all when use is off for the user.

    With `explain`, the runners-up come as well, ten of each scope.

    Raises NotVisible, NotAllowed, Unavailable (memory is off for the installation). While the embedding service is
    down, memories are found by their words alone; while a change of embedding model is under way, by the vectors of
    the model that has embedded more of them.
    """
    require(actor, Action.READ_CONTEXT, Target(actor.org_id, user_id, agent_id))
    settings = runtime().settings
    if settings.disable_memory:
        raise Unavailable("Memory is switched off for this installation (DISABLE_MEMORY).")
    places = {
        0: settings.max_global if max_global is None else max_global,
        agent_id: settings.max_agent if max_agent is None else max_agent,
    }
    said_on = (at or datetime.now(UTC)).astimezone(UTC).date()
    asked = Asked(user_id, agent_id, message, said_on, places, RUNNERS_UP if explain else 0)
    state, looked = _let_through(actor.org_id, asked)
    if not state.uses:
        return Recalled("", [], [], [], knowledge.NOTHING, state)
    found, known = _searched(actor.org_id, asked, looked)
    return _shown(actor, user_id, found, known, state)


def _let_through(org_id: int, asked: Asked) -> tuple[EffectiveState, _Looked | None]:
    """What the switches come to and, where they let it and nothing has to be embedded first, what is found at once."""
    embedder = runtime().embedder
    vector = embedder.known(asked.message)
    with transaction(org_id) as session:
        state = effective(session, org_id, asked.user_id, asked.agent_id)
        ready = vector is not None or not asked.message.strip()
        return state, _look(session, org_id, asked, embedder, vector) if ready and state.uses else None


def _searched(org_id: int, asked: Asked, looked: _Looked | None) -> _Looked:
    """Once by the model that is set up; again by the one before it where that has embedded more of the memories.

    No connection is held while a model works, and no text goes to one before the switches were asked.
    """
    embedder = runtime().embedder
    found, known = looked or _look_anew(org_id, asked, embedder, _embedded(embedder, asked.message))
    if found.fuller_model is None:
        return found, known
    try:
        former = runtime().embedder_of(found.fuller_model)
        return _look_anew(org_id, asked, former, former.embed_one(asked.message))
    except Unavailable:
        return found, known


def _look_anew(org_id: int, asked: Asked, embedder: Embedder, vector: Vector | None) -> _Looked:
    with transaction(org_id) as session:
        return _look(session, org_id, asked, embedder, vector)


def _look(session: Session, org_id: int, asked: Asked, embedder: Embedder, vector: Vector | None) -> _Looked:
    found = find(session, org_id, asked, embedder, vector)
    return found, knowledge.delivered(session, org_id, asked.agent_id, runtime().settings.knowledge_budget)


def _embedded(embedder: Embedder, message: str) -> Vector | None:
    """None for a message without a visible character, and while the service is down."""
    try:
        return embedder.embed_one(message) if message.strip() else None
    except Unavailable:
        return None


def _shown(actor: Actor, user_id: int, found: Found, known: Delivery, state: EffectiveState) -> Recalled:
    readable = can(actor, Action.READ_GLOBAL, Target(actor.org_id, user_id))
    chosen = [each for each in found.memories if each.outcome is Outcome.CHOSEN]
    about_user = [each for each in chosen if each.memory.scope == "global"]
    of_agent = [each for each in chosen if each.memory.scope == "agent"]
    others = [each for each in found.memories if each.outcome is not Outcome.CHOSEN]
    left_out = [each for each in others if readable or each.memory.scope == "agent"]
    shown = about_user if readable else []
    block = render(known.entries, [each.memory for each in shown], [each.memory for each in of_agent])
    return Recalled(block, shown, of_agent, left_out, known, state, len(about_user) - len(shown))
