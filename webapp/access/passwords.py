"""Passwords: argon2id with the library's defaults, rehashed when these change."""

from __future__ import annotations

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from webapp.errors import Invalid

MIN_LENGTH, MAX_LENGTH = 12, 200
_HASHER = PasswordHasher()


def hash_password(password: str, *, field: str = "password") -> str:
    """Raises Invalid under `field` when it is too short or too long."""
    if len(password) < MIN_LENGTH:
        raise Invalid({field: [f"Ensure this field has at least {MIN_LENGTH} characters."]})
    if len(password) > MAX_LENGTH:
        raise Invalid({field: [f"Ensure this field has no more than {MAX_LENGTH} characters."]})
    return _HASHER.hash(password)


def verify(stored: str | None, password: str) -> bool:
    """Whether `password` is right. Takes as long for a missing account as for a wrong password."""
    try:
        return _HASHER.verify(stored or _nobody(), password[:MAX_LENGTH]) and stored is not None
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobody() -> str:
    """Verified against when there is no such account, so that both cases take the same time."""
    return _HASHER.hash("nobody's password")


def outdated(stored: str) -> bool:
    """Whether the hash was made with older parameters and should be renewed at this sign-in."""
    return _HASHER.check_needs_rehash(stored)
