"""What became of an agent's shared memory: its history, and what was deleted, until it is purged."""

from __future__ import annotations

from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.models import Knowledge, Revision
from webapp.db.session import transaction
from webapp.errors import Invalid, NotVisible
from webapp.memory import audit, revisions
from webapp.memory.queries import Change
from webapp.memory.write.scrub import STILL_CURRENT, texts_of, without_texts


def history(actor: Actor, agent_id: int, entry_id: int) -> tuple[str, list[Change]]:
    """The entry's text as it is now, and every revision of it, newest first; live or deleted."""
    require(actor, Action.READ_KNOWLEDGE, Target(actor.org_id, agent_id=agent_id))
    with transaction(actor.org_id) as session:
        row = _load(session, actor.org_id, agent_id, entry_id)
        return row.content, revisions.of_object(session, actor.org_id, "knowledge", entry_id)


def deleted_text(actor: Actor, agent_id: int, entry_id: int) -> str:
    """The text of a deleted entry; NotVisible when there is none."""
    require(actor, Action.READ_KNOWLEDGE, Target(actor.org_id, agent_id=agent_id))
    with transaction(actor.org_id) as session:
        row = _load(session, actor.org_id, agent_id, entry_id)
        if row.deleted_at is None:
            raise NotVisible
        return row.content


def remove_from_history(actor: Actor, agent_id: int, entry_id: int, revision_id: int) -> None:
    """Blank the earlier texts of one revision wherever the entry's history holds them.

    Raises NotVisible, NotAllowed, or Invalid when the revision holds no text but the current one.
    """
    require(actor, Action.WRITE_KNOWLEDGE, Target(actor.org_id, agent_id=agent_id))
    with transaction(actor.org_id) as session:
        row = _load(session, actor.org_id, agent_id, entry_id)
        held = list(session.scalars(_revisions(actor.org_id, entry_id).with_for_update()))
        chosen = next((each for each in held if each.id == revision_id), None)
        if chosen is None:
            raise NotVisible
        texts = texts_of(chosen) - {row.content}
        if not texts:
            raise Invalid(STILL_CURRENT)
        for revision in held:
            revision.before = without_texts(revision.before, texts)
            revision.after = without_texts(revision.after, texts)
        audit.record(session, actor, "knowledge.history_removed", "knowledge", target_id=entry_id)


def purge(actor: Actor, agent_id: int, entry_id: int) -> None:
    """Delete a deleted entry for good, history included. Raises NotVisible, NotAllowed."""
    require(actor, Action.WRITE_KNOWLEDGE, Target(actor.org_id, agent_id=agent_id))
    with transaction(actor.org_id) as session:
        row = _load(session, actor.org_id, agent_id, entry_id)
        if row.deleted_at is None:
            raise NotVisible
        _purge(session, actor, [entry_id])


def purge_expired(actor: Actor, *, days: int, limit: int = 500) -> int:
    """Purge what was deleted more than `days` ago, by the database's clock; the number purged."""
    with transaction(actor.org_id) as session:
        over = Knowledge.deleted_at < func.now() - func.make_interval(0, 0, 0, days)
        chosen = select(Knowledge.id).where(Knowledge.org_id == actor.org_id, over).limit(limit)
        ids = list(session.scalars(chosen.with_for_update(skip_locked=True)))
        _purge(session, actor, ids)
        return len(ids)


def _purge(session: Session, actor: Actor, entry_ids: list[int]) -> None:
    session.execute(
        delete(Revision).where(
            Revision.org_id == actor.org_id, Revision.object_kind == "knowledge", Revision.object_id.in_(entry_ids)
        )
    )
    session.execute(delete(Knowledge).where(Knowledge.org_id == actor.org_id, Knowledge.id.in_(entry_ids)))
    for entry_id in entry_ids:
        audit.record(session, actor, "knowledge.purged", "knowledge", target_id=entry_id)


def _load(session: Session, org_id: int, agent_id: int, entry_id: int) -> Knowledge:
    found = session.scalar(
        select(Knowledge)
        .where(Knowledge.org_id == org_id, Knowledge.agent_id == agent_id, Knowledge.id == entry_id)
        .with_for_update()
    )
    if found is None:
        raise NotVisible
    return found


def _revisions(org_id: int, entry_id: int) -> Select[Revision]:
    return select(Revision).where(
        Revision.org_id == org_id, Revision.object_kind == "knowledge", Revision.object_id == entry_id
    )
