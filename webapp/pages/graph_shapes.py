"""What the graph's templates take, made from the graph's values: times in the reader's zone, links, places in a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from webapp.graph.picture import WIDTH, height_for, layout
from webapp.graph.queries import EntityView, GroupView, Neighbourhood, is_ended
from webapp.graph.types import Counted, Entity, Episode, Fact
from webapp.http.frame import reader_zone
from webapp.messages import CATALOGUE
from webapp.messages import text as msg
from webapp.messages.moments import Moment
from webapp.pages.shapes.times import shown

LEAST_RADIUS, MOST_RADIUS = 9, 26


@dataclass(frozen=True, slots=True)
class Held:
    """When a fact held, in words, with the exact times. ``state``: current, ended or coming."""

    state: str
    words: str
    start: Moment | None
    end: Moment | None


@dataclass(frozen=True, slots=True)
class End:
    """An entity at the end of a fact."""

    name: str
    url: str


@dataclass(frozen=True, slots=True)
class FactRow:
    """See templates/graph/_facts.html. ``bar`` is where it lies on its timeline: (x, width) of 1000, None elsewhere."""

    id: int
    text: str
    relation: str
    ends: Sequence[End]
    held: Held
    sources: int
    urls: Mapping[str, str | None]
    bar: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class EntityRow:
    """See templates/graph/entities.html."""

    id: int
    name: str
    summary: str
    by_hand: bool
    facts: int
    url: str


@dataclass(frozen=True, slots=True)
class MessageRow:
    """See templates/graph/_messages.html."""

    id: int
    speaker: str
    role: str
    text: str
    said: Moment
    taken_in: Moment
    state: str
    state_text: str
    urls: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Place:
    """The addresses of one group's screens. ``writable``: whether the reader may delete."""

    org_key: str
    key: str
    writable: bool

    @property
    def path(self) -> str:
        """The group's screen."""
        return f"/orgs/{self.org_key}/graph/{self.key}"

    def url(self, *parts: object) -> str:
        """An address below it."""
        return "/".join([self.path, *map(str, parts)])


def fact_row(fact: Fact, place: Place, *, bar: tuple[float, float] | None = None) -> FactRow:
    """One fact in a list."""
    ends = [End(fact.source_name, place.url("entities", fact.source_id))]
    if fact.target_id != fact.source_id:
        ends.append(End(fact.target_name, place.url("entities", fact.target_id)))
    delete = place.url("facts", fact.id, "delete") if place.writable else None
    urls = {"sources": place.url("facts", fact.id), "delete": delete}
    return FactRow(fact.id, fact.text, fact.name, ends, held(fact), len(fact.episodes), urls, bar)


def held(fact: Fact) -> Held:
    """When it held. Dates are days in the reader's zone; the exact times stand beside them."""
    now = datetime.now(UTC)
    start, end = (shown(at) if at else None for at in (fact.valid_at, fact.invalid_at))
    ended = is_ended(fact, now)
    state = "ended" if ended else "coming" if fact.valid_at and fact.valid_at > now else "current"
    if fact.valid_at and fact.invalid_at:
        words = msg("graph.from_until", start=day(fact.valid_at), end=day(fact.invalid_at))
    elif fact.invalid_at:
        words = msg("graph.until", date=day(fact.invalid_at))
    elif fact.valid_at:
        words = msg("graph.coming" if state == "coming" else "graph.since", date=day(fact.valid_at))
    else:
        words = msg("graph.since_unknown")
    return Held(state, words, start, end)


def day(at: datetime) -> str:
    """The date in the reader's zone."""
    local = at.astimezone(reader_zone())
    return f"{local.day} {local:%b %Y}"


