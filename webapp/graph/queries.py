"""What the screens read: groups, facts, entities, messages. Each checks that the actor may, and notes who read whom."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.access.policy import Action
from webapp.db.session import transaction
from webapp.errors import NotVisible
from webapp.graph import groups
from webapp.graph.store import entities, episodes, lists, search
from webapp.graph.store import groups as group_store
from webapp.graph.store.lists import Window
from webapp.graph.types import Counted, Entity, Episode, Fact, FactState, Group, Link
from webapp.memory.types import Page

MOST_OF_ENTITY = 300
"""Facts of one entity that its timeline shows, the latest first."""


@dataclass(frozen=True, slots=True)
class GroupView:
    """A group as a list shows it. ``owner`` is a username, None without an owner."""

    group: Group
    owner: str | None
    episodes: int
    entities: int
    facts: int
    waiting: int
    failed: int


@dataclass(frozen=True, slots=True)
class EntityView:
    """One entity with every name it is known by, and its facts, the latest first; ``total`` is how many there are."""

    entity: Entity
    known_as: list[str]
    facts: list[Fact]
    total: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What a picture shows: entities, and how they are connected."""

    entities: list[Counted]
    links: list[Link]


def list_groups(actor: Actor, *, search: str = "", page: int = 1, size: int = 25) -> Page[GroupView]:
    """The groups that the actor may read, by key; those whose key holds these letters."""
    with transaction(actor.org_id) as session:
        found = [one for one in groups.readable(session, actor) if search.casefold() in one.key.casefold()]
        shown = found[(page - 1) * size : page * size]
        return Page(_views(session, actor, shown), len(found), page, size)


def open_group(actor: Actor, key: str) -> GroupView:
    """One group. Raises NotVisible for what the actor may not read, whether it is there or not."""
    with transaction(actor.org_id) as session:
        return _views(session, actor, [_readable(session, actor, key)])[0]


def list_facts(
    actor: Actor, key: str, *, state: FactState = "all", entity_id: int | None = None, page: int = 1, size: int = 25
) -> Page[Fact]:
    """The facts of a group, those that began last first."""
    with transaction(actor.org_id) as session:
        group = _readable(session, actor, key)
        window = Window(size, (page - 1) * size)
        ids, total = lists.fact_ids(session, actor.org_id, group.id, state, entity_id, window)
        return Page(_in_order(session, actor, group, ids), total, page, size)


def list_entities(actor: Actor, key: str, *, words: str = "", page: int = 1, size: int = 25) -> Page[Counted]:
    """The entities of a group, those with the most facts first."""
    with transaction(actor.org_id) as session:
        group = _readable(session, actor, key)
        window = Window(size, (page - 1) * size)
        return Page(*lists.entities(session, actor.org_id, group.id, words, window), page, size)


def list_episodes(actor: Actor, key: str, *, failed: bool = False, page: int = 1, size: int = 25) -> Page[Episode]:
    """The messages of a group, the one said last first."""
    with transaction(actor.org_id) as session:
        group = _readable(session, actor, key)
        window = Window(size, (page - 1) * size)
        ids, total = lists.episode_ids(session, actor.org_id, group.id, failed, window)
        found = {one.id: one for one in episodes.some(session, actor.org_id, group.id, ids)}
        return Page([found[one] for one in ids], total, page, size)


def get_entity(actor: Actor, key: str, entity_id: int) -> EntityView:
    """One entity with its facts. Raises NotVisible."""
    with transaction(actor.org_id) as session:
        group = _readable(session, actor, key)
        entity = entities.load(session, actor.org_id, group.id, [entity_id]).get(entity_id)
        if entity is None:
            raise NotVisible
        known_as = entities.all_names(session, actor.org_id, group.id, entity_id).get(entity_id, [])
        window = Window(MOST_OF_ENTITY, 0)
        ids, total = lists.fact_ids(session, actor.org_id, group.id, "all", entity_id, window)
        return EntityView(entity, known_as, _in_order(session, actor, group, ids), total)


def get_fact(actor: Actor, key: str, fact_id: int) -> tuple[Fact, list[Episode]]:
    """One fact and the messages that say it, oldest first. Raises NotVisible."""
    with transaction(actor.org_id) as session:
        group = _readable(session, actor, key)
        fact = search.load(session, actor.org_id, [group.id], [fact_id]).get(fact_id)
        if fact is None:
            raise NotVisible
        return fact, episodes.of_fact(session, actor.org_id, group.id, fact_id)


def get_episode(actor: Actor, key: str, episode_id: int) -> Episode:
    """One message. Raises NotVisible."""
    with transaction(actor.org_id) as session:
        group = _readable(session, actor, key)
        found = episodes.load(session, actor.org_id, group.id, episode_id)
        if found is None:
            raise NotVisible
        return found


def neighbourhood(actor: Actor, key: str, entity_id: int | None, limit: int) -> Neighbourhood:
    """The best connected entities of a group, or one of them and those nearest to it."""
    with transaction(actor.org_id) as session:
        group = _readable(session, actor, key)
        found = lists.around(session, actor.org_id, group.id, entity_id, limit)
        ids = [one.entity.id for one in found]
        return Neighbourhood(found, lists.links(session, actor.org_id, group.id, ids))


def is_ended(fact: Fact, now: datetime) -> bool:
    """Whether a fact no longer holds."""
    return fact.invalid_at is not None and fact.invalid_at <= now


def _readable(session: Session, actor: Actor, key: str) -> Group:
    found = groups.permitted(session, actor, Action.READ_GRAPH, [key])
    if not found:
        raise NotVisible
    groups.note_reading(session, actor, found)
    return found[0]


def _views(session: Session, actor: Actor, found: list[Group]) -> list[GroupView]:
    if not found:
        return []
    counts = group_store.counts(session, actor.org_id, [group.id for group in found])
    work = lists.unfinished(session, actor.org_id, [group_store.lane(group.id) for group in found])
    owners = group_store.owner_names(session, [group.owner_id for group in found if group.owner_id is not None])
    return [
        GroupView(
            group, owners.get(group.owner_id) if group.owner_id else None, *counts[group.id],
            *work.get(group_store.lane(group.id), (0, 0)),
        )
        for group in found
    ]  # fmt: skip


def _in_order(session: Session, actor: Actor, group: Group, ids: list[int]) -> list[Fact]:
    found = search.load(session, actor.org_id, [group.id], ids)
    return [found[one] for one in ids]
