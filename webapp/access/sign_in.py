"""Signing in: sessions and one-time links in the database, throttled per account and address. Nothing in Redis."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from webapp.access import passwords
from webapp.access.secrets import digest, new_secret
from webapp.db.models import Account, LoginSession, OneTimeLink
from webapp.errors import Invalid

WRONG = "The name or the password is not right."
BLOCKED = "Too many failed sign-ins. Try again later."
# Ten wrong passwords in fifteen minutes per account or address: a person's typing errors pass, guessing does not.
ATTEMPTS, WINDOW_MINUTES = 10, 15
LINK_LIFETIME = {"set_password": timedelta(days=7), "sign_in": timedelta(minutes=5)}


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Who a session secret belongs to. `time_zone` is None where the org's applies."""

    account_id: int
    username: str
    is_superuser: bool
    email: str
    full_name: str
    time_zone: str | None


@dataclass(frozen=True, slots=True)
class OpenSession:
    """One browser that is signed in; `here` is the one that asks."""

    browser: str
    since: datetime
    last_seen: datetime
    here: bool


@dataclass(frozen=True, slots=True)
class Link:
    """A one-time link's secret, shown once, and when it ends."""

    secret: str
    expires_at: datetime


def check_password(session: Session, name: str, password: str) -> int:
    """The id of the enabled account with this username or e-mail and password; else Invalid, always the same sentence."""
    account = find_account(session, name)
    right = passwords.verify(account.password_hash if account else None, password)
    if not right or account is None or account.disabled_at is not None:
        raise Invalid(WRONG)
    if passwords.outdated(account.password_hash or ""):
        account.password_hash = passwords.hash_password(password)
    return account.id


def find_account(session: Session, name: str) -> Account | None:
    """By username or e-mail, whatever the case."""
    wanted = name.strip().lower()
    column = Account.email if "@" in wanted else Account.username
    return session.scalar(select(Account).where(func.lower(column) == wanted))


def throttle_key(session: Session, name: str) -> str:
    """What attempts for this name are counted under: the account, whichever of its names is used, else the name."""
    account = find_account(session, name)
    return f"account:{account.id}" if account else f"name:{name.strip().lower()}"


def count_attempt(session: Session, *keys: str) -> int:
    """Count an attempt for each key (account, address); for how many seconds one of them is blocked, 0 when none is.

    Counted before the password is looked at, so that many attempts at once cannot outrun the limit: the eleventh
    within the window blocks the key for as long again. To be committed whatever becomes of the sign-in.
    """
    blocked = [session.scalar(_COUNT, {"key": digest(key), "window": WINDOW_MINUTES, "most": ATTEMPTS}) for key in keys]
    return max((int(each) for each in blocked if each), default=0)


def forget_attempts(session: Session, key: str) -> None:
    """After a success: forget the attempts under this key."""
    session.execute(text("DELETE FROM sign_in_throttle WHERE key_hash = :key"), {"key": digest(key)})


def forgive(session: Session, key: str) -> None:
    """After a success: take back this attempt only. An address may still be guessing other accounts."""
    session.execute(
        text("UPDATE sign_in_throttle SET failures = failures - 1 WHERE key_hash = :key AND failures > 0"),
        {"key": digest(key)},
    )


# A row that is blocked stays as it is until its time is over, then its window begins anew.
_COUNT = text(
    """
    INSERT INTO sign_in_throttle AS t (key_hash, failures) VALUES (:key, 1)
    ON CONFLICT (key_hash) DO UPDATE SET
        failures = CASE WHEN t.blocked_until > now() THEN t.failures
                        WHEN t.blocked_until IS NOT NULL OR t.window_started_at < now() - make_interval(mins => :window)
                        THEN 1 ELSE t.failures + 1 END,
        window_started_at = CASE WHEN t.blocked_until > now() THEN t.window_started_at
                                 WHEN t.blocked_until IS NOT NULL
                                      OR t.window_started_at < now() - make_interval(mins => :window)
                                 THEN now() ELSE t.window_started_at END,
        blocked_until = CASE WHEN t.blocked_until > now() THEN t.blocked_until
                             WHEN t.blocked_until IS NULL AND t.failures + 1 > :most
                                  AND t.window_started_at >= now() - make_interval(mins => :window)
                             THEN now() + make_interval(mins => :window) END
    RETURNING ceil(extract(epoch FROM blocked_until - now()))::bigint
    """
)


