"""API rows 31 and 32: everything held about a user, and everything that an agent holds."""

from __future__ import annotations

from typing import Any

from webapp.access.policy import Action
from webapp.http.endpoint import A, Answer, O, U, endpoint
from webapp.http.scope import Scope
from webapp.privacy import export


@endpoint("GET", f"{U}/export/", Action.EXPORT_USER, answers=dict[str, Any])
def export_user(scope: Scope) -> Answer:
    """Download everything held about a user in this org."""
    return Answer(export.about_user(scope.actor, scope.user_id), headers=_as_file(f"{scope.org.key}-user"))


@endpoint("GET", f"{O}/{A}/export/", Action.EXPORT_AGENT, answers=dict[str, Any])
def export_agent(scope: Scope) -> Answer:
    """Download an agent's memories about users, its knowledge and its categories."""
    return Answer(export.of_agent(scope.actor, scope.agent_id), headers=_as_file(f"{scope.org.key}-agent"))


def _as_file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}.json"'}
