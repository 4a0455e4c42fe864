"""A point in time as a screen shows it: how long ago, in the reader's zone, and exactly in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from webapp.messages import text

MINUTE, HOUR, DAY = 60, 3_600, 86_400


@dataclass(frozen=True, slots=True)
class Moment:
    """`iso`: for `<time datetime>`, UTC with Z. `relative`: "3 hours ago". `local`: in the reader's zone. `utc`: exact."""

    iso: str
    relative: str
    local: str
    utc: str


def moment(instant: datetime, now: datetime, zone: ZoneInfo) -> Moment:
    """Return how `instant` is shown to a reader in `zone` at `now`; both are aware, else ValueError.

    After a week a date says more than a number of days, so `relative` becomes the local date.
    """
    if instant.tzinfo is None or now.tzinfo is None:
        raise ValueError("a moment needs aware times")
    in_utc, in_zone = instant.astimezone(UTC), instant.astimezone(zone)
    return Moment(
        iso=in_utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
        relative=_relative(instant, now, zone),
        local=_clock(in_zone),
        utc=in_utc.strftime("%Y-%m-%d %H:%M:%S UTC"),
    )


def _clock(when: datetime) -> str:
    return f"{when.day} {when:%b %Y, %H:%M}"


def _relative(instant: datetime, now: datetime, zone: ZoneInfo) -> str:
    past = instant <= now
    seconds = int(abs((now - instant) / timedelta(seconds=1)))
    if seconds < MINUTE:
        return text("time.now") if past else text("time.soon")
    if seconds >= 7 * DAY:
        local = instant.astimezone(zone)
        return f"{local.day} {local:%b %Y}"
    unit, size = next((u, s) for u, s in (("days", DAY), ("hours", HOUR), ("minutes", MINUTE)) if seconds >= s)
    return text(f"time.{unit}_{'ago' if past else 'ahead'}", n=seconds // size)
