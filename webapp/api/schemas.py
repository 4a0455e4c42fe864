"""Bodies and query strings of the JSON API. Types and shapes only: what a value may say is a rule of the verb."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from webapp.http.paging import MAX_SIZE, day_range
from webapp.http.parse import Body, NotNull, Query
from webapp.memory.content import MAX_LENGTH, MIN_LENGTH, NUL_MESSAGE

# An exchange is at most two messages of this many characters; longer ones are a mistake of the caller's.
MESSAGE_LENGTH = 200_000
NAME_LENGTH = 200
KEY_LENGTH = 200
MOMENT_MESSAGE = "Enter a valid date and time (ISO 8601)."


def _from_text(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(MOMENT_MESSAGE)
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(MOMENT_MESSAGE) from None


def _without_nul(value: Any) -> Any:
    if isinstance(value, str) and "\x00" in value:
        raise ValueError(NUL_MESSAGE)
    return value


def _flag(value: Any) -> Any:
    values = {"true": True, "1": True, "false": False, "0": False}
    if not isinstance(value, str) or value.lower() not in values:
        raise ValueError("Must be a valid boolean.")
    return values[value.lower()]


Moment = Annotated[datetime, BeforeValidator(_from_text)]
Text = Annotated[str, BeforeValidator(_without_nul)]
Name = Annotated[Text, Field(max_length=NAME_LENGTH)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Day = Annotated[Text, WithJsonSchema({"type": "string", "format": "date", "examples": ["2024-01-31"]})]
# The verb trims and measures it: what is checked here is only what the schema can say.
Content = Annotated[
    str, WithJsonSchema({"type": "string", "minLength": MIN_LENGTH, "maxLength": MAX_LENGTH, "pattern": r"\S"})
]


class PageQuery(Query):
    """Which page of a list: read by `paging.page_request`. Sizes above 100 are clamped."""

    page: Annotated[str | None, WithJsonSchema({"type": "integer", "minimum": 1, "default": 1})] = None
    page_size: Annotated[
        str | None,
        WithJsonSchema({"type": "integer", "minimum": 1, "default": 20, "description": f"At most {MAX_SIZE}."}),
    ] = None


class Days(Query):
    """Days on which an object was made, in UTC, both included."""

    start_date: Day | None = None
    end_date: Day | None = None

    @property
    def moments(self) -> tuple[datetime | None, datetime | None]:
        """The same as moments, `[start, end)`. Raises Invalid by field."""
        return day_range(self.start_date, self.end_date)


class Whose(Days):
    """Whose memories: `user_id` is an id, a username or an e-mail address."""

    user_id: Text | None = None
    email: Text | None = None


class GlobalQuery(PageQuery, Whose):
    """Filters of a list of global memories. `content` is a part of the text, whatever its case; `search` is another name of it."""

    session_id: Text | None = None
    content: Text | None = None
    search: Text | None = None


class AllAgentsQuery(PageQuery, Whose):
    """Filters of a list over all agents. `agent` is a slug or UUID; `mentor` is another name of it."""

    agent: Text | None = None
    mentor: Text | None = None


class GroupQuery(Whose):
    """Filters of one agent's memories. `category` is a slug; `my_memory` leaves only the caller's own."""

    category: Text | None = None
    my_memory: Flag | None = None


class AgentQuery(PageQuery, GroupQuery):
    """The same for a paged list."""


class CategoryQuery(PageQuery):
    """Whether inactive categories are listed too."""

    include_inactive: Flag | None = None


class KnowledgeQuery(PageQuery, Days):
    """Filters of an agent's knowledge."""


class ContentBody(Body):
    """A text of 10 to 10,000 characters once trimmed."""

    content: Content


class AgentMemoryBody(ContentBody):
    """A memory to be filed under an active category."""

    category_slug: Text


class AgentMemoryChange(Body):
    """At least one of the two."""

    content: Annotated[Content | None, NotNull()] = None
    category_slug: Annotated[Text | None, NotNull()] = None


class CategoryBody(Body):
    """A new category. Without a slug, one is made from the name."""

    name: Text
    slug: Annotated[Text | None, NotNull()] = None
    description: Text = ""
    extraction_prompt: Text = ""
    is_active: bool = True


class CategoryChange(Body):
    """Any subset of a category's fields."""

    name: Annotated[Text | None, NotNull()] = None
    slug: Annotated[Text | None, NotNull()] = None
    description: Annotated[Text | None, NotNull()] = None
    extraction_prompt: Annotated[Text | None, NotNull()] = None
    is_active: Annotated[bool | None, NotNull()] = None


class SettingsBody(Body):
    """At least one of the two."""

    auto_capture_enabled: Annotated[bool | None, NotNull()] = None
    use_memory_in_responses: Annotated[bool | None, NotNull()] = None


class OrgSwitchBody(Body):
    """Whether memory is on for the org."""

    enable_memsearch: bool


class AgentSwitchBody(Body):
    """Whether memory is on for the agent; left out, nothing changes."""

    enable_memory_component: Annotated[bool | None, NotNull()] = None


class PersonBody(Body):
    """What is set on a member. A new account needs an e-mail address."""

    email: Annotated[Text | None, NotNull()] = None
    full_name: Annotated[Text | None, NotNull()] = None
    role: Annotated[Literal["admin", "member"] | None, NotNull()] = None


class AgentBody(Body):
    """What is set on an agent. `editors` and `viewers` are complete lists of usernames."""

    name: Annotated[Text | None, NotNull()] = None
    description: Annotated[Text | None, NotNull()] = None
    enable_memory_component: Annotated[bool | None, NotNull()] = None
    is_archived: Annotated[bool | None, NotNull()] = None
    editors: Annotated[list[Text] | None, NotNull()] = None
    viewers: Annotated[list[Text] | None, NotNull()] = None


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


class ContextBody(Body):
    """A message to recall for, and how many memories at most."""

    message: Annotated[Text, Field(max_length=MESSAGE_LENGTH)]
    max_global: Annotated[int, Field(ge=0, le=100)] | None = None
    max_agent: Annotated[int, Field(ge=0, le=100)] | None = None
