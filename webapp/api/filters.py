"""From a list's path and query string to the filter of memories: whose, and which."""

from __future__ import annotations

from typing import Any

from webapp.api.schemas import GroupQuery, Whose
from webapp.http.scope import Scope


def of_path_user(scope: Scope, query: Whose) -> dict[str, Any]:
    """Rows 1 and 5: the path's user; on the caller's own path `user_id` and `email` name another instead."""
    asks_for_another = scope.is_own and (query.user_id or query.email)
    return _person(query) | {"user_id": None if asks_for_another else scope.user_id}


def on_agent(scope: Scope, query: GroupQuery) -> dict[str, Any]:
    """Rows 6 and 7: the path's user; on the caller's own path everyone whom the caller may read on the agent."""
    user_id = None if scope.is_own else scope.user_id
    if query.my_memory and scope.actor.account_id is not None:
        user_id = scope.actor.account_id
    return _person(query) | {
        "scope": "agent",
        "user_id": user_id,
        "agent_id": scope.agent_id,
        "category_slug": query.category,
    }


def _person(query: Whose) -> dict[str, Any]:
    start, end = query.moments
    return {"person": query.user_id, "email": query.email, "start": start, "end": end}
