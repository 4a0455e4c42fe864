"""Who can change things in an org: named wherever a screen says that something is off or denied."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from webapp.db.models import Account, Membership

NAMED = 3


def admin_names(session: Session, org_id: int) -> list[str]:
    """The full names (else usernames) of up to three admins, in order of name."""
    name = func.coalesce(func.nullif(Account.full_name, ""), Account.username)
    chosen = (
        select(name)
        .join(Membership, Membership.user_id == Account.id)
        .where(
            Membership.org_id == org_id,
            Membership.role == "admin",
            Membership.removed_at.is_(None),
            Account.disabled_at.is_(None),
        )
        .order_by(func.lower(name))
        .limit(NAMED)
    )
    return list(session.scalars(chosen))
