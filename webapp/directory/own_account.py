"""What people change about their own account: it is theirs in every org, so no org's rules apply."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from webapp.access import passwords, sign_in
from webapp.db.models import Account
from webapp.db.session import installation
from webapp.directory import rules
from webapp.errors import Invalid

WRONG_PASSWORD = "This is not your current password."
DIFFERENT = "The two passwords differ."
EMAIL_TAKEN = "This email address is already in use."


@dataclass(frozen=True, slots=True)
class AccountView:
    """One's own account. `time_zone` is None where the org's applies."""

    id: int
    username: str
    email: str
    full_name: str
    time_zone: str | None


@dataclass(frozen=True, slots=True)
class Details:
    """What a person may set; `current_password` is needed for another e-mail only."""

    full_name: str
    email: str
    time_zone: str | None
    current_password: str = ""


def get(account_id: int) -> AccountView:
    """The account as it is now."""
    with installation() as session:
        row = session.get_one(Account, account_id)
        return AccountView(row.id, row.username, row.email, row.full_name, row.time_zone)


def edit(account_id: int, details: Details) -> None:
    """Set name, e-mail and time zone. Another e-mail is a way in, so it takes the password. Raises Invalid."""
    email = rules.email(details.email)
    full_name = rules.name(details.full_name, field="full_name", blank=True)
    zone = rules.time_zone(details.time_zone) if details.time_zone else None
    if email.lower() != get(account_id).email.lower():
        _confirm(account_id, details.current_password, "current_password")
    with installation() as session:
        row = session.get_one(Account, account_id)
        row.email, row.full_name, row.time_zone = email, full_name, zone
        try:
            session.flush()
        except IntegrityError as error:
            raise Invalid({"email": [EMAIL_TAKEN]}) from error


def change_password(account_id: int, *, current: str, new: str, again: str) -> None:
    """Set a new password; every sign-in of the account ends, this one too. Raises Invalid."""
    _confirm(account_id, current, "current")
    if new != again:
        raise Invalid({"again": [DIFFERENT]})
    passwords.hash_password(new, field="new")
    with installation() as session:
        sign_in.set_password(session, account_id, new)


def _confirm(account_id: int, password: str, field: str) -> None:
    """Check the current password, counted like a sign-in: an open browser must not be a way to guess it."""
    key = f"account:{account_id}"
    with installation() as session:
        blocked = sign_in.count_attempt(session, key)
    if blocked:
        raise Invalid({field: [sign_in.BLOCKED]})
    with installation() as session:
        if not _is_right(session, account_id, password):
            raise Invalid({field: [WRONG_PASSWORD]})
        sign_in.forget_attempts(session, key)


def _is_right(session: Session, account_id: int, password: str) -> bool:
    return passwords.verify(session.get_one(Account, account_id).password_hash, password)
