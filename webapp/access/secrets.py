"""Random secrets that are shown once and stored as a hash."""

from __future__ import annotations

import hashlib
import secrets

TOKEN_PREFIX = "am_"


def new_secret() -> str:
    """256 random bits, URL-safe."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """SHA-256: enough for secrets of full entropy, which cannot be guessed from it."""
    return hashlib.sha256(secret.encode()).digest()
