"""From a URL to what it is about: the org, the user and the agent, with 403 and 404 in the order the API promises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, can
from webapp.db.session import transaction
from webapp.directory.agents import find_agent
from webapp.directory.people import find_user, load_user
from webapp.directory.types import AgentView, OrgView, UserView
from webapp.errors import NotAllowed, NotVisible
from webapp.http.actor import act_in

# No member has this id: it stands for "somebody else" where a permission is asked before any look-up.
SOMEBODY_ELSE = -1
Others = Literal["refuse", "own"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks and what the path names. `own_instead` is set where another's path resolved to the caller's own."""

    actor: Actor
    org: OrgView
    user: UserView | None = None
    agent: AgentView | None = None
    own_instead: bool = False

    @property
    def user_id(self) -> int:
        """The path's user; a path without one has no such property."""
        if self.user is None:
            raise NotVisible
        return self.user.id

    @property
    def agent_id(self) -> int:
        """The path's agent."""
        if self.agent is None:
            raise NotVisible
        return self.agent.id


def resolve(
    org_key: str,
    user: str | None = None,
    agent: str | None = None,
    *,
    action: Action,
    others: Others = "refuse",
    across_agents: bool = False,
) -> Scope:
    """Resolve a path for `action`.

    Another org is NotVisible. Another member's path is NotAllowed before any look-up, whether that member exists or
    not, unless `action` may be done to members one has no other tie to. With `others="own"` it resolves to the
    caller's own instead. `across_agents`: any agent the caller has a role on will do.
    """
    actor, org = act_in(org_key)
    found_agent = _agent(actor, agent) if agent is not None else None
    if user is None:
        return Scope(actor, org, agent=found_agent)
    if actor.account_id is not None and _is_self(actor, user):
        return Scope(actor, org, _self(actor), found_agent)
    if others == "own" and not actor.is_admin and actor.kind == "person":
        return Scope(actor, org, _self(actor), found_agent, own_instead=True)
    agents: list[int | None] = [found_agent.id if found_agent else None]
    if across_agents:
        agents += actor.agent_roles
    _require_any(actor, action, agents)
    with transaction(actor.org_id) as session:
        found = find_user(session, actor.org_id, user)
    if found is None:
        raise NotVisible
    return Scope(actor, org, found, found_agent)


def _require_any(actor: Actor, action: Action, agents: list[int | None]) -> None:
    if not any(can(actor, action, Target(actor.org_id, SOMEBODY_ELSE, agent_id)) for agent_id in agents):
        raise NotAllowed


def _agent(actor: Actor, reference: str) -> AgentView:
    with transaction(actor.org_id) as session:
        found = find_agent(session, actor.org_id, reference)
    if found is None:
        raise NotVisible
    return found


def _is_self(actor: Actor, reference: str) -> bool:
    with transaction(actor.org_id) as session:
        me = find_user(session, actor.org_id, str(actor.account_id))
    names = {me.username.lower(), str(me.id), me.email.lower()} if me else set()
    return reference.lower() in names


def _self(actor: Actor) -> UserView:
    if actor.account_id is None:
        raise NotVisible
    with transaction(actor.org_id) as session:
        return load_user(session, actor.org_id, actor.account_id)
