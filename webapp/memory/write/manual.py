"""Adding and editing memories by hand: permission, rules, row, revision and audit event in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.models import Category, Memory
from webapp.db.session import transaction
from webapp.errors import Conflict, Invalid, NotVisible, Overtaken
from webapp.memory import audit, categories, content, counts, embedding, queries, search, store
from webapp.memory.types import MemoryView, Origin


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory to be added. `agent_id` and `category_slug` go together; without them it is global."""

    user_id: int
    content: str
    agent_id: int | None = None
    category_slug: str | None = None
    origin: Origin = "manual"
    source_session_id: str | None = None
    occurred_at: datetime | None = None
    created_at: datetime | None = None


def add(actor: Actor, draft: Draft) -> MemoryView:
    """Write one memory and embed it.

    Raises Invalid (text or category), Conflict when the same text is there already, NotAllowed, NotVisible. While the
    embedding service is down the memory is saved all the same and found by its words until it is embedded.
    """
    with transaction(actor.org_id) as session:
        row = insert(session, actor, draft)
        added = queries.views_by_id(session, actor.org_id, [row.id])[row.id]
    embedding.embed_rows(actor.org_id, [row])
    return added


def insert(session: Session, actor: Actor, draft: Draft) -> Memory:
    """The same in the caller's transaction, without embedding: the memory is due for it."""
    require(actor, write_action(draft.agent_id), Target(actor.org_id, draft.user_id, draft.agent_id))
    text = content.check(draft.content)
    if not store.lock_subject(session, actor.org_id, draft.user_id):
        raise NotVisible
    category = _category(session, actor.org_id, draft.agent_id, draft.category_slug)
    memory_id = _insert(session, actor, draft, text, category)
    row = store.load(session, actor.org_id, memory_id)
    assert row is not None
    note(session, actor, row, "created", None)
    return row


def edit(
    actor: Actor,
    memory_id: int,
    *,
    content: str | None = None,
    category_slug: str | None = None,
    expected_version: int | None = None,
) -> MemoryView:
    """Change the text, the category or both; the previous state stays as a revision. A captured memory stays captured.

    Raises Overtaken when `expected_version` is no longer the current one, Conflict when another live memory of the
    same scope has this text, Invalid when nothing is given.
    """
    if content is None and category_slug is None:
        raise Invalid("Send at least one of category_slug, content.")
    with transaction(actor.org_id) as session:
        row = load_for_write(session, actor, memory_id)
        if expected_version is not None and row.version != expected_version:
            raise Overtaken
        before = snapshot(session, row)
        reworded = _change(session, row, content, category_slug)
        # The change is flushed by `_save` alone, which knows what a conflict means.
        with session.no_autoflush:
            changed = snapshot(session, row) != before
        if changed:
            _save(session, actor, row, before)
        edited = queries.views_by_id(session, actor.org_id, [memory_id])[memory_id]
    if reworded:
        embedding.embed_now(actor.org_id, [memory_id])
    return edited


def load_for_write(session: Session, actor: Actor, memory_id: int, *, live: bool = True) -> Memory:
    """The row, locked, once the caller may change it: 404 what they may not know of, 403 what they may only read."""
    row = store.load(session, actor.org_id, memory_id, lock=True)
    if row is None or (live and (row.deleted_at is not None or row.superseded_at is not None)):
        raise NotVisible
    readable = Action.READ_AGENT_MEMORY if row.agent_id else Action.READ_GLOBAL
    require(actor, write_action(row.agent_id), Target(actor.org_id, row.user_id, row.agent_id), visible_by=readable)
    return row


def write_action(agent_id: int | None) -> Action:
    """What writing needs: a global memory and an agent's are permitted separately."""
    return Action.WRITE_GLOBAL if agent_id is None else Action.WRITE_AGENT_MEMORY


def snapshot(session: Session, row: Memory) -> dict[str, str | None]:
    """What a revision keeps of a memory."""
    category = session.get(Category, {"org_id": row.org_id, "id": row.category_id}) if row.category_id else None
    return {"content": row.content, "category": category.slug if category else None}


def note(session: Session, actor: Actor, row: Memory, action: str, before: dict[str, str | None] | None) -> None:
    """Record a revision and an audit event for a change of this row."""
    audit.revise(
        session, actor, "memory", row.id, action, version=row.version, before=before,
        after=None if action == "deleted" else snapshot(session, row), user_id=row.user_id, agent_id=row.agent_id,
    )  # fmt: skip
    audit.record(session, actor, f"memory.{action}", "memory", target_id=row.id, target_user_id=row.user_id)


def _category(session: Session, org_id: int, agent_id: int | None, slug: str | None) -> Category | None:
    if agent_id is None:
        return None
    categories.seed(session, org_id, agent_id)
    if not slug:
        raise Invalid({"category_slug": ["This field is required."]})
    return categories.find(session, org_id, agent_id, slug)


def _insert(session: Session, actor: Actor, draft: Draft, text: str, category: Category | None) -> int:
    new = store.NewMemory(
        org_id=actor.org_id,
        user_id=draft.user_id,
        content=text,
        origin=draft.origin,
        agent_id=draft.agent_id,
        category_id=category.id if category else None,
        source_session_id=draft.source_session_id,
        occurred_at=draft.occurred_at,
        created_at=draft.created_at,
    )
    memory_id = store.insert_memory(session, new)
    if memory_id is None:
        existing = store.find_live(session, actor.org_id, draft.user_id, draft.agent_id, text)
        raise Conflict(existing_id=existing)
    return memory_id


def _change(session: Session, row: Memory, text: str | None, category_slug: str | None) -> bool:
    if category_slug is not None:
        if row.agent_id is None:
            raise Invalid({"category_slug": ["A global memory has no category."]})
        counts.no_longer_live(session, row)
        row.category_id = categories.find(session, row.org_id, row.agent_id, category_slug).id
        counts.became_live(session, row)
    if text is None or content.check(text) == row.content:
        return False
    row.content = content.check(text)
    row.content_hash = content.content_hash(row.content)
    row.embed_due_at = func.now()
    return True


def _save(session: Session, actor: Actor, row: Memory, before: dict[str, str | None]) -> None:
    row.version += 1
    row.updated_at = func.now()
    row.edited_by = actor.label
    try:
        with session.begin_nested():
            session.flush()
    except IntegrityError as error:
        raise Conflict from error
    session.refresh(row)
    search.index(session, row)
    note(session, actor, row, "edited", before)
