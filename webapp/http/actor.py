"""From a request's credential to an Actor: a token in the header, else the browser's sign-in."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from flask import g, request
from flask_login import UserMixin, current_user
from sqlalchemy.orm import Session

from webapp.access import sign_in, tokens
from webapp.access.actor import Actor
from webapp.db.session import enter, installation
from webapp.directory.orgs import find_org, org_of_id
from webapp.directory.people import find_member
from webapp.directory.types import OrgView, UserView
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
    email: str | None
    is_superuser: bool
    org_id: int | None = None
    scopes: frozenset[str] = frozenset()
    by_token: bool = False

    def is_called(self, reference: str) -> bool:
        """Whether a path's username, id or e-mail names this person; asked without a look-up."""
        if self.account_id is None:
            return False
        names = {self.label.lower(), str(self.account_id), (self.email or "").lower()}
        return reference.lower() in names


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


def act_in(org_key: str) -> tuple[Actor, OrgView]:
    """The actor inside this org. Raises NotVisible for everyone who is not of it: for them it does not exist."""
    with installation() as session:
        entered = enter_org(session, org_key)
        return entered.actor, entered.org


@dataclass(frozen=True, slots=True)
class Entered:
    """Who came into which org. `member` is None for services, and for a superuser who is no member."""

    who: Identity
    actor: Actor
    org: OrgView
    member: UserView | None


def enter_org(session: Session, org_key: str) -> Entered:
    """Identify the request and go into the org in this transaction, in four statements. Raises as `act_in` does."""
    return _enter(session, identify(session), find_org(session, org_key))


def enter_own_org(session: Session) -> Entered | None:
    """Go into the one org that the request's token belongs to; None for a credential that opens several."""
    who = identify(session)
    return _enter(session, who, org_of_id(session, who.org_id)) if who.org_id is not None else None


def _enter(session: Session, who: Identity, org: OrgView | None) -> Entered:
    if org is None or (who.org_id is not None and who.org_id != org.id):
        raise NotVisible
    enter(session, org.id)
    member = find_member(session, org.id, who.account_id) if who.account_id is not None else None
    if member is None and who.account_id is not None and not who.is_superuser:
        raise NotVisible
    return Entered(who, _actor(who, org, member), org, member)


def identify(session: Session) -> Identity:
    """The request's identity; raises Unauthenticated. Looked up once per request."""
    if "identity" not in g:
        g.identity = _from_header(session) if "Authorization" in request.headers else _from_session()
    found: Identity = g.identity
    return found


def _actor(who: Identity, org: OrgView, member: UserView | None) -> Actor:
    return Actor(
        kind="person" if who.account_id is not None else "service",
        org_id=org.id,
        label=who.label,
        credential=who.credential,
        how="api" if who.by_token else "page",
        account_id=who.account_id,
        org_role=member.role if member else None,
        is_superuser=who.is_superuser,
        agent_roles=MappingProxyType(dict(member.agent_roles) if member else {}),
        scopes=who.scopes,
    )


def _from_session() -> Identity:
    if not current_user.is_authenticated:
        raise Unauthenticated
    who = current_user.who
    return Identity(f"account:{who.account_id}", who.account_id, who.username, who.email, who.is_superuser)


def _from_header(session: Session) -> Identity:
    scheme, _, secret = request.headers.get("Authorization", "").strip().partition(" ")
    if scheme.lower() not in SCHEMES or not secret.strip():
        raise Unauthenticated("Invalid token.")
    bearer = tokens.find_bearer(session, secret.strip())
    if bearer is None:
        raise Unauthenticated("Invalid token.")
    return Identity(
        credential=f"token:{bearer.token_id}",
        account_id=bearer.account_id,
        label=bearer.label,
        email=bearer.email,
        is_superuser=bearer.is_superuser,
        org_id=bearer.org_id,
        scopes=bearer.scopes,
        by_token=True,
    )
