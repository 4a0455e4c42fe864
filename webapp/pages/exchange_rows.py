"""Exchanges and graph messages as rows of Activity: what became of each, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from webapp.directory import names
from webapp.directory.names import Named
from webapp.http.paging import with_query
from webapp.http.scope import Scope
from webapp.inbox.types import InboxStatus
from webapp.memory.enablement import Off, capture_offs
from webapp.messages import CATALOGUE
from webapp.messages import text as msg
from webapp.messages.moments import Moment
from webapp.pages.shapes.states import switched_off
from webapp.pages.shapes.times import shown

# Nobody: an id that no member or agent has.
NOBODY = -1
PERSON_OFF = "user_capture_off"


@dataclass(frozen=True, slots=True)
class ExchangeRow:
    """See templates/tenant/activity.html."""

    id: int
    user: str
    agent: str
    state: str
    moment: Moment
    reason: str | None
    error: str | None
    attempts: int
    counts: list[str]
    cure: Link | None
    urls: dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Link:
    """To where it can be changed."""

    url: str
    label: str


@dataclass(frozen=True, slots=True)
class Known:
    """What rows name: people and agents by id, and whose learning is off."""

    people: dict[int, Named]
    agents: dict[int, Named]
    off: dict[int, Off]


def exchange_rows(scope: Scope, items: Sequence[InboxStatus], path: str) -> list[ExchangeRow]:
    """Each item as a row; `path` is the screen's address."""
    actor = scope.actor
    known = Known(
        names.people_names(actor, {each.user_id for each in items if each.user_id}),
        names.agent_names(actor, {each.agent_id for each in items if each.agent_id}),
        capture_offs(actor, {each.user_id for each in items if each.user_id and each.reason == PERSON_OFF}),
    )
    return [_row(scope, each, known, path) for each in items]


def _row(scope: Scope, item: InboxStatus, known: Known, path: str) -> ExchangeRow:
    retry_url = with_query({}, f"{path}/{item.id}/retry") if item.can_retry else None
    user, agent = known.people.get(item.user_id or NOBODY), known.agents.get(item.agent_id or NOBODY)
    urls = _urls(scope, user, agent)
    return ExchangeRow(
        id=item.id,
        user=user.name if user else msg("users.unknown"),
        agent=msg("activity.graph") if item.kind == "episode" else agent.name if agent else "",
        state="nothing" if item.status == "done" and not item.created + item.superseded else item.status,
        moment=shown(item.done_at or item.created_at),
        reason=_reason(scope, item, known),
        error=_words("failure", item.error),
        attempts=item.attempts,
        counts=_counts(item) if item.status == "done" else [],
        cure=_cure(scope, item, urls),
        urls=urls | {"retry": retry_url},
    )


def _urls(scope: Scope, user: Named | None, agent: Named | None) -> dict[str, str | None]:
    base = f"/orgs/{scope.org.key}"
    return {
        "user": f"{base}/memory/users/{quote(user.reference)}" if user else None,
        "agent": f"{base}/agents/{agent.reference}/memory" if agent else None,
    }


def _counts(item: InboxStatus) -> list[str]:
    """What is not nothing of what it came to; a sentence where all of it is, unless there is a reason to read."""
    why = ", ".join(_rejection(code, count) for code, count in sorted(item.rejections.items()))
    figures = {"created": item.created, "superseded": item.superseded, "duplicates": item.duplicates}
    found = [msg(f"activity.{name}", n=n) for name, n in figures.items() if n]
    if item.rejected:
        found.append(msg("activity.rejected", n=item.rejected, why=why))
    return found or ([] if item.reason else [msg("activity.nothing_found")])


def _cure(scope: Scope, item: InboxStatus, urls: dict[str, str | None]) -> Link | None:
    """The switch that kept it from being learned from."""
    places = {PERSON_OFF: urls["user"], "agent_off": urls["agent"], "org_off": f"/orgs/{scope.org.key}/memory"}
    url = places.get(item.reason or "")
    return Link(url, msg(f"activity.cure_{item.reason}")) if url else None


def _reason(scope: Scope, item: InboxStatus, known: Known) -> str | None:
    """Who turned a person's learning off is said only where the switch has not been set again since."""
    off = known.off.get(item.user_id or NOBODY) if item.reason == PERSON_OFF else None
    if off is None or off.since is None or item.done_at is None or off.since > item.done_at:
        return _words("reason", item.reason)
    return switched_off(f"reason.{PERSON_OFF}", off, scope.actor.account_id)


def _rejection(code: str, count: int) -> str:
    words = _words("rejection", code)
    return f"{words} ({count})"


def _words(group: str, code: str | None) -> str | None:
    """A reason or error in words; a code that has none yet is shown as it is."""
    key = f"{group}.{code}"
    return msg(key) if key in CATALOGUE else code
