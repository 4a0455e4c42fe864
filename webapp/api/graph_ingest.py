"""Graph API, writing: messages, nodes, whose a group is, deleting."""

from __future__ import annotations

from typing import Any

from flask import request

from webapp.api import graph_shapes as shapes
from webapp.api.graph_endpoint import Refused, body, caller, caller_everywhere, object_uuid, path, problem, query, route
from webapp.errors import NotVisible
from webapp.graph import accept, groups, remove
from webapp.graph.accept import NewMessage
from webapp.runtime import runtime

KEY_LENGTH = 200


@route("POST", "/ingest/messages", 202)
def post_messages() -> dict[str, Any]:
    """Queue messages for processing."""
    actor, given = caller(), body(shapes.MessagesBody)
    messages = [_message(one) for one in given.messages]
    accept.add_messages(actor, given.group_id, messages, runtime().settings, request_key=_request_key())
    return _done("Messages added to processing queue")


@route("POST", "/ingest/entity-node", 201)
def post_entity_node() -> dict[str, Any]:
    """Write a node."""
    actor, given = caller(), body(shapes.EntityBody)
    entity = accept.put_entity(
        actor, given.group_id, given.name, uuid=given.uuid, summary=given.summary, settings=runtime().settings
    )
    return shapes.entity_shape(entity)


@route("DELETE", "/ingest/entity-edge/<uuid>")
def delete_entity_edge(uuid: str) -> dict[str, Any]:
    """Delete a fact."""
    actor, narrowed = caller(), query(shapes.OneQuery)
    try:
        remove.delete_fact(actor, object_uuid(uuid), narrowed.group_id)
    except NotVisible:
        raise NotVisible("Entity edge not found") from None
    return _done("Entity Edge deleted")


@route("DELETE", "/ingest/group/<group_id>")
def delete_group(group_id: str) -> dict[str, Any]:
    """Delete everything in a group."""
    actor, given = caller(), path(shapes.GroupPath, group_id=group_id)
    remove.delete_group(actor, given.group_id)
    return _done("Group deleted")


@route("DELETE", "/ingest/episode/<uuid>")
def delete_episode(uuid: str) -> dict[str, Any]:
    """Delete a message with what it supports alone."""
    actor, narrowed = caller(), query(shapes.OneQuery)
    try:
        remove.delete_episode(actor, object_uuid(uuid), narrowed.group_id)
    except NotVisible:
        raise NotVisible("Episode not found") from None
    return _done("Episode deleted")


@route("PUT", "/ingest/group/<group_id>/owner")
def put_group_owner(group_id: str) -> dict[str, Any]:
    """Give a group to a member."""
    actor, given, new = caller(), path(shapes.GroupPath, group_id=group_id), body(shapes.OwnerBody)
    try:
        groups.set_owner(actor, given.group_id, new.username)
    except NotVisible:
        raise NotVisible("Group not found") from None
    return {"group_id": given.group_id, "username": new.username}


@route("POST", "/ingest/clear")
def post_clear() -> dict[str, Any]:
    """Delete the graph data of all orgs."""
    remove.clear(caller_everywhere())
    return _done("Graph cleared")


def _message(given: shapes.MessageBody) -> NewMessage:
    return NewMessage(
        content=given.content,
        role_type=given.role_type,
        role=given.role or "",
        uuid=given.uuid,
        name=given.name or "",
        timestamp=given.timestamp,
        source_description=given.source_description or "",
    )


def _request_key() -> str | None:
    key = request.headers.get("Idempotency-Key")
    if key is not None and len(key) > KEY_LENGTH:
        message = f"ensure this value has at most {KEY_LENGTH} characters"
        raise Refused([problem(["header", "Idempotency-Key"], message, "value_error.any_str.max_length")])
    return key or None


def _done(message: str) -> dict[str, Any]:
    return {"message": message, "success": True}
