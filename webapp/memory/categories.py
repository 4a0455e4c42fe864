"""An agent's categories: what its memories about people are filed under."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, require
from webapp.db.models import Category
from webapp.db.session import transaction
from webapp.errors import Conflict, Invalid, NotVisible, Overtaken
from webapp.memory import audit
from webapp.memory.content import NUL_MESSAGE
from webapp.memory.types import CategoryView, Page

SLUG_TAKEN = "Category with this slug already exists"
LONGEST = {"name": 100, "description": 2_000, "extraction_prompt": 2_000}
SLUG = re.compile(r"[a-z0-9_-]{1,100}")

# The seed's table of default categories, restored in `spec` *Default categories*.
DEFAULTS = (
    ("knowledge_gaps", "Knowledge Gaps", "Topics or concepts the user struggles with"),
    ("learning_goals", "Learning Goals", "Goals and objectives the user wants to achieve"),
    ("preferences", "Preferences", "Learning style, pace, or content preferences"),
    ("progress_milestones", "Progress Milestones", "Achievements and completed learning milestones"),
    ("personal_context", "Personal Context", "Relevant personal information shared by the user"),
)


def seed(session: Session, org_id: int, agent_id: int) -> None:
    """Give an agent the default categories, once: on its first extraction or first listing by an editor.

    What an editor deactivated or renamed later stays as it is.
    """
    if session.execute(_SEED, {"org": org_id, "agent": agent_id}).first() is None:
        return
    rows = [
        {"org_id": org_id, "agent_id": agent_id, "slug": slug, "name": name, "description": description}
        for slug, name, description in DEFAULTS
    ]
    session.execute(insert(Category).values(rows).on_conflict_do_nothing(index_elements=["org_id", "agent_id", "slug"]))


# Every exchange asks this: as text it costs a fraction of building the statement anew.
_SEED = text(
    """
    UPDATE agent SET categories_seeded_at = now() WHERE org_id = :org AND id = :agent AND categories_seeded_at IS NULL
    RETURNING id
    """
)


def active(session: Session, org_id: int, agent_id: int) -> list[CategoryView]:
    """What may be filed under now, by id."""
    rows = session.scalars(
        select(Category)
        .where(Category.org_id == org_id, Category.agent_id == agent_id, Category.is_active)
        .order_by(Category.id)
    )
    return [view(row) for row in rows]


def find(session: Session, org_id: int, agent_id: int, slug: str, *, field: str = "category_slug") -> Category:
    """The active category with this slug, or Invalid under `field`."""
    row = session.scalar(
        select(Category).where(Category.org_id == org_id, Category.agent_id == agent_id, Category.slug == slug)
    )
    if row is None:
        raise Invalid({field: ["Category with this slug does not exist."]})
    if not row.is_active:
        raise Invalid({field: ["This category is inactive."]})
    return row


def list_categories(
    actor: Actor, agent_id: int, *, include_inactive: bool = False, page: int = 1, size: int = 20
) -> Page[CategoryView]:
    """One page by id. Every member may list the active ones; an editor's first listing seeds the defaults."""
    target = Target(actor.org_id, agent_id=agent_id)
    require(actor, Action.READ_CATEGORIES if include_inactive else Action.READ_ACTIVE_CATEGORIES, target)
    with transaction(actor.org_id) as session:
        seed(session, actor.org_id, agent_id)
        chosen = [Category.org_id == actor.org_id, Category.agent_id == agent_id]
        chosen += [] if include_inactive else [Category.is_active.is_(True)]
        count = session.scalar(select(func.count()).select_from(Category).where(*chosen)) or 0
        rows = session.scalars(
            select(Category).where(*chosen).order_by(Category.id).limit(size).offset((page - 1) * size)
        )
        return Page([view(row) for row in rows], count, page, size)


def get(actor: Actor, agent_id: int, category_id: int) -> CategoryView:
    """One category in either state; members see active ones only."""
    with transaction(actor.org_id) as session:
        row = _load(session, actor, agent_id, category_id)
        wanted = Action.READ_ACTIVE_CATEGORIES if row.is_active else Action.READ_CATEGORIES
        require(actor, wanted, Target(actor.org_id, agent_id=agent_id), visible_by=wanted)
        return view(row)


def create(
    actor: Actor,
    agent_id: int,
    *,
    name: str,
    slug: str | None = None,
    description: str = "",
    extraction_prompt: str = "",
    is_active: bool = True,
) -> CategoryView:
    """A new category; the slug is made from the name when none is given.

    Raises Invalid, or Conflict when the slug is taken, by an inactive one too.
    """
    require(actor, Action.WRITE_CATEGORIES, Target(actor.org_id, agent_id=agent_id))
    given = {"name": name, "description": description, "extraction_prompt": extraction_prompt}
    fields = _checked(given if slug is None else given | {"slug": slug})
    fields |= {"slug": slug_of(fields["name"])} if slug is None else {}
    with transaction(actor.org_id) as session:
        seed(session, actor.org_id, agent_id)
        values = {"org_id": actor.org_id, "agent_id": agent_id, "is_active": is_active, **fields}
        statement = insert(Category).values(**values).on_conflict_do_nothing().returning(Category)
        row = session.scalar(statement)
        if row is None:
            raise Conflict(SLUG_TAKEN)
        _note(session, actor, row, "created", None)
        return view(row)


