"""Reading the revisions of categories and shared memory, for history and for naming who was faster."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.models import Revision
from webapp.db.session import transaction
from webapp.errors import NotVisible
from webapp.memory.queries import Change


def of_object(session: Session, org_id: int, kind: str, object_id: int) -> list[Change]:
    """Every revision, newest first, for callers that have already decided who may read it."""
    rows = session.scalars(
        select(Revision)
        .where(Revision.org_id == org_id, Revision.object_kind == kind, Revision.object_id == object_id)
        .order_by(Revision.id.desc())
    )
    return [
        Change(row.id, row.action, row.version, row.before, row.after, row.actor_label, row.how, row.at) for row in rows
    ]


def last_of_category(actor: Actor, agent_id: int, category_id: int) -> Change:
    """The latest change of a category; NotVisible when there is none."""
    require(actor, Action.READ_CATEGORIES, Target(actor.org_id, agent_id=agent_id))
    with transaction(actor.org_id) as session:
        found = of_object(session, actor.org_id, "category", category_id)
    if not found:
        raise NotVisible
    return found[0]
