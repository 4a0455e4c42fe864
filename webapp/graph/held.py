"""The groups whose facts this process holds in memory: loaded at their first search, brought up to date before each."""

from __future__ import annotations

from sqlalchemy.orm import Session

from webapp.graph import index
from webapp.graph.candidates import Found, Scope
from webapp.graph.index import Index
from webapp.graph.store import columns, search
from webapp.graph.store.columns import Vectors
from webapp.graph.types import Group
from webapp.holder import Holder
from webapp.llm.embeddings import Embedder, Vector
from webapp.runtime import runtime
from webapp.terms import TermHashes

MOST_GROUPS = 16
"""A search over more groups at once is left to the database: it is an administrator's, and rare."""
_BYTES_BESIDE_VECTOR = 160
Key = tuple[int, int, Vectors]
"""Org, group, and which vectors."""


def candidates(session: Session, scope: Scope, embedder: Embedder, vector: Vector | None, terms: TermHashes) -> Found:
    """The likely facts for a message: from memory where the groups fit there, else from the database; the same ones.

    Not for a transaction that has changed facts itself: what it reads is held for others before it is committed.
    """
    holder = runtime().graph_indexes
    vectors = Vectors(embedder.model, embedder.stored_length)
    needed = scope.count * (4 * vectors.length + _BYTES_BESIDE_VECTOR)
    if needed > holder.most_bytes or len(scope.groups) > MOST_GROUPS:
        return search.candidates(session, scope, embedder, vector, terms)
    found = (_current(session, scope.org_id, group, vectors, holder) for group in scope.groups)
    return index.candidates([one for one in found if one is not None], scope, vector, terms)


def _current(session: Session, org_id: int, group: Group, vectors: Vectors, holder: Holder[Key, Index]) -> Index | None:
    """The group's index as of the caller's statement or later; None where the group is gone meanwhile."""
    key = (org_id, group.id, vectors)
    held = holder.get(key)
    if held is not None and held.revision >= group.revision:
        return held
    with holder.alone(key):
        held = holder.get(key)
        if held is not None and held.revision >= group.revision:
            return held
        made = _read(session, org_id, group.id, vectors, held)
        if made is not None:
            holder.put(key, made, made.nbytes)
        return made


def _read(session: Session, org_id: int, group_id: int, vectors: Vectors, held: Index | None) -> Index | None:
    here = (session, org_id, group_id, vectors)
    loaded = columns.changed(*here, held.revision) if held else None
    if held is not None and loaded is not None:
        made = held.changed(loaded.revision, loaded.facts)
    elif (loaded := columns.whole(*here)) is not None:
        made = Index.of(group_id, loaded.revision, loaded.facts)
    else:
        return None
    # A fact that is gone leaves no row that would say so, but the count.
    return made if len(made) == loaded.fact_count else made.among(columns.ids(session, org_id, group_id))
