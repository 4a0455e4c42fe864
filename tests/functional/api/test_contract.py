"""Every example request of the API's originals, over real HTTP, under every prefix and in both spellings.

What an example sends and what it answers stand here as method, path, body, status and keys.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from tests.functional.api.world import World
from webapp.memory import categories, knowledge
from webapp.memory.write import manual

PAGE = {"count", "next", "previous", "results"}
PERSON = {"username", "email", "user_full_name"}
MEMORY = {"id", "content", "source_session_id", "is_auto_generated", "created_at", "updated_at", "version"} | PERSON
GLOBAL = MEMORY | {"platform"}
AGENT = MEMORY | {"mentor_id", "agent", "mentor", "category"}
CATEGORY = {"id", "name", "slug", "description", "extraction_prompt", "is_active", "created_at", "version"}
KNOWLEDGE = {
    "id", "mentor_id", "mentor_name", "content", "created_by", "created_by_email", "created_by_full_name",
    "created_at", "updated_at", "version",
}  # fmt: skip
SETTINGS = {"auto_capture_enabled", "use_memory_in_responses", "updated_at"}

U = "/orgs/acme/users/olga"
A = "/orgs/acme/{agents}/python-tutor"
UA = "/orgs/acme/users/olga/{agents}/python-tutor"
FILTERS = "user_id=olga&email=olga@example.org&start_date=2024-01-01&end_date=2044-01-31"


@dataclass(frozen=True)
class Example:
    """One request: who sends what where, and the status and keys of the answer. `{…}` in a path is made for it."""

    method: str
    path: str
    status: int
    keys: set[str] | None
    body: dict[str, Any] | None = None
    who: str = "olga"

    def __str__(self) -> str:
        return f"{self.method} {self.path.partition('?')[0]}"


EXAMPLES = (
    Example("GET", f"{U}/global-memories/", 200, GLOBAL),
    Example("GET", f"{U}/global-memories/?session_id=abc-123-def", 200, GLOBAL),
    Example("GET", f"{U}/global-memories/?content=software%20engineer", 200, GLOBAL),
    Example("GET", f"{U}/global-memories/?{FILTERS}", 200, GLOBAL),
    Example("GET", f"{U}/global-memories/?content=python&start_date=2024-01-01", 200, GLOBAL),
    Example("POST", f"{U}/global-memories/", 201, GLOBAL, {"content": "The user is preparing for an interview"}),
    Example("PATCH", f"{U}/global-memories/{{global}}/", 200, GLOBAL, {"content": "The user passed the interview"}),
    Example("DELETE", f"{U}/global-memories/{{global}}/", 204, None),
    Example("GET", f"{U}/{{memories}}/", 200, AGENT),
    Example("GET", f"{U}/{{memories}}/?mentor=python-tutor&{FILTERS}", 200, AGENT),
    Example("GET", f"{U}/{{memories}}/?agent=python-tutor", 200, AGENT),
    Example("GET", f"{UA}/{{memories}}/", 200, {"category", "memories", "count"}),
    Example("GET", f"{UA}/{{memories}}/?category=knowledge_gaps", 200, {"category", "memories", "count"}),
    Example("GET", f"{UA}/{{memories}}/?my_memory=true&{FILTERS}", 200, {"category", "memories", "count"}),
    Example("GET", f"{UA}/{{memories}}-list/?page=1&page_size=20&category=preferences&start_date=2026-01-01", 200, AGENT),
    Example("GET", f"{UA}/{{memories}}-list/?my_memory=false&{FILTERS}", 200, AGENT),
    Example(
        "POST", f"{UA}/{{memories}}/", 201, AGENT,
        {"content": "The user completed the basics course", "category_slug": "progress_milestones"},
    ),
    Example("PATCH", f"{UA}/{{memories}}/{{agent}}/", 200, AGENT, {"content": "The user completed both courses"}),
    Example("PATCH", f"{UA}/{{memories}}/{{agent}}/", 200, AGENT, {"category_slug": "learning_goals"}),
    Example("DELETE", f"{UA}/{{memories}}/{{agent}}/", 204, None),
    Example("GET", f"{U}/memsearch-settings/", 200, SETTINGS),
    Example(
        "PUT", f"{U}/memsearch-settings/", 200, SETTINGS,
        {"auto_capture_enabled": True, "use_memory_in_responses": False},
    ),
    Example("GET", f"{U}/memsearch-status/", 200, {"enable_memsearch"}),
    Example("GET", f"{A}/memory-categories/", 200, CATEGORY, who="eddie"),
    Example(
        "POST", f"{A}/memory-categories/", 201, CATEGORY,
        {"name": "Ideas", "slug": "new_ideas", "description": "Ideas of the user", "extraction_prompt": "", "is_active": True},
        who="eddie",
    ),
    Example("PATCH", f"{A}/memory-categories/{{category}}/", 200, CATEGORY, {"description": "Ideas to try"}, who="eddie"),
    Example("DELETE", f"{A}/memory-categories/{{category}}/", 204, None, who="eddie"),
    # The exception: knowledge has the same word in both spellings.
    Example("GET", f"{A}/agent-memories/?page=1&page_size=20&start_date=2024-01-01&end_date=2044-01-01", 200, KNOWLEDGE, who="eddie"),
    Example("POST", f"{A}/agent-memories/", 201, KNOWLEDGE, {"content": "The refund window is 31 days"}, who="eddie"),
    Example("PATCH", f"{A}/agent-memories/{{knowledge}}/", 200, KNOWLEDGE, {"content": "The refund window is 45 days"}, who="eddie"),
    Example("DELETE", f"{A}/agent-memories/{{knowledge}}/", 204, None, who="eddie"),
)  # fmt: skip
PREFIXES = ("/api/ai-agent", "/api/ai-mentor", "/dm/api/ai-agent", "/dm/api/ai-mentor")
SPELLINGS = (("agents", "agent-memories"), ("mentors", "mentor-memories"))
_numbers = itertools.count(1)


@pytest.fixture
def place(world: World) -> Callable[[Example, str, str], str]:
    """Makes what a path needs, and clears away what an earlier run of the same example made."""

    def fill(example: Example, agents: str, memories: str) -> str:
        boss, agent_id, number = world.boss("acme"), world.agents["acme"], next(_numbers)
        user_id = world.users["olga"]
        made = {"agents": agents, "memories": memories}
        with world.app.app_context():
            if "{global}" in example.path:
                made["global"] = str(manual.add(boss, manual.Draft(user_id, f"Global example {number}")).id)
            if "{agent}" in example.path:
                draft = manual.Draft(user_id, f"Agent example {number}", agent_id, "preferences")
                made["agent"] = str(manual.add(boss, draft).id)
            if "{category}" in example.path:
                made["category"] = str(categories.create(boss, agent_id, name=f"Example {number}").id)
            if "{knowledge}" in example.path:
                made["knowledge"] = str(knowledge.add(boss, agent_id, f"Knowledge example {number}").id)
        return example.path.format(**made)

    return fill


def unique(body: dict[str, Any] | None) -> dict[str, Any] | None:
    """The same body with texts that nothing else has, so that examples do not meet each other."""
    number = next(_numbers)
    numbered = {"content", "slug"}
    return body and {key: f"{value}{number}" if key in numbered else value for key, value in body.items()}


@pytest.mark.parametrize("words", SPELLINGS, ids=lambda words: words[0])
@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_example_works(
    world: World, http: httpx2.Client, place: Callable[..., str], example: Example, prefix: str, words: tuple[str, str]
) -> None:
    path = prefix + place(example, *words)
    answer = http.request(example.method, path, headers=world.headers(example.who), json=unique(example.body))
    assert answer.status_code == example.status, answer.text
    if example.keys is None:
        assert answer.content == b""
        return
    found = answer.json()
    if isinstance(found, dict) and "results" in found:
        assert set(found) == PAGE
        found = found["results"]
    for item in found if isinstance(found, list) else [found]:
        assert set(item) == example.keys
    if not isinstance(found, list) and "version" in example.keys:
        assert answer.headers["ETag"] == f'"{found["version"]}"'


@pytest.mark.parametrize("scheme", ["Token", "Api-Token", "Bearer", "Api-Key", "bearer"])
def test_every_scheme_of_the_header_works(world: World, http: httpx2.Client, scheme: str) -> None:
    headers = {"Authorization": f"{scheme} {world.tokens['olga']}"}
    assert http.get(f"/api/ai-agent{U}/global-memories/", headers=headers).status_code == 200


def test_paths_work_without_the_trailing_slash_and_without_a_redirect(world: World, http: httpx2.Client) -> None:
    for path in (f"{U}/global-memories", f"{U}/mentors/python-tutor/agent-memories", f"{A}/memory-categories"):
        answer = http.get("/api/ai-agent" + path.format(agents="agents"), headers=world.headers("olga"))
        assert answer.status_code == 200


def test_an_agent_is_named_by_its_uuid_too(world: World, http: httpx2.Client) -> None:
    path = f"{U}/mentors/{world.uuids['acme']}/mentor-memories-list/"
    found = http.get("/dm/api/ai-mentor" + path, headers=world.headers("olga")).json()
    assert [memory["mentor_id"] for memory in found["results"]] == [world.uuids["acme"]] * len(found["results"])


@pytest.mark.parametrize("name", ["olga", "OLGA", "olga@example.org", "{id}"])
def test_a_user_is_named_by_username_id_or_email(world: World, http: httpx2.Client, name: str) -> None:
    name = name.format(id=world.users["olga"])
    answer = http.get(f"/api/ai-agent/orgs/acme/users/{name}/global-memories/", headers=world.headers("ada"))
    assert {memory["username"] for memory in answer.json()["results"]} == {"olga"}


def test_the_renamed_path_without_a_user_does_not_exist(world: World, http: httpx2.Client) -> None:
    answer = http.get("/api/ai-mentor/orgs/acme/mentors/python-tutor/mentor-memories/", headers=world.headers("ada"))
    assert (answer.status_code, answer.json()) == (404, {"detail": "Not found."})


def test_one_object_is_read_by_rows_3_9_18_and_22(world: World, http: httpx2.Client, place: Callable[..., str]) -> None:
    for path, keys in (
        (f"{U}/global-memories/{{global}}/", GLOBAL),
        (f"{UA}/agent-memories/{{agent}}/", AGENT),
        (f"{A}/memory-categories/{{category}}/", CATEGORY),
        (f"{A}/agent-memories/{{knowledge}}/", KNOWLEDGE),
    ):
        filled = place(Example("GET", path, 200, keys), "agents", "agent-memories")
        answer = http.get(f"/api/ai-agent{filled}", headers=world.headers("ada"))
        assert set(answer.json()) == keys
        assert answer.headers["ETag"] == '"1"'
