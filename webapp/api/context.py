"""API row 27: what to put before the model for a message."""

from __future__ import annotations

from typing import Any

from webapp.access.policy import Action
from webapp.api.schemas import ContextAnswer, ContextBody, moment
from webapp.http.endpoint import A, U, endpoint
from webapp.http.scope import Scope
from webapp.memory.enablement import EffectiveState, Off
from webapp.recall.recall import Recalled, RecalledMemory, recall


@endpoint("POST", f"{U}/{A}/context/", Action.READ_CONTEXT, body=ContextBody, answers=ContextAnswer)
def post_context(scope: Scope, body: ContextBody) -> dict[str, Any]:
    """Recall for a message: the block to inject, its memories and knowledge, and the effective state."""
    found = recall(
        scope.actor,
        user_id=scope.user_id,
        agent_id=scope.agent_id,
        message=body.message,
        max_global=body.max_global,
        max_agent=body.max_agent,
    )
    return {
        "context": found.context,
        "memories": _memories(found),
        "knowledge": [{"id": entry.id, "content": entry.content} for entry in found.knowledge.entries],
        "hidden_global_memories": found.hidden_global,
        "state": state_shape(found.state),
    }


def _memories(found: Recalled) -> list[dict[str, Any]]:
    return [_memory(each) for each in (*found.global_memories, *found.agent_memories)]


def _memory(each: RecalledMemory) -> dict[str, Any]:
    memory = each.memory
    return {
        "id": memory.id,
        "scope": memory.scope,
        "content": memory.content,
        "category": memory.category.slug if memory.category else None,
        "distance": each.distance,
        "score": each.score,
        "created_at": moment(memory.created_at),
    }


def state_shape(state: EffectiveState) -> dict[str, Any]:
    """The effective state with its reasons."""
    return {"capture": _side(state.capture_off), "use": _side(state.use_off)}


def _side(off: Off | None) -> dict[str, Any]:
    if off is None:
        return {"on": True, "reason": None, "detail": None}
    return {"on": False, "reason": off.reason, "detail": off.sentence, "since": moment(off.since)}
