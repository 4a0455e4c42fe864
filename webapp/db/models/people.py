"""Orgs, accounts and how they sign in. Of these only `Membership` and `Subject` belong to one org."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ARRAY, LargeBinary, Text
from sqlalchemy.orm import Mapped, mapped_column

from webapp.db.base import Base, Created, Id, OrgId


class Org(Base):
    """One customer, addressed by `key`."""

    __tablename__ = "org"

    id: Mapped[Id]
    key: Mapped[str]
    name: Mapped[str]
    time_zone: Mapped[str] = mapped_column(default="UTC")
    enable_memsearch: Mapped[bool] = mapped_column(default=False)
    memsearch_changed_at: Mapped[datetime | None]
    memsearch_changed_by: Mapped[str | None]
    created_at: Mapped[Created]


class Account(Base):
    """A person's sign-in, installation-wide."""

    __tablename__ = "account"

    id: Mapped[Id]
    username: Mapped[str]
    email: Mapped[str]
    full_name: Mapped[str] = mapped_column(default="")
    time_zone: Mapped[str | None]
    password_hash: Mapped[str | None]
    is_superuser: Mapped[bool] = mapped_column(default=False)
    disabled_at: Mapped[datetime | None]
    created_at: Mapped[Created]


class LoginSession(Base):
    """A browser that is signed in. The cookie holds the secret, this row its hash; deleting the row signs out."""

    __tablename__ = "login_session"

    id_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    account_id: Mapped[int]
    browser: Mapped[str] = mapped_column(default="")
    created_at: Mapped[Created]
    last_seen_at: Mapped[Created]
    expires_at: Mapped[datetime]


class Token(Base):
    """An API credential: personal (`account_id`), of a service (`org_id` and scopes), or a superuser's."""

    __tablename__ = "token"

    id: Mapped[Id]
    prefix: Mapped[str]
    secret_hash: Mapped[bytes]
    org_id: Mapped[int | None]
    account_id: Mapped[int | None]
    name: Mapped[str]
    scopes: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list)
    created_at: Mapped[Created]
    created_by: Mapped[str]
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class OneTimeLink(Base):
    """A link that sets a password or signs in, once."""

    __tablename__ = "one_time_link"

    secret_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    account_id: Mapped[int]
    org_id: Mapped[int | None]
    purpose: Mapped[str]
    created_at: Mapped[Created]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class SignInThrottle(Base):
    """Failed sign-ins per account or address, by hash."""

    __tablename__ = "sign_in_throttle"

    key_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    failures: Mapped[int]
    window_started_at: Mapped[Created]
    blocked_until: Mapped[datetime | None]


class Membership(Base):
    """An account's place in one org: what the domain calls a user. `epoch` fences work that was accepted before an erasure."""

    __tablename__ = "membership"

    org_id: Mapped[OrgId]
    user_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    role: Mapped[str] = mapped_column(default="member")
    auto_capture_enabled: Mapped[bool] = mapped_column(default=True)
    use_memory_in_responses: Mapped[bool] = mapped_column(default=True)
    settings_updated_at: Mapped[datetime | None]
    capture_changed_at: Mapped[datetime | None]
    capture_changed_by: Mapped[str | None]
    capture_changed_by_id: Mapped[int | None]
    use_changed_at: Mapped[datetime | None]
    use_changed_by: Mapped[str | None]
    use_changed_by_id: Mapped[int | None]
    epoch: Mapped[int] = mapped_column(default=0)
    erased_at: Mapped[datetime | None]
    removed_at: Mapped[datetime | None]
    created_at: Mapped[Created]


class Subject(Base):
    """What everything remembered about a user hangs on: deleting this row erases it all."""

    __tablename__ = "subject"

    org_id: Mapped[OrgId]
    user_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
