"""How a path or a filter names a person or an agent."""

from __future__ import annotations

import re
from typing import Literal
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.orm import aliased

from webapp.db.models import Account, Agent, Membership

PersonKey = Literal["username", "id", "email"]


def person_like(typed: str) -> ColumnElement[bool]:
    """Whose full name, username or e-mail holds each of the typed words, whatever the case. Nothing typed: everybody."""
    columns = (Account.full_name, Account.username, Account.email)
    words = typed.replace("\x00", "\ufffd").split()
    return and_(True, *(or_(*(column.icontains(word, autoescape=True) for column in columns)) for word in words))


def people_named(org_id: int, typed: str) -> Select[int]:
    """Ids of the members that a filter for people means, those who left included.

    A whole id or e-mail means that person alone; anything else everybody who is like it, so that a name finds people.
    """
    members = select(Membership.user_id).join(Account, Account.id == Membership.user_id)
    members = members.where(Membership.org_id == org_id)
    kind, value = person_key(typed)
    if kind == "username":
        return members.where(person_like(typed))
    meant = aliased(Account)
    there = select(meant.id).join(Membership, Membership.user_id == meant.id).where(Membership.org_id == org_id)
    whole = there.where(func.lower(meant.email) == value if kind == "email" else meant.id == value).exists()
    alone = func.lower(Account.email) == value if kind == "email" else Account.id == value
    return members.where(or_(alone, and_(~whole, person_like(typed))))


def person_key(reference: str) -> tuple[PersonKey, str | int]:
    """What a reference is and the value to look for."""
    # No name holds a NUL, and PostgreSQL takes none even to look for.
    reference = reference.replace("\x00", "\ufffd")
    if "@" in reference:
        return "email", reference.lower()
    if re.fullmatch(r"[0-9]{1,18}", reference):
        return "id", int(reference)
    return "username", reference.lower()


def matches_agent(reference: str) -> ColumnElement[bool]:
    """By UUID, else slug: no slug has the form of a UUID."""
    try:
        return Agent.unique_id == UUID(reference)
    except ValueError:
        return Agent.slug == reference
