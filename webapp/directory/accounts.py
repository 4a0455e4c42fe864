"""Accounts as an org's admins may make and change them: never those of people who belong to others too."""

from __future__ import annotations

from sqlalchemy import delete, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from webapp.access import sign_in
from webapp.db.models import Account, OneTimeLink
from webapp.db.session import installation
from webapp.directory import rules
from webapp.errors import Invalid

TAKEN = "This username is already in use."
EMAIL_TAKEN = "This email address is already in use."
SHARED = "This person belongs to several organisations: only they can change their name, e-mail and password."


def account_for(session: Session, username: str, email: str | None, full_name: str | None) -> tuple[Account, bool]:
    """The account with this username; True beside it when it was made now. Raises Invalid by field."""
    found = sign_in.find_account(session, username)
    if found is not None:
        return found, False
    if email is None:
        raise Invalid({"email": ["This field is required."]})
    values = {
        "username": username,
        "email": rules.email(email),
        "full_name": rules.name(full_name or "", field="full_name", blank=True),
    }
    # Two requests may make the same account at once: one makes it, the other one finds it.
    made = session.scalar(insert(Account).values(**values).on_conflict_do_nothing().returning(Account))
    if made is not None:
        return made, True
    found = sign_in.find_account(session, username)
    if found is None:
        raise Invalid({"email": [EMAIL_TAKEN]})
    return found, False


def admit(session: Session, account: Account, email: str | None) -> None:
    """Check that an account of another org may join: whoever adds it must know its e-mail.

    Links that its first org's admins hold end here: from now on they would open this org too. Raises Invalid, in the
    words of a name that is taken.
    """
    if account.is_superuser or email is None or email.strip().lower() != account.email.lower():
        raise Invalid({"username": [TAKEN]})
    session.execute(delete(OneTimeLink).where(OneTimeLink.account_id == account.id))


def create_superuser(username: str, email: str) -> int:
    """A new account that runs the installation; its id. Raises Invalid."""
    with installation() as session:
        account = Account(username=rules.username(username), email=rules.email(email), full_name="", is_superuser=True)
        session.add(account)
        _flush_unique(session)
        return account.id


def edit_account(session: Session, org_id: int, account: Account, email: str | None, full_name: str | None) -> None:
    """Set what is given of an account that belongs to this org alone. Raises Invalid."""
    new_email = account.email if email is None else rules.email(email)
    new_name = account.full_name if full_name is None else rules.name(full_name, field="full_name", blank=True)
    if (new_email, new_name) == (account.email, account.full_name):
        return
    require_sole_org(session, org_id, account)
    account.email, account.full_name = new_email, new_name
    _flush_unique(session)


def require_sole_org(session: Session, org_id: int, account: Account) -> None:
    """Raise Invalid where the account opens more than this org: its admins must not get in through it."""
    orgs = session.scalars(text("SELECT orgs_of_account(:account)"), {"account": account.id}).all()
    if account.is_superuser or list(orgs) != [org_id]:
        raise Invalid(SHARED)


def _flush_unique(session: Session) -> None:
    try:
        with session.begin_nested():
            session.flush()
    except IntegrityError as error:
        raise Invalid(_taken_field(error)) from error


def _taken_field(error: IntegrityError) -> dict[str, list[str]]:
    if "uq_account_username" in str(error.orig):
        return {"username": [TAKEN]}
    return {"email": [EMAIL_TAKEN]}
