"""Inviting a person: a member, their roles, and the link by which they choose a password."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webapp.access.actor import Actor, AgentRoleName
from webapp.access.policy import Action, Target, require
from webapp.access.sign_in import Link
from webapp.db.session import transaction
from webapp.directory import people
from webapp.directory.people import PersonDraft
from webapp.directory.types import UserView
from webapp.errors import Invalid

MEMBER_ALREADY = "This person is a member already."


@dataclass(frozen=True, slots=True)
class Invitation:
    """A new member. `link` is None for who has an account elsewhere: they sign in with it."""

    user: UserView
    link: Link | None


def invite(actor: Actor, username: str, draft: PersonDraft, roles: Mapping[int, AgentRoleName | None]) -> Invitation:
    """Add a member with their roles, and make their link. Raises Invalid by field."""
    require(actor, Action.WRITE_PEOPLE, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        if people.find_user(session, actor.org_id, username.strip()) is not None:
            raise Invalid({"username": [MEMBER_ALREADY]})
    user, _created = people.put_person(actor, username, draft)
    set_roles(actor, user.id, roles)
    return Invitation(user, _link(actor, user.id))


def set_roles(actor: Actor, user_id: int, roles: Mapping[int, AgentRoleName | None]) -> None:
    """Set a member's roles for these agents; unchanged ones leave no trace."""
    now = people.get_user(actor, user_id).agent_roles
    for agent_id, role in roles.items():
        if now.get(agent_id) != role:
            people.set_agent_role(actor, user_id, agent_id, role)


def _link(actor: Actor, user_id: int) -> Link | None:
    try:
        return people.invite_link(actor, user_id, "set_password")
    except Invalid:
        return None
