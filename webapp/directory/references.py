"""How a path or a filter names a person or an agent."""

from __future__ import annotations

import re
from uuid import UUID

from sqlalchemy import ColumnElement, false, func

from webapp.db.models import Account, Agent


def matches_person(reference: str) -> ColumnElement[bool]:
    """By username, else numeric id, else e-mail: no username is all digits or has an `@`, so only one can match."""
    if "\x00" in reference:
        return false()
    if "@" in reference:
        return func.lower(Account.email) == reference.lower()
    if re.fullmatch(r"[0-9]{1,18}", reference):
        return Account.id == int(reference)
    return func.lower(Account.username) == reference.lower()


def matches_agent(reference: str) -> ColumnElement[bool]:
    """By UUID, else slug: no slug has the form of a UUID."""
    try:
        return Agent.unique_id == UUID(reference)
    except ValueError:
        return Agent.slug == reference
