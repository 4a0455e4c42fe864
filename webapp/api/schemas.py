"""Bodies and answers of the JSON API. Types and shapes only: what a value may say is a rule of the verb."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from webapp.http.endpoint import Body

# An exchange is at most two messages of this many characters; longer ones are a mistake of the caller's.
MESSAGE_LENGTH = 200_000
NAME_LENGTH = 200
KEY_LENGTH = 200


def moment(value: datetime | None) -> str | None:
    """ISO 8601 in UTC with `Z`."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z") if value else None


def _from_text(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("Enter a valid date and time (ISO 8601).")
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise ValueError("Enter a valid date and time (ISO 8601).") from None


def _without_nul(value: Any) -> Any:
    if isinstance(value, str) and "\x00" in value:
        raise ValueError("Null characters are not allowed.")
    return value


Moment = Annotated[datetime, BeforeValidator(_from_text)]
Text = Annotated[str, BeforeValidator(_without_nul)]
Name = Annotated[Text, Field(max_length=NAME_LENGTH)]


class SettingsBody(Body):
    """At least one of the two."""

    auto_capture_enabled: bool | None = None
    use_memory_in_responses: bool | None = None


class SettingsAnswer(BaseModel):
    """A user's switches; `updated_at` is null while nothing was ever saved."""

    auto_capture_enabled: bool
    use_memory_in_responses: bool
    updated_at: datetime | None


class StatusAnswer(BaseModel):
    """Whether memory is on for the org."""

    enable_memsearch: bool


class ExchangeBody(Body):
    """One user message and the agent's answer. A naive `occurred_at` is UTC."""

    user_message: Annotated[str, Field(max_length=MESSAGE_LENGTH)]
    assistant_message: Annotated[str, Field(max_length=MESSAGE_LENGTH)] = ""
    user_name: Name | None = None
    assistant_name: Name | None = None
    session_id: Name | None = None
    occurred_at: Moment | None = None
    private: bool = False
    idempotency_key: Annotated[Text, Field(max_length=KEY_LENGTH)] | None = None


class AcceptedAnswer(BaseModel):
    """The exchange's id, null where nothing was stored."""

    id: int | None
    status: str
    reason: str | None = None


class ExchangeAnswer(BaseModel):
    """What became of an exchange: never its text."""

    id: int
    status: str
    reason: str | None
    created: int
    superseded: int
    duplicates: int
    rejected: int
    error: str | None
    attempts: int
    created_at: datetime
    done_at: datetime | None


class ContextBody(Body):
    """A message to recall for, and how many memories at most."""

    message: Annotated[Text, Field(max_length=MESSAGE_LENGTH)]
    max_global: Annotated[int, Field(ge=0, le=100)] | None = None
    max_agent: Annotated[int, Field(ge=0, le=100)] | None = None


class ContextAnswer(BaseModel):
    """The block to put before the model, and what it is made of."""

    context: str
    memories: list[dict[str, Any]]
    knowledge: list[dict[str, Any]]
    state: dict[str, Any]
