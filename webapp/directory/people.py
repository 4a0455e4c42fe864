"""People of an org: accounts, their membership and their roles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, Select, TextClause, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from webapp.access import sign_in, tokens
from webapp.access.actor import Actor, AgentRoleName, OrgRole
from webapp.access.policy import Action, Target, require
from webapp.db.models import Account, AgentRole, Membership, Memory, Subject
from webapp.db.session import transaction
from webapp.directory import accounts, rules
from webapp.directory.references import PersonKey, people_named, person_key, person_like
from webapp.directory.types import UserView
from webapp.errors import Invalid, NotVisible
from webapp.memory import audit
from webapp.memory.types import Page

ROLES: tuple[OrgRole, ...] = ("admin", "member")
LAST_ADMIN = "The last admin of an organisation cannot be removed."


@dataclass(frozen=True, slots=True)
class PersonDraft:
    """What may be set on a member; None leaves a field as it is. `email` is needed for a new account."""

    email: str | None = None
    full_name: str | None = None
    role: OrgRole | None = None


def put_person(actor: Actor, username: str, draft: PersonDraft) -> tuple[UserView, bool]:
    """Create or update a member; True beside it when they are new to the org.

    An account that exists already (another org's member) joins with its own name; `email` must then be its own.
    Raises Invalid.
    """
    require(actor, Action.WRITE_PEOPLE, Target(actor.org_id))
    if draft.role is not None and draft.role not in ROLES:
        raise Invalid({"role": [f'"{draft.role}" is not a valid choice.']})
    with transaction(actor.org_id) as session:
        name = rules.username(username)
        account, new_account = accounts.account_for(session, name, draft.email, draft.full_name)
        here_already = find_member(session, actor.org_id, account.id) is not None
        if not new_account and not here_already:
            accounts.admit(session, account, draft.email)
        created = _join(session, actor.org_id, account.id, draft.role or "member")
        if not created and draft.role is not None:
            _set_role(session, actor, account.id, draft.role)
        if here_already:
            accounts.edit_account(session, actor.org_id, account, draft.email, draft.full_name)
        audit.record(
            session, actor, "person.created" if created else "person.edited", "user", target_user_id=account.id,
            target_label=account.username, detail={"role": draft.role} if draft.role else {},
        )  # fmt: skip
        return _one(session, actor.org_id, account.id), created


def find_user(session: Session, org_id: int, reference: str) -> UserView | None:
    """By username, else numeric id, else e-mail, within the org; members that were removed are not found."""
    kind, value = person_key(reference)
    row = session.execute(_MEMBER_BY[kind], {"org": org_id, "value": value}).first()
    return _view(row) if row else None


def find_member(session: Session, org_id: int, user_id: int) -> UserView | None:
    """The account's place in this org; None where it has none."""
    row = session.execute(_MEMBER_BY["id"], {"org": org_id, "value": user_id}).one_or_none()
    return _view(row) if row else None


def get_user(actor: Actor, user_id: int) -> UserView:
    """One member, by an admin or themselves."""
    if user_id != actor.account_id:
        require(actor, Action.READ_PEOPLE, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        return _one(session, actor.org_id, user_id)


def find_former(actor: Actor, reference: str) -> UserView | None:
    """Somebody who was removed from the org, by username, else id, else e-mail. For administrators."""
    require(actor, Action.READ_PEOPLE, Target(actor.org_id))
    kind, value = person_key(reference)
    column = {
        "id": Account.__table__.c.id,
        "email": func.lower(Account.email),
        "username": func.lower(Account.username),
    }
    with transaction(actor.org_id) as session:
        chosen = _joined(actor.org_id).where(Membership.removed_at.is_not(None), column[kind] == value)
        row = session.execute(chosen).first()
        return _view(row) if row else None


def list_people(
    actor: Actor, *, search: str = "", page: int = 1, size: int = 20, with_kept: bool = False
) -> Page[UserView]:
    """Members by name; `with_kept`: those who were removed while what is remembered was kept, too. Each word of `search` is a literal part of username, e-mail or full name, whatever the case."""
    require(actor, Action.FIND_PEOPLE, Target(actor.org_id, agent_id=next(iter(actor.agent_roles), None)))
    with transaction(actor.org_id) as session:
        chosen = _joined(actor.org_id).where(person_like(search))
        here = Membership.removed_at.is_(None)
        chosen = chosen.where(or_(here, _KEPT) if with_kept else here)
        count = session.scalar(select(func.count()).select_from(chosen.subquery())) or 0
        rows = session.execute(chosen.order_by(func.lower(Account.username)).limit(size).offset((page - 1) * size))
        return Page([_view(row) for row in rows], count, page, size)


def look_up(session: Session, org_id: int, typed: str, *, limit: int) -> list[UserView]:
    """The member whose whole username, id or e-mail it is; else up to `limit` of those who are like it, by username."""
    whole = find_user(session, org_id, typed)
    if whole or not typed.strip():
        return [whole] if whole else []
    chosen = _joined(org_id).where(Membership.removed_at.is_(None), person_like(typed))
    return [_view(row) for row in session.execute(chosen.order_by(func.lower(Account.username)).limit(limit))]


def is_anybody(actor: Actor, typed: str) -> bool:
    """Whether a filter for people means anybody at all, those who left included."""
    require(actor, Action.FIND_PEOPLE, Target(actor.org_id, agent_id=next(iter(actor.agent_roles), None)))
    with transaction(actor.org_id) as session:
        return session.scalar(people_named(actor.org_id, typed).limit(1)) is not None


def set_agent_role(actor: Actor, user_id: int, agent_id: int, role: AgentRoleName | None) -> None:
    """Make a member editor or viewer of an agent, or neither."""
    require(actor, Action.WRITE_PEOPLE, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        _one(session, actor.org_id, user_id)
        set_role_rows(session, actor.org_id, agent_id, {user_id: role})
        audit.record(
            session, actor, "person.agent_role", "user", target_id=agent_id, target_user_id=user_id,
            detail={"role": role},
        )  # fmt: skip


def set_role_rows(session: Session, org_id: int, agent_id: int, roles: dict[int, AgentRoleName | None]) -> None:
    """The rows behind `set_agent_role`, for verbs that have already decided."""
    for user_id, role in roles.items():
        session.execute(
            text("DELETE FROM agent_role WHERE org_id = :org AND agent_id = :agent AND user_id = :user"),
            {"org": org_id, "agent": agent_id, "user": user_id},
        )
        if role is not None:
            session.add(AgentRole(org_id=org_id, agent_id=agent_id, user_id=user_id, role=role))
    try:
        with session.begin_nested():
            session.flush()
    except IntegrityError as error:
        raise NotVisible from error


def remove_person(actor: Actor, user_id: int) -> None:
    """End a membership; what is remembered stays until it is erased. The last admin cannot be removed."""
    require(actor, Action.WRITE_PEOPLE, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        user = _one(session, actor.org_id, user_id)
        keep_an_admin(session, actor.org_id, user_id)
        session.execute(
            update(Membership)
            .where(Membership.org_id == actor.org_id, Membership.user_id == user_id)
            .values(removed_at=func.now())
        )
        tokens.revoke_all(session, account_id=user_id, org_id=actor.org_id)
        audit.record(session, actor, "person.removed", "user", target_user_id=user_id, target_label=user.username)


def invite_link(actor: Actor, user_id: int, purpose: str) -> sign_in.Link:
    """A one-time link for a member: `set_password` or `sign_in`.

    Raises Invalid for a superuser or a member of several orgs: the link would open those as well.
    """
    require(actor, Action.WRITE_PEOPLE, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        user = _one(session, actor.org_id, user_id)
        accounts.require_sole_org(session, actor.org_id, session.get_one(Account, user_id))
        audit.record(
            session, actor, f"person.link_{purpose}", "user", target_user_id=user_id, target_label=user.username
        )
        return sign_in.new_link(session, user_id, purpose, org_id=actor.org_id)


def load_user(session: Session, org_id: int, user_id: int) -> UserView:
    """One member inside a transaction that is already open; NotVisible when there is none."""
    return _one(session, org_id, user_id)


# One aggregate instead of a query per person.
_ROLES = (
    select(func.jsonb_object_agg(AgentRole.agent_id, AgentRole.role))
    .where(AgentRole.org_id == Membership.org_id, AgentRole.user_id == Membership.user_id)
    .scalar_subquery()
)


_KEPT = (
    select(Memory.id)
    .where(Memory.org_id == Membership.org_id, Memory.user_id == Membership.user_id, Memory.deleted_at.is_(None))
    .exists()
)


def _joined(org_id: int) -> Select[Any]:
    return (
        select(
            Account.id, Account.username, Account.email, Account.full_name, Membership.role,
            Account.disabled_at.is_not(None), Membership.removed_at, _ROLES,
        )
        .join(Membership, Membership.user_id == Account.id)
        .where(Membership.org_id == org_id)
    )  # fmt: skip


# The same for one person, who is looked up by every request: as text it costs a fraction of building it anew.
_MEMBER = """
SELECT a.id, a.username, a.email, a.full_name, m.role, a.disabled_at IS NOT NULL, m.removed_at,
       (SELECT jsonb_object_agg(r.agent_id, r.role) FROM agent_role r
        WHERE r.org_id = m.org_id AND r.user_id = m.user_id)
FROM membership m JOIN account a ON a.id = m.user_id
WHERE m.org_id = :org AND m.removed_at IS NULL AND {} = :value
"""
_MEMBER_BY: dict[PersonKey, TextClause] = {
    "id": text(_MEMBER.format("m.user_id")),
    "username": text(_MEMBER.format("lower(a.username)")),
    "email": text(_MEMBER.format("lower(a.email)")),
}


def _one(session: Session, org_id: int, user_id: int) -> UserView:
    found = find_member(session, org_id, user_id)
    if found is None:
        raise NotVisible
    return found


def _view(row: Row[Any]) -> UserView:
    values: tuple[Any, ...] = tuple(row)
    roles = {int(agent_id): role for agent_id, role in (values[-1] or {}).items()}
    return UserView(*(*values[:-1], roles))


def _join(session: Session, org_id: int, user_id: int, role: OrgRole) -> bool:
    values = {"org_id": org_id, "user_id": user_id, "role": role}
    joined = session.execute(
        insert(Membership)
        .values(**values)
        .on_conflict_do_update(
            index_elements=["org_id", "user_id"],
            set_={"removed_at": None, "role": role},
            where=Membership.removed_at.is_not(None),
        )
        .returning(Membership.user_id)
    ).first()
    session.execute(insert(Subject).values(org_id=org_id, user_id=user_id).on_conflict_do_nothing())
    return joined is not None


def _set_role(session: Session, actor: Actor, user_id: int, role: OrgRole) -> None:
    if role != "admin":
        keep_an_admin(session, actor.org_id, user_id)
    session.execute(
        update(Membership).where(Membership.org_id == actor.org_id, Membership.user_id == user_id).values(role=role)
    )


def keep_an_admin(session: Session, org_id: int, leaving: int) -> None:
    """Raise Invalid where this member is the org's last admin who can sign in."""
    # Locks every admin's row, so that two admins who remove each other at once do not both succeed.
    admins = session.scalars(
        select(Membership.user_id)
        .join(Account, Account.id == Membership.user_id)
        .where(
            Membership.org_id == org_id,
            Membership.role == "admin",
            Membership.removed_at.is_(None),
            Account.disabled_at.is_(None),
        )
        .with_for_update(of=Membership)
    ).all()
    if list(admins) == [leaving]:
        raise Invalid(LAST_ADMIN)
