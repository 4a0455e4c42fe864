"""Deleting, whole: what a message supported alone goes with it, and what it had ended holds again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy.orm import Session

from webapp.access.actor import Actor, system
from webapp.access.policy import Action, Target, require
from webapp.db.session import installation, transaction
from webapp.directory.orgs import all_orgs
from webapp.errors import Conflict, NotAllowed, NotVisible
from webapp.graph import groups
from webapp.graph.store import entities, episodes, facts
from webapp.graph.store import groups as group_store
from webapp.graph.types import Group
from webapp.memory import audit

AMBIGUOUS = "Several groups have one of this uuid; name the group with ?group_id=."
PURGE_BATCH = 500
Find = Callable[[Session, int, str, Sequence[int]], list[tuple[int, int]]]


def delete_fact(actor: Actor, uuid: str, group_key: str | None = None) -> None:
    """Delete a fact. Raises NotVisible where the actor may write to none of this uuid, Conflict where to several."""
    with transaction(actor.org_id) as session:
        group, fact_id = _locked(session, actor, facts.find, uuid, group_key)
        row = facts.load(session, actor.org_id, group.id, fact_id)
        if row is None:
            raise NotVisible
        facts.remove(session, actor.org_id, group.id, [fact_id])
        facts.settle(session, actor.org_id, group.id, [row.slot])
        _note(session, actor, "graph.fact_deleted", group, fact_id)


def delete_episode(actor: Actor, uuid: str, group_key: str | None = None) -> None:
    """Delete a message with all that it supports alone, processed or not. Raises as `delete_fact` does."""
    with transaction(actor.org_id) as session:
        group, episode_id = _locked(session, actor, episodes.find, uuid, group_key)
        _remove_episodes(session, actor.org_id, group.id, [episode_id])
        _note(session, actor, "graph.episode_deleted", group, episode_id)


def delete_group(actor: Actor, key: str) -> bool:
    """Delete everything in a group; False when there was nothing. Raises NotAllowed."""
    with transaction(actor.org_id) as session:
        found = groups.existing(session, actor, key, Action.WRITE_GRAPH)
        if found is None:
            return False
        group, _fence = groups.locked(session, actor, found, Action.WRITE_GRAPH)
        group_store.remove(session, actor.org_id, group.id)
        _note(session, actor, "graph.group_deleted", group, None)
        return True


def clear(actor_in: Callable[[int], Actor]) -> int:
    """Delete the graph data of all orgs, one org after the other; how many groups. Raises NotAllowed.

    ``actor_in`` gives who asks, inside an org: a superuser, whom the policy lets do this in each. Memories and
    knowledge stay.
    """
    with installation() as session:
        orgs = [org.id for org in all_orgs(session)]
    return sum(_clear_org(actor_in(org_id)) for org_id in orgs)


def prune(session: Session, org_id: int, group_id: int, keep: int) -> int:
    """Delete a group's oldest episodes beyond so many, in the caller's transaction; how many."""
    over = episodes.over_limit(session, org_id, group_id, keep)
    return _remove_episodes(session, org_id, group_id, over) if over else 0


def purge_expired(org_id: int, *, days: int, limit: int = PURGE_BATCH) -> int:
    """Delete episodes ingested more than ``days`` ago, by the database's clock; how many. 0 days: none, for ever."""
    if not days:
        return 0
    with transaction(org_id) as session:
        found = episodes.expired(session, org_id, days, limit)
    by_group: dict[int, list[int]] = {}
    for group_id, episode_id in found:
        by_group.setdefault(group_id, []).append(episode_id)
    return sum(_purge(org_id, group_id, ids) for group_id, ids in by_group.items())


def _purge(org_id: int, group_id: int, ids: Sequence[int]) -> int:
    with transaction(org_id) as session:
        group = group_store.load(session, org_id, group_id)
        if group is None:
            return 0
        groups.locked(session, system(org_id, "retention"), group, Action.WRITE_GRAPH)
        return _remove_episodes(session, org_id, group_id, ids)


def _clear_org(actor: Actor) -> int:
    require(actor, Action.CLEAR_GRAPH, Target(actor.org_id))
    with transaction(actor.org_id) as session:
        found = group_store.among(session, actor.org_id)
        for each in found:
            group, _fence = groups.locked(session, actor, each, Action.CLEAR_GRAPH)
            group_store.remove(session, actor.org_id, group.id)
        if found:
            audit.record(session, actor, "graph.cleared", "graph", detail={"groups": len(found)})
        return len(found)


def _locked(session: Session, actor: Actor, find: Find, uuid: str, group_key: str | None) -> tuple[Group, int]:
    """The one object of this uuid that the actor may write to, its group locked."""
    if actor.kind == "service":
        require(actor, Action.WRITE_GRAPH, Target(actor.org_id))
    keys = [group_key] if group_key else None
    allowed = {group.id: group for group in groups.permitted(session, actor, Action.WRITE_GRAPH, keys)}
    found = find(session, actor.org_id, uuid, list(allowed))
    if not found:
        raise NotVisible
    if len(found) > 1:
        raise Conflict(AMBIGUOUS)
    group_id, object_id = found[0]
    try:
        group, _fence = groups.locked(session, actor, allowed[group_id], Action.WRITE_GRAPH)
    except NotAllowed:
        raise NotVisible from None
    return group, object_id


def _remove_episodes(session: Session, org_id: int, group_id: int, ids: Sequence[int]) -> int:
    slots = facts.slots_of(session, org_id, group_id, ids)
    used = entities.names_used_by(session, org_id, group_id, ids)
    removed = episodes.remove(session, org_id, group_id, ids)
    facts.settle(session, org_id, group_id, slots)
    entities.sweep(session, org_id, group_id, used)
    return removed


def _note(session: Session, actor: Actor, action: str, group: Group, target_id: int | None) -> None:
    audit.record(
        session, actor, action, "graph", target_id=target_id, target_user_id=group.owner_id, detail={"group": group.id}
    )
