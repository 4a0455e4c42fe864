"""From a screen's address to what it is about. Each raises what `webapp.http.scope.resolve` raises."""

from __future__ import annotations

from flask_login import current_user

from webapp.access.policy import Action, Target, can
from webapp.http import frame
from webapp.http.actor import Unauthenticated
from webapp.http.scope import Scope, resolve


def here(org: str, action: Action, *, user: str | None = None, agent: str | None = None) -> Scope:
    """The org, and the person or agent that the address names."""
    scope = resolve(org, user, agent, action=action)
    frame.enter(scope.actor, scope.org, scope.agent.name if scope.agent else None)
    return scope


def own(org: str, action: Action, *, agent: str | None = None) -> Scope:
    """The signed-in member's own place; NotVisible for who is no member of the org, such as a superuser."""
    if not current_user.is_authenticated:
        raise Unauthenticated
    return here(org, action, user=str(current_user.who.account_id), agent=agent)


def master_switch(scope: Scope) -> str | None:
    """The address of the org's switch, for who may use it."""
    may = can(scope.actor, Action.WRITE_ORG_SETTINGS, Target(scope.org.id))
    return f"/orgs/{scope.org.key}/memory" if may else None
