"""Who may do what, row by row, as the API's documentation says it: the grid's first oracle.

Written down by hand and apart from `webapp.access.policy`, so that a mistake there is not repeated here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import webapp.api
from tests.functional.api.world import OTHER, World
from webapp.http.endpoint import AGENTS, ENDPOINTS, MEMORIES, MEMORY_LIST, PREFIX, Endpoint
from webapp.memory import categories, knowledge
from webapp.memory.write import manual

MEMBERS = frozenset({"olga", "mira", "eddie", "vera"})
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Access:
    """Who besides the org's admin and a superuser may do it on Olga's path (or a path without a user).

    `own`: whether every member may on their own path. `scope` is what a service token needs.
    """

    scope: str
    members: frozenset[str] = frozenset()
    own: bool = False
    body: Mapping[str, Any] | None = None


SELF, EDITORS, READERS = frozenset({"olga"}), frozenset({"eddie"}), frozenset({"eddie", "vera"})
TEXT = {"content": "The user writes number {n}"}
FILED = TEXT | {"category_slug": "preferences"}
CATEGORY = {"name": "Category {n}", "description": "Of the grid"}

ACCESS: dict[str, Access] = {
    "list_global_memories": Access("memories:read", SELF, True),
    "create_global_memory": Access("memories:write", SELF, True, TEXT),
    "get_global_memory": Access("memories:read", SELF, True),
    "edit_global_memory": Access("memories:write", SELF, True, TEXT),
    "delete_global_memory": Access("memories:write", SELF, True),
    "list_all_agent_memories": Access("memories:read", SELF | READERS, True),
    "list_grouped_agent_memories": Access("memories:read", SELF | READERS, True),
    "list_agent_memories": Access("memories:read", SELF | READERS, True),
    "create_agent_memory": Access("memories:write", SELF | EDITORS, True, FILED),
    "get_agent_memory": Access("memories:read", SELF | READERS, True),
    "edit_agent_memory": Access("memories:write", SELF | EDITORS, True, FILED),
    "delete_agent_memory": Access("memories:write", SELF | EDITORS, True),
    # Somebody else's settings resolve to the caller's own, so every member may.
    "get_user_settings": Access("settings:read", MEMBERS, True),
    "put_user_settings": Access("settings:write", MEMBERS, True, {"auto_capture_enabled": True}),
    "patch_user_settings": Access("settings:write", MEMBERS, True, {"use_memory_in_responses": True}),
    "get_memory_status": Access("settings:read", MEMBERS, True),
    "get_org_config": Access("settings:read"),
    "post_org_config": Access("settings:write", body={"enable_memsearch": True}),
    "get_agent_settings": Access("settings:read", SELF | READERS, True),
    "put_agent_settings": Access("settings:write", EDITORS, body={"enable_memory_component": True}),
    "list_categories": Access("categories:read", MEMBERS),
    "get_category": Access("categories:read", MEMBERS),
    "create_category": Access("categories:write", EDITORS, body=CATEGORY),
    "edit_category": Access("categories:write", EDITORS, body=CATEGORY),
    "deactivate_category": Access("categories:write", EDITORS),
    "list_knowledge": Access("knowledge:read", READERS),
    "get_knowledge": Access("knowledge:read", READERS),
    "create_knowledge": Access("knowledge:write", EDITORS, body=TEXT),
    "edit_knowledge": Access("knowledge:write", EDITORS, body=TEXT),
    "delete_knowledge": Access("knowledge:write", EDITORS),
    "post_exchange": Access("exchanges:write", SELF, True, {"user_message": "Hello {n}"}),
    "get_exchange": Access("exchanges:write", SELF, True),
    "post_context": Access("context:read", SELF | READERS, True, {"message": "What was said, planted or not?"}),
    "put_user": Access("people:write", body={"full_name": "Olga Example"}),
    "create_sign_in_link": Access("people:write"),
    "list_agents": Access("settings:read", MEMBERS),
    "get_agent": Access("settings:read", MEMBERS),
    "put_agent": Access("settings:write", body={"description": "Of the grid"}),
    "export_user": Access("memories:read", SELF, True),
    "export_agent": Access("memories:read"),
}
# Importing the resources is what registers their rows.
RESOURCES = webapp.api.RESOURCES
ROWS = {row.name: row for row in ENDPOINTS if row.name in ACCESS}
# Rows whose answer is about the org or the caller: that another user is named makes no difference to members.
NOT_ABOUT_THE_USER = {"get_user_settings", "put_user_settings", "patch_user_settings", "get_memory_status"}


@dataclass(frozen=True)
class Place:
    """What a path names. `objects` says whose memory, category, entry or exchange an id is."""

    org: str = "acme"
    user: str = "olga"
    agent: str = "python-tutor"
    username: str = "olga"
    slug: str = "python-tutor"
    ids: Mapping[str, int] = field(default_factory=dict)

    def path(self, row: Endpoint) -> str:
        """The row's address here, in the agent spelling."""
        rule = row.rule.replace(AGENTS, "agents").replace(MEMORIES, "agent-memories")
        rule = rule.replace(MEMORY_LIST, "agent-memories-list").replace(PREFIX, "ai-agent")
        for name in ("org", "user", "agent", "username", "slug"):
            rule = rule.replace(f"<{name}>", getattr(self, name))
        for name, value in self.ids.items():
            rule = rule.replace(f"<int:{name}>", str(value))
        assert "<" not in rule, f"{row.rule}: nobody said what this path parameter is"
        return f"/api/ai-agent{rule}"


