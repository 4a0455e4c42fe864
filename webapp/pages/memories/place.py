"""A list of memories on a screen: whose they are, where its actions are, and how it is drawn again after one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlencode

from flask import request
from werkzeug.wrappers import Response

from webapp.access.actor import Actor
from webapp.access.policy import Target, can
from webapp.directory.types import AgentView, UserView
from webapp.errors import NotVisible
from webapp.http.frame import Toast, toast
from webapp.http.htmx import navigate, wants_partial
from webapp.memory import queries
from webapp.memory.types import MemoryView
from webapp.memory.write.manual import write_action

# No id is larger than PostgreSQL's bigint: an address with a larger number is a 404, not a database error.
ID = "int(max=9223372036854775807)"


class Redraw(Protocol):
    """Draws a list's region again, beside the toasts and with one row marked as new."""

    def __call__(self, *, toasts: Sequence[Toast], new: int | None) -> Response: ...


@dataclass(frozen=True, slots=True)
class Place:
    """One list. `user` and `agent` narrow it: (user, None) are a person's global memories, (None, agent) an agent's.

    `path` is the screen and `title` its name, `base` the prefix of its actions, `region` the CSS selector that an answer replaces. Every
    address keeps the filters that the screen's own address has.
    """

    actor: Actor
    path: str
    base: str
    region: str
    title: str
    redraw: Redraw
    user: UserView | None = None
    agent: AgentView | None = None
    query: Mapping[str, str] = field(default_factory=lambda: request.args.to_dict())

    @property
    def agent_id(self) -> int:
        """The agent whose list this is; NotVisible for a list of global memories."""
        if self.agent is None:
            raise NotVisible
        return self.agent.id

    @property
    def home(self) -> str:
        """The screen with its filters."""
        return self._with_query(self.path)

    def url(self, action: str) -> str:
        """The address of an action on this list."""
        return self._with_query(f"{self.base}/{action}")

    def memory(self, memory_id: int) -> MemoryView:
        """One memory of this list in any state; NotVisible for one of another list."""
        found = queries.get_memory(self.actor, memory_id)
        other_user = self.user is not None and found.user.id != self.user.id
        other_agent = (found.agent.id if found.agent else None) != (self.agent.id if self.agent else None)
        if other_user or other_agent:
            raise NotVisible
        return found

    def writable(self, user_id: int) -> bool:
        """Whether the reader may change this user's memories here: decides what is shown, not what is allowed."""
        agent_id = self.agent.id if self.agent else None
        return can(self.actor, write_action(agent_id), Target(self.actor.org_id, user_id, agent_id))

    def _with_query(self, path: str) -> str:
        return path + (f"?{urlencode(self.query)}" if self.query else "")


Finder = Callable[..., Place]
Handler = Callable[..., Response]


def done(place: Place, text: str, *, undo: Mapping[str, Any] | None = None, new: int | None = None) -> Response:
    """After a change: the list again and a message; without htmx back to the screen, where the message waits."""
    message: Toast = {"text": text, "kind": "ok", "undo": dict(undo) if undo else None}
    if wants_partial():
        return place.redraw(toasts=[message], new=new)
    toast(message)
    return navigate(place.home)
