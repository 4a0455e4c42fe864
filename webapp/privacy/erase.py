"""Erasing everything that is remembered about one person in one org, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.models import Account
from webapp.db.session import transaction
from webapp.errors import NotVisible
from webapp.memory import audit
from webapp.memory.store import lock_subject
from webapp.privacy import store


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure took: rows by table. Kept nowhere but in the hands of who asked."""

    counts: Mapping[str, int]
    at: datetime
    stopped: bool


def erase(actor: Actor, user_id: int, *, stop_learning: bool = False) -> Receipt:
    """Purge everything about a member: memories, history, conversations, queued work, graph; their name in the logs.

    The account, its roles and its switches stay; with `stop_learning` capture is switched off in the same
    transaction. Work that is under way for the person is fenced off: nothing of it is written afterwards. Also works
    for somebody who was removed from the org. Raises NotVisible, NotAllowed.
    """
    require(actor, Action.ERASE_USER, Target(actor.org_id, user_id))
    with transaction(actor.org_id) as session:
        if not lock_subject(session, actor.org_id, user_id):
            raise NotVisible
        counts = store.count_hanging(session, actor.org_id, user_id)
        at = store.fence(session, actor, user_id, stop_learning=stop_learning)
        store.renew_subject(session, actor.org_id, user_id)
        audit.record(session, actor, "user.erased", "user", target_user_id=user_id, detail={"counts": counts})
        session.flush()
        username = session.scalars(select(Account.username).where(Account.id == user_id)).one()
        store.rewrite_labels(session, actor.org_id, user_id, username)
        return Receipt(counts, at, stop_learning)
