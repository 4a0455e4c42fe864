"""API row 27: what to put before the model for a message."""

from __future__ import annotations

from webapp.access.policy import Action
from webapp.api.answers_conversation import Context
from webapp.api.schemas import ContextBody
from webapp.http.endpoint import A, U, endpoint
from webapp.http.scope import Scope
from webapp.recall.recall import recall


@endpoint("POST", f"{U}/{A}/context/", Action.READ_CONTEXT, body=ContextBody, answers=Context, statuses=(503,))
def post_context(scope: Scope, body: ContextBody) -> Context:
    """Recall for a message: the block to inject, its memories and knowledge, and the effective state."""
    found = recall(
        scope.actor,
        user_id=scope.user_id,
        agent_id=scope.agent_id,
        message=body.message,
        max_global=body.max_global,
        max_agent=body.max_agent,
    )
    return Context.of(found)
