"""Taking messages and nodes in: committed before anybody is told that they were accepted."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy.orm import Session

from webapp.access.actor import Actor
from webapp.db.session import transaction
from webapp.errors import Conflict, Invalid, Unavailable
from webapp.graph import embedding, groups, names
from webapp.graph.store import entities, episodes
from webapp.graph.store import groups as group_store
from webapp.graph.store.episodes import NewEpisode
from webapp.graph.types import MAX_NAME, Entity, Group, RoleType
from webapp.inbox import wake
from webapp.inbox.accept import as_utc, body_hash, deposit
from webapp.inbox.types import Work
from webapp.memory.content import clean
from webapp.memory.write.captured import Fence
from webapp.settings import Settings

NAME_TAKEN = "Another node of this group has this name."
DISABLED = "Memory is switched off for this installation (DISABLE_MEMORY)."


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message as it was handed in. A naive ``timestamp`` is UTC; None means now."""

    content: str
    role_type: RoleType
    role: str = ""
    uuid: str | None = None
    name: str = ""
    timestamp: datetime | None = None
    source_description: str = ""


def require_memory(settings: Settings) -> None:
    """Raise Unavailable while memory is switched off for the installation."""
    if settings.disable_memory:
        raise Unavailable(DISABLED)


def add_messages(
    actor: Actor, key: str, messages: Sequence[NewMessage], settings: Settings, *, request_key: str | None = None
) -> int:
    """Keep messages and queue them for processing, all or none; how many were new.

    The same uuid again changes nothing. Without one, a message with a timestamp is the same as another with the same
    timestamp, speaker and text, and one sent under the same ``request_key`` is the one of that request; any other is
    new. Raises NotAllowed by policy, TooMany when the org's backlog is full, Unavailable while memory is off, Invalid
    for a message without a visible character.
    """
    require_memory(settings)
    with transaction(actor.org_id) as session:
        group, fence = groups.opened(session, actor, key)
        intake = _Intake(session, actor, group, fence, settings, request_key)
        new = sum(intake.take(message, place) for place, message in enumerate(messages))
    if new:
        wake.push(settings.redis_url)
    return new


def put_entity(
    actor: Actor, key: str, name: str, *, uuid: str | None = None, summary: str | None = None, settings: Settings
) -> Entity:
    """Write a node by hand: a new one, or the one of this uuid, or the one that the group knows by this name.

    Raises Invalid for a name without a letter or figure, Conflict for one that belongs to another node.
    """
    require_memory(settings)
    shown = " ".join(clean(name).split())[:MAX_NAME]
    if not names.key(shown):
        raise Invalid({"name": ["A name needs a letter or a figure."]})
    with transaction(actor.org_id) as session:
        group, _fence = groups.opened(session, actor, key)
        entity_id = _put(session, actor.org_id, group, uuid, shown, clean(summary) if summary is not None else None)
        entity = entities.load(session, actor.org_id, group.id, [entity_id])[entity_id]
    embedding.embed_entity(actor.org_id, group.id, entity_id, shown)
    return entity


@dataclass(frozen=True, slots=True)
class _Intake:
    """One request's messages on their way into one group, which is locked."""

    session: Session
    actor: Actor
    group: Group
    fence: Fence | None
    settings: Settings
    request_key: str | None

    def take(self, message: NewMessage, place: int) -> bool:
        """Keep a message and queue it; False where it is there already, or dated before its owner's erasure."""
        new = self._episode(message, place)
        if self._erased_since(new.occurred_at):
            self._deposit(new, {}, skip_reason="dated_before_erasure")
            return False
        here = (self.session, self.actor.org_id, self.group.id)
        episode_id = episodes.add(*here, new)
        if episode_id is None:
            return False
        # The work names the message; its text stands in one place only, the episode.
        item_id = self._deposit(new, {"group": self.group.id, "episode": episode_id})
        episodes.set_work(*here, episode_id, item_id)
        return True

    def _erased_since(self, said_at: datetime | None) -> bool:
        erased_at = self.fence.erased_at if self.fence else None
        return erased_at is not None and said_at is not None and said_at <= erased_at

    def _deposit(self, new: NewEpisode, body: dict[str, int], skip_reason: str | None = None) -> int:
        work = Work(
            kind="episode",
            lane=group_store.lane(self.group.id),
            principal=self.actor.credential,
            path=f"graph/{self.group.id}",
            body=body,
            body_hash=body_hash({"uuid": new.uuid}),
            user_id=self.group.owner_id,
            epoch=self.fence.epoch if self.fence else 0,
            occurred_at=new.occurred_at,
        )
        limit = self.settings.backlog_limit
        accepted = deposit(self.session, self.actor.org_id, work, backlog_limit=limit, skip_reason=skip_reason)
        assert accepted.id is not None
        return accepted.id

    def _episode(self, message: NewMessage, place: int) -> NewEpisode:
        content = clean(message.content)
        if not content:
            raise Invalid({"content": ["A message needs a visible character."]})
        said_at = _said_at(message)
        return NewEpisode(
            uuid=message.uuid or self._identity(message, place, said_at),
            content=content,
            role_type=message.role_type,
            occurred_at=said_at,
            name=clean(message.name),
            role=clean(message.role),
            source_description=clean(message.source_description),
        )

    def _identity(self, message: NewMessage, place: int, said_at: datetime | None) -> str:
        """The uuid of a message that came without one: what makes it the same when its request is sent again.

        Keyed, so that nobody can test a guess at the text against it.
        """
        if self.request_key is not None:
            same = ["request", self.request_key, place]
        elif said_at is not None:
            same = ["message", str(said_at), message.role_type, message.role, message.content]
        else:
            return str(uuid4())
        text = json.dumps([self.group.id, *same]).encode()
        digest = hmac.new(self.settings.secret_key.encode(), text, hashlib.sha256).digest()
        return str(UUID(bytes=digest[:16], version=5))


def _said_at(message: NewMessage) -> datetime | None:
    try:
        return as_utc(message.timestamp)
    except Invalid:
        raise Invalid({"timestamp": ["In UTC this time is outside the calendar."]}) from None


def _put(session: Session, org_id: int, group: Group, uuid: str | None, name: str, summary: str | None) -> int:
    known = _known(session, org_id, group, uuid, name)
    had: list[str] = []
    if known is None:
        entity_id = entities.add(session, org_id, group.id, uuid or str(uuid4()), name, summary or "", by_hand=True)
    else:
        entity_id = known.id
        had = entities.change(session, org_id, group.id, entity_id, uuid=uuid or known.uuid, name=name, summary=summary)
    if not entities.add_name(session, org_id, group.id, entity_id, name, by_hand=True):
        raise Conflict(NAME_TAKEN)
    for alias in names.aliases(name):
        entities.add_name(session, org_id, group.id, entity_id, alias, by_hand=True)
    entities.sweep(session, org_id, group.id, had)
    return entity_id


def _known(session: Session, org_id: int, group: Group, uuid: str | None, name: str) -> Entity | None:
    """The node that is written: by its uuid, else by its name, which may not be that of another one with a uuid."""
    found = [entity_id for _, entity_id in entities.find(session, org_id, uuid, [group.id])] if uuid else []
    nominees = entities.named(session, org_id, group.id, [name])
    by_name = not found
    found = found or [one.entity_id for one in nominees if names.key(one.name) == names.key(name)]
    known = next(iter(entities.load(session, org_id, group.id, found[:1]).values()), None)
    if known and by_name and uuid and known.by_hand:
        raise Conflict(NAME_TAKEN)
    return known
