"""Agents of an org."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sqlalchemy import func, or_, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from webapp.access.actor import Actor, AgentRoleName
from webapp.access.policy import Action, Target, require
from webapp.db.models import Account, Agent, AgentRole
from webapp.db.session import transaction
from webapp.directory import rules
from webapp.directory.people import find_user, set_role_rows
from webapp.directory.references import matches_agent
from webapp.directory.types import AgentView
from webapp.errors import Conflict, Invalid, NotVisible, Overtaken
from webapp.memory import audit
from webapp.memory.enablement import lock_switches
from webapp.memory.types import Page

SLUG_TAKEN = "An agent with this slug already exists."


@dataclass(frozen=True, slots=True)
class AgentDraft:
    """What may be set on an agent; None leaves a field as it is. `editors` and `viewers` are complete lists of usernames."""

    name: str | None = None
    description: str | None = None
    enable_memory_component: bool | None = None
    is_archived: bool | None = None
    editors: Sequence[str] | None = None
    viewers: Sequence[str] | None = None

    @property
    def switches(self) -> bool:
        """Whether it says if the agent remembers."""
        return self.enable_memory_component is not None or self.is_archived is not None


def put_agent(
    actor: Actor, reference: str, draft: AgentDraft, *, expected_version: int | None = None, must_be_new: bool = False
) -> tuple[AgentView, bool]:
    """Create an agent under a slug, or update the one that has this slug or UUID; True beside it when it is new.

    Raises Invalid, Overtaken, Conflict where it `must_be_new` and is not, or NotVisible for a UUID that no agent has.
    """
    require(actor, Action.WRITE_AGENTS, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        if draft.switches:
            lock_switches(session, actor.org_id)
        if must_be_new:
            rules.agent_slug(reference)
        created = not rules.is_uuid(reference) and _create(session, actor.org_id, rules.agent_slug(reference), draft)
        if must_be_new and not created:
            raise Conflict(SLUG_TAKEN)
        row = _row(session, actor.org_id, reference, lock=True)
        if expected_version is not None and row.version != expected_version:
            raise Overtaken
        before = None if created else _with_roles(session, row)
        _apply(session, actor, row, draft)
        session.flush()
        session.refresh(row)
        if _with_roles(session, row) != before:
            row.version += 0 if created else 1
            audit.record(
                session, actor, "agent.created" if created else "agent.edited", "agent", target_id=row.id,
                target_label=row.slug,
            )  # fmt: skip
        return _with_roles(session, row), created


def find_agent(session: Session, org_id: int, reference: str) -> AgentView | None:
    """By slug or UUID, without its roles."""
    statement = _BY_UUID if rules.is_uuid(reference) else _BY_SLUG
    row = session.execute(statement, {"org": org_id, "value": reference}).one_or_none()
    return AgentView(*row) if row else None


# Most requests ask this: as text it costs a fraction of building the statement anew.
_AGENT = """
SELECT id, unique_id, slug, name, description, enable_memory_component, archived_at IS NOT NULL, version, created_at
FROM agent WHERE org_id = :org AND {}
"""
_BY_SLUG = text(_AGENT.format("slug = :value"))
_BY_UUID = text(_AGENT.format("unique_id = CAST(:value AS uuid)"))


def get_agent(actor: Actor, reference: str) -> AgentView:
    """By slug or UUID, with its editors and viewers."""
    require(actor, Action.READ_AGENTS, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        return _with_roles(session, _row(session, actor.org_id, reference))


def list_agents(
    actor: Actor, *, search: str = "", archived: bool | None = None, page: int = 1, size: int = 20
) -> Page[AgentView]:
    """Agents by name, with their editors and viewers; `archived` None: both kinds.

    `search` is a literal part of name, slug or description.
    """
    require(actor, Action.READ_AGENTS, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        chosen = select(Agent).where(Agent.org_id == actor.org_id)
        if archived is not None:
            chosen = chosen.where(Agent.archived_at.is_not(None) if archived else Agent.archived_at.is_(None))
        if search.strip():
            columns = (Agent.name, Agent.slug, Agent.description)
            chosen = chosen.where(or_(*(column.icontains(search.strip(), autoescape=True) for column in columns)))
        count = session.scalar(select(func.count()).select_from(chosen.subquery())) or 0
        order = (func.lower(Agent.name), Agent.id)
        rows = session.scalars(chosen.order_by(*order).limit(size).offset((page - 1) * size)).all()
        roles = _roles(session, actor.org_id, [row.id for row in rows])
        return Page([_view(row, roles) for row in rows], count, page, size)


def _create(session: Session, org_id: int, slug: str, draft: AgentDraft) -> bool:
    name = rules.name(draft.name or slug)
    made = session.execute(
        insert(Agent).values(org_id=org_id, slug=slug, name=name).on_conflict_do_nothing().returning(Agent.id)
    )
    return made.first() is not None


def _apply(session: Session, actor: Actor, row: Agent, draft: AgentDraft) -> None:
    if draft.name is not None:
        row.name = rules.name(draft.name)
    if draft.description is not None:
        row.description = rules.description(draft.description)
    if draft.enable_memory_component not in (None, row.enable_memory_component):
        row.enable_memory_component = bool(draft.enable_memory_component)
        row.memory_changed_at, row.memory_changed_by = func.now(), actor.label
    if draft.is_archived is not None and draft.is_archived is not (row.archived_at is not None):
        row.archived_at = func.now() if draft.is_archived else None
    for role, names in (("editor", draft.editors), ("viewer", draft.viewers)):
        if names is not None:
            _set_roles(session, row, role, names)  # type: ignore[arg-type]


def _set_roles(session: Session, row: Agent, role: AgentRoleName, usernames: Sequence[str]) -> None:
    users = {name: find_user(session, row.org_id, name) for name in usernames}
    unknown = sorted(name for name, user in users.items() if user is None)
    if unknown:
        raise Invalid({f"{role}s": [f"Not a member: {', '.join(unknown)}."]})
    held = session.scalars(
        select(AgentRole.user_id).where(
            AgentRole.org_id == row.org_id, AgentRole.agent_id == row.id, AgentRole.role == role
        )
    )
    roles: dict[int, AgentRoleName | None] = dict.fromkeys(held)
    roles |= {user.id: role for user in users.values() if user is not None}
    set_role_rows(session, row.org_id, row.id, roles)


def _row(session: Session, org_id: int, reference: str, *, lock: bool = False) -> Agent:
    chosen = select(Agent).where(Agent.org_id == org_id, matches_agent(reference))
    row = session.scalar(chosen.with_for_update() if lock else chosen)
    if row is None:
        raise NotVisible
    return row


def _with_roles(session: Session, row: Agent) -> AgentView:
    return _view(row, _roles(session, row.org_id, [row.id]))


def _roles(session: Session, org_id: int, agent_ids: Sequence[int]) -> dict[tuple[int, str], tuple[str, ...]]:
    """Agent and role → usernames, by name."""
    rows = session.execute(
        select(AgentRole.agent_id, AgentRole.role, Account.username)
        .join(Account, Account.id == AgentRole.user_id)
        .where(AgentRole.org_id == org_id, AgentRole.agent_id.in_(agent_ids))
        .order_by(Account.username)
    )
    found: dict[tuple[int, str], tuple[str, ...]] = {}
    for agent_id, role, username in rows:
        found[agent_id, role] = (*found.get((agent_id, role), ()), username)
    return found


def _view(row: Agent, roles: Mapping[tuple[int, str], tuple[str, ...]] = MappingProxyType({})) -> AgentView:
    return AgentView(
        row.id, row.unique_id, row.slug, row.name, row.description, row.enable_memory_component,
        row.archived_at is not None, row.version, row.created_at,
        roles.get((row.id, "editor"), ()), roles.get((row.id, "viewer"), ()),
    )  # fmt: skip
