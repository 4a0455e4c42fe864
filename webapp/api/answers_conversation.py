"""What the JSON API answers about conversations: what became of an exchange, and what a message brings up."""

from __future__ import annotations

from typing import Self

from webapp.api.answers import Moment, Shape
from webapp.inbox import types as inbox
from webapp.memory import enablement
from webapp.memory.types import Scope
from webapp.recall import recall


class Accepted(Shape):
    """The exchange's id, null where nothing was stored. `reason`, only where it is skipped, says why."""

    id: int | None
    status: inbox.State
    reason: str = ""


class ExchangeState(Shape):
    """What became of an exchange, never its text. `created` and the three beside it are counts."""

    id: int
    status: inbox.State
    reason: str | None
    created: int
    superseded: int
    duplicates: int
    rejected: int
    error: str | None
    attempts: int
    created_at: Moment
    done_at: Moment | None

    @classmethod
    def of(cls, status: inbox.InboxStatus) -> Self:
        """From the domain's value."""
        return cls(**{name: getattr(status, name) for name in cls.model_fields})


class Side(Shape):
    """Whether one side of memory is on, and if not, why and since when."""

    on: bool
    reason: str | None
    detail: str | None
    since: Moment | None

    @classmethod
    def of(cls, off: enablement.Off | None) -> Self:
        """From the domain's value."""
        if off is None:
            return cls(on=True, reason=None, detail=None, since=None)
        return cls(on=False, reason=off.reason, detail=off.sentence, since=off.since)


class EffectiveState(Shape):
    """The org's, the agent's and the user's switches taken together."""

    capture: Side
    use: Side

    @classmethod
    def of(cls, state: enablement.EffectiveState) -> Self:
        """From the domain's value."""
        return cls(capture=Side.of(state.capture_off), use=Side.of(state.use_off))


class RecalledMemory(Shape):
    """A memory that a message brought up. `distance` is the cosine distance, null while it has no vector."""

    id: int
    scope: Scope
    content: str
    category: str | None
    distance: float | None
    score: float
    created_at: Moment

    @classmethod
    def of(cls, each: recall.RecalledMemory) -> Self:
        """From the domain's value."""
        memory = each.memory
        return cls(
            id=memory.id,
            scope=memory.scope,
            content=memory.content,
            category=memory.category and memory.category.slug,
            distance=each.distance,
            score=each.score,
            created_at=memory.created_at,
        )


class RecalledKnowledge(Shape):
    """An entry of the agent's knowledge that was delivered."""

    id: int
    content: str


class Context(Shape):
    """The block to put before the model, and what it is made of.

    `hidden_global_memories` counts what was recalled but the caller may not read; `knowledge_left_out` are the ids of
    entries over the budget.
    """

    context: str
    memories: list[RecalledMemory]
    hidden_global_memories: int
    knowledge: list[RecalledKnowledge]
    knowledge_left_out: list[int]
    state: EffectiveState

    @classmethod
    def of(cls, found: recall.Recalled) -> Self:
        """From the domain's value."""
        return cls(
            context=found.context,
            memories=[RecalledMemory.of(each) for each in (*found.global_memories, *found.agent_memories)],
            hidden_global_memories=found.hidden_global,
            knowledge=[RecalledKnowledge(id=entry.id, content=entry.content) for entry in found.knowledge.entries],
            knowledge_left_out=sorted(found.knowledge.left_out),
            state=EffectiveState.of(found.state),
        )
