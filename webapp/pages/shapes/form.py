"""A form as templates take it: what was typed, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webapp.errors import NON_FIELD, Invalid


@dataclass(frozen=True, slots=True)
class FormShape:
    """See templates/components/fields.html: an error of the whole form stands under None."""

    data: Mapping[str, Any]
    errors: Mapping[str | None, Sequence[str]] = field(default_factory=dict)


def refused(data: Mapping[str, Any], error: Invalid, names: Mapping[str, str] | None = None) -> FormShape:
    """The same form with a verb's complaints. `names` maps a verb's field to the form's where they differ."""
    renamed = {field: (names or {}).get(field, field) for field in error.errors}
    errors = {renamed[name] if name != NON_FIELD else None: messages for name, messages in error.errors.items()}
    # A complaint about a field that this form does not show must not be lost.
    lost = [name for name in errors if name is not None and name not in data]
    for name in lost:
        errors.setdefault(None, []).extend(errors.pop(name))
    return FormShape(data, errors)
