"""What names may look like. Each function returns the cleaned value or raises Invalid under its field."""

from __future__ import annotations

import re
from uuid import UUID
from zoneinfo import available_timezones

from webapp.errors import Invalid

ORG_KEY = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
AGENT_SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
USERNAME = re.compile(r"[A-Za-z0-9_.+-]{1,150}")
EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]{1,255}")
NAME_LENGTH, DESCRIPTION_LENGTH = 200, 2_000


def org_key(value: str) -> str:
    """Lower-case letters, digits, `-` and `_`."""
    if not ORG_KEY.fullmatch(value):
        raise Invalid({"key": ["Use lower-case letters, digits, - and _ (at most 63)."]})
    return value


def agent_slug(value: str) -> str:
    """Like an org's key; not the form of a UUID, which would be ambiguous in paths."""
    if not AGENT_SLUG.fullmatch(value) or is_uuid(value):
        raise Invalid({"slug": ["Use lower-case letters, digits, - and _ (at most 100), not a UUID."]})
    return value


def is_uuid(value: str) -> bool:
    """Whether a path means an agent's UUID by this."""
    try:
        UUID(value)
    except ValueError:
        return False
    return True


def username(value: str) -> str:
    """Letters, digits and `_ . + -`; not all digits (that is an id) and no `@` (that is an e-mail)."""
    value = value.strip()
    if not USERNAME.fullmatch(value) or value.isdigit():
        raise Invalid({"username": ["Use letters, digits and _ . + - (at most 150), not digits only."]})
    return value


def email(value: str) -> str:
    """Something@something without white space."""
    value = value.strip()
    if not EMAIL.fullmatch(value) or not value.isprintable():
        raise Invalid({"email": ["Enter a valid email address."]})
    return value


def name(value: str, *, field: str = "name", blank: bool = False) -> str:
    """Trimmed, at most 200 characters, no line breaks or control characters."""
    value = value.strip()
    if not value and not blank:
        raise Invalid({field: ["This field may not be blank."]})
    if len(value) > NAME_LENGTH:
        raise Invalid({field: [f"Ensure this field has no more than {NAME_LENGTH} characters."]})
    if not value.isprintable():
        raise Invalid({field: ["Control characters are not allowed."]})
    return value


def description(value: str) -> str:
    """Trimmed, at most 2,000 characters."""
    value = value.strip()
    if len(value) > DESCRIPTION_LENGTH:
        raise Invalid({"description": [f"Ensure this field has no more than {DESCRIPTION_LENGTH} characters."]})
    if "\x00" in value:
        raise Invalid({"description": ["Null characters are not allowed."]})
    return value


def time_zone(value: str) -> str:
    """A name of the time zone database."""
    if value not in available_timezones():
        raise Invalid({"time_zone": ["Unknown time zone."]})
    return value
