"""API row 30: the org's agents."""

from __future__ import annotations

from typing import Any

from webapp.access.policy import Action, Target, can
from webapp.api.answers import PageOf, page_of
from webapp.api.answers_setup import Agent
from webapp.api.schemas import AgentBody, PageQuery
from webapp.directory import agents
from webapp.http.endpoint import AGENTS, A, Answer, O, endpoint, expected_version
from webapp.http.paging import page_request
from webapp.http.scope import Scope


@endpoint("GET", f"{O}/{AGENTS}/", Action.READ_AGENTS, query=PageQuery, answers=PageOf[Agent])
def list_agents(scope: Scope, query: PageQuery) -> dict[str, Any]:  # noqa: ARG001  the page is read by page_request
    """List the org's agents by name, archived ones included."""
    page, size = page_request()
    found = agents.list_agents(scope.actor, page=page, size=size)
    with_roles = _manages(scope)
    return page_of(found, lambda agent: Agent.of(agent, with_roles=with_roles))


@endpoint("GET", f"{O}/{A}/", Action.READ_AGENTS, answers=Agent)
def get_agent(scope: Scope) -> Agent:
    """Read one agent, by UUID or slug."""
    assert scope.agent is not None
    return Agent.of(agents.get_agent(scope.actor, scope.agent.slug), with_roles=_manages(scope))


@endpoint("PUT", f"{O}/{AGENTS}/<slug>/", Action.WRITE_AGENTS, body=AgentBody, answers=Agent, statuses=(201, 412))
def put_agent(scope: Scope, slug: str, body: AgentBody) -> Answer:
    """Create an agent under this slug (201), or change the one that has it (200)."""
    draft = agents.AgentDraft(**body.model_dump())
    agent, created = agents.put_agent(scope.actor, slug, draft, expected_version=expected_version())
    return Answer(Agent.of(agent, with_roles=True), 201 if created else 200)


def _manages(scope: Scope) -> bool:
    return can(scope.actor, Action.WRITE_AGENTS, Target(scope.org.id))
