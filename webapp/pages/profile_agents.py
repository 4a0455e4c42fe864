"""*What each agent remembers about me*: per agent, grouped by category, the newest of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from werkzeug.wrappers import Response

from webapp.directory import agents as directory
from webapp.directory.types import AgentView
from webapp.http.frame import Toast
from webapp.http.htmx import render
from webapp.http.scope import Scope
from webapp.memory import queries
from webapp.messages import text as msg
from webapp.pages.memories.lists import kept
from webapp.pages.memories.place import Place
from webapp.pages.memories.rows import Row, row, without_category

# Shown of each category; the rest is on the agent's own page.
NEWEST = 3
# Agents without memories are shown too, so that one can add something: as many as one can look over.
AGENTS = 20


@dataclass(frozen=True, slots=True)
class CategorySection:
    """One category's newest memories."""

    name: str
    inactive: bool
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class AgentSection:
    """See the variable `agents` of templates/profile/memory.html."""

    id: int
    name: str
    total: int
    note: str | None
    urls: dict[str, str | None]
    categories: list[CategorySection]


def agent_place(scope: Scope, reference: str) -> Place:
    """What one agent remembers about the reader, by the agent's slug or UUID."""
    return _place(scope, directory.get_agent(scope.actor, reference))


def agent_sections(scope: Scope, *, new: int | None = None) -> list[AgentSection]:
    """Agents that hold something first, then those that could; archived ones only where they hold something."""
    wanted = queries.MemoryFilter(scope="agent", user_id=scope.user_id)
    held: dict[str, list[queries.Group]] = {}
    for group in queries.list_grouped(scope.actor, wanted, limit=NEWEST):
        agent = group.memories[0].agent
        assert agent is not None, "the filter asks for agents' memories"
        held.setdefault(agent.slug, []).append(group)
    known = {each.slug: each for each in directory.list_agents(scope.actor, size=AGENTS).rows}
    holding = [known.get(slug) or directory.get_agent(scope.actor, slug) for slug in held]
    empty = [each for each in known.values() if each.slug not in held and not each.is_archived]
    ordered = sorted(holding, key=lambda each: each.name.lower()) + empty
    return [_section(scope, each, held.get(each.slug, []), new) for each in ordered]


def _section(scope: Scope, agent: AgentView, groups: Sequence[queries.Group], new: int | None) -> AgentSection:
    place = _place(scope, agent)
    total = sum(group.count for group in groups)
    more = total > sum(len(group.memories) for group in groups)
    return AgentSection(
        id=agent.id,
        name=agent.name,
        total=total,
        note=_note(agent),
        urls={
            "add": place.url("new"),
            "all": f"/orgs/{scope.org.key}/agents/{agent.slug}/memory?user={quote(_email(scope))}" if more else None,
            "deleted": place.url("deleted"),
        },
        categories=[_category(group, place, new) for group in groups],
    )


def _category(group: queries.Group, place: Place, new: int | None) -> CategorySection:
    rows = [without_category(row(memory, place, new=new)) for memory in group.memories]
    return CategorySection(group.category.name, not group.category.is_active, rows)


def _note(agent: AgentView) -> str | None:
    if agent.is_archived:
        return msg("state.agent_note_archived")
    return None if agent.enable_memory_component else msg("state.agent_note")


def _place(scope: Scope, agent: AgentView) -> Place:
    def redraw(*, toasts: Sequence[Toast], new: int | None) -> Response:
        return render("profile/memory.html", "agents", toasts=toasts, agents=agent_sections(scope, new=new))

    path = f"/orgs/{scope.org.key}/me/memory"
    return Place(
        scope.actor, path, f"{path}/agents/{agent.slug}", "#agent-memories", msg("profile.title"), redraw,
        user=scope.user, agent=agent, query=kept("q", "page"),
    )  # fmt: skip


def _email(scope: Scope) -> str:
    return scope.user.email if scope.user else ""
