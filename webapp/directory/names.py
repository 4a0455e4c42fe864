"""Names for ids: what a list of events shows instead of numbers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import select

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.models import Account, Agent, Membership
from webapp.db.session import transaction


@dataclass(frozen=True, slots=True)
class Named:
    """What a person or an agent is called, and how an address names them: username or slug."""

    name: str
    reference: str


def people_names(actor: Actor, user_ids: Collection[int]) -> dict[int, Named]:
    """Full names, else usernames, of the org's members, those who left included; ids of nobody here are missing."""
    require(actor, Action.READ_PEOPLE, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        rows = session.execute(
            select(Account.id, Account.full_name, Account.username)
            .join(Membership, Membership.user_id == Account.id)
            .where(Membership.org_id == actor.org_id, Account.id.in_(user_ids))
        )
        return {row.id: Named(row.full_name or row.username, row.username) for row in rows}


def agent_names(actor: Actor, agent_ids: Collection[int]) -> dict[int, Named]:
    """Names of the org's agents, archived ones included."""
    require(actor, Action.READ_AGENTS, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        rows = session.execute(
            select(Agent.id, Agent.name, Agent.slug).where(Agent.org_id == actor.org_id, Agent.id.in_(agent_ids))
        )
        return {row.id: Named(row.name, row.slug) for row in rows}


def invited(actor: Actor, user_ids: Collection[int]) -> frozenset[int]:
    """Those of these members who have not chosen a password yet."""
    require(actor, Action.READ_PEOPLE, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        rows = session.scalars(
            select(Account.id)
            .join(Membership, Membership.user_id == Account.id)
            .where(Membership.org_id == actor.org_id, Account.id.in_(user_ids), Account.password_hash.is_(None))
        )
        return frozenset(rows)
