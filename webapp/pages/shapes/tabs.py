"""Links of which one is where the reader is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tab:
    """See templates/components/lists.html. An inert one is visible but leads nowhere just now."""

    label: str
    url: str
    current: bool
    count: int | None = None
    inert: bool = False
