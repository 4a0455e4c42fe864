"""The OpenAPI document (3.1), made from the rows' own definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, TypeAdapter

from webapp.access.policy import RULES
from webapp.http.endpoint import AGENTS, ENDPOINTS, MEMORIES, MEMORY_LIST, Endpoint

VERSION = "1.0"
PREFIXES = ("/api/ai-agent", "/api/ai-mentor", "/dm/api/ai-agent", "/dm/api/ai-mentor")
REFERENCE = "#/components/schemas/{model}"
DESCRIPTION = """\
Every path also works in the mentor spelling: `mentors/` for `agents/`, `mentor-memories` for `agent-memories`, under
every server below, with and without the trailing slash. `{user}` is a username, a numeric id or an e-mail address;
`{agent}` a UUID or a slug. Times are ISO 8601 in UTC. Objects carry a `version`, which `ETag` repeats and `If-Match`
asks for.
"""
GROUPS = {
    "global_memories": "Global memories",
    "agent_memories": "Agent memories",
    "settings": "Switches",
    "categories": "Categories",
    "knowledge": "Agent knowledge",
    "exchanges": "Exchanges",
    "context": "Context",
    "people": "People",
    "agents": "Agents",
    "export": "Export",
}
PARAMETERS = {
    "org": "Key of the organisation",
    "user": "Username, numeric id or e-mail address",
    "agent": "UUID or slug",
    "username": "Username",
}
# How an error reads: by field, by a sentence, or as a conflict.
DETAIL = {"type": "object", "properties": {"detail": {"type": "string"}}, "required": ["detail"]}
FIELDS = {
    "type": "object",
    "additionalProperties": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    "description": "Messages by field; `non_field_errors` where they belong to none",
}
CONFLICT = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
UNEXPECTED = {
    "type": "object",
    "properties": {"detail": {"type": "string"}, "request_id": {"type": "string"}},
    "required": ["detail", "request_id"],
}
ERRORS: dict[int, tuple[str, dict[str, Any]]] = {
    400: ("A field is wrong", FIELDS),
    401: ("No credential, or one that is not good", DETAIL),
    403: ("Not permitted", DETAIL),
    404: ("Not there, or not for the caller to know of", DETAIL),
    409: ("There is one like it already", CONFLICT),
    412: ("Changed since it was read", DETAIL),
    413: ("The body is too large", DETAIL),
    415: ("Not JSON", DETAIL),
    422: ("The idempotency key was used with another body", DETAIL),
    429: ("Too many requests; `Retry-After` says when to come back", DETAIL),
    503: ("Not available right now", UNEXPECTED),
}
ALWAYS = (401, 403, 404, 429)


@cache
def document() -> dict[str, Any]:
    """The whole document."""
    schemas, definitions = _schemas()
    paths: dict[str, dict[str, Any]] = {}
    for row in ENDPOINTS:
        paths.setdefault(path_of(row), {})[row.method.lower()] = _operation(row, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Agent Memory", "version": VERSION, "description": DESCRIPTION},
        "servers": [{"url": prefix} for prefix in PREFIXES],
        "security": [{"token": []}, {"header": []}],
        "tags": [{"name": name} for name in GROUPS.values()],
        "paths": paths,
        "components": {
            "schemas": definitions,
            "responses": {str(status): _error(status) for status in ERRORS},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "header": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "`Token …`, `Api-Token …`, `Bearer …` or `Api-Key …`",
                },
            },
        },
    }


def path_of(row: Endpoint) -> str:
    """A row's path in the agent spelling, without a prefix."""
    path = row.rule.replace(AGENTS, "agents")
    path = path.replace(MEMORY_LIST, "agent-memories-list").replace(MEMORIES, "agent-memories")
    # One path has one name for its parameter, though one method of it takes an agent that is not there yet.
    return re.sub(r"<(?:int:)?(\w+)>", r"{\1}", path.replace("<slug>", "<agent>"))


