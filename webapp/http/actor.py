"""From a request's credential to an Actor: a token in the header, else the browser's sign-in."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from flask import g, request
from flask_login import UserMixin, current_user
from sqlalchemy import text

from webapp.access import sign_in, tokens
from webapp.access.actor import Actor
from webapp.db.session import installation, transaction
from webapp.directory.orgs import find_org
from webapp.directory.types import OrgView
from webapp.errors import NotVisible
from webapp.runtime import runtime

SCHEMES = ("token", "api-token", "bearer", "api-key")


class Unauthenticated(Exception):
    """No credential, or one that is not good: 401. `detail` is one of the two sentences of the API."""

    def __init__(self, detail: str = "Authentication credentials were not provided.") -> None:
        super().__init__(detail)
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom a credential belongs to, before an org is chosen. `org_id` is the only org a token opens."""

    credential: str
    account_id: int | None
    label: str
    is_superuser: bool
    org_id: int | None = None
    scopes: frozenset[str] = frozenset()
    by_token: bool = False


class SignedInUser(UserMixin):  # type: ignore[misc]  # flask-login ships no types
    """What flask-login keeps: its id is the session's secret, so that deleting the row signs out."""

    def __init__(self, secret: str, who: sign_in.SignedIn) -> None:
        self.secret = secret
        self.who = who

    def get_id(self) -> str:
        """The secret that the signed cookie carries."""
        return self.secret


def load_signed_in(secret: str) -> SignedInUser | None:
    """flask-login's user loader."""
    with installation() as session:
        who = sign_in.resume_session(session, secret, idle_minutes=runtime().settings.session_idle_minutes)
    return SignedInUser(secret, who) if who else None


def identify() -> Identity:
    """The request's identity; raises Unauthenticated. Looked up once per request."""
    if "identity" not in g:
        g.identity = _from_header() if request.authorization or "Authorization" in request.headers else _from_session()
    found: Identity = g.identity
    return found


def act_in(org_key: str) -> tuple[Actor, OrgView]:
    """The actor inside this org. Raises NotVisible for everyone who is not of it: for them it does not exist."""
    who = identify()
    with installation() as session:
        org = find_org(session, org_key)
    if org is None or (who.org_id is not None and who.org_id != org.id):
        raise NotVisible
    return _actor(who, org), org


def _actor(who: Identity, org: OrgView) -> Actor:
    how = "api" if who.by_token else "page"
    if who.account_id is None:
        return Actor(
            kind="service", org_id=org.id, label=who.label, credential=who.credential, how=how, scopes=who.scopes
        )
    with transaction(org.id) as session:
        rows = session.execute(_MEMBER, {"org": org.id, "user": who.account_id}).all()
    if not rows and not who.is_superuser:
        raise NotVisible
    return Actor(
        kind="person",
        org_id=org.id,
        label=who.label,
        credential=who.credential,
        how=how,
        account_id=who.account_id,
        org_role=rows[0].role if rows else None,
        is_superuser=who.is_superuser,
        agent_roles=MappingProxyType({row.agent_id: row.agent_role for row in rows if row.agent_id is not None}),
    )


_MEMBER = text(
    """
    SELECT m.role, r.agent_id, r.role AS agent_role
    FROM membership m LEFT JOIN agent_role r ON r.org_id = m.org_id AND r.user_id = m.user_id
    WHERE m.org_id = :org AND m.user_id = :user AND m.removed_at IS NULL
    """
)


def _from_session() -> Identity:
    if not current_user.is_authenticated:
        raise Unauthenticated
    who = current_user.who
    return Identity(f"account:{who.account_id}", who.account_id, who.username, who.is_superuser)


def _from_header() -> Identity:
    scheme, _, secret = request.headers.get("Authorization", "").strip().partition(" ")
    if scheme.lower() not in SCHEMES or not secret.strip():
        raise Unauthenticated("Invalid token.")
    with installation() as session:
        token = tokens.find(session, secret.strip())
        if token is None:
            raise Unauthenticated("Invalid token.")
        owner = session.execute(_OWNER, {"id": token.account_id}).one_or_none() if token.account_id else None
        if token.account_id is not None and (owner is None or owner.disabled_at is not None):
            raise Unauthenticated("Invalid token.")
        tokens.touch(session, token.id)
    # A member's token opens its own org only, even when the member is a superuser elsewhere.
    is_superuser = bool(owner and owner.is_superuser and token.org_id is None)
    return Identity(
        credential=f"token:{token.id}",
        account_id=token.account_id,
        label=owner.username if owner else token.name,
        is_superuser=is_superuser,
        org_id=token.org_id,
        scopes=frozenset(token.scopes),
        by_token=True,
    )


_OWNER = text("SELECT username, is_superuser, disabled_at FROM account WHERE id = :id")
