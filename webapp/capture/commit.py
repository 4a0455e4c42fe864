"""The one transaction in which an exchange becomes memories, under the user's lock and inside the claim's fence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from uuid import uuid4

from sqlalchemy.orm import Session

from webapp.capture import dedup
from webapp.capture.related import numbered
from webapp.capture.types import Candidate, Decision, Existing, Reason
from webapp.db.session import transaction
from webapp.inbox import claim
from webapp.inbox.types import Counts, Item
from webapp.llm.embeddings import StoredVector
from webapp.memory import store
from webapp.memory.enablement import effective, hold_switches
from webapp.memory.write import captured
from webapp.memory.write.captured import Captured, Remembered, Source

DELETED_BEFORE = "deleted_before"
FORGOT, NOTHING_TO_FORGET = "forgot", "nothing_to_forget"


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides in the transaction, besides the rows."""

    model: str
    dedup_threshold: float
    secret_key: str


@dataclass(frozen=True, slots=True)
class Found:
    """What an exchange came to: candidates that passed the gate, each with its vector, and memories to be forgotten.

    `forget` is None where nobody asked for it.
    """

    candidates: Sequence[tuple[Candidate, StoredVector]]
    shown: Sequence[Existing] = ()
    rejections: Mapping[str, int] = field(default_factory=dict)
    forget: Sequence[int] | None = None


def commit(item: Item, source: Source, found: Found, rules: Rules) -> None:
    """Write the memories and end the item, all or nothing.

    Ends it as `skipped` where capture was switched off meanwhile, or the user was erased. Raises Fenced.
    """
    with transaction(item.org_id) as session:
        claim.bound_waiting(session)
        fence = captured.lock_user(session, item.org_id, source.user_id)
        claim.hold(session, item)
        reason = fence_reason(item, source, fence) or _off_reason(session, source)
        if reason is not None:
            claim.skip(session, item, reason)
            return
        told = _forget(session, source, found, rules)
        writer = _Writer(session, source, found.shown, rules)
        for candidate, vector in found.candidates:
            writer.write(candidate, vector)
        claim.finish(session, item, writer.counts(found.rejections), reason=told)


def fence_reason(item: Item, source: Source, fence: captured.Fence | None) -> str | None:
    """Why work accepted before an erasure, or about what was said before it, comes to nothing."""
    if fence is None or fence.epoch != item.epoch:
        return "erased"
    if fence.erased_at is not None and source.occurred_at <= fence.erased_at:
        return "dated_before_erasure"
    return None


def _off_reason(session: Session, source: Source) -> str | None:
    hold_switches(session, source.org_id)
    # A statement of its own after the locks: it sees what was committed while they were waited for.
    off = effective(session, source.org_id, source.user_id, source.agent_id).capture_off
    if off is not None:
        return off.reason
    return "deleted_since" if store.source_buried(session, source.org_id, source.user_id, source.exchange_id) else None


def _forget(session: Session, source: Source, found: Found, rules: Rules) -> str | None:
    """Delete what the person asked to forget, and say in the exchange's reason what came of it."""
    if found.forget is None:
        return None
    count = captured.forget(session, source, found.forget, uuid4(), secret_key=rules.secret_key)
    return FORGOT if count else NOTHING_TO_FORGET


class _Writer:
    """Decides and writes one candidate after the other; each sees what the ones before it left."""

    def __init__(self, session: Session, source: Source, shown: Sequence[Existing], rules: Rules) -> None:
        self._session = session
        self._source = source
        self._shown = shown
        self._rules = rules
        self._tally: Counter[str] = Counter()
        self._rejections: Counter[str] = Counter()

    @cached_property
    def _categories(self) -> Mapping[str, int]:
        return captured.category_ids(self._session, self._source.org_id, self._source.agent_id)

    def counts(self, earlier: Mapping[str, int]) -> Counts:
        """What became of all candidates, those that the gate had turned away before included."""
        rejections = dict(Counter(earlier) + self._rejections)
        return Counts(self._tally["created"], self._tally["superseded"], self._tally["duplicates"], rejections)

    def write(self, candidate: Candidate, vector: StoredVector) -> None:
        """Add the candidate, let it supersede an older memory, or count why it was not written."""
        if candidate.scope == "agent" and candidate.category_slug not in self._categories:
            self._rejections[Reason.INACTIVE_CATEGORY] += 1
            return
        if captured.find_same(self._session, self._source, candidate.text) is not None:
            self._tally["duplicates"] += 1
            return
        decision = self._decide(candidate, vector)
        if decision.kind == "same":
            self._tally["duplicates"] += 1
        else:
            self._add(candidate, vector, decision.existing if decision.kind == "supersede" else None)

    def _add(self, candidate: Candidate, vector: StoredVector, replaced: Existing | None) -> None:
        try:
            memory_id = captured.add(
                self._session, self._source, self._row(candidate, vector),
                model=self._rules.model, secret_key=self._rules.secret_key,
            )  # fmt: skip
        except LookupError:
            self._tally["duplicates"] += 1
            return
        if memory_id is None:
            self._rejections[DELETED_BEFORE] += 1
            return
        self._tally["created"] += 1
        if replaced is not None and captured.supersede(self._session, self._source, self._old(replaced), memory_id):
            self._tally["superseded"] += 1

    def _row(self, candidate: Candidate, vector: StoredVector) -> Captured:
        filed = candidate.scope == "agent"
        return Captured(
            content=candidate.text,
            agent_id=self._source.agent_id if filed else None,
            category_id=self._categories[candidate.category_slug or ""] if filed else None,
            evidence=candidate.evidence.quote if candidate.evidence else None,
            vector=vector,
        )

    def _decide(self, candidate: Candidate, vector: StoredVector) -> Decision:
        near = captured.near(self._session, self._source, self._rules.model, vector)
        neighbours = list(zip(numbered(one for one, _ in near), (distance for _, distance in near), strict=True))
        return dedup.decide(
            candidate,
            neighbours,
            self._rules.dedup_threshold,
            named=self._still_live(dedup.named_by(candidate, self._shown)),
            said_at=self._source.occurred_at,
        )

    def _still_live(self, named: Existing | None) -> Existing | None:
        """What the model named, as it is now; it may have been edited, replaced or deleted since it was shown."""
        if named is None:
            return None
        live = captured.remembered(self._session, self._source.org_id, self._source.user_id, [named.id])
        return next(iter(numbered(live, named.number)), None)

    def _old(self, replaced: Existing) -> Remembered:
        agent_id = None if replaced.scope == "global" else self._source.agent_id
        return Remembered(replaced.id, replaced.text, agent_id, replaced.category_slug, replaced.created_at)
