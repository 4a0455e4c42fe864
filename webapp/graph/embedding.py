"""Keeps entities and facts embedded by the model that is set up: what is missing after an outage or a change of model."""

from __future__ import annotations

from webapp.db.session import transaction
from webapp.errors import Unavailable
from webapp.graph.store import entities, groups, search
from webapp.runtime import runtime

BATCH = 64


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
    embedder = runtime().embedder
    with transaction(org_id) as session:
        found = groups.among(session, org_id)
    done = 0
    for group in found:
        here = (org_id, group.id)
        with transaction(org_id) as session:
            names = entities.without_vector(session, *here, embedder.model, limit)
            sentences = search.without_vector(session, *here, embedder.model, limit)
        if not names and not sentences:
            continue
        vectors = embedder.embed([*(one.name for one in names), *(text for _, text in sentences)])
        with transaction(org_id) as session:
            present = entities.load(session, *here, [one.id for one in names])
            by_name = zip((one.id for one in names), vectors, strict=False)
            entities.put_vectors(session, *here, embedder, [pair for pair in by_name if pair[0] in present])
            by_text = zip((fact_id for fact_id, _ in sentences), vectors[len(names) :], strict=True)
            search.put_vectors(session, *here, embedder, list(by_text))
        done += len(names) + len(sentences)
    return done
