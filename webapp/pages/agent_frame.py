"""The head of an agent's memory pages: name, switch, effective state, sub-tabs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from webapp.access.policy import Action, Target, can
from webapp.db.session import transaction
from webapp.directory.admins import admin_names
from webapp.directory.types import AgentView
from webapp.errors import NotVisible
from webapp.http.scope import Scope
from webapp.memory import switchers
from webapp.memory.enablement import shared_off
from webapp.messages import text as msg
from webapp.pages import where
from webapp.pages.shapes.states import Switch, agent_switch
from webapp.pages.shapes.tabs import Tab
from webapp.runtime import runtime

TABS = (("users", "agent.tab_users", ""), ("shared", "agent.tab_shared", "/shared"))


@dataclass(frozen=True, slots=True)
class AgentHead:
    """What the name of an agent is shown with."""

    name: str
    archived: bool


def enter(org: str, agent: str) -> Scope:
    """Any member may open an agent's pages; what they see there is each verb's decision."""
    return where.here(org, Action.READ_AGENTS, agent=agent)


def agent_of(scope: Scope) -> AgentView:
    """The agent that the address names."""
    if scope.agent is None:
        raise NotVisible
    return scope.agent


def path(scope: Scope) -> str:
    """The address of the agent's User Memories."""
    return f"/orgs/{scope.org.key}/agents/{agent_of(scope).slug}/memory"


def allowed(scope: Scope, action: Action) -> bool:
    """Whether the reader may do this to the agent's whole memory: decides what is shown, not what is allowed."""
    return can(scope.actor, action, Target(scope.org.id, agent_id=scope.agent_id))


def head(scope: Scope, tab: str, *, back: str = "") -> dict[str, Any]:
    """The variables of templates/agent/layout.html. Members without a role always see the panel: it is their own."""
    agent = agent_of(scope)
    can_edit, can_read = allowed(scope, Action.WRITE_AGENT_SETTINGS), allowed(scope, Action.READ_AGENT_SETTINGS)
    show = agent.enable_memory_component or not can_read
    base = path(scope)
    tabs = [Tab(msg(key), base + end, name == tab, inert=not show) for name, key, end in TABS]
    return {
        "agent": AgentHead(agent.name, agent.is_archived),
        "can_edit": can_edit,
        "enable": _enable(scope, f"{base}{back}/enable", can_edit=can_edit),
        "tabs": tabs,
        "kept": None if show else next(each for each in tabs if not each.current),
    }


def agents_url(scope: Scope) -> str:
    """The list of agents."""
    return f"/orgs/{scope.org.key}/agents"


def _enable(scope: Scope, url: str, *, can_edit: bool) -> Switch:
    on = agent_of(scope).enable_memory_component
    with transaction(scope.org.id) as session:
        off = shared_off(session, scope.org.id, scope.agent_id, installation_off=runtime().settings.disable_memory)
        off = switchers.named(session, scope.org.id, off)
        admins = admin_names(session, scope.org.id)
    return Switch(on, url, agent_switch(on, off, admins, can_edit=can_edit, master=where.master_switch(scope)))