def timeline(view: EntityView, place: Place) -> dict[str, Any]:
    """The facts of an entity as bars between its first and its last date; see templates/graph/entity.html."""
    now = datetime.now(UTC)
    dates = [at for fact in view.facts for at in (fact.valid_at, fact.invalid_at) if at]
    first, last = min([*dates, now]), max([*dates, now])
    span = max((last - first).total_seconds(), 1.0)

    def bar(fact: Fact) -> tuple[float, float]:
        start = ((fact.valid_at or first) - first).total_seconds() / span
        end = ((fact.invalid_at or last) - first).total_seconds() / span
        return round(1000 * min(start, 0.99), 1), round(max(1000 * (end - start), 8.0), 1)

    rows = [fact_row(fact, place, bar=bar(fact)) for fact in view.facts]
    return {
        "rows": rows,
        "first": day(first),
        "last": msg("graph.now") if last == now else day(last),
        "total": view.total,
    }


def entity_row(counted: Counted, place: Place) -> EntityRow:
    """One entity in a list."""
    entity = counted.entity
    url = place.url("entities", entity.id)
    return EntityRow(entity.id, entity.name, entity.summary, entity.by_hand, counted.facts, url)


def entity_head(view: EntityView) -> dict[str, Any]:
    """The head of an entity's screen."""
    entity: Entity = view.entity
    others = [name for name in view.known_as if name != entity.name]
    return {"name": entity.name, "summary": entity.summary, "known_as": ", ".join(others), "by_hand": entity.by_hand}


def message_row(episode: Episode, place: Place, *, may_retry: bool) -> MessageRow:
    """One message in a list."""
    role = msg(f"graph.role_{episode.role_type}")
    retry = place.url("messages", episode.id, "retry") if may_retry and episode.state == "failed" else None
    delete = place.url("messages", episode.id, "delete") if place.writable else None
    return MessageRow(
        id=episode.id,
        speaker=episode.role or role,
        role=role,
        text=episode.content,
        said=shown(episode.occurred_at),
        taken_in=shown(episode.created_at),
        state=episode.state,
        state_text=_state(episode),
        urls={"delete": delete, "retry": retry},
    )


def _state(episode: Episode) -> str:
    if episode.state != "failed":
        return msg(f"graph.state_{episode.state}")
    key = f"failure.{episode.error}"
    return msg("graph.state_failed", error=msg(key) if key in CATALOGUE else episode.error or "")


def picture(found: Neighbourhood, place: Place, center: int | None) -> dict[str, Any]:
    """Circles, lines and the table beside them; see templates/graph/_picture.html."""
    names = {one.entity.id: one.entity.name for one in found.entities}
    places = layout(list(names), [(link.source_id, link.target_id) for link in found.links])
    most = max((one.facts for one in found.entities), default=1)
    nodes = [
        {
            "name": one.entity.name,
            "label": _short(one.entity.name),
            "title": msg("graph.node_title", name=one.entity.name, n=one.facts),
            "url": place.url("picture") + f"?center={one.entity.id}",
            "x": places[one.entity.id].x,
            "y": places[one.entity.id].y,
            "r": round(LEAST_RADIUS + (MOST_RADIUS - LEAST_RADIUS) * (one.facts / most) ** 0.5, 1),
            "here": one.entity.id == center,
        }
        for one in found.entities
    ]
    lines = [
        {
            "one": places[link.source_id],
            "other": places[link.target_id],
            "current": link.current > 0,
            "facts": link.facts,
            "now": link.current,
            "source": End(names[link.source_id], place.url("entities", link.source_id)),
            "target": End(names[link.target_id], place.url("entities", link.target_id)),
        }
        for link in found.links
    ]
    return {"nodes": nodes, "lines": lines, "width": WIDTH, "height": height_for(len(nodes))}


def _short(name: str) -> str:
    return name if len(name) <= 22 else name[:21] + "…"


def group_row(view: GroupView, org_key: str) -> dict[str, Any]:
    """One group in a list."""
    return {
        "key": view.group.key,
        "owner": view.owner,
        "episodes": view.episodes,
        "entities": view.entities,
        "facts": view.facts,
        "failed": view.failed,
        "url": f"/orgs/{org_key}/graph/{view.group.key}",
    }
