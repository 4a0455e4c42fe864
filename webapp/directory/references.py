"""How a path or a filter names a person or an agent."""

from __future__ import annotations

import re
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, func

from webapp.db.models import Account, Agent

PersonKey = Literal["username", "id", "email"]


def matches_person(reference: str) -> ColumnElement[bool]:
    """By username, else numeric id, else e-mail: no username is all digits or has an `@`, so only one can match."""
    kind, value = person_key(reference)
    columns: dict[str, ColumnElement[Any]] = {
        "id": Account.__table__.c.id,
        "email": func.lower(Account.email),
        "username": func.lower(Account.username),
    }
    return columns[kind] == value


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
