"""API rows 20–23: an agent's knowledge (Shared Memory), about no person and delivered to everyone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.access.policy import Action
from webapp.api.answers import Knowledge, PageOf, page_of
from webapp.api.schemas import ContentBody, KnowledgeQuery
from webapp.http.endpoint import A, Answer, O, endpoint, expected_version
from webapp.http.paging import page_request
from webapp.http.scope import Scope
from webapp.memory import knowledge
from webapp.runtime import runtime

# The same word in both spellings: the path that this shares with memories about users has `users/{user}` in it.
LIST = f"{O}/{A}/agent-memories/"
ONE = f"{LIST}<int:entry_id>/"
NOT_DELIVERED = "Knowledge-Not-Delivered"


@endpoint("GET", LIST, Action.READ_KNOWLEDGE, query=KnowledgeQuery, answers=PageOf[Knowledge])
def list_knowledge(scope: Scope, query: KnowledgeQuery) -> Answer:
    """List an agent's knowledge, newest first.

    The header `Knowledge-Not-Delivered` names the ids on this page that are over the budget and so reach nobody.
    """
    (page, size), (start, end) = page_request(), query.moments
    found = knowledge.list_knowledge(scope.actor, scope.agent_id, start=start, end=end, page=page, size=size)
    return Answer(page_of(found, Knowledge.of), headers=_budget(scope, *(entry.id for entry in found.rows)))


@endpoint("POST", LIST, Action.WRITE_KNOWLEDGE, body=ContentBody, answers=Knowledge, status=201, statuses=(409,))
def create_knowledge(scope: Scope, body: ContentBody) -> Answer:
    """Add an entry. Don't put personal data here: what is about one person belongs in that person's memories."""
    made = knowledge.add(scope.actor, scope.agent_id, body.content)
    return Answer(Knowledge.of(made), 201, _budget(scope, made.id))


@endpoint("GET", ONE, Action.READ_KNOWLEDGE, answers=Knowledge)
def get_knowledge(scope: Scope, entry_id: int) -> Answer:
    """Read one entry."""
    return Answer(Knowledge.of(knowledge.get(scope.actor, scope.agent_id, entry_id)), headers=_budget(scope, entry_id))


@endpoint("PATCH", ONE, Action.WRITE_KNOWLEDGE, body=ContentBody, answers=Knowledge, statuses=(409, 412))
def edit_knowledge(scope: Scope, entry_id: int, body: ContentBody) -> Answer:
    """Replace an entry's text."""
    edited = knowledge.edit(scope.actor, scope.agent_id, entry_id, body.content, expected_version=expected_version())
    return Answer(Knowledge.of(edited), headers=_budget(scope, entry_id))


@endpoint("DELETE", ONE, Action.WRITE_KNOWLEDGE, status=204, statuses=(412,))
def delete_knowledge(scope: Scope, entry_id: int) -> Answer:
    """Delete an entry: everyone who talks to the agent stops receiving it at once."""
    knowledge.delete(scope.actor, scope.agent_id, entry_id, expected_version=expected_version())
    return Answer(status=204)


def _budget(scope: Scope, *entry_ids: int) -> Mapping[str, Any]:
    left_out = knowledge.left_out(scope.actor, scope.agent_id, runtime().settings.knowledge_budget)
    over = sorted(left_out.intersection(entry_ids))
    return {NOT_DELIVERED: ", ".join(map(str, over))} if over else {}
