"""From a request's body and query string to checked values, in the messages that clients of this API already parse."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from flask import request
from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic_core import core_schema
from werkzeug.exceptions import UnsupportedMediaType

from webapp.errors import NON_FIELD, Invalid

Model = TypeVar("Model", bound=BaseModel)

MESSAGES = {
    "missing": "This field is required.",
    "string_type": "Not a valid string.",
    "string_unicode": "Not a valid string.",
    "bool_type": "Must be a valid boolean.",
    "int_type": "A valid integer is required.",
    "int_parsing": "A valid integer is required.",
    "int_from_float": "A valid integer is required.",
    "list_type": "Expected a list of items.",
    "literal_error": "Not a valid choice.",
}
BOUNDS = {
    "string_too_long": "Ensure this field has no more than {max_length} characters.",
    "string_too_short": "Ensure this field has at least {min_length} characters.",
    "too_long": "Ensure this field has no more than {max_length} elements.",
    "greater_than_equal": "Ensure this value is greater than or equal to {ge}.",
    "less_than_equal": "Ensure this value is less than or equal to {le}.",
}


class Body(BaseModel):
    """Base of every request body: strict types, so that "yes" is not a boolean; unknown fields are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class Query(BaseModel):
    """Base of every query string: unknown parameters are ignored, empty ones count as absent."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class NotNull:
    """Marks an optional field that may be left out but not be null."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Refuse null before the field's own check."""
        return core_schema.no_info_before_validator_function(_refuse_null, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The type without null."""
        found: dict[str, Any] = handler(schema)
        kinds = [kind for kind in found.pop("anyOf", []) if kind != {"type": "null"}]
        return found | kinds[0] if len(kinds) == 1 else found | ({"anyOf": kinds} if kinds else {})


def parse_body(model: type[Body]) -> Body:
    """The request's JSON body as `model`; raises Invalid by field, or 415 for another media type."""
    if request.mimetype and request.mimetype != "application/json":
        raise UnsupportedMediaType(f'Unsupported media type "{request.mimetype}" in request.')
    try:
        data = json.loads(request.get_data(cache=False), object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise Invalid("JSON parse error.") from None
    if not isinstance(data, dict):
        raise Invalid("Invalid data. Expected a dictionary.")
    return validate(model, data)


def parse_query(model: type[Query]) -> Query:
    """The query string as `model`; raises Invalid by field."""
    return validate(model, {name: value for name, value in request.args.items() if value != ""})


def validate(model: type[Model], data: Mapping[str, Any]) -> Model:
    """`data` as `model`; raises Invalid with this API's messages."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise Invalid(messages_of(error)) from None


def messages_of(error: ValidationError) -> dict[str, list[str]]:
    """Field → messages. Never repeats the input."""
    found: dict[str, list[str]] = {}
    for item in error.errors(include_url=False, include_input=False, include_context=True):
        field = str(item["loc"][0]) if item["loc"] else NON_FIELD
        found.setdefault(field, []).append(_message(item["type"], item.get("ctx", {}), item["msg"]))
    return found


def _message(kind: str, context: Mapping[str, Any], fallback: str) -> str:
    if kind == "value_error":
        return str(context["error"])
    return BOUNDS[kind].format_map(context) if kind in BOUNDS else MESSAGES.get(kind, fallback)


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("A key stands twice.")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON.")


def _refuse_null(value: Any) -> Any:
    if value is None:
        raise ValueError("This field may not be null.")
    return value
