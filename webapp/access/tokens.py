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
from webapp.errors import Invalid


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
        prefix=secret[:9],
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


def find(session: Session, secret: str) -> TokenInfo | None:
    """The live token with this secret, or None when it is unknown, revoked or expired by the database's clock."""
    live = (Token.revoked_at.is_(None)) & (Token.expires_at.is_(None) | (Token.expires_at > func.now()))
    row = session.scalar(select(Token).where(Token.secret_hash == digest(secret), live))
    return _info(row) if row else None


def touch(session: Session, token_id: int) -> None:
    """Note that a token was used; at most once a minute, so that reads do not turn into writes."""
    session.execute(
        text(
            "UPDATE token SET last_used_at = now() "
            "WHERE id = :id AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')"
        ),
        {"id": token_id},
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
