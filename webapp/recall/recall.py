"""From a message to the memories that matter for it, and the agent's knowledge."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, can, require
from webapp.db.session import transaction
from webapp.errors import Unavailable
from webapp.memory import knowledge, queries
from webapp.memory.enablement import EffectiveState, effective
from webapp.memory.nearest import nearest
from webapp.memory.types import KnowledgeView, MemoryView
from webapp.recall.context import render
from webapp.runtime import runtime


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory that was recalled: its cosine distance (None while it has no vector) and its score."""

    memory: MemoryView
    distance: float | None
    score: float


@dataclass(frozen=True, slots=True)
class Recalled:
    """Everything a message brings up. `hidden_global` counts global memories that the caller may not read."""

    context: str
    global_memories: list[RecalledMemory]
    agent_memories: list[RecalledMemory]
    knowledge: list[KnowledgeView]
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
) -> Recalled:
    """Recall for one message, through all gates; nothing at all when use is off for the user.

    Raises NotVisible, NotAllowed, Unavailable (memory is off for the installation). While the embedding service is
    down, memories are found by their words alone.
    """
    require(actor, Action.READ_CONTEXT, Target(actor.org_id, user_id, agent_id))
    settings = runtime().settings
    if settings.disable_memory:
        raise Unavailable("Memory is switched off for this installation (DISABLE_MEMORY).")
    with transaction(actor.org_id) as session:
        state = effective(session, actor.org_id, user_id, agent_id)
    if not state.uses:
        return Recalled("", [], [], [], state)
    limits = (
        settings.max_global if max_global is None else max_global,
        settings.max_agent if max_agent is None else max_agent,
    )
    vector = runtime().embedder.embed_one(message) if message.strip() else None
    with transaction(actor.org_id) as session:
        about = [
            _ranked(session, actor.org_id, user_id, scope, vector, limit)
            for scope, limit in zip((None, agent_id), limits, strict=True)
        ]
        known = knowledge.delivered(session, actor.org_id, agent_id, settings.knowledge_budget).entries
    shown = about[0] if can(actor, Action.READ_GLOBAL, Target(actor.org_id, user_id)) else []
    block = render(known, [each.memory for each in shown], [each.memory for each in about[1]])
    return Recalled(block, shown, about[1], known, state, len(about[0]) - len(shown))


def _ranked(session: Session, org_id: int, user_id: int, agent_id: int | None, vector, limit: int):  # type: ignore
    if vector is None or not limit:
        return []
    model = runtime().embedder.model
    found = nearest(session, org_id, user_id, agent_id, model, vector, limit)
    views = queries.views_by_id(session, org_id, [each.memory_id for each in found])
    return [RecalledMemory(views[each.memory_id], each.distance, 1 - each.distance) for each in found]