def open_session(session: Session, account_id: int, *, hours: int, browser: str = "") -> str:
    """A new sign-in's secret, for the cookie. It ends after `hours` in any case. `browser` names it on the account page."""
    secret = new_secret()
    session.add(
        LoginSession(
            id_hash=digest(secret),
            account_id=account_id,
            browser=browser,
            expires_at=func.now() + timedelta(hours=hours),
        )
    )
    session.flush()
    return secret


def resume_session(session: Session, secret: str, *, idle_minutes: int) -> SignedIn | None:
    """Who is signed in with this secret; None when it ended, idled too long or the account is disabled."""
    row = session.execute(
        text(
            """
            SELECT a.id, a.username, a.is_superuser, a.email, a.full_name, a.time_zone, s.last_seen_at < now() - interval '1 minute' AS stale
            FROM login_session s JOIN account a ON a.id = s.account_id
            WHERE s.id_hash = :hash AND s.expires_at > now() AND a.disabled_at IS NULL
              AND s.last_seen_at > now() - make_interval(mins => :idle)
            """
        ),
        {"hash": digest(secret), "idle": idle_minutes},
    ).one_or_none()
    if row is None:
        return None
    if row.stale:
        session.execute(
            update(LoginSession).where(LoginSession.id_hash == digest(secret)).values(last_seen_at=func.now())
        )
    return SignedIn(row.id, row.username, row.is_superuser, row.email, row.full_name, row.time_zone)


def close_session(session: Session, secret: str) -> None:
    """Sign out here."""
    session.execute(text("DELETE FROM login_session WHERE id_hash = :hash"), {"hash": digest(secret)})


def open_sessions(session: Session, account_id: int, secret: str | None, *, idle_minutes: int) -> list[OpenSession]:
    """Where the account is signed in now, this browser first, then the latest used."""
    rows = session.execute(
        text(
            """
            SELECT browser, created_at, last_seen_at, id_hash = :here AS here FROM login_session
            WHERE account_id = :account AND expires_at > now()
              AND last_seen_at > now() - make_interval(mins => :idle)
            ORDER BY here DESC, last_seen_at DESC
            """
        ),
        {"account": account_id, "here": digest(secret) if secret else b"", "idle": idle_minutes},
    )
    return [OpenSession(row.browser, row.created_at, row.last_seen_at, row.here) for row in rows]


def close_sessions(session: Session, account_id: int, *, except_secret: str | None = None) -> int:
    """Sign out everywhere (but here); the number of sign-ins ended."""
    gone = session.execute(
        text("DELETE FROM login_session WHERE account_id = :account AND id_hash <> :here RETURNING 1"),
        {"account": account_id, "here": digest(except_secret) if except_secret else b""},
    )
    return len(gone.all())


def new_link(session: Session, account_id: int, purpose: str, *, org_id: int | None = None) -> Link:
    """A single-use link: `set_password` for 7 days, `sign_in` for 5 minutes. An older unused one of its kind ends."""
    session.execute(
        text("DELETE FROM one_time_link WHERE account_id = :account AND purpose = :purpose"),
        {"account": account_id, "purpose": purpose},
    )
    secret = new_secret()
    row = OneTimeLink(
        secret_hash=digest(secret),
        account_id=account_id,
        org_id=org_id,
        purpose=purpose,
        expires_at=func.now() + LINK_LIFETIME[purpose],
    )
    session.add(row)
    session.flush()
    session.refresh(row)
    return Link(secret, row.expires_at)


def look_up_link(session: Session, secret: str, purpose: str) -> OneTimeLink | None:
    """The link if it is still good, without using it."""
    return session.scalar(
        select(OneTimeLink).where(
            OneTimeLink.secret_hash == digest(secret),
            OneTimeLink.purpose == purpose,
            OneTimeLink.used_at.is_(None),
            OneTimeLink.expires_at > func.now(),
        )
    )


def use_link(session: Session, secret: str, purpose: str) -> OneTimeLink | None:
    """Use a link up. None when it is unknown, used or over; two uses at once: one wins."""
    return session.scalar(
        update(OneTimeLink)
        .where(
            OneTimeLink.secret_hash == digest(secret),
            OneTimeLink.purpose == purpose,
            OneTimeLink.used_at.is_(None),
            OneTimeLink.expires_at > func.now(),
        )
        .values(used_at=func.now())
        .returning(OneTimeLink)
    )


def set_password(session: Session, account_id: int, password: str) -> None:
    """Set it and end every sign-in of the account. Raises Invalid for a password out of bounds."""
    hashed = passwords.hash_password(password)
    session.execute(update(Account).where(Account.id == account_id).values(password_hash=hashed))
    close_sessions(session, account_id)