def edit(
    actor: Actor, agent_id: int, category_id: int, changes: Mapping[str, Any], *, expected_version: int | None = None
) -> CategoryView:
    """Set the given fields of `name, slug, description, extraction_prompt, is_active`; also reactivates."""
    require(actor, Action.WRITE_CATEGORIES, Target(actor.org_id, agent_id=agent_id))
    fields = _checked(changes)
    with transaction(actor.org_id) as session:
        row = _load(session, actor, agent_id, category_id, lock=True)
        if expected_version is not None and row.version != expected_version:
            raise Overtaken
        before = _snapshot(row)
        if fields.get("slug", row.slug) != row.slug and _slug_taken(session, row, fields["slug"]):
            raise Conflict(SLUG_TAKEN)
        for field, value in fields.items():
            setattr(row, field, value)
        if _snapshot(row) != before:
            row.version += 1
            row.updated_at = func.now()
            _flush(session)
            session.refresh(row)
            _note(session, actor, row, "edited", before)
        return view(row)


def deactivate(actor: Actor, agent_id: int, category_id: int, *, expected_version: int | None = None) -> None:
    """Stop filing under it. Its memories stay readable and recalled. Raises Overtaken."""
    edit(actor, agent_id, category_id, {"is_active": False}, expected_version=expected_version)


def slug_of(name: str) -> str:
    """Lower case, other runs to `_`, trimmed: "Project Ideas!" → "project_ideas"."""
    slug = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:100]
    if not slug:
        raise Invalid(
            {"slug": ["Give a slug of lower-case letters, digits, - and _: none can be made from this name."]}
        )
    return slug


def view(row: Category) -> CategoryView:
    """A row as a value."""
    return CategoryView(
        row.id, row.agent_id, row.name, row.slug, row.description, row.extraction_prompt,
        row.is_active, row.version, row.created_at,
    )  # fmt: skip


def _checked(fields: Mapping[str, Any]) -> dict[str, Any]:
    cleaned = {name: value.strip() if isinstance(value, str) else value for name, value in fields.items()}
    errors = {name: [message] for name, value in cleaned.items() if (message := _wrong(name, value)) is not None}
    if errors:
        raise Invalid(errors)
    return cleaned


def _wrong(name: str, value: Any) -> str | None:
    """What is wrong with a category's field, if anything."""
    if name == "slug" and not SLUG.fullmatch(value):
        return "Use lower-case letters, digits, - and _ (at most 100)."
    if name == "name" and not value:
        return "This field may not be blank."
    if name == "name" and not value.isprintable():
        return "Control characters are not allowed."
    longest = LONGEST.get(name)
    if longest is not None and len(value) > longest:
        return f"Ensure this field has no more than {longest} characters."
    return NUL_MESSAGE if isinstance(value, str) and "\x00" in value else None


def _load(session: Session, actor: Actor, agent_id: int, category_id: int, *, lock: bool = False) -> Category:
    chosen = select(Category).where(
        Category.org_id == actor.org_id, Category.agent_id == agent_id, Category.id == category_id
    )
    row = session.scalar(chosen.with_for_update() if lock else chosen)
    if row is None:
        raise NotVisible
    return row


def _slug_taken(session: Session, row: Category, slug: str) -> bool:
    found = session.scalar(
        text("SELECT 1 FROM category WHERE org_id = :org AND agent_id = :agent AND slug = :slug AND id <> :id"),
        {"org": row.org_id, "agent": row.agent_id, "slug": slug, "id": row.id},
    )
    return found is not None


def _flush(session: Session) -> None:
    # Two editors may take the same slug at once: the check before it sees neither.
    try:
        with session.begin_nested():
            session.flush()
    except IntegrityError as error:
        raise Conflict(SLUG_TAKEN) from error


def _snapshot(row: Category) -> dict[str, Any]:
    fields = ("name", "slug", "description", "extraction_prompt", "is_active")
    return {field: getattr(row, field) for field in fields}


def _note(session: Session, actor: Actor, row: Category, action: str, before: dict[str, Any] | None) -> None:
    audit.revise(
        session, actor, "category", row.id, action,
        version=row.version, before=before, after=_snapshot(row), agent_id=row.agent_id,
    )  # fmt: skip
    audit.record(session, actor, f"category.{action}", "category", target_id=row.id)
