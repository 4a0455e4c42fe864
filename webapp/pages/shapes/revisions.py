"""Revisions as history shows them: who, when, how, and what changed in the text, word by word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.memory.queries import Change
from webapp.messages.moments import Moment
from webapp.pages.shapes.times import shown
from webapp.text_diff import Segment, segments

# How a change came, in the terms of the origin marks.
HOW = {"job": "captured", "page": "manual", "api": "manual", "command": "imported"}
Url = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class RevisionShape:
    """See templates/dialogs/history.html."""

    action: str
    name: str
    moment: Moment
    origin: str
    before: list[Segment] | None
    after: list[Segment] | None
    removed: bool
    urls: dict[str, str | None]


def shapes(
    changes: Sequence[Change], fields: Sequence[str], *, current: str, remove: Url | None
) -> list[RevisionShape]:
    """The revisions, newest first. `fields` are shown one below the other; `remove` makes the address that blanks one.

    A revision that holds nothing but the current text has no such address: it is not history.
    """
    return [_shape(change, fields, current, remove) for change in changes]


def _shape(change: Change, fields: Sequence[str], current: str, remove: Url | None) -> RevisionShape:
    before, after = _text(change.before, fields), _text(change.after, fields)
    texts = {text for text in (_content(change.before), _content(change.after)) if text is not None}
    moved = change.action == "edited" and before == after and change.before != change.after
    if moved:
        before, after = _text(change.before, ("category",)), _text(change.after, ("category",))
    left, right = segments(before, after) if before is not None and after is not None else (None, None)
    return RevisionShape(
        action="moved" if moved else change.action,
        name=change.actor_label,
        moment=shown(change.at),
        origin=HOW.get(change.how, "manual"),
        before=left if left is not None else _plain(before),
        after=right if right is not None else _plain(after),
        removed=before is None and after is None,
        urls={"remove": remove(change.id) if remove and texts - {current} else None},
    )


def _text(state: Mapping[str, Any] | None, fields: Sequence[str]) -> str | None:
    if state is None or state.get(fields[0]) is None:
        return None
    return "\n".join(str(state[name]) for name in fields if state.get(name))


def _content(state: Mapping[str, Any] | None) -> str | None:
    return (state or {}).get("content")


def _plain(text: str | None) -> list[Segment] | None:
    return None if text is None else [Segment(text, "same")]
