"""How many requests a credential and an address may send. Counted in Redis for all processes, else in this one."""

from __future__ import annotations

import hashlib
import math
import time

from flask import request, session
from flask_limiter import ApplicationLimit, Limit, Limiter
from flask_limiter.util import get_remote_address

from webapp.runtime import runtime

UNLIMITED_ENDPOINTS = ("asset",)
UNLIMITED_BLUEPRINTS = ("health",)


def new_limiter() -> Limiter:
    """The application's limiter: one limit per token or sign-in, one per address, both by setting."""
    # Shared: one count for all endpoints together.
    per_credential = Limit(
        lambda: runtime().settings.rate_limit, scope="credential", shared=True, exempt_when=_no_credential_limit
    )
    per_address = ApplicationLimit(
        lambda: runtime().settings.rate_limit_address, key_function=_address, exempt_when=_no_address_limit
    )
    return Limiter(_credential, default_limits=[per_credential], application_limits=[per_address])


def retry_after(limiter: Limiter) -> int:
    """Whole seconds until the limit that this request broke is over, at least 1."""
    broken = limiter.current_limit
    return max(1, math.ceil(broken.reset_at - time.time())) if broken is not None else 1


def _credential() -> str:
    """A key that holds no secret and no address in plain. Whether a token is good is not known yet."""
    # The scheme's word is not part of it: one token has one count, however it is announced.
    token = request.headers.get("Authorization", "").strip().rpartition(" ")[2]
    return _hashed(token or session.get("_user_id") or get_remote_address())


def _address() -> str:
    return _hashed(get_remote_address())


def _hashed(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()[:32]


def _no_credential_limit() -> bool:
    return _unlimited() or not runtime().settings.rate_limit


def _no_address_limit() -> bool:
    return _unlimited() or not runtime().settings.rate_limit_address


def _unlimited() -> bool:
    return request.endpoint in UNLIMITED_ENDPOINTS or request.blueprint in UNLIMITED_BLUEPRINTS
