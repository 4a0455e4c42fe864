"""API rows 1–4: what every agent of the org remembers about a user."""

from __future__ import annotations

from typing import Any

from webapp.access.policy import Action
from webapp.api.answers import GlobalMemory, PageOf, page_of
from webapp.api.filters import of_path_user
from webapp.api.schemas import ContentBody, GlobalQuery
from webapp.http.endpoint import Answer, U, endpoint, expected_version
from webapp.http.paging import page_request
from webapp.http.scope import Scope
from webapp.memory import queries
from webapp.memory.queries import MemoryFilter
from webapp.memory.write import manual, removal

LIST = f"{U}/global-memories/"
ONE = f"{LIST}<int:memory_id>/"


@endpoint("GET", LIST, Action.READ_GLOBAL, query=GlobalQuery, answers=PageOf[GlobalMemory])
def list_global_memories(scope: Scope, query: GlobalQuery) -> dict[str, Any]:
    """List a user's global memories, newest first."""
    page, size = page_request()
    wanted = MemoryFilter(
        scope="global", session_id=query.session_id, text=query.content or query.search, **of_path_user(scope, query)
    )
    found = queries.list_memories(scope.actor, wanted, page=page, size=size)
    return page_of(found, lambda memory: GlobalMemory.of(memory, scope.org))


@endpoint("POST", LIST, Action.WRITE_GLOBAL, body=ContentBody, answers=GlobalMemory, status=201, statuses=(409,))
def create_global_memory(scope: Scope, body: ContentBody) -> Answer:
    """Add a global memory by hand."""
    draft = manual.Draft(scope.user_id, body.content)
    return Answer(GlobalMemory.of(manual.add(scope.actor, draft), scope.org), 201)


@endpoint("GET", ONE, Action.READ_GLOBAL, answers=GlobalMemory)
def get_global_memory(scope: Scope, memory_id: int) -> GlobalMemory:
    """Read one global memory."""
    return GlobalMemory.of(queries.get_live(scope.actor, memory_id, _place(scope)), scope.org)


@endpoint("PATCH", ONE, Action.WRITE_GLOBAL, body=ContentBody, answers=GlobalMemory, statuses=(409, 412))
def edit_global_memory(scope: Scope, memory_id: int, body: ContentBody) -> GlobalMemory:
    """Replace a global memory's text; the previous one stays in its history."""
    queries.require_place(scope.actor, memory_id, _place(scope))
    edited = manual.edit(scope.actor, memory_id, content=body.content, expected_version=expected_version())
    return GlobalMemory.of(edited, scope.org)


@endpoint("DELETE", ONE, Action.WRITE_GLOBAL, status=204, statuses=(412,))
def delete_global_memory(scope: Scope, memory_id: int) -> Answer:
    """Delete a global memory; it can be restored for 30 days on a screen."""
    queries.require_place(scope.actor, memory_id, _place(scope))
    removal.delete(scope.actor, [memory_id], expected_version=expected_version())
    return Answer(status=204)


def _place(scope: Scope) -> MemoryFilter:
    return MemoryFilter(scope="global", user_id=scope.user_id)
