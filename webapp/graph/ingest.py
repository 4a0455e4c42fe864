"""From a queued message to entities and facts: read outside any transaction, written in one."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from webapp.db.session import transaction
from webapp.errors import Unavailable
from webapp.graph import names, remove
from webapp.graph.extraction import BuiltInRules, Context, Extractor
from webapp.graph.model import ModelExtractor
from webapp.graph.store import entities, episodes, groups
from webapp.graph.store import related as known
from webapp.graph.types import Episode, Extraction, Message
from webapp.graph.writer import Place, Shown, Writer
from webapp.inbox import claim
from webapp.inbox.types import Item
from webapp.llm.chat import Chat
from webapp.llm.embeddings import Embedder, Vector
from webapp.llm.errors import ModelError
from webapp.memory.write.captured import lock_user
from webapp.settings import Settings

DISABLED_DELAY_SECONDS = 60.0
BEFORE = 3
"""Messages before this one that the model sees."""
SHOWN_FACTS, SHOWN_ENTITIES = 20, 20
_LONGEST_NAME = 4
_MOST_WORDS = 3_000
_SPEAKERS = {"user": "User", "assistant": "Assistant", "system": "System"}
_GENERIC = frozenset({"user", "human", "customer", "assistant", "ai", "bot", "system"})


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that the model calls of one message may take together; episodes that a group keeps; memory switched off."""

    seconds: float
    episodes: int
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class _Ground:
    """What the rows said before the message was read."""

    place: Place
    message: Message
    context: Context


class Ingestion:
    """The ingestion of one process. Safe to share between threads."""

    def __init__(self, extractor: Extractor, embedder: Embedder, limits: Limits) -> None:
        self._extractor = extractor
        self._embedder = embedder
        self._limits = limits

    def process(self, item: Item) -> None:
        """End one claimed message as `done` or `skipped`.

        Raises ModelError when a model gave nothing to work with, Fenced when the claim is lost; then nothing was
        written. No connection is held while a model works. While memory is switched off the message waits.
        """
        if self._limits.disabled:
            claim.retry(item, "memory_disabled", delay_seconds=DISABLED_DELAY_SECONDS, count_attempt=False)
            return
        ground = self._ground(item)
        if ground is None:
            return
        found = self._extractor.extract(ground.message, ground.context)
        vectors = self._embed(_texts(found))
        self._commit(item, ground, found, vectors)

    def _ground(self, item: Item) -> _Ground | None:
        """What to work with; None when the message is gone: then the item is skipped."""
        deadline = time.monotonic() + self._limits.seconds
        with transaction(item.org_id) as session:
            episode = episodes.load(session, item.org_id, item.body["group"], item.body["episode"])
            if episode is None:
                claim.skip(session, item, "deleted_since")
                return None
            place = Place(item.org_id, item.body["group"], episode.id)
            message = as_message(episode)
            familiar = entities.familiar(session, place.org_id, place.group_id, _possible_names(message))
            if not self._extractor.wants_context:
                return _Ground(place, message, Context(familiar, deadline=deadline, meter=item.meter))
            earlier = episodes.newest(session, place.org_id, place.group_id, BEFORE, before=episode.id)
        vector = self._embed([message.text])[message.text]
        with transaction(item.org_id) as session:
            context = self._context(session, place, familiar, earlier, vector)
            return _Ground(place, message, replace(context, deadline=deadline, meter=item.meter))

    def _context(
        self,
        session: Session,
        place: Place,
        familiar: Sequence[str],
        earlier: Sequence[Episode],
        vector: Vector,
    ) -> Context:
        here = (session, place.org_id, place.group_id)
        people = known.entities(*here, self._embedder, familiar, vector, SHOWN_ENTITIES)
        facts = known.facts(*here, self._embedder, [one.id for one in people], vector, SHOWN_FACTS)
        return Context(familiar, people, facts, [as_message(one) for one in earlier])

    def _embed(self, texts: Sequence[str]) -> dict[str, Vector]:
        if not texts:
            return {}
        try:
            return dict(zip(texts, self._embedder.embed(texts), strict=True))
        except Unavailable as error:
            raise ModelError("embedding_unavailable", server_side=True, retry_after=error.retry_after) from None

    def _commit(self, item: Item, ground: _Ground, found: Extraction, vectors: Mapping[str, Vector]) -> None:
        place = ground.place
        with transaction(item.org_id) as session:
            claim.bound_waiting(session)
            if item.user_id is not None:
                lock_user(session, item.org_id, item.user_id)
            groups.load(session, place.org_id, place.group_id, lock=True)
            claim.hold(session, item)
            if episodes.load(session, place.org_id, place.group_id, place.episode_id) is None:
                claim.skip(session, item, "deleted_since")
                return
            shown = Shown(
                {one.number: one for one in ground.context.entities}, {one.number: one for one in ground.context.facts}
            )
            counts = Writer(session, place, shown, self._embedder, vectors).write(found)
            claim.finish(session, item, counts)
            # After finishing: what is pruned takes its accepted work along, this message's included.
            remove.prune(session, place.org_id, place.group_id, self._limits.episodes)


def ingestion(settings: Settings, chat: Chat | None, embedder: Embedder) -> Ingestion:
    """The ingestion that the settings ask for: by the language model, or by the built-in rules where there is none."""
    extractor: Extractor = ModelExtractor(chat) if chat else BuiltInRules()
    return Ingestion(
        extractor, embedder, Limits(settings.model_timeout, settings.max_episodes, settings.disable_memory)
    )


def as_message(episode: Episode) -> Message:
    """An episode as it is read. A role that only says what it is ("user") names nobody."""
    role = " ".join(episode.role.split())
    named = role if role and role.lower() not in _GENERIC and names.key(role) else _SPEAKERS[episode.role_type]
    return Message(episode.content, episode.role_type, named, episode.occurred_at)


def _texts(found: Extraction) -> list[str]:
    return list(dict.fromkeys([*(one.name for one in found.entities), *(one.text for one in found.statements)]))


def _possible_names(message: Message) -> list[str]:
    """The keys of all runs of up to four words of a message: those that are known are its familiar names."""
    return list(dict.fromkeys(_runs(message)))


def _runs(message: Message) -> Iterator[str]:
    yield names.key(message.speaker)
    words = re.findall(r"\S+", message.text)[:_MOST_WORDS]
    for start in range(len(words)):
        for end in range(start + 1, min(start + _LONGEST_NAME, len(words)) + 1):
            if run := names.key(" ".join(words[start:end])):
                yield run
