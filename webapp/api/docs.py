"""`/api/schema/`, the OpenAPI document, and `/api/docs/`, a page of ours that shows it. Both are open to everyone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response

from webapp.api.openapi import PREFIXES, document
from webapp.http.htmx import render

schema = Blueprint("schema", __name__, url_prefix="/api")


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a field of a body or an answer."""

    name: str
    kind: str
    required: bool
    about: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One row as the page shows it."""

    id: str
    method: str
    path: str
    summary: str
    paragraphs: list[str]
    parameters: list[Field]
    body: list[Field]
    answers: list[Field]
    curl: str


@schema.get("/schema/", strict_slashes=False)
def get_schema() -> Response:
    """The document."""
    return Response(json.dumps(document(), indent=1), mimetype="application/json")


@schema.get("/docs/", strict_slashes=False)
def show() -> Response:
    """The page."""
    found = document()
    groups = {tag["name"]: [each for each in _operations(found) if each[0] == tag["name"]] for tag in found["tags"]}
    return render(
        "api/docs.html",
        title=found["info"]["title"],
        about=found["info"]["description"],
        prefixes=PREFIXES,
        groups={name: [operation for _tag, operation in operations] for name, operations in groups.items()},
    )


def _operations(found: Mapping[str, Any]) -> Iterator[tuple[str, Operation]]:
    for path, methods in found["paths"].items():
        for method, operation in methods.items():
            yield operation["tags"][0], _operation(found, path, method.upper(), operation)


def _operation(found: Mapping[str, Any], path: str, method: str, operation: Mapping[str, Any]) -> Operation:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    fields = list(_fields(found, body))
    return Operation(
        id=operation["operationId"],
        method=method,
        path=path,
        summary=operation["summary"],
        paragraphs=operation["description"].split("\n\n"),
        parameters=[_parameter(each) for each in operation["parameters"]],
        body=fields,
        answers=[_answer(found, status, answer) for status, answer in operation["responses"].items()],
        curl=_curl(path, method, fields),
    )


def _parameter(given: Mapping[str, Any]) -> Field:
    place = {"path": "path", "query": "query", "header": "header"}[given["in"]]
    return Field(given["name"], f"{place}, {_kind(given['schema'])}", given["required"], given.get("description", ""))


def _fields(found: Mapping[str, Any], given: Mapping[str, Any] | None) -> Iterator[Field]:
    shape = _resolved(found, given or {})
    for name, kind in shape.get("properties", {}).items():
        yield Field(name, _kind(kind), name in shape.get("required", ()), "")


def _answer(found: Mapping[str, Any], status: str, given: Mapping[str, Any]) -> Field:
    answer = _resolved(found, given)
    shape = answer.get("content", {}).get("application/json", {}).get("schema")
    return Field(status, _kind(shape) if shape else "", True, answer["description"])


def _resolved(found: Mapping[str, Any], given: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in given:
        return given
    place: Any = found
    for part in given["$ref"].removeprefix("#/").split("/"):
        place = place[part]
    resolved: Mapping[str, Any] = place
    return resolved


def _kind(given: Mapping[str, Any]) -> str:
    """A type in a few words: "string (date-time) or null", "list of AgentMemory"."""
    if "$ref" in given:
        return str(given["$ref"]).rpartition("/")[2].replace("PageOf_", "page of ").strip("_")
    if "anyOf" in given:
        return " or ".join(_kind(each) for each in given["anyOf"])
    if "enum" in given:
        return " | ".join(map(str, given["enum"]))
    if given.get("type") == "array":
        return f"list of {_kind(given['items'])}"
    return str(given.get("type", "object")) + (f" ({given['format']})" if "format" in given else "")


def _curl(path: str, method: str, body: list[Field]) -> str:
    """A line to paste once `$BASE_URL` and `$TOKEN` are set and the braces are filled in."""
    lines = [f'curl -X {method} "$BASE_URL{PREFIXES[0]}{path}"', '-H "Authorization: Token $TOKEN"']
    if body:
        sent = {field.name: f"<{field.kind}>" for field in body if field.required} or {
            body[0].name: f"<{body[0].kind}>"
        }
        lines += ['-H "Content-Type: application/json"', f"-d '{json.dumps(sent)}'"]
    return " \\\n  ".join(lines)
