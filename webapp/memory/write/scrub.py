"""Taking a text out of a memory's history, for good."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.db.models import Memory, Revision
from webapp.db.session import transaction
from webapp.errors import Invalid, NotVisible
from webapp.memory import audit, store
from webapp.memory.write.manual import load_for_write
from webapp.memory.write.removal import purge_rows

STILL_CURRENT = "This is the memory's text now: edit or delete the memory."


def remove_from_history(actor: Actor, memory_id: int, revision_id: int) -> None:
    """Blank the earlier texts of one revision wherever the memory's history holds them; that it changed stays.

    A memory that was replaced and whose text this was is purged. Raises NotVisible, NotAllowed, or Invalid when the
    revision holds no text but the current one.
    """
    with transaction(actor.org_id) as session:
        row = load_for_write(session, actor, memory_id)
        line = store.lineage(session, actor.org_id, memory_id)
        revisions = _revisions(session, actor.org_id, line)
        chosen = next((each for each in revisions if each.id == revision_id), None)
        if chosen is None:
            raise NotVisible
        texts = texts_of(chosen) - {row.content}
        if not texts:
            raise Invalid(STILL_CURRENT)
        for revision in revisions:
            revision.before = without_texts(revision.before, texts)
            revision.after = without_texts(revision.after, texts)
        session.flush()
        _purge_replaced(session, actor, [each for each in line if each != memory_id], texts)
        audit.record(
            session, actor, "memory.history_removed", "memory", target_id=memory_id, target_user_id=row.user_id
        )


def _revisions(session: Session, org_id: int, memory_ids: list[int]) -> list[Revision]:
    chosen = select(Revision).where(
        Revision.org_id == org_id, Revision.object_kind == "memory", Revision.object_id.in_(memory_ids)
    )
    return list(session.scalars(chosen.with_for_update()))


def texts_of(revision: Revision) -> set[str]:
    """The texts a revision holds."""
    found = {(state or {}).get("content") for state in (revision.before, revision.after)}
    return {text for text in found if text is not None}


def without_texts(state: dict[str, Any] | None, texts: set[str]) -> dict[str, Any] | None:
    """The same state with its text blanked where it is one of these."""
    return state | {"content": None} if state and state.get("content") in texts else state


def _purge_replaced(session: Session, actor: Actor, memory_ids: list[int], texts: set[str]) -> None:
    chosen = select(Memory).where(Memory.org_id == actor.org_id, Memory.id.in_(memory_ids), Memory.content.in_(texts))
    rows = list(session.scalars(chosen))
    if rows:
        purge_rows(session, actor, rows)
