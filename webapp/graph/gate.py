"""What of a model's answer may enter the graph: everything it says is checked against the message. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from webapp.graph import answer, attributes
from webapp.graph.answer import Object
from webapp.graph.dates import held, moment
from webapp.graph.extraction import Context
from webapp.graph.names import key, occurs
from webapp.graph.rules.mentions import names_nothing
from webapp.graph.types import MAX_FACT, MAX_NAME, MAX_RELATION, Ending, Extraction, Message, Named, Single, Statement
from webapp.memory.content import clean, normalise

MAX_ENTITIES = 60
MAX_STATEMENTS = 60
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |any |the )?(?:previous|prior|above|earlier)\b|^\W*(?:system|assistant|developer) ?:|</?(?:system|tool|function)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Gate:
    """The checks of one answer; ``said`` is all that may be quoted: the message and what was given with it."""

    message: Message
    context: Context
    said: str
    rejections: Counter[str] = field(default_factory=Counter)
    entities: dict[str, Named] = field(default_factory=dict)


def check(found: Object, message: Message, context: Context) -> Extraction:
    """Return what of an answer holds up: names that occur, facts between listed entities, times that parse.

    What does not is counted by reason. References to known entities and facts that were not shown mean nothing.
    """
    gate = _Gate(message, context, _said(message, context))
    for item in list(answer.items(found, "entities"))[:MAX_ENTITIES]:
        _entity(gate, item)
    statements: dict[tuple[str, str, str], Statement] = {}
    for item in list(answer.items(found, "facts"))[:MAX_STATEMENTS]:
        statement = _statement(gate, item)
        if statement:
            statements.setdefault((key(statement.source), key(statement.target), normalise(statement.text)), statement)
    endings = [ending for item in answer.items(found, "ended") if (ending := _ending(gate, item))]
    return Extraction(tuple(gate.entities.values()), tuple(statements.values()), tuple(endings), dict(gate.rejections))


def _said(message: Message, context: Context) -> str:
    parts = [message.speaker, message.text, *(f"{one.speaker} {one.text}" for one in context.before)]
    return "\n".join([*parts, *(one.name for one in context.entities)])


def _entity(gate: _Gate, item: Object) -> None:
    name = clean(answer.text_of(item, "name"))
    known = _shown(answer.number_of(item.get("known")), [one.number for one in gate.context.entities])
    reason = _name_fault(gate, name)
    if reason:
        gate.rejections[reason] += 1
    else:
        gate.entities.setdefault(key(name), Named(name, known=known))


def _name_fault(gate: _Gate, name: str) -> str | None:
    if not key(name) or len(name) > MAX_NAME or names_nothing(name):
        return "no_name"
    return None if occurs(name, gate.said) else "name_not_said"


def _statement(gate: _Gate, item: Object) -> Statement | None:
    text = clean(answer.text_of(item, "fact"))
    source, target = (_end(gate, answer.text_of(item, side)) for side in ("source", "target"))
    reason = "unlisted_end" if source is None or target is None else _text_fault(gate, text)
    if reason or source is None or target is None:
        gate.rejections[reason or "unlisted_end"] += 1
        return None
    start, end = _times(gate, item, text)
    relation = re.sub(r"[^A-Z0-9]+", "_", answer.text_of(item, "relation").upper()).strip("_")[:MAX_RELATION]
    relation = relation or "RELATES_TO"
    facts = [one.number for one in gate.context.facts]
    replaces = item.get("replaces")
    numbers = [answer.number_of(one) for one in replaces] if isinstance(replaces, list) else []
    return Statement(
        source, target, relation, text, start, end,
        single=_single(gate, item.get("single"), source, target) or attributes.of_relation(relation, source, target),
        same=_shown(answer.number_of(item.get("same")), facts),
        replaces=tuple(number for number in numbers if _shown(number, facts) and number is not None),
    )  # fmt: skip


def _end(gate: _Gate, name: str) -> str | None:
    """The listed entity of this name; the speaker is listed whenever it is at an end of a fact."""
    listed = gate.entities.get(key(name))
    if listed is None and key(name) == key(gate.message.speaker):
        listed = gate.entities.setdefault(key(name), Named(gate.message.speaker))
    return listed.name if listed else None


def _text_fault(gate: _Gate, text: str) -> str | None:
    if not key(text) or (len(text.split()) < 2 and text.isascii()):
        return "contentless"
    if len(text) > MAX_FACT:
        return "too_long"
    if _INSTRUCTION.search(text):
        return "instruction"
    unsaid = set(_FIGURE.findall(text)) - set(_FIGURE.findall(gate.said)) - _dates_of(gate)
    return "figure_not_said" if unsaid else None


def _dates_of(gate: _Gate) -> set[str]:
    """Figures that a resolved date may bring in: "yesterday" is a day, a month and a year."""
    at = gate.message.said_at
    days = {str(day) for day in range(1, 32)} | {f"{day:02d}" for day in range(1, 32)}
    return days | {str(at.year + years) for years in range(-60, 11)}


def _times(gate: _Gate, item: Object, text: str) -> tuple[datetime | None, datetime | None]:
    """The times given, as far as they parse; else what the sentence itself says."""
    given = {name: answer.text_of(item, name) for name in ("valid_at", "invalid_at")}
    start, end = moment(given["valid_at"]), moment(given["invalid_at"])
    for name, parsed in (("valid_at", start), ("invalid_at", end)):
        if parsed is None and given[name] and given[name].casefold() not in {"null", "none", "unknown"}:
            gate.rejections["time_unreadable"] += 1
    said = held(text, gate.message.said_at)
    start = start or (said.start if said.start or not end else None)
    end = end or said.end
    if start and end and end <= start:
        return start, None
    return start, end


def _single(gate: _Gate, value: object, source: str, target: str) -> Single | None:
    if not isinstance(value, Mapping):
        return None
    of, what = value.get("of"), value.get("what")
    if not isinstance(of, str) or not isinstance(what, str) or not attributes.canonical(what):
        return None
    ends = {key(source): source, key(target): target}
    found = ends.get(key(of))
    if found is None:
        gate.rejections["attribute_of_another"] += 1
        return None
    return Single(found, attributes.canonical(what))


def _ending(gate: _Gate, item: Object) -> Ending | None:
    number = _shown(answer.number_of(item.get("fact")), [one.number for one in gate.context.facts])
    if number is None:
        gate.rejections["fact_not_shown"] += 1
        return None
    return Ending(moment(answer.text_of(item, "at")) or gate.message.said_at, fact=number)


def _shown(number: int | None, numbers: Iterable[int]) -> int | None:
    return number if number in set(numbers) else None
