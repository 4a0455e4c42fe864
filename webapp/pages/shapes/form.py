"""A form as templates take it: what was typed, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webapp.errors import NON_FIELD, Invalid
from webapp.memory.content import TOO_SHORT_MESSAGE
from webapp.messages import text as msg

# What the API says in words that its clients know, as a person reads it.
_PLAINER = {TOO_SHORT_MESSAGE: "form.too_short"}


@dataclass(frozen=True, slots=True)
class FormShape:
    """See templates/components/fields.html: an error of the whole form stands under None."""

    data: Mapping[str, Any]
    errors: Mapping[str | None, Sequence[str]] = field(default_factory=dict)


def refused(data: Mapping[str, Any], error: Invalid, names: Mapping[str, str] | None = None) -> FormShape:
    """The same form with a verb's complaints. `names` maps a verb's field to the form's where they differ."""
    renamed = {field: (names or {}).get(field, field) for field in error.errors}
    errors = {
        renamed[name] if name != NON_FIELD else None: [_plainly(each) for each in messages]
        for name, messages in error.errors.items()
    }
    # A complaint about a field that this form does not show must not be lost.
    lost = [name for name in errors if name is not None and name not in data]
    for name in lost:
        errors.setdefault(None, []).extend(errors.pop(name))
    return FormShape(data, errors)


def require_filled(data: Mapping[str, Any], fields: Mapping[str, str]) -> None:
    """Raise Invalid for all of these fields that are empty, each with its message's text."""
    empty = {name: [msg(key)] for name, key in fields.items() if not str(data.get(name) or "").strip()}
    if empty:
        raise Invalid(empty)


def _plainly(complaint: str) -> str:
    return msg(_PLAINER[complaint]) if complaint in _PLAINER else complaint