MISSING_ID = 999_999_999
MISSING = dict.fromkeys(("memory_id", "category_id", "entry_id", "exchange_id"), MISSING_ID)


def ids_of(world: World, row: Endpoint, person: str) -> dict[str, int]:
    """The ids of a person's objects and their org's; for writes, objects made for this request alone."""
    org = "other" if person in OTHER else "acme"
    scope = "global" if "global" in row.name else "agent"
    if (person, scope) not in world.memories:
        return MISSING
    if row.method == "GET" or person in OTHER:
        return {
            "memory_id": world.memories[person, scope],
            "category_id": world.categories[org],
            "entry_id": world.knowledge[org],
            "exchange_id": world.exchanges[person],
        }
    return MISSING | _fresh(world, row, org, world.users[person])


def _fresh(world: World, row: Endpoint, org: str, user_id: int) -> dict[str, int]:
    boss, agent_id, text = world.boss(org), world.agents[org], f"Made for cell {next(_numbers)}"
    with world.app.app_context():
        if "<int:category_id>" in row.rule:
            return {"category_id": categories.create(boss, agent_id, name=text).id}
        if "<int:entry_id>" in row.rule:
            return {"entry_id": knowledge.add(boss, agent_id, text).id}
        if "<int:memory_id>" in row.rule:
            filed = ("preferences", agent_id) if "agent" in row.name else (None, None)
            return {"memory_id": manual.add(boss, manual.Draft(user_id, text, filed[1], filed[0])).id}
    return {}


def body_of(access: Access) -> dict[str, Any] | None:
    """A valid body whose texts nothing else has."""
    if access.body is None:
        return None
    number = next(_numbers)
    return {name: value.format(n=number) if isinstance(value, str) else value for name, value in access.body.items()}


def everything_foreign(world: World, row: Endpoint) -> Iterator[tuple[Place, Place]]:
    """Pairs of places that must read the same: one names something of the other org, one names nothing."""
    own = ids_of(world, row, "olga")
    here = Place(ids=own)
    foreign, uuid = ids_of(world, row, "oscar"), world.uuids["other"]
    if "<user>" in row.rule:
        yield replace(here, user="oscar"), replace(here, user="nobody")
        yield replace(here, user=str(world.users["oscar"])), replace(here, user=str(MISSING_ID))
    if "<agent>" in row.rule:
        yield replace(here, agent=uuid), replace(here, agent="00000000-0000-4000-8000-000000000000")
        yield replace(here, agent="other-agent"), replace(here, agent="no-agent")
    if "<int:" in row.rule:
        yield replace(here, ids=foreign), replace(here, ids=MISSING)
    yield replace(here, org="other", user="oscar", agent=uuid, ids=foreign), replace(here, org="nowhere")


Caller = Callable[[str, Endpoint, Place], Any]
