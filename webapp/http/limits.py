"""Whom a rate limit counts: the credential where there is one, else the address."""

from __future__ import annotations

import hashlib

from flask import request
from flask_limiter.util import get_remote_address


def rate_limit_key() -> str:
    """A key that holds no secret and no address in plain."""
    credential = request.headers.get("Authorization") or request.cookies.get("session") or get_remote_address()
    return hashlib.sha256(credential.encode("utf-8", "replace")).hexdigest()[:32]


def address_key() -> str:
    """The client's address, hashed."""
    return "a" + hashlib.sha256(get_remote_address().encode()).hexdigest()[:31]
