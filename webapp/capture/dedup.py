"""What is the same: whether a candidate is added, repeats a memory, or replaces one.

The vector only nominates. What decides is the lexical guard (:mod:`webapp.capture.differences`) together with the
model's own verdict where there is one; without one, two memories are the same only if they restate each other word
for word or synonym. Measured in docs/capture.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from webapp.capture.attributes import Change, change, replaced_by, same_thing
from webapp.capture.differences import Difference, differs
from webapp.capture.likeness import restates
from webapp.capture.types import Candidate, Decision, Existing
from webapp.memory.content import normalise

__all__ = ["Difference", "decide", "differs", "named_by", "restates"]


def named_by(candidate: Candidate, shown: Sequence[Existing]) -> Existing | None:
    """The existing memory that the model's relation names, None for none and for a number it was not shown."""
    if candidate.relation.kind == "none":
        return None
    return next((one for one in shown if one.number == candidate.relation.number), None)


def decide(
    candidate: Candidate,
    neighbours: Sequence[tuple[Existing, float]],
    threshold: float,
    named: Existing | None = None,
    said_at: datetime | None = None,
) -> Decision:
    """Decide what becomes of a candidate that passed the gate: ``add``, ``same`` or ``supersede``.

    ``neighbours`` are live memories with their cosine distance, best the ten nearest of either scope whatever their
    distance: those under ``threshold`` may be the same, all may be replaced by a plain change ("moved from Berlin to
    Lisbon"). ``named`` is what the model says it repeats or replaces (:func:`named_by`). A memory learned after
    ``said_at`` is never replaced. Same holds across scopes; supersede only within one.
    """
    if named and candidate.relation.kind == "same" and not differs(candidate.text, named.text):
        return Decision("same", candidate, named, "model")
    if named and candidate.relation.kind == "supersedes":
        if _repeats(candidate.text, named.text):
            return Decision("same", candidate, named, "restated")
        if _may_replace(candidate, named, said_at) and same_thing(candidate.text, named.text):
            return Decision("supersede", candidate, named, "model")
    nearest = sorted(neighbours, key=lambda neighbour: (neighbour[1], neighbour[0].id))
    for existing, distance in nearest:
        if distance < threshold and _repeats(candidate.text, existing.text):
            return Decision("same", candidate, existing, "restated")
    return _change(candidate, [existing for existing, _ in nearest], said_at) or Decision("add", candidate)


def _repeats(text: str, existing: str) -> bool:
    return normalise(text) == normalise(existing) or (differs(text, existing) is None and restates(text, existing))


def _may_replace(candidate: Candidate, existing: Existing, said_at: datetime | None) -> bool:
    return existing.scope == candidate.scope and (said_at is None or said_at >= existing.created_at)


def _change(candidate: Candidate, existing: Sequence[Existing], said_at: datetime | None) -> Decision | None:
    """Where the text itself tells of a change, what it did away with: best what it names, else the nearest."""
    changed = change(candidate.text)
    if changed is None:
        return None
    replaced = [one for one in existing if _may_replace(candidate, one, said_at) and replaced_by(changed, one.text)]
    if not replaced and changed.attribute == "place" and changed.new:
        moved = Change(changed.attribute, None, changed.new)
        replaced = [one for one in existing if _may_replace(candidate, one, said_at) and replaced_by(moved, one.text)]
    return Decision("supersede", candidate, replaced[0], "change") if replaced else None
