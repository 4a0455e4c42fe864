"""Orgs: created by whoever runs the installation."""

from __future__ import annotations

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from webapp.access.actor import Actor, system
from webapp.access.policy import Action, Target, require
from webapp.db.models import Org
from webapp.db.session import installation, transaction
from webapp.directory import rules
from webapp.directory.types import OrgView
from webapp.errors import Conflict, NotVisible
from webapp.memory import audit


def create_org(key: str, *, name: str = "", time_zone: str = "UTC", by: str = "command") -> OrgView:
    """A new org, memory off. Raises Invalid or Conflict. Only commands call it: no request may create an org."""
    values = {"key": rules.org_key(key), "name": rules.name(name or key), "time_zone": rules.time_zone(time_zone)}
    with installation() as session:
        row = session.scalar(insert(Org).values(**values).on_conflict_do_nothing().returning(Org))
        if row is None:
            raise Conflict(f"An org with the key {key} already exists.")
        made = _view(row)
    with transaction(made.id) as session:
        audit.record(session, system(made.id, by, how="command"), "org.created", "org", target_label=made.key)
    return made


def find_org(session: Session, key: str) -> OrgView | None:
    """By key."""
    row = session.execute(_BY_KEY, {"key": key}).one_or_none()
    return OrgView(*row) if row else None


# Every request asks this: as text it costs a fraction of building the statement anew.
_BY_KEY = text("SELECT id, key, name, time_zone, enable_memsearch FROM org WHERE key = :key")


def org_of_id(session: Session, org_id: int) -> OrgView | None:
    """By id: the org that a token belongs to."""
    row = session.get(Org, org_id)
    return _view(row) if row else None


def get_org(key: str) -> OrgView:
    """By key; raises NotVisible. For commands: requests reach an org through their membership."""
    with installation() as session:
        found = find_org(session, key)
    if found is None:
        raise NotVisible(f"There is no org {key}.")
    return found


def orgs_of(session: Session, account_id: int) -> list[OrgView]:
    """The orgs an account is a member of, by name."""
    ids = list(session.scalars(text("SELECT orgs_of_account(:account)"), {"account": account_id}))
    return [_view(row) for row in session.scalars(select(Org).where(Org.id.in_(ids)).order_by(Org.name, Org.id))]


def all_orgs(session: Session) -> list[OrgView]:
    """Every org, for the superuser's switcher and for commands that loop over orgs."""
    return [_view(row) for row in session.scalars(select(Org).order_by(Org.name, Org.id))]


def edit_org(actor: Actor, *, name: str | None = None, time_zone: str | None = None) -> OrgView:
    """Rename an org or set its time zone."""
    require(actor, Action.WRITE_ORG_SETTINGS, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        row = session.get_one(Org, actor.org_id)
        row.name = row.name if name is None else rules.name(name)
        row.time_zone = row.time_zone if time_zone is None else rules.time_zone(time_zone)
        audit.record(session, actor, "org.edited", "org")
        return _view(row)


def _view(row: Org) -> OrgView:
    return OrgView(row.id, row.key, row.name, row.time_zone, row.enable_memsearch)
