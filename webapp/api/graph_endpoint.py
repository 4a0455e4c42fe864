"""The graph API's own manners: where it is mounted, who calls, and errors in the shapes its clients already parse."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from flask import Blueprint, Response, jsonify, request
from flask_wtf.csrf import CSRFError
from pydantic import BaseModel, ValidationError

from webapp.access.actor import Actor
from webapp.db.session import installation
from webapp.errors import (
    NON_FIELD,
    Conflict,
    DomainError,
    Invalid,
    NotAllowed,
    NotVisible,
    TooMany,
    Unavailable,
    Unprocessable,
)
from webapp.http.actor import Unauthenticated, enter_org, enter_own_org, identify

PREFIX = "/api/v1/memory"
NO_CREDENTIALS = "Could not validate credentials"
NOT_ENOUGH = "Not enough permissions"
LONGEST_UUID = 128

graph_api = Blueprint("graph_api", __name__, url_prefix=PREFIX)
Handler = TypeVar("Handler", bound=Callable[..., Any])
Model = TypeVar("Model", bound=BaseModel)
Problem = dict[str, Any]


class Refused(Exception):
    """The request breaks a rule (422). ``problems`` are of the form that clients of this API read."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__()
        self.problems = problems


def route(method: str, rule: str, status: int = 200) -> Callable[[Handler], Handler]:
    """Mount a handler, with the trailing slash and without it. It returns what the JSON answer is made of."""

    def register(handler: Handler) -> Handler:
        def view(**path: Any) -> Response:
            response = jsonify(handler(**path))
            response.status_code = status
            return response

        graph_api.add_url_rule(rule, handler.__name__, view, methods=[method], strict_slashes=False)
        return handler

    return register


def caller() -> Actor:
    """Who calls, in the org of their token; a superuser or a signed-in person names it in `X-Org`.

    Raises Unauthenticated, NotVisible for an org that does not exist for them, Refused where none is named.
    """
    key = request.headers.get("X-Org")
    with installation() as session:
        entered = enter_org(session, key) if key else enter_own_org(session)
    if entered is None:
        raise Refused([problem(["header", "X-Org"], "field required", "value_error.missing")])
    return entered.actor


def caller_everywhere() -> Callable[[int], Actor]:
    """Who calls, as an actor inside any org: for what a superuser does to the whole installation."""
    with installation() as session:
        who = identify(session)

    def inside(org_id: int) -> Actor:
        return Actor(
            kind="person" if who.account_id is not None else "service",
            org_id=org_id,
            label=who.label,
            credential=who.credential,
            account_id=who.account_id,
            is_superuser=who.is_superuser,
            scopes=who.scopes,
        )

    return inside


def body(model: type[Model]) -> Model:
    """The JSON body as ``model``; raises Refused."""
    try:
        given = json.loads(request.get_data(cache=False))
    except (ValueError, RecursionError):
        raise Refused([problem(["body"], "Expecting a JSON document", "value_error.jsondecode")]) from None
    if not isinstance(given, dict):
        raise Refused([problem(["body"], "value is not a valid dict", "type_error.dict")])
    return _checked(model, given, "body")


def query(model: type[Model]) -> Model:
    """The query string as ``model``; raises Refused."""
    return _checked(model, request.args.to_dict(), "query")


def path(model: type[Model], **given: str) -> Model:
    """What stands in the path as ``model``; raises Refused."""
    return _checked(model, given, "path")


def object_uuid(given: str) -> str:
    """A uuid in a path. Raises NotVisible for what cannot be anything's."""
    if "\x00" in given or len(given) > LONGEST_UUID:
        raise NotVisible
    return given


def problem(place: list[str | int], message: str, kind: str) -> Problem:
    """One entry of a 422 answer."""
    return {"loc": place, "msg": message, "type": kind}


def _checked(model: type[Model], given: Mapping[str, Any], where: str) -> Model:
    try:
        return model.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise Refused([_problem(where, one) for one in found]) from None


def _problem(where: str, error: Mapping[str, Any]) -> Problem:
    kind, context = error["type"], error.get("ctx", {})
    message, name = _WORDS.get(kind, (error["msg"], f"value_error.{kind}"))
    if kind == "value_error":
        message, name = str(context["error"]), "value_error"
    return problem([where, *error["loc"]], message.format_map(context), name)


# The words of the API that this one follows, for the kinds of error that can occur.
_WORDS = {
    "missing": ("field required", "value_error.missing"),
    "string_type": ("str type expected", "type_error.str"),
    "string_unicode": ("str type expected", "type_error.str"),
    "string_too_short": ("ensure this value has at least {min_length} characters", "value_error.any_str.min_length"),
    "string_too_long": ("ensure this value has at most {max_length} characters", "value_error.any_str.max_length"),
    "string_pattern_mismatch": ('string does not match regex "{pattern}"', "value_error.str.regex"),
    "int_type": ("value is not a valid integer", "type_error.integer"),
    "int_parsing": ("value is not a valid integer", "type_error.integer"),
    "int_from_float": ("value is not a valid integer", "type_error.integer"),
    "int_parsing_size": ("value is not a valid integer", "type_error.integer"),
    "greater_than_equal": ("ensure this value is greater than or equal to {ge}", "value_error.number.not_ge"),
    "less_than_equal": ("ensure this value is less than or equal to {le}", "value_error.number.not_le"),
    "list_type": ("value is not a valid list", "type_error.list"),
    "too_short": ("ensure this value has at least {min_length} items", "value_error.list.min_items"),
    "too_long": ("ensure this value has at most {max_length} items", "value_error.list.max_items"),
    "literal_error": ("unexpected value; permitted: {expected}", "value_error.const"),
    "model_type": ("value is not a valid dict", "type_error.dict"),
    "dict_type": ("value is not a valid dict", "type_error.dict"),
    "model_attributes_type": ("value is not a valid dict", "type_error.dict"),
}


@graph_api.errorhandler(Refused)
def _refused(error: Refused) -> Response:
    return _answer(422, error.problems)


@graph_api.errorhandler(Unauthenticated)
def _unauthenticated(_error: Unauthenticated) -> Response:
    return _answer(401, NO_CREDENTIALS, {"WWW-Authenticate": "Bearer"})


@graph_api.errorhandler(CSRFError)
def _csrf(_error: CSRFError) -> Response:
    return _answer(401, NO_CREDENTIALS, {"WWW-Authenticate": "Bearer"})


@graph_api.errorhandler(DomainError)
def _domain(error: DomainError) -> Response:
    if isinstance(error, Invalid):
        fields = [(["body"] if name == NON_FIELD else ["body", name], said[0]) for name, said in error.errors.items()]
        return _answer(422, [problem(list(place), message, "value_error") for place, message in fields])
    status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 400)
    retry = getattr(error, "retry_after", None)
    detail = NOT_ENOUGH if isinstance(error, NotAllowed) else error.detail
    return _answer(status, detail, {"Retry-After": str(retry)} if retry else None)


_STATUS: dict[type[DomainError], int] = {
    NotAllowed: 403,
    NotVisible: 404,
    Conflict: 409,
    Unprocessable: 422,
    TooMany: 429,
    Unavailable: 503,
}


def _answer(status: int, detail: str | list[Problem], headers: Mapping[str, str] | None = None) -> Response:
    response = jsonify({"detail": detail})
    response.status_code = status
    response.headers.update(headers or {})
    return response
