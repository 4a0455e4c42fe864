"""Putting memories in order: moving them to another category, merging several into one."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.db.models import Memory
from webapp.db.session import transaction
from webapp.errors import NON_FIELD, Conflict, Invalid, NotVisible
from webapp.memory import audit, categories, content, counts, embedding, search, store
from webapp.memory.write.manual import note, snapshot
from webapp.memory.write.rows import load_all_for_write

ONE_PERSON = "Choose memories of one person to merge."
TWO = "Choose two or more memories to merge."


def move(actor: Actor, memory_ids: Sequence[int], category_slug: str) -> int:
    """File one agent's memories under another of its active categories; how many were filed elsewhere before.

    Raises Invalid for the category, NotVisible, NotAllowed.
    """
    with transaction(actor.org_id) as session:
        rows = load_all_for_write(session, actor, memory_ids)
        agents = {row.agent_id for row in rows}
        agent_id = rows[0].agent_id
        if agent_id is None or len(agents) != 1:
            raise NotVisible
        category = categories.find(session, actor.org_id, agent_id, category_slug, field="category")
        moving = [row for row in rows if row.category_id != category.id]
        before = [snapshot(session, row) for row in moving]
        for row in moving:
            counts.no_longer_live(session, row)
            row.category_id = category.id
            counts.became_live(session, row)
            _touch(row, actor)
        session.flush()
        for row, state in zip(moving, before, strict=True):
            note(session, actor, row, "edited", state)
        return len(moving)


def merge(actor: Actor, memory_ids: Sequence[int], text: str) -> int:
    """Make several memories of one person and one agent (or global ones) into one; the id of the one that stays.

    The newest stays and gets `text`; the others become its history and are recalled no more. Raises Invalid, Conflict
    when a further memory has this text, NotVisible, NotAllowed.
    """
    text = content.check(text)
    with transaction(actor.org_id) as session:
        rows = load_all_for_write(session, actor, memory_ids)
        if len(rows) < 2:
            raise Invalid({NON_FIELD: [TWO]})
        if len({(row.user_id, row.agent_id) for row in rows}) != 1:
            raise Invalid({NON_FIELD: [ONE_PERSON]})
        kept = max(rows, key=lambda row: (row.created_at, row.id))
        for row in rows:
            if row is not kept:
                _replace(session, actor, row, kept)
        _reword(session, actor, kept, text)
    embedding.embed_now(actor.org_id, [kept.id])
    return kept.id


def _replace(session: Session, actor: Actor, row: Memory, kept: Memory) -> None:
    before = snapshot(session, row)
    store.supersede(session, row.org_id, row.user_id, row.id, kept.id)
    session.refresh(row)
    audit.revise(
        session, actor, "memory", row.id, "merged", version=row.version, before=before,
        user_id=row.user_id, agent_id=row.agent_id,
    )  # fmt: skip


def _reword(session: Session, actor: Actor, kept: Memory, text: str) -> None:
    before = snapshot(session, kept)
    kept.content, kept.content_hash = text, content.content_hash(text)
    kept.embed_due_at = func.now()
    _touch(kept, actor)
    try:
        session.flush()
    except IntegrityError as error:
        raise Conflict from error
    search.index(session, kept)
    note(session, actor, kept, "merged", before)


def _touch(row: Memory, actor: Actor) -> None:
    row.version += 1
    row.updated_at = func.now()
    row.edited_by = actor.label
