"""Points in time as the signed-in person reads them."""

from __future__ import annotations

from datetime import UTC, datetime

from webapp.http.frame import reader_zone
from webapp.messages.moments import Moment, moment


def shown(instant: datetime) -> Moment:
    """How long ago, in the reader's zone, and exactly."""
    return moment(instant, datetime.now(UTC), reader_zone())


def clock(instant: datetime) -> str:
    """The time of day in the reader's zone where it is today there, else with the date: "14:02", "3 Nov 2026, 14:02"."""
    zone = reader_zone()
    local = instant.astimezone(zone)
    today = datetime.now(zone).date() == local.date()
    return f"{local:%H:%M}" if today else f"{local.day} {local:%b %Y, %H:%M}"