def _schemas() -> tuple[dict[tuple[str, str], dict[str, Any]], dict[str, Any]]:
    """Row and side ("body", "answers") → its schema, and the definitions that they refer to."""
    bodies = [((row.name, "body"), "validation", TypeAdapter(row.body)) for row in ENDPOINTS if row.body]
    answers = [((row.name, "answers"), "serialization", TypeAdapter(row.answers)) for row in ENDPOINTS if row.answers]
    found, rest = TypeAdapter.json_schemas([*bodies, *answers], ref_template=REFERENCE)  # type: ignore[list-item]
    return {key: _plain(schema) for (key, _mode), schema in found.items()}, _plain(rest.get("$defs", {}))


def _plain(schema: Any) -> Any:
    """Without pydantic's titles, which repeat the names, and its null defaults, which say "left out"."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    properties = {name: _plain(value) for name, value in schema.get("properties", {}).items()}
    kept = {
        name: _plain(value)
        for name, value in schema.items()
        if name != "properties"
        and not (name == "title" and isinstance(value, str))
        and (name, value) != ("default", None)
    }
    return kept | ({"properties": properties} if properties else {})


def _operation(row: Endpoint, schemas: Mapping[tuple[str, str], dict[str, Any]]) -> dict[str, Any]:
    scope = RULES[row.action].scope
    note = f"A service token needs the scope `{scope}`." if scope else "Not for service tokens."
    operation: dict[str, Any] = {
        "operationId": row.name,
        "tags": [GROUPS[row.group]],
        "summary": row.summary,
        "description": "\n\n".join(part for part in (row.description, note) if part),
        "parameters": [*_path_parameters(row), *_query_parameters(row.query), *_header_parameters(row)],
        "responses": _responses(row, schemas.get((row.name, "answers"))),
    }
    if row.body is not None:
        content = {"application/json": {"schema": schemas[row.name, "body"]}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _path_parameters(row: Endpoint) -> Iterable[dict[str, Any]]:
    for name in re.findall(r"{(\w+)}", path_of(row)):
        schema: dict[str, Any] = {"type": "string", "minLength": 1}
        if name not in PARAMETERS:
            schema = {"type": "integer", "minimum": 0, "maximum": 10**18 - 1}
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "description": PARAMETERS.get(name, "Id"),
            "schema": schema,
        }


def _query_parameters(query: type[BaseModel] | None) -> Iterable[dict[str, Any]]:
    properties = query.model_json_schema()["properties"] if query is not None else {}
    for name, schema in properties.items():
        kinds = [kind for kind in schema.get("anyOf", [schema]) if kind != {"type": "null"}]
        shown = {key: value for key, value in _plain(kinds[0]).items() if key != "description"}
        described = {"description": kinds[0]["description"]} if "description" in kinds[0] else {}
        yield {"name": name, "in": "query", "required": False, "schema": shown} | described


def _header_parameters(row: Endpoint) -> Iterable[dict[str, Any]]:
    if 412 in row.statuses:
        yield _header("If-Match", "Change it only if this is still its `ETag`")
    if row.name == "post_exchange":
        yield _header("Idempotency-Key", "The same key with the same body answers with the same exchange")


def _header(name: str, description: str) -> dict[str, Any]:
    schema = {"type": "string", "minLength": 1, "maxLength": 200}
    return {"name": name, "in": "header", "required": False, "description": description, "schema": schema}


def _responses(row: Endpoint, schema: dict[str, Any] | None) -> dict[str, Any]:
    statuses = {*ALWAYS, *(status for status in row.statuses if status >= 400)}
    statuses |= {400, 413, 415} if row.body else {400} if row.query or row.status == 201 else set()
    successes = [row.status, *(status for status in row.statuses if status < 400)]
    answers: dict[str, Any] = {str(status): _success(status, schema) for status in successes}
    return answers | {str(status): {"$ref": f"#/components/responses/{status}"} for status in sorted(statuses)}


def _success(status: int, schema: dict[str, Any] | None) -> dict[str, Any]:
    words = {200: "Done", 201: "Made", 202: "Accepted", 204: "Gone"}
    answer: dict[str, Any] = {"description": words[status]}
    return answer | ({"content": {"application/json": {"schema": schema}}} if schema is not None else {})


def _error(status: int) -> dict[str, Any]:
    description, schema = ERRORS[status]
    return {"description": description, "content": {"application/json": {"schema": schema}}}
