"""Graph API, reading: facts for a query or a conversation, one fact, the last messages."""

from __future__ import annotations

from typing import Any

from webapp.api import graph_shapes as shapes
from webapp.api.graph_endpoint import body, caller, object_uuid, path, query, route
from webapp.errors import NotVisible
from webapp.graph import retrieve
from webapp.graph.retrieve import Question


@route("POST", "/retrieve/search")
def post_search() -> dict[str, Any]:
    """Facts that a query is about."""
    actor, given = caller(), body(shapes.SearchBody)
    question = Question(given.query, given.max_facts, given.as_of)
    found = retrieve.find_facts(actor, given.group_ids, question)
    return {"facts": [shapes.fact_shape(fact) for fact in found]}


@route("POST", "/retrieve/get-memory")
def post_get_memory() -> dict[str, Any]:
    """Facts that matter for a conversation."""
    actor, given = caller(), body(shapes.MemoryBody)
    last = given.messages[-1].timestamp if given.messages else None
    question = Question(
        "\n".join(message.content for message in given.messages),
        given.max_facts,
        given.as_of,
        given.center_node_uuid,
        last.date() if last else None,
    )
    found = retrieve.relevant_facts(actor, given.group_id, question)
    return {"facts": [shapes.fact_shape(fact) for fact in found]}


@route("GET", "/retrieve/entity-edge/<uuid>")
def get_entity_edge(uuid: str) -> dict[str, Any]:
    """One fact."""
    actor, narrowed = caller(), query(shapes.OneQuery)
    try:
        return shapes.edge_shape(retrieve.get_fact(actor, object_uuid(uuid), narrowed.group_id))
    except NotVisible:
        raise NotVisible("Entity edge not found") from None


@route("GET", "/retrieve/episodes/<group_id>")
def get_episodes(group_id: str) -> list[dict[str, Any]]:
    """The messages that were said last."""
    actor = caller()
    given, last = path(shapes.GroupPath, group_id=group_id), query(shapes.LastQuery)
    return [shapes.episode_shape(each) for each in retrieve.last_episodes(actor, given.group_id, last.last_n)]


@route("GET", "/healthcheck")
def get_healthcheck() -> dict[str, str]:
    """Whether this API answers; asks nothing of anybody."""
    return {"status": "healthy"}
