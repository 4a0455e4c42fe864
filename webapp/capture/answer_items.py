"""What an answer's JSON means: which object is the answer, what its items are, and which of them are debris."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from webapp.capture import answer_json
from webapp.capture.answer_json import Object
from webapp.capture.types import NO_RELATION, Candidate, Evidence, Relation, RelationKind, Scope
from webapp.memory.content import clean

_LISTS = ("global_memories", "mentor_memories", "agent_memories")
_TEXT_KEYS = ("text", "memory", "content", "fact", "statement")
_CATEGORY_KEYS = ("category", "category_slug", "slug")
_SCHEMA_KEYS = frozenset({"type", "properties", "items", "$ref", "anyOf", "enum", "additionalProperties"})
_DEBRIS = re.compile(
    r"^\W*$|^[\[{]|^(?:```|~~~)|^</?think|[\"']?(?:has_memories|(?:global|mentor|agent)_memories)[\"']?\s*:",
    re.IGNORECASE,
)
_LEADING_THOUGHT = re.compile(r"^\s*<think>.{0,20000}?</think>", re.IGNORECASE | re.DOTALL)
_PLACEHOLDER = re.compile(r"^\W*(?:string|text|memory|fact|item|str|<[^>]*>|\[[^\]]*\]|example.*)?\W*$", re.IGNORECASE)
_RELATION = re.compile(r"^\s*(none|same|supersedes?)\s*(?:[:#(as]*\s*)?(\d{1,6})?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RawItem:
    """An item as it stands in the answer, with where it was filed."""

    value: object
    scope: Scope
    category: object = None


def as_answer(value: object, depth: int = 2) -> Object | None:
    """The answer that a value is or wraps (a result, a tool call's arguments, a list of one), else None."""
    if isinstance(value, list) and len(value) == 1:
        return as_answer(value[0], depth - 1) if depth else None
    if not isinstance(value, dict):
        return None
    if _is_answer(value):
        return value
    if depth and len(value) <= 6:
        for inner in value.values():
            inner = answer_json.whole(inner) if isinstance(inner, str) and inner.lstrip().startswith("{") else inner
            if isinstance(inner, dict) and (found := as_answer(inner, depth - 1)) is not None:
                return found
    return None


def from_list(value: object) -> Object | None:
    """An answer made of a bare list whose items say where they belong. A list of strings does not: None."""
    if not isinstance(value, list):
        return None
    if not value:
        return {"has_memories": False}
    files: dict[str, object] = {"global_memories": [], "mentor_memories": []}
    for item in value:
        if not isinstance(item, dict) or _text(item) is None:
            return None
        category, scope = _first(item, _CATEGORY_KEYS), item.get("scope")
        if scope != "global" and not isinstance(category, str):
            return None
        place = files["global_memories" if scope == "global" or category == "global" else "mentor_memories"]
        assert isinstance(place, list)
        place.append(item)
    return files


def is_placeholder(answer: Object) -> bool:
    """Whether an answer holds items, and all of them are what a template has in place of text ("...", "string")."""
    texts = [_text(raw.value) for raw in items(answer)]
    return bool(texts) and all(text is None or (len(text) < 60 and _PLACEHOLDER.match(text)) for text in texts)


def items(answer: Object) -> Iterator[RawItem]:
    """Yield the items of an answer, global ones first, whatever containers they are in."""
    for value in _listed(answer.get("global_memories")):
        yield RawItem(value, "global")
    for key in ("mentor_memories", "agent_memories"):
        filed = answer.get(key)
        if isinstance(filed, dict) and _text(filed) is None:
            for slug, values in filed.items():
                for value in _listed(values):
                    yield RawItem(value, "agent", slug)
        else:
            for value in _listed(filed):
                yield RawItem(value, "agent", _first(value, _CATEGORY_KEYS) if isinstance(value, dict) else None)


def candidate(raw: RawItem) -> Candidate | None:
    """The candidate that an item is, None for a wrong type, an empty text or debris. Relations are unchecked."""
    value = raw.value
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = answer_json.whole(value)
    text = _text(value)
    if text is None or _DEBRIS.search(text):
        return None
    slug = _slug(raw.category) if raw.scope == "agent" else None
    if not isinstance(value, dict):
        return Candidate(text, raw.scope, slug)
    return Candidate(text, raw.scope, slug, _evidence(value), _relation(value))


def _is_answer(value: Object) -> bool:
    held = [value[key] for key in _LISTS if key in value]
    if any(
        isinstance(one, dict) and _SCHEMA_KEYS & one.keys() and not _text(one)
        for one in [*held, value.get("has_memories")]
    ):
        return False
    return bool(held) or value.get("has_memories") is False


def _listed(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    return [] if value is None or value == "" or value == {} else [value]


def _text(value: object) -> str | None:
    if isinstance(value, dict):
        value = _first(value, _TEXT_KEYS)
    if not isinstance(value, str):
        return None
    return clean(_LEADING_THOUGHT.sub("", value)) or None


def _first(value: Object, keys: tuple[str, ...]) -> object:
    return next((value[key] for key in keys if key in value), None)


def _slug(value: object) -> str:
    """The category as a slug: "Knowledge Gaps" is knowledge_gaps. What is no text is no category."""
    return re.sub(r"[^a-z0-9]+", "_", value.casefold()).strip("_") if isinstance(value, str) else ""


def _evidence(item: Object) -> Evidence | None:
    raw = item.get("evidence", item.get("quote"))
    if isinstance(raw, list) and raw:
        raw = raw[0]
    if isinstance(raw, str):
        raw = {"quote": raw, "message": item.get("message", 0)}
    if not isinstance(raw, dict):
        return None
    quote = raw.get("quote", raw.get("text"))
    if not isinstance(quote, str) or not clean(quote):
        return None
    index = _integer(raw.get("message", raw.get("message_index", 0)))
    return Evidence(0 if index is None else index, clean(quote))


def _relation(item: Object) -> Relation:
    raw = item.get("relation")
    if isinstance(raw, dict):
        number = _first(raw, ("n", "number", "id", "memory"))
        raw = f"{raw.get('kind', raw.get('type', 'none'))} {_integer(number) if _integer(number) is not None else ''}"
    match = _RELATION.match(raw) if isinstance(raw, str) else None
    if not match or not match[2]:
        return NO_RELATION
    kinds: dict[str, RelationKind] = {"same": "same", "supersede": "supersedes", "supersedes": "supersedes"}
    kind = kinds.get(match[1].casefold(), "none")
    return Relation(kind, int(match[2])) if kind != "none" else NO_RELATION


def _integer(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 1_000_000:
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,6}\s*", value):
        return int(value)
    return value if isinstance(value, int) and abs(value) < 1_000_000 else None
