"""Which known entity a name means: equal name first, then near names, then vectors, then the model. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webapp.graph.names import initials, key, loose_key, slipped

NOMINATING_SIMILARITY = 0.75
"""Cosine of two names from which on they are compared letter by letter: the vector nominates, the letters decide."""


@dataclass(frozen=True, slots=True)
class Nominee:
    """An entity that a name may mean, by one of its names. ``similarity`` is the cosine of both names, if it is known."""

    entity_id: int
    name: str
    similarity: float | None = None


def resolve(names: Sequence[str], nominees: Iterable[Nominee], verdict: int | None = None) -> int | None:
    """Return the id of the entity that a name means, or None for a new one; its aliases are asked after it.

    Each step decides only where it points to exactly one entity; ``verdict``, what the model says, comes last.
    """
    candidates = list(nominees)
    for step in (_equal, _near, _by_vector):
        for name in names:
            found = {one.entity_id for one in candidates if step(name, one)}
            if len(found) == 1:
                return found.pop()
    return verdict


def _equal(name: str, nominee: Nominee) -> bool:
    return key(name) == key(nominee.name)


def _near(name: str, nominee: Nominee) -> bool:
    one, other = loose_key(name), loose_key(nominee.name)
    return one == other or one == initials(nominee.name) or initials(name) == other


def _by_vector(name: str, nominee: Nominee) -> bool:
    similar = nominee.similarity is not None and nominee.similarity >= NOMINATING_SIMILARITY
    return similar and slipped(name, nominee.name)
