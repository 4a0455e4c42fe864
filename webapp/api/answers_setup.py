"""What the JSON API answers about switches, people and agents."""

from __future__ import annotations

from typing import Literal, Self

from webapp.api.answers import Moment, Shape
from webapp.directory.types import AgentView, UserView
from webapp.memory import user_switches


class UserSettings(Shape):
    """A user's two switches; `updated_at` is null while nothing was ever saved."""

    auto_capture_enabled: bool
    use_memory_in_responses: bool
    updated_at: Moment | None

    @classmethod
    def of(cls, settings: user_switches.UserSettings) -> Self:
        """From the domain's value."""
        return cls(**{name: getattr(settings, name) for name in cls.model_fields})


class OrgSwitch(Shape):
    """Whether memory is on for the org."""

    enable_memsearch: bool


class AgentSwitch(Shape):
    """Whether memory is on for the agent."""

    enable_memory_component: bool


class User(Shape):
    """A member of the org."""

    id: int
    username: str
    email: str
    full_name: str
    role: Literal["admin", "member"]

    @classmethod
    def of(cls, user: UserView) -> Self:
        """From the domain's value."""
        return cls(**{name: getattr(user, name) for name in cls.model_fields})


class SignInLink(Shape):
    """A link that signs its user in, once."""

    url: str
    expires_at: Moment


class Agent(Shape):
    """An AI agent of the org. `editors` and `viewers` are null for those who may not change agents."""

    id: int
    unique_id: str
    slug: str
    name: str
    description: str
    enable_memory_component: bool
    is_archived: bool
    editors: list[str] | None
    viewers: list[str] | None
    created_at: Moment
    version: int

    @classmethod
    def of(cls, agent: AgentView, *, with_roles: bool) -> Self:
        """From the domain's value."""
        derived = {
            "unique_id": str(agent.unique_id),
            "editors": list(agent.editors) if with_roles else None,
            "viewers": list(agent.viewers) if with_roles else None,
        }
        return cls(**{name: getattr(agent, name) for name in cls.model_fields if name not in derived}, **derived)
