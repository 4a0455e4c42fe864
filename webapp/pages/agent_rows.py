"""Agents as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.db.session import transaction
from webapp.directory.types import AgentView
from webapp.http.paging import with_query
from webapp.http.scope import Scope
from webapp.memory import tallies
from webapp.memory.enablement import shared_off
from webapp.messages import text as msg
from webapp.runtime import runtime


@dataclass(frozen=True, slots=True)
class AgentRow:
    """See templates/components/_agent_table.html."""

    id: int
    name: str
    description: str
    on: bool
    blocked: str | None
    archived: bool
    total: str
    url: str
    urls: dict[str, str | None]


def agent_rows(scope: Scope, agents: Sequence[AgentView], *, manage: bool) -> list[AgentRow]:
    """Each with how many of its memories the reader may read; with `manage`, what an admin can do with it."""
    held = tallies.per_agent(scope.actor, [each.id for each in agents])
    with transaction(scope.org.id) as session:
        off = shared_off(session, scope.org.id, installation_off=runtime().settings.disable_memory)
    blocked = msg(f"agents.on_but_{off.level}") if off else None
    return [_row(scope, each, held.get(each.id, 0), manage=manage, blocked=blocked) for each in agents]


def _row(scope: Scope, agent: AgentView, total: int, *, manage: bool, blocked: str | None) -> AgentRow:
    base = f"/orgs/{scope.org.key}/agents"
    archived = agent.is_archived

    def url(action: str) -> str:
        return with_query({}, f"{base}/{agent.slug}/{action}")

    return AgentRow(
        id=agent.id,
        name=agent.name,
        description=agent.description,
        on=agent.enable_memory_component and not archived,
        blocked=blocked,
        archived=archived,
        total=msg("agents.many", n=tallies.MOST) if total > tallies.MOST else f"{total:,}",
        url=f"{base}/{agent.slug}/memory",
        urls={
            "edit": url("edit") if manage else None,
            "archive": url("archive") if manage and not archived else None,
            "restore": url("restore") if manage and archived else None,
        },
    )
