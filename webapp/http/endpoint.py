"""One definition per API row: its path in both spellings, its permission, its body and its answer.

`docs`, the schema and the permission grid read `ENDPOINTS`; nothing about a row stands twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from flask import Blueprint, Response, jsonify, make_response, request
from pydantic import BaseModel, ConfigDict, ValidationError
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from webapp.access.policy import Action
from webapp.errors import NON_FIELD, Invalid
from webapp.http.scope import Others, Scope, resolve

# The path words in both spellings; either works under either prefix. Names with a dash need the quotes.
AGENTS = "<any('agents','mentors'):_agents>"
MEMORIES = "<any('agent-memories','mentor-memories'):_memories>"
MEMORY_LIST = "<any('agent-memories-list','mentor-memories-list'):_memories>"
O = "/orgs/<org>"  # noqa: E741  the API's own shorthand
U = f"{O}/users/<user>"
A = f"{AGENTS}/<agent>"
PREFIX = "<any('ai-agent','ai-mentor'):_prefix>"
MOUNTS = (f"/api/{PREFIX}", f"/dm/api/{PREFIX}")

api = Blueprint("api", __name__)
Handler = TypeVar("Handler", bound=Callable[..., Any])


class Body(BaseModel):
    """Base of every request body: strict types, so that "yes" is not a boolean; unknown fields are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One API row, as the schema and the permission grid read it."""

    method: str
    rule: str
    name: str
    action: Action
    summary: str
    body: type[Body] | None
    query: type[BaseModel] | None
    answers: Any
    status: int
    others: Others
    across_agents: bool


ENDPOINTS: list[Endpoint] = []


@dataclass(frozen=True, slots=True)
class Answer:
    """A handler's answer where it is more than a 200 with a body."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] | None = None


def endpoint(
    method: str,
    rule: str,
    action: Action,
    *,
    body: type[Body] | None = None,
    query: type[BaseModel] | None = None,
    answers: Any = None,
    status: int = 200,
    others: Others = "refuse",
    across_agents: bool = False,
) -> Callable[[Handler], Handler]:
    """Register a handler. It gets the resolved `scope`, the parsed `body` and `query` where declared, and path ids.

    It returns what the JSON body is made of, or an `Answer`. `docs` take the summary from its docstring.
    """

    def register(handler: Handler) -> Handler:
        name = f"{handler.__name__}"
        summary = (handler.__doc__ or "").strip().split("\n")[0]
        ENDPOINTS.append(
            Endpoint(method, rule, name, action, summary, body, query, answers, status, others, across_agents)
        )

        def view(**values: Any) -> Response:
            path = {key: value for key, value in values.items() if not key.startswith("_")}
            scope = resolve(
                path.pop("org"), path.pop("user", None), path.pop("agent", None),
                action=action, others=others, across_agents=across_agents,
            )  # fmt: skip
            extra: dict[str, Any] = {"body": parse_body(body)} if body else {}
            if query is not None:
                extra["query"] = parse_query(query)
            return _respond(handler(scope, **path, **extra), scope, status)

        api.add_url_rule(rule, f"{name}", view, methods=[method], strict_slashes=False)
        return handler

    return register


def parse_body(model: type[Body]) -> Body:
    """The request's JSON body as `model`; raises Invalid by field, or 415 for another media type."""
    if request.mimetype and request.mimetype != "application/json":
        raise UnsupportedMediaType(f'Unsupported media type "{request.mimetype}" in request.')
    try:
        data = request.get_json(force=True)
    except (BadRequest, RecursionError, UnicodeDecodeError):
        raise Invalid("JSON parse error.") from None
    if not isinstance(data, dict):
        raise Invalid("Invalid data. Expected a dictionary.")
    return validate(model, data)


def parse_query(model: type[BaseModel]) -> BaseModel:
    """The query string as `model`; raises Invalid by field."""
    return validate(model, request.args.to_dict())


Model = TypeVar("Model", bound=BaseModel)


def validate(model: type[Model], data: Mapping[str, Any]) -> Model:
    """`data` as `model`; raises Invalid with this API's messages."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise Invalid(messages_of(error)) from None


def messages_of(error: ValidationError) -> dict[str, list[str]]:
    """pydantic's errors in the words that clients of this API already parse. Never repeats the input."""
    found: dict[str, list[str]] = {}
    for item in error.errors(include_url=False, include_input=False, include_context=True):
        field = str(item["loc"][0]) if item["loc"] else NON_FIELD
        found.setdefault(field, []).append(_message(item["type"], item.get("ctx", {}), item["msg"]))
    return found


def _message(kind: str, context: Mapping[str, Any], fallback: str) -> str:
    fixed = {
        "missing": "This field is required.",
        "string_type": "Not a valid string.",
        "string_unicode": "Not a valid string.",
        "bool_type": "Must be a valid boolean.",
        "bool_parsing": "Must be a valid boolean.",
        "int_type": "A valid integer is required.",
        "int_parsing": "A valid integer is required.",
        "int_from_float": "A valid integer is required.",
        "datetime_type": "Enter a valid date and time (ISO 8601).",
        "datetime_parsing": "Enter a valid date and time (ISO 8601).",
        "datetime_from_date_parsing": "Enter a valid date and time (ISO 8601).",
        "datetime_object_invalid": "Enter a valid date and time (ISO 8601).",
        "list_type": "Expected a list of items.",
        "literal_error": "Not a valid choice.",
    }
    if kind == "string_too_long":
        return f"Ensure this field has no more than {context['max_length']} characters."
    if kind == "string_too_short":
        return f"Ensure this field has at least {context['min_length']} characters."
    if kind == "value_error":
        return str(context["error"])
    return fixed.get(kind, fallback)


def _respond(result: Any, scope: Scope, status: int) -> Response:
    answer = result if isinstance(result, Answer) else Answer(result, status)
    response = make_response("", 204) if answer.status == 204 else jsonify(answer.body)
    response.status_code = answer.status
    response.headers.update(answer.headers or {})
    if isinstance(answer.body, dict) and "version" in answer.body:
        response.headers.setdefault("ETag", f'"{answer.body["version"]}"')
    if scope.own_instead and scope.user is not None:
        response.headers["Content-Location"] = request.path.replace(
            f"/users/{request.view_args['user']}/", f"/users/{scope.user.username}/"  # type: ignore[index]
        )
    return response
