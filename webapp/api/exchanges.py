"""API rows 25 and 26: hand in a conversation turn, and see what became of it."""

from __future__ import annotations

from flask import request

from webapp.access.policy import Action
from webapp.api.answers_conversation import Accepted, ExchangeState
from webapp.api.schemas import KEY_LENGTH, ExchangeBody
from webapp.errors import Invalid
from webapp.http.endpoint import A, Answer, U, endpoint
from webapp.http.scope import Scope
from webapp.inbox.accept import Exchange, accept_exchange
from webapp.inbox.activity import status
from webapp.runtime import runtime

LIST = f"{U}/{A}/exchanges/"


@endpoint(
    "POST", LIST, Action.WRITE_EXCHANGE, body=ExchangeBody, answers=Accepted, status=202, statuses=(422, 429, 503)
)
def post_exchange(scope: Scope, body: ExchangeBody) -> Answer:
    """Hand in one user message and the agent's answer for capture.

    With an `idempotency_key` (or the header `Idempotency-Key`), sending the same body again answers with the same
    exchange; another body under that key is 422.
    """
    fields = body.model_dump(exclude={"idempotency_key"})
    accepted = accept_exchange(
        scope.actor,
        user_id=scope.user_id,
        agent_id=scope.agent_id,
        exchange=Exchange(**fields),
        # Both spellings and all prefixes are one path: a key used under one is used under all.
        path=f"{scope.org.id}/{scope.user_id}/{scope.agent_id}/exchanges",
        idempotency_key=_key(body),
        settings=runtime().settings,
    )
    answer = {"id": accepted.id, "status": accepted.status}
    return Answer(answer | ({"reason": accepted.reason} if accepted.reason else {}), 202)


@endpoint("GET", f"{LIST}<int:exchange_id>/", Action.READ_EXCHANGE, answers=ExchangeState)
def get_exchange(scope: Scope, exchange_id: int) -> ExchangeState:
    """Read what became of an exchange: its state, counts and error, never its text."""
    found = status(scope.actor, user_id=scope.user_id, agent_id=scope.agent_id, item_id=exchange_id)
    return ExchangeState.of(found)


def _key(body: ExchangeBody) -> str | None:
    header = request.headers.get("Idempotency-Key")
    if header is not None and len(header) > KEY_LENGTH:
        raise Invalid({"idempotency_key": [f"Ensure this field has no more than {KEY_LENGTH} characters."]})
    return body.idempotency_key or header or None
