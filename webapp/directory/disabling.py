"""Shutting an account out, and letting it in again."""

from __future__ import annotations

from sqlalchemy import delete, func
from sqlalchemy.orm import Session

from webapp.access import sign_in, tokens
from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.models import Account, OneTimeLink
from webapp.db.session import transaction
from webapp.directory import accounts
from webapp.directory.people import keep_an_admin, load_user
from webapp.errors import Invalid
from webapp.memory import audit

YOURSELF = "You cannot disable yourself: another administrator can."


def disable(actor: Actor, user_id: int) -> None:
    """End the account's sign-ins, tokens and links, and let nobody in with it until it is enabled.

    Raises Invalid for oneself, the last admin, and people who belong to other orgs too; NotVisible, NotAllowed.
    """
    require(actor, Action.WRITE_PEOPLE, Target(actor.org_id))
    if user_id == actor.account_id:
        raise Invalid(YOURSELF)
    with transaction(actor.org_id) as session:
        account = _account(session, actor, user_id)
        keep_an_admin(session, actor.org_id, user_id)
        account.disabled_at = func.now()
        sign_in.close_sessions(session, user_id)
        tokens.revoke_all(session, account_id=user_id)
        session.execute(delete(OneTimeLink).where(OneTimeLink.account_id == user_id))
        _note(session, actor, account, "person.disabled")


def enable(actor: Actor, user_id: int) -> None:
    """Let the account in again, with its old password; tokens stay revoked."""
    require(actor, Action.WRITE_PEOPLE, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        account = _account(session, actor, user_id)
        account.disabled_at = None
        _note(session, actor, account, "person.enabled")


def _account(session: Session, actor: Actor, user_id: int) -> Account:
    load_user(session, actor.org_id, user_id)
    account = session.get_one(Account, user_id)
    accounts.require_sole_org(session, actor.org_id, account)
    return account


def _note(session: Session, actor: Actor, account: Account, action: str) -> None:
    audit.record(session, actor, action, "user", target_user_id=account.id, target_label=account.username)
