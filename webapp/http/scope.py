"""From a URL to what it is about: the org, the user and the agent, with 403 and 404 in the order the API promises."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, can, require
from webapp.db.session import installation
from webapp.directory.agents import find_agent
from webapp.directory.people import find_user
from webapp.directory.types import AgentView, OrgView, UserView
from webapp.errors import NotAllowed, NotVisible
from webapp.http.actor import Entered, enter_org

# No member has this id: it stands for "somebody else" where a permission is asked before any look-up.
SOMEBODY_ELSE = -1
Others = Literal["refuse", "own", "unasked"]


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

    @property
    def is_own(self) -> bool:
        """Whether the path's user is the caller."""
        return self.user is not None and self.user.id == self.actor.account_id


def resolve(
    org_key: str,
    user: str | None = None,
    agent: str | None = None,
    *,
    action: Action,
    others: Others = "refuse",
    across_agents: bool = False,
) -> Scope:
    """The scope of a request that may do `action`, in one transaction. Verbs ask again, about the very object.

    Another org is NotVisible. Another member's path is NotAllowed before any look-up of them, whether they exist or
    not, unless `action` may be done to members one has no other tie to. `others`: with "own" it resolves to the
    caller's own instead, with "unasked" the answer is not about the user, who is then not looked up for members.
    `across_agents`: any agent the caller has a role on will do.
    """
    _refuse_nul(org_key, user, agent)
    with installation() as session:
        entered = enter_org(session, org_key)
        actor, org = entered.actor, entered.org
        found = find_agent(session, org.id, agent) if agent is not None else None
        own = user is None or entered.who.is_called(user)
        if agent is not None and found is None:
            raise _missing_agent(actor, action, own)
        agent_id = found.id if found else None
        if user is None or own:
            me = _self(entered) if user is not None else None
            require(actor, action, Target(org.id, me.id if me else None, agent_id))
            return Scope(actor, org, me, found)
        if actor.kind == "person" and not actor.is_admin and others != "refuse":
            return _instead(entered, others, found)
        agents = {agent_id, *(actor.agent_roles if across_agents else ())}
        if not _may(actor, action, agents):
            raise NotAllowed
        return Scope(actor, org, _other(session, org.id, user), found)


def _instead(entered: Entered, others: Others, agent: AgentView | None) -> Scope:
    if others == "own":
        return Scope(entered.actor, entered.org, _self(entered), agent, own_instead=True)
    return Scope(entered.actor, entered.org, agent=agent)


def _may(actor: Actor, action: Action, agents: Iterable[int | None]) -> bool:
    return any(can(actor, action, Target(actor.org_id, SOMEBODY_ELSE, agent_id)) for agent_id in agents)


def _missing_agent(actor: Actor, action: Action, own: bool) -> Exception:
    """A missing agent is answered like one that the caller has nothing to do with."""
    known = can(actor, Action.READ_AGENTS, Target(actor.org_id)) if own else False
    return NotVisible() if known or _may(actor, action, (None, *actor.agent_roles)) else NotAllowed()


def _self(entered: Entered) -> UserView:
    if entered.member is None:
        raise NotVisible
    return entered.member


def _other(session: Session, org_id: int, reference: str) -> UserView:
    found = find_user(session, org_id, reference)
    if found is None:
        raise NotVisible
    return found


def _refuse_nul(*references: str | None) -> None:
    """PostgreSQL's text holds no NUL, so nothing is called that."""
    if any(reference is not None and "\x00" in reference for reference in references):
        raise NotVisible
