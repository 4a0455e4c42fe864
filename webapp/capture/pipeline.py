"""From an accepted exchange to memories: candidates are found outside any transaction and written in one."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from webapp.capture import chunks, dedup, forget, gate
from webapp.capture.commit import Found, Rules, commit, fence_reason
from webapp.capture.extraction import Context, Extractor
from webapp.capture.related import related
from webapp.capture.types import Candidate, Category, Existing, Message, Rejected
from webapp.db.session import transaction
from webapp.errors import Unavailable
from webapp.inbox import claim
from webapp.inbox.types import Item
from webapp.llm.embeddings import Embedder, StoredVector
from webapp.llm.errors import ModelError
from webapp.memory.enablement import effective
from webapp.memory.write import captured
from webapp.memory.write.captured import Source

COMMIT_TRIES, COMMIT_PAUSE_SECONDS = 20, 0.5

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that the model calls of one exchange may take together; how many existing memories they are shown."""

    seconds: float
    related: int


@dataclass(frozen=True, slots=True)
class _Ground:
    """What the rows said before the model was asked."""

    categories: list[Category]
    zone: str


class Pipeline:
    """The capture of one process. Safe to share between threads."""

    def __init__(self, extractor: Extractor, embedder: Embedder, rules: Rules, limits: Limits) -> None:
        self._extractor = extractor
        self._embedder = embedder
        self._rules = rules
        self._limits = limits

    def process(self, item: Item) -> None:
        """End one claimed exchange as `done` or `skipped`.

        Raises ModelError when a model gave nothing to work with, Fenced when the claim is lost; then nothing was
        written. No connection is held while a model works.
        """
        deadline = time.monotonic() + self._limits.seconds
        source = _source(item)
        ground = _ground(item, source)
        if ground is None:
            return
        messages, wanted = _said(item)
        existing, forgotten = self._known(source, messages, wanted)
        context = Context(ground.categories, existing, source.occurred_at, ground.zone, deadline, item.meter)
        found = self._found(messages, context, forgotten)
        _persist(item, lambda: commit(item, source, found, self._rules))

    def _known(
        self, source: Source, messages: Sequence[Message], wanted: Sequence[str]
    ) -> tuple[list[Existing], list[int] | None]:
        """The memories to be shown to the model, and those that the person wants forgotten (None: no such wish)."""
        said = "\n".join(message.text for message in messages if message.role == "user").strip()
        vector = self._embed([said])[0] if said else None
        with transaction(source.org_id) as session:
            shown = []
            if vector is not None:
                shown = related(session, source, said, self._rules.model, vector, self._limits.related)
            live = captured.live_texts(session, source) if wanted else []
        if not wanted:
            return shown, None
        texts = [content for _, content in live]
        places = {place for what in wanted for place in forget.matches(what, texts)}
        return shown, [live[place][0] for place in sorted(places)]

    def _found(self, messages: Sequence[Message], context: Context, forgotten: list[int] | None) -> Found:
        parts = chunks.parts(messages)
        extractions = self._extractor.extract(parts, context) if parts else []
        kept: list[Candidate] = []
        rejections: Counter[str] = Counter()
        for extraction in extractions:
            rejections.update(extraction.rejections)
            for candidate in extraction.candidates:
                named = dedup.named_by(candidate, context.existing)
                judged = gate.judge(candidate, messages, context.categories, named)
                if isinstance(judged, Rejected):
                    rejections[judged.reason] += 1
                else:
                    kept.append(judged)
        vectors = self._embed([one.text for one in kept])
        return Found(list(zip(kept, vectors, strict=True)), context.existing, rejections, forgotten)

    def _embed(self, texts: list[str]) -> list[StoredVector]:
        if not texts:
            return []
        try:
            return [self._embedder.stored(vector) for vector in self._embedder.embed(texts)]
        except Unavailable as error:
            raise ModelError("embedding_unavailable", server_side=True, retry_after=error.retry_after) from None


def _source(item: Item) -> Source:
    assert item.user_id is not None
    assert item.agent_id is not None
    return Source(item.org_id, item.user_id, item.agent_id, item.id, item.session_id, item.occurred_at, item.created_at)


def _said(item: Item) -> tuple[list[Message], list[str]]:
    """The two messages without what we ourselves injected, and what the person wants forgotten, which is cut out too."""
    body = item.body
    said, wanted = forget.requests(gate.strip_injected(body["user_message"]))
    answered = gate.strip_injected(body["assistant_message"])
    messages = [
        Message(0, "user", body["user_name"] or "User", said, item.occurred_at),
        Message(1, "assistant", body["assistant_name"] or "Assistant", answered, item.occurred_at),
    ]
    return messages, wanted


def _ground(item: Item, source: Source) -> _Ground | None:
    """What to work with; None when the exchange was skipped, its text gone in the same transaction."""
    with transaction(item.org_id) as session:
        fence = captured.read_user(session, item.org_id, source.user_id)
        off = effective(session, item.org_id, source.user_id, source.agent_id).capture_off if fence else None
        reason = fence_reason(item, source, fence) or (off.reason if off else None)
        if reason is not None:
            claim.skip(session, item, reason)
            return None
        rows = captured.known_categories(session, item.org_id, source.agent_id)
        zone = session.scalar(text("SELECT time_zone FROM org WHERE id = :org"), {"org": item.org_id})
    known = [Category(one.slug, one.name, one.description, one.extraction_prompt, one.is_active) for one in rows]
    return _Ground(known, zone or "UTC")


def _persist(item: Item, change: Callable[[], None]) -> None:
    """Run the transaction again where the database went away under it: the claim fences it if it had committed."""
    for left in reversed(range(COMMIT_TRIES)):
        try:
            return change()
        except claim.Fenced:
            if left < COMMIT_TRIES - 1:
                # Most likely an earlier try did commit, its cost included.
                item.meter.clear()
            raise
        except SQLAlchemyError as error:
            if not claim.database_is_away(error) or not left:
                raise
            log.warning("commit_retried", error=type(error).__name__)
            time.sleep(COMMIT_PAUSE_SECONDS)
    return None
