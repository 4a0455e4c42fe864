"""Names for ids: what a list of events shows instead of numbers."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.models import Account, Agent, Membership
from webapp.db.session import transaction


def usernames(actor: Actor, user_ids: Collection[int]) -> dict[int, str]:
    """Usernames of the org's members, those who left included; ids of nobody here are missing."""
    require(actor, Action.READ_PEOPLE, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        rows = session.execute(
            select(Account.id, Account.username)
            .join(Membership, Membership.user_id == Account.id)
            .where(Membership.org_id == actor.org_id, Account.id.in_(user_ids))
        )
        return dict(rows.all())


def agent_names(actor: Actor, agent_ids: Collection[int]) -> dict[int, str]:
    """Names of the org's agents, archived ones included."""
    require(actor, Action.READ_AGENTS, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        rows = session.execute(
            select(Agent.id, Agent.name).where(Agent.org_id == actor.org_id, Agent.id.in_(agent_ids))
        )
        return dict(rows.all())


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
