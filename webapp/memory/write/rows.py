"""Rows that a verb is about to change: locked, and only once the caller may change all of them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ARRAY, BigInteger, any_, cast, select
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.models import Memory
from webapp.errors import NotVisible
from webapp.memory.store import lock_subject
from webapp.memory.write.manual import write_action


def load_all_for_write(session: Session, actor: Actor, memory_ids: Sequence[int], *, live: bool = True) -> list[Memory]:
    """These rows by id, locked in that order, so that two changes that overlap wait instead of deadlocking.

    Raises NotVisible when one is missing, of the wrong state or not the caller's to know of; NotAllowed when one is
    only readable.
    """
    wanted = sorted(set(memory_ids))
    named = Memory.id == any_(cast(wanted, ARRAY(BigInteger)))
    chosen = select(Memory).where(Memory.org_id == actor.org_id, named).order_by(Memory.id)
    # The person first, as every other write about them does: an erasure under way then waits or is waited for.
    about = select(Memory.user_id).where(Memory.org_id == actor.org_id, named).distinct().order_by(Memory.user_id)
    for user_id in session.scalars(about).all():
        lock_subject(session, actor.org_id, user_id)
    rows = list(session.scalars(chosen.with_for_update()))
    for user_id, agent_id in {(row.user_id, row.agent_id) for row in rows}:
        readable = Action.READ_GLOBAL if agent_id is None else Action.READ_AGENT_MEMORY
        target = Target(actor.org_id, user_id, agent_id)
        require(actor, write_action(agent_id), target, visible_by=readable)
    gone = [row for row in rows if live and (row.deleted_at is not None or row.superseded_at is not None)]
    if gone or len(rows) != len(wanted) or not rows:
        raise NotVisible
    return rows
