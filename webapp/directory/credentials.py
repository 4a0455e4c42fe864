"""API tokens as people manage them: a member's own, and the org's service tokens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from webapp.access import tokens
from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.access.tokens import NewToken, TokenInfo
from webapp.db.session import transaction
from webapp.directory import rules
from webapp.errors import Invalid, NotAllowed, NotVisible
from webapp.memory import audit

NO_SCOPE = "Choose at least one scope: without, the token opens nothing."


def own_tokens(actor: Actor) -> list[TokenInfo]:
    """The caller's personal tokens of this org, newest first."""
    with transaction(actor.org_id) as session:
        return tokens.list_tokens(session, org_id=actor.org_id, account_id=_member(actor))


def service_tokens(actor: Actor) -> list[TokenInfo]:
    """The org's service tokens, newest first."""
    require(actor, Action.MANAGE_TOKENS, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        return tokens.list_tokens(session, org_id=actor.org_id, account_id=None)


def create_own(actor: Actor, name: str, *, lifetime: timedelta | None = None) -> NewToken:
    """A token that acts as the caller in this org. Raises Invalid."""
    return _create(actor, name, account_id=_member(actor), scopes=(), lifetime=lifetime)


def create_service(actor: Actor, name: str, scopes: Sequence[str], *, lifetime: timedelta | None = None) -> NewToken:
    """A token of the org that may do what its scopes say. Raises Invalid."""
    require(actor, Action.MANAGE_TOKENS, Target(actor.org_id))
    if not scopes:
        raise Invalid({"scopes": [NO_SCOPE]})
    return _create(actor, name, account_id=None, scopes=scopes, lifetime=lifetime)


def revoke_own(actor: Actor, token_id: int) -> None:
    """End one of the caller's tokens. Raises NotVisible."""
    _revoke(actor, token_id, _member(actor))


def revoke_service(actor: Actor, token_id: int) -> None:
    """End one of the org's tokens. Raises NotVisible."""
    require(actor, Action.MANAGE_TOKENS, Target(actor.org_id))
    _revoke(actor, token_id, None)


def _member(actor: Actor) -> int:
    """Personal tokens are a member's: a superuser who is none has no place here that a token could act from."""
    if actor.account_id is None or actor.org_role is None:
        raise NotAllowed
    return actor.account_id


def _create(
    actor: Actor, name: str, *, account_id: int | None, scopes: Sequence[str], lifetime: timedelta | None
) -> NewToken:
    name = rules.name(name)
    with transaction(actor.org_id) as session:
        made = tokens.create(
            session,
            name=name,
            created_by=actor.label,
            org_id=actor.org_id,
            account_id=account_id,
            scopes=scopes,
            lifetime=lifetime,
        )
        audit.record(
            session, actor, "token.created", "token", target_id=made.info.id, target_user_id=account_id,
            detail={"scopes": list(made.info.scopes)},
        )  # fmt: skip
        return made


def _revoke(actor: Actor, token_id: int, account_id: int | None) -> None:
    with transaction(actor.org_id) as session:
        if not tokens.revoke(session, token_id, org_id=actor.org_id, account_id=account_id):
            raise NotVisible
        audit.record(session, actor, "token.revoked", "token", target_id=token_id, target_user_id=account_id)
