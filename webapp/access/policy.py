"""Who may do what: the one permission function. Pure: it asks no database."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from webapp.access.actor import Actor
from webapp.errors import NotAllowed, NotVisible


class Action(StrEnum):
    """Everything that can be permitted, as `resource:verb`."""

    READ_GLOBAL = "global_memory:read"
    WRITE_GLOBAL = "global_memory:write"
    READ_AGENT_MEMORY = "agent_memory:read"
    WRITE_AGENT_MEMORY = "agent_memory:write"
    READ_KNOWLEDGE = "knowledge:read"
    WRITE_KNOWLEDGE = "knowledge:write"
    READ_ACTIVE_CATEGORIES = "category:read_active"
    READ_CATEGORIES = "category:read"
    WRITE_CATEGORIES = "category:write"
    READ_USER_SETTINGS = "user_settings:read"
    WRITE_USER_SETTINGS = "user_settings:write"
    READ_ORG_STATUS = "org_status:read"
    READ_ORG_SETTINGS = "org_settings:read"
    WRITE_ORG_SETTINGS = "org_settings:write"
    READ_AGENT_SETTINGS = "agent_settings:read"
    WRITE_AGENT_SETTINGS = "agent_settings:write"
    WRITE_EXCHANGE = "exchange:write"
    READ_EXCHANGE = "exchange:read"
    RETRY_EXCHANGE = "exchange:retry"
    READ_CONTEXT = "context:read"
    READ_AGENTS = "agent:read"
    WRITE_AGENTS = "agent:write"
    READ_PEOPLE = "person:read"
    FIND_PEOPLE = "person:find"
    WRITE_PEOPLE = "person:write"
    EXPORT_USER = "user:export"
    EXPORT_AGENT = "agent:export"
    ERASE_USER = "user:erase"
    READ_ACTIVITY = "activity:read"
    READ_AUDIT = "audit:read"
    MANAGE_TOKENS = "token:manage"
    READ_GRAPH = "graph:read"
    WRITE_GRAPH = "graph:write"
    OWN_GRAPH = "graph:own"
    CLEAR_GRAPH = "graph:clear"


class Role(StrEnum):
    """What an actor can be to a target, besides org admin (who may do everything in the org)."""

    SELF = "self"
    MEMBER = "member"
    EDITOR = "editor"
    VIEWER = "viewer"


@dataclass(frozen=True, slots=True)
class Target:
    """What an action is about: an org, and where it applies the user it is about and the agent."""

    org_id: int
    user_id: int | None = None
    agent_id: int | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """Roles that may act, and the scope a service token needs (None: no service token may)."""

    roles: frozenset[Role]
    scope: str | None
    superuser_only: bool = False


def _rule(scope: str | None, *roles: Role, superuser_only: bool = False) -> Rule:
    return Rule(frozenset(roles), scope, superuser_only)


RULES: dict[Action, Rule] = {
    Action.READ_GLOBAL: _rule("memories:read", Role.SELF),
    Action.WRITE_GLOBAL: _rule("memories:write", Role.SELF),
    Action.READ_AGENT_MEMORY: _rule("memories:read", Role.SELF, Role.EDITOR, Role.VIEWER),
    Action.WRITE_AGENT_MEMORY: _rule("memories:write", Role.SELF, Role.EDITOR),
    Action.READ_KNOWLEDGE: _rule("knowledge:read", Role.EDITOR, Role.VIEWER),
    Action.WRITE_KNOWLEDGE: _rule("knowledge:write", Role.EDITOR),
    Action.READ_ACTIVE_CATEGORIES: _rule("categories:read", Role.MEMBER),
    Action.READ_CATEGORIES: _rule("categories:read", Role.EDITOR, Role.VIEWER),
    Action.WRITE_CATEGORIES: _rule("categories:write", Role.EDITOR),
    Action.READ_USER_SETTINGS: _rule("settings:read", Role.SELF),
    Action.WRITE_USER_SETTINGS: _rule("settings:write", Role.SELF),
    Action.READ_ORG_STATUS: _rule("settings:read", Role.MEMBER),
    Action.READ_ORG_SETTINGS: _rule("settings:read"),
    Action.WRITE_ORG_SETTINGS: _rule("settings:write"),
    Action.READ_AGENT_SETTINGS: _rule("settings:read", Role.SELF, Role.EDITOR, Role.VIEWER),
    Action.WRITE_AGENT_SETTINGS: _rule("settings:write", Role.EDITOR),
    Action.WRITE_EXCHANGE: _rule("exchanges:write", Role.SELF),
    Action.READ_EXCHANGE: _rule("exchanges:write", Role.SELF),
    Action.RETRY_EXCHANGE: _rule(None),
    Action.READ_CONTEXT: _rule("context:read", Role.SELF, Role.EDITOR, Role.VIEWER),
    Action.READ_AGENTS: _rule("settings:read", Role.MEMBER),
    Action.WRITE_AGENTS: _rule("settings:write"),
    Action.READ_PEOPLE: _rule("people:write"),
    Action.FIND_PEOPLE: _rule("people:write", Role.EDITOR, Role.VIEWER),
    Action.WRITE_PEOPLE: _rule("people:write"),
    Action.EXPORT_USER: _rule("memories:read", Role.SELF),
    Action.EXPORT_AGENT: _rule("memories:read"),
    Action.ERASE_USER: _rule(None, Role.SELF),
    Action.READ_ACTIVITY: _rule(None),
    Action.READ_AUDIT: _rule(None),
    Action.MANAGE_TOKENS: _rule(None),
    Action.READ_GRAPH: _rule("graph:read", Role.SELF),
    Action.WRITE_GRAPH: _rule("graph:write", Role.SELF),
    Action.OWN_GRAPH: _rule(None),
    Action.CLEAR_GRAPH: _rule(None, superuser_only=True),
}


def can(actor: Actor, action: Action, target: Target) -> bool:
    """Whether `actor` may do `action` to `target`. Nothing crosses an org: the actor acts in exactly one."""
    rule = RULES[action]
    if target.org_id != actor.org_id:
        return False
    if actor.kind == "service":
        return rule.scope is not None and rule.scope in actor.scopes
    if actor.is_superuser:
        return True
    if rule.superuser_only:
        return False
    return actor.is_admin or bool(rule.roles & _roles(actor, target))


def require(actor: Actor, action: Action, target: Target, *, visible_by: Action | None = None) -> None:
    """Raise unless permitted.

    NotAllowed (403) where the caller may know of the target; NotVisible (404) where it lies in another org or
    `visible_by`, the action that lets one see it, is not permitted either.
    """
    if can(actor, action, target):
        return
    hidden = visible_by is not None and not can(actor, visible_by, target)
    raise NotVisible if hidden or target.org_id != actor.org_id else NotAllowed


def _roles(actor: Actor, target: Target) -> set[Role]:
    held = {Role.MEMBER} if actor.org_role else set()
    if actor.account_id is not None and target.user_id == actor.account_id:
        held.add(Role.SELF)
    role = actor.agent_roles.get(target.agent_id) if target.agent_id is not None else None
    return held | ({Role(role)} if role else set())
