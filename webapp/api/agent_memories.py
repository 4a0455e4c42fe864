"""API rows 5–10: what one agent remembers about users."""

from __future__ import annotations

from typing import Any

from webapp.access.policy import Action
from webapp.api.answers import AgentMemory, AgentMemoryGroup, CategoryName, PageOf, page_of
from webapp.api.filters import of_path_user, on_agent
from webapp.api.schemas import AgentMemoryBody, AgentMemoryChange, AgentQuery, AllAgentsQuery, GroupQuery
from webapp.http.endpoint import MEMORIES, MEMORY_LIST, A, Answer, U, endpoint, expected_version
from webapp.http.paging import page_request
from webapp.http.scope import Scope
from webapp.memory import queries
from webapp.memory.queries import MemoryFilter
from webapp.memory.write import manual, removal

ALL_AGENTS = f"{U}/{MEMORIES}/"
GROUPED = f"{U}/{A}/{MEMORIES}/"
FLAT = f"{U}/{A}/{MEMORY_LIST}/"
ONE = f"{GROUPED}<int:memory_id>/"


@endpoint(
    "GET", ALL_AGENTS, Action.READ_AGENT_MEMORY, query=AllAgentsQuery, answers=PageOf[AgentMemory], across_agents=True
)
def list_all_agent_memories(scope: Scope, query: AllAgentsQuery) -> dict[str, Any]:
    """List what all agents remember about a user, newest first.

    An agent's editors and viewers see the memories of their agents only.
    """
    page, size = page_request()
    wanted = MemoryFilter(scope="agent", agent=query.agent or query.mentor, **of_path_user(scope, query))
    return page_of(queries.list_memories(scope.actor, wanted, page=page, size=size), AgentMemory.of)


@endpoint("GET", GROUPED, Action.READ_AGENT_MEMORY, query=GroupQuery, answers=list[AgentMemoryGroup])
def list_grouped_agent_memories(scope: Scope, query: GroupQuery) -> list[AgentMemoryGroup]:
    """List an agent's memories by category: at most 100 of each, newest first, with their number.

    On the caller's own path without `user_id` and `email`: of everyone whom the caller may read on this agent.
    """
    return [
        AgentMemoryGroup(
            category=CategoryName.of(group.category),
            count=group.count,
            memories=[AgentMemory.of(memory) for memory in group.memories],
        )
        for group in queries.list_grouped(scope.actor, MemoryFilter(**on_agent(scope, query)))
    ]


@endpoint("GET", FLAT, Action.READ_AGENT_MEMORY, query=AgentQuery, answers=PageOf[AgentMemory])
def list_agent_memories(scope: Scope, query: AgentQuery) -> dict[str, Any]:
    """List an agent's memories, newest first.

    On the caller's own path without `user_id` and `email`: of everyone whom the caller may read on this agent.
    """
    page, size = page_request()
    found = queries.list_memories(scope.actor, MemoryFilter(**on_agent(scope, query)), page=page, size=size)
    return page_of(found, AgentMemory.of)


@endpoint(
    "POST", GROUPED, Action.WRITE_AGENT_MEMORY, body=AgentMemoryBody, answers=AgentMemory, status=201, statuses=(409,)
)
def create_agent_memory(scope: Scope, body: AgentMemoryBody) -> Answer:
    """Add a memory by hand, filed under an active category."""
    draft = manual.Draft(scope.user_id, body.content, scope.agent_id, body.category_slug)
    return Answer(AgentMemory.of(manual.add(scope.actor, draft)), 201)


@endpoint("GET", ONE, Action.READ_AGENT_MEMORY, answers=AgentMemory)
def get_agent_memory(scope: Scope, memory_id: int) -> AgentMemory:
    """Read one memory."""
    return AgentMemory.of(queries.get_live(scope.actor, memory_id, _place(scope)))


@endpoint("PATCH", ONE, Action.WRITE_AGENT_MEMORY, body=AgentMemoryChange, answers=AgentMemory, statuses=(409, 412))
def edit_agent_memory(scope: Scope, memory_id: int, body: AgentMemoryChange) -> AgentMemory:
    """Replace a memory's text, file it under another category, or both; the previous state stays in its history."""
    queries.require_place(scope.actor, memory_id, _place(scope))
    edited = manual.edit(
        scope.actor,
        memory_id,
        content=body.content,
        category_slug=body.category_slug,
        expected_version=expected_version(),
    )
    return AgentMemory.of(edited)


@endpoint("DELETE", ONE, Action.WRITE_AGENT_MEMORY, status=204, statuses=(412,))
def delete_agent_memory(scope: Scope, memory_id: int) -> Answer:
    """Delete a memory; it can be restored for 30 days on a screen."""
    queries.require_place(scope.actor, memory_id, _place(scope))
    removal.delete(scope.actor, [memory_id], expected_version=expected_version())
    return Answer(status=204)


def _place(scope: Scope) -> MemoryFilter:
    """Where the path says the memory is: on the caller's own path anyone's, as in the lists of that path."""
    return MemoryFilter(scope="agent", user_id=None if scope.is_own else scope.user_id, agent_id=scope.agent_id)
