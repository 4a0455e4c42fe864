"""Whose a group is, and who may read and write it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action, Target, can, require
from webapp.db.session import transaction
from webapp.directory.people import find_user
from webapp.errors import Invalid, NotAllowed, NotVisible, Unavailable
from webapp.graph.store import groups as store
from webapp.graph.types import Group
from webapp.memory import audit
from webapp.memory.write.captured import Fence, lock_user


def target(actor: Actor, group: Group) -> Target:
    """What permission is asked about: the group's owner."""
    return Target(actor.org_id, group.owner_id)


def readable(session: Session, actor: Actor, keys: Sequence[str] | None = None) -> list[Group]:
    """The groups that the actor may read, those of these keys where given. What they may not see is not among them."""
    return permitted(session, actor, Action.READ_GRAPH, keys)


def permitted(session: Session, actor: Actor, action: Action, keys: Sequence[str] | None = None) -> list[Group]:
    """The groups that the actor may do this to."""
    everyones = can(actor, action, Target(actor.org_id))
    owner = None if everyones else actor.account_id
    if not everyones and owner is None:
        return []
    found = store.among(session, actor.org_id, list(keys) if keys else None, owner)
    return [group for group in found if can(actor, action, target(actor, group))]


def opened(session: Session, actor: Actor, key: str) -> tuple[Group, Fence | None]:
    """The group of this key to write into, locked, made where there is none; and what fences its owner's work off.

    A new group belongs to the member whose username or id is its key, else to the person who makes it; one that a
    service makes has no owner. Raises NotAllowed where the actor may not write into it, or may not make it.
    """
    found = store.find(session, actor.org_id, key)
    owner_id = found.owner_id if found else _future_owner(session, actor, key)
    require(actor, Action.WRITE_GRAPH, Target(actor.org_id, owner_id))
    fence = lock_user(session, actor.org_id, owner_id) if owner_id is not None else None
    store.make(session, actor.org_id, key, owner_id)
    made = store.find(session, actor.org_id, key)
    current = store.load(session, actor.org_id, made.id, lock=True) if made else None
    if current is None or current.owner_id != owner_id:
        raise Unavailable("The group is being changed right now; send it again.", retry_after=1)
    return current, fence


def locked(session: Session, actor: Actor, group: Group, action: Action) -> tuple[Group, Fence | None]:
    """Lock a group for this transaction, the owner first: in this order everywhere, so that nobody deadlocks.

    Raises NotVisible where it is gone meanwhile, NotAllowed by policy.
    """
    fence = lock_user(session, actor.org_id, group.owner_id) if group.owner_id is not None else None
    current = store.load(session, actor.org_id, group.id, lock=True)
    if current is None:
        raise NotVisible
    require(actor, action, target(actor, current))
    return current, fence


def existing(session: Session, actor: Actor, key: str, action: Action) -> Group | None:
    """The group of this key, if there is one. Raises NotAllowed where the actor may not do this to it.

    A key that would be another member's is refused like that member's group, whether there is one or not.
    """
    found = store.find(session, actor.org_id, key)
    owner_id = found.owner_id if found else _future_owner(session, actor, key)
    if not can(actor, action, Target(actor.org_id, owner_id)):
        raise NotAllowed
    return found


def note_reading(session: Session, actor: Actor, read: Iterable[Group]) -> None:
    """Note that a person read what is another's."""
    audit.record_reading(session, actor, {group.owner_id for group in read if group.owner_id is not None})


def set_owner(actor: Actor, key: str, username: str) -> Group:
    """Give a group to a member of the org; its new owner reaches it, and erasing them takes it along.

    Raises NotAllowed for everyone but org admins, NotVisible without such a group, Invalid without such a member.
    """
    require(actor, Action.OWN_GRAPH, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        group = store.find(session, actor.org_id, key)
        if group is None:
            raise NotVisible
        member = find_user(session, actor.org_id, username)
        if member is None:
            raise Invalid({"username": ["There is no member of this name."]})
        for user_id in sorted({member.id, group.owner_id or member.id}):
            lock_user(session, actor.org_id, user_id)
        store.load(session, actor.org_id, group.id, lock=True)
        store.set_owner(session, actor.org_id, group.id, member.id)
        audit.record(session, actor, "graph.owner_set", "graph", target_id=group.id, target_user_id=member.id)
        return Group(group.id, group.key, member.id)


def _future_owner(session: Session, actor: Actor, key: str) -> int | None:
    named = find_user(session, actor.org_id, key)
    if named is not None:
        return named.id
    return actor.account_id if actor.org_role else None
