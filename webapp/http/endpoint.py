"""One definition per API row: its path in both spellings, its permission, its body and its answer.

The schema and the permission grid read `ENDPOINTS`; nothing about a row stands twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, TypeVar

from flask import Blueprint, Response, request
from pydantic_core import to_json

from webapp.access.policy import Action
from webapp.http.parse import Body, Query, parse_body, parse_query
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


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One API row, as the schema and the permission grid read it. `statuses` are its own, beside those that any has."""

    method: str
    rule: str
    name: str
    group: str
    action: Action
    summary: str
    description: str
    body: type[Body] | None
    query: type[Query] | None
    answers: Any
    status: int
    statuses: tuple[int, ...]
    others: Others
    across_agents: bool


ENDPOINTS: list[Endpoint] = []


@dataclass(frozen=True, slots=True)
class Answer:
    """A handler's answer where it is more than a 200 with a body. A body of bytes is JSON already."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] | None = None


def endpoint(
    method: str,
    rule: str,
    action: Action,
    *,
    body: type[Body] | None = None,
    query: type[Query] | None = None,
    answers: Any = None,
    status: int = 200,
    statuses: tuple[int, ...] = (),
    others: Others = "refuse",
    across_agents: bool = False,
) -> Callable[[Handler], Handler]:
    """Register a handler. It gets the resolved `scope`, the parsed `body` and `query` where declared, and path ids.

    It returns what the JSON body is made of, or an `Answer`. The schema takes its texts from the docstring.
    """

    def register(handler: Handler) -> Handler:
        name, group = handler.__name__, handler.__module__.rpartition(".")[2]
        summary, _, description = cleandoc(handler.__doc__ or "").partition("\n")
        made = Endpoint(
            method, rule, name, group, action, summary, description.strip(), body, query, answers, status, statuses,
            others, across_agents,
        )  # fmt: skip
        ENDPOINTS.append(made)
        # Two methods of one rule are two registrations: the path answers 405 for every other method.
        api.add_url_rule(rule, name, _view(made, handler), methods=[method], strict_slashes=False)
        return handler

    return register


def _view(row: Endpoint, handler: Callable[..., Any]) -> Callable[..., Response]:
    def view(**values: Any) -> Response:
        path = {key: value for key, value in values.items() if not key.startswith("_")}
        scope = resolve(
            path.pop("org"), path.pop("user", None), path.pop("agent", None),
            action=row.action, others=row.others, across_agents=row.across_agents,
        )  # fmt: skip
        extra: dict[str, Any] = {"body": parse_body(row.body)} if row.body else {}
        if row.query is not None:
            extra["query"] = parse_query(row.query)
        result = handler(scope, **path, **extra)
        return _respond(result if isinstance(result, Answer) else Answer(result, row.status), scope)

    return view


def expected_version() -> int | None:
    """The version that `If-Match` asks for; None where any will do.

    A tag that is not ours matches no version. Of several tags the newest counts.
    """
    if "If-Match" not in request.headers or request.if_match.star_tag:
        return None
    versions = [int(tag) for tag in request.if_match.as_set() if tag.isascii() and tag.isdigit() and len(tag) < 19]
    return max(versions, default=-1)


def _respond(answer: Answer, scope: Scope) -> Response:
    response = Response(status=answer.status, mimetype="application/json")
    if answer.status == 204:
        del response.headers["Content-Type"]
    else:
        response.set_data(answer.body if isinstance(answer.body, bytes) else to_json(answer.body))
    version = getattr(answer.body, "version", None)
    if version is not None:
        response.set_etag(str(version))
    response.headers.update(answer.headers or {})
    if scope.own_instead and scope.user is not None:
        asked = (request.view_args or {})["user"]
        own_path = request.path.replace(f"/users/{asked}/", f"/users/{scope.user.username}/")
        response.headers["Content-Location"] = own_path
    return response
