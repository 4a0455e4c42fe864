"""API tokens: made, listed, revoked and looked up. Only their hash is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from webapp.access.actor import SCOPES
from webapp.access.secrets import TOKEN_PREFIX, digest, new_secret
from webapp.db.models import Token
from webapp.errors import Invalid, NotVisible

# What is shown of a token: enough to tell it from others.
PREFIX_LENGTH = 9


@dataclass(frozen=True, slots=True)
class TokenInfo:
    """What may be shown of a token: never its secret."""

    id: int
    name: str
    prefix: str
    org_id: int | None
    account_id: int | None
    scopes: tuple[str, ...]
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Bearer:
    """Whose a token is. `org_id` is the only org it opens, None for a superuser's; `email` is None for a service."""

    token_id: int
    org_id: int | None
    account_id: int | None
    label: str
    email: str | None
    is_superuser: bool
    scopes: frozenset[str]


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token just made. `secret` is shown once and cannot be read again."""

    info: TokenInfo
    secret: str


def create(
    session: Session,
    *,
    name: str,
    created_by: str,
    org_id: int | None,
    account_id: int | None = None,
    scopes: Sequence[str] = (),
    lifetime: timedelta | None = None,
) -> NewToken:
    """Store a token: personal with `account_id`, of a service with scopes, a superuser's without org.

    Raises Invalid for an empty name or an unknown scope. Permission is the caller's business.
    """
    if not name.strip():
        raise Invalid({"name": ["This field may not be blank."]})
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown:
        raise Invalid({"scopes": [f"Unknown scope: {', '.join(unknown)}."]})
    secret = TOKEN_PREFIX + new_secret()
    row = Token(
        prefix=secret[:PREFIX_LENGTH],
        secret_hash=digest(secret),
        org_id=org_id,
        account_id=account_id,
        name=name.strip(),
        scopes=sorted(set(scopes)),
        created_by=created_by,
        expires_at=func.now() + lifetime if lifetime else None,
    )
    session.add(row)
    session.flush()
    session.refresh(row)
    return NewToken(_info(row), secret)


def find_bearer(session: Session, secret: str) -> Bearer | None:
    """Whose this secret is; None when the token is unknown, revoked or expired, or its account is disabled.

    Notes the use, at most once a minute, so that reads do not turn into writes.
    """
    row = session.execute(_BEARER, {"hash": digest(secret)}).one_or_none()
    if row is None:
        return None
    if row.stale:
        session.execute(_TOUCH, {"id": row.id})
    # A member's token opens its own org only, even when the member is a superuser elsewhere.
    is_superuser = bool(row.is_superuser and row.org_id is None)
    return Bearer(
        row.id, row.org_id, row.account_id, row.username or row.name, row.email, is_superuser, frozenset(row.scopes)
    )


_BEARER = text(
    """
    SELECT t.id, t.org_id, t.account_id, t.name, t.scopes, a.username, a.email, a.is_superuser,
           t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute' AS stale
    FROM token t LEFT JOIN account a ON a.id = t.account_id
    WHERE t.secret_hash = :hash AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
      AND a.disabled_at IS NULL
    """
)
# Requests at the same moment do not wait for each other to note the same thing.
_TOUCH = text(
    "UPDATE token SET last_used_at = now() "
    "WHERE id IN (SELECT id FROM token WHERE id = :id FOR NO KEY UPDATE SKIP LOCKED)"
)


def list_tokens(session: Session, *, org_id: int, account_id: int | None) -> list[TokenInfo]:
    """A member's personal tokens of an org, or with `account_id=None` the org's service tokens; newest first."""
    owner = Token.account_id.is_(None) if account_id is None else Token.account_id == account_id
    rows = session.scalars(select(Token).where(Token.org_id == org_id, owner).order_by(Token.id.desc()))
    return [_info(row) for row in rows]


def revoke(session: Session, token_id: int, *, org_id: int | None, account_id: int | None = None) -> bool:
    """End a token of this org (and owner) now. False when there is no such live token."""
    owner = Token.account_id.is_(None) if account_id is None else Token.account_id == account_id
    done = session.execute(
        update(Token)
        .where(Token.id == token_id, Token.org_id == org_id, owner, Token.revoked_at.is_(None))
        .values(revoked_at=func.now())
        .returning(Token.id)
    )
    return done.first() is not None


def revoke_named(session: Session, reference: str) -> TokenInfo:
    """End a token of any org, named by its id or by how its secret begins. Raises NotVisible, or Invalid when several
    begin so."""
    named = Token.id == int(reference) if reference.isdecimal() else Token.prefix == reference[:PREFIX_LENGTH]
    rows = session.scalars(select(Token).where(named, Token.revoked_at.is_(None))).all()
    if not rows or (not reference.isdecimal() and len(reference) < PREFIX_LENGTH):
        raise NotVisible(f"There is no live token {reference[:PREFIX_LENGTH]}.")
    if len(rows) > 1:
        raise Invalid("Several tokens begin so: name it by its id.")
    rows[0].revoked_at = func.now()
    return _info(rows[0])


def revoke_all(session: Session, *, account_id: int, org_id: int | None = None) -> None:
    """End all of an account's tokens, or those of one org."""
    condition = (Token.account_id == account_id) & Token.revoked_at.is_(None)
    if org_id is not None:
        condition &= Token.org_id == org_id
    session.execute(update(Token).where(condition).values(revoked_at=func.now()))


def _info(row: Token) -> TokenInfo:
    return TokenInfo(
        row.id, row.name, row.prefix, row.org_id, row.account_id, tuple(row.scopes), row.created_by,
        row.created_at, row.expires_at, row.last_used_at, row.revoked_at,
    )  # fmt: skip
