"""Keeps entities and facts embedded: what is missing after an outage or a change of model, and the move to another model."""

from __future__ import annotations

import time
from collections.abc import Iterator

from webapp.db.session import transaction
from webapp.errors import Unavailable
from webapp.graph.store import entities, groups, search
from webapp.graph.store import vectors as store
from webapp.llm.embeddings import Embedder
from webapp.memory.reembed import Pause, patiently
from webapp.runtime import runtime

BATCH = 64
"""Entities, and as many facts, per transaction."""


def embed_entity(org_id: int, group_id: int, entity_id: int, name: str) -> bool:
    """Embed one entity's name; False while the service is down: `embed_missing` takes it later."""
    embedder = runtime().embedder
    try:
        vector = embedder.embed_one(name)
    except Unavailable:
        return False
    with transaction(org_id) as session:
        if entities.load(session, org_id, group_id, [entity_id]):
            entities.put_vectors(session, org_id, group_id, embedder, [(entity_id, vector)])
    return True


def embed_missing(org_id: int, limit: int = BATCH) -> int:
    """Embed up to so many entities and facts of each group that the current model has not embedded; how many.

    Raises Unavailable. No connection is held while the service works; what is deleted meanwhile is left out.
    """
    with transaction(org_id) as session:
        found = groups.among(session, org_id)
    return sum(_embed(org_id, group.id, runtime().embedder, limit, pause=None) for group in found)


def missing(org_id: int, model: str) -> dict[int, int]:
    """How many entities and facts have no vector of this model, by group; groups with none are left out."""
    with transaction(org_id) as session:
        return store.missing(session, org_id, model)


def move(org_id: int, group_id: int, embedder: Embedder, pause: Pause = time.sleep) -> Iterator[int]:
    """Embed what this model has not embedded in a group; yields how many each commit took.

    A move that broke off is simply started again. Raises Unavailable when the service stays away.
    """
    while count := _embed(org_id, group_id, embedder, BATCH, pause):
        yield count


def drop_others(org_id: int, model: str) -> int:
    """Delete the vectors of other models in groups where all have one of this model; how many went."""
    waiting = missing(org_id, model)
    with transaction(org_id) as session:
        finished = [group.id for group in groups.among(session, org_id) if group.id not in waiting]
    dropped = 0
    for group_id in finished:
        with transaction(org_id) as session:
            dropped += store.drop_others(session, org_id, group_id, model)
    return dropped


def _embed(org_id: int, group_id: int, embedder: Embedder, limit: int, pause: Pause | None) -> int:
    here = (org_id, group_id)
    with transaction(org_id) as session:
        names = entities.without_vector(session, *here, embedder.model, limit)
        sentences = search.without_vector(session, *here, embedder.model, limit)
    texts = [*(one.name for one in names), *(text for _, text in sentences)]
    if not texts:
        return 0
    vectors = patiently(embedder, texts, pause) if pause else embedder.embed(texts)
    with transaction(org_id) as session:
        # First of all, since it locks the group: ingestion locks it before the rows in it.
        revision = groups.note_change(session, *here)
        if revision is None:
            return 0
        present = entities.load(session, *here, [one.id for one in names])
        by_name = zip((one.id for one in names), vectors, strict=False)
        entities.put_vectors(session, *here, embedder, [pair for pair in by_name if pair[0] in present])
        by_text = zip((fact_id for fact_id, _ in sentences), vectors[len(names) :], strict=True)
        search.put_vectors(session, *here, embedder, list(by_text), revision)
    return len(texts)
