"""Pages and filters of lists, from the query string and back into links."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any
from urllib.parse import urlencode

from flask import request

from webapp.errors import DomainError, Invalid
from webapp.memory.types import Page

MAX_SIZE = 100
# Beyond this no list has rows, and OFFSET would leave PostgreSQL's bigint.
MAX_PAGE = 10_000_000


class PastTheEnd(DomainError):
    """A page that the list does not have (404)."""

    detail = "Invalid page."


def page_request(default_size: int = 20) -> tuple[int, int]:
    """`page` and `page_size`; larger sizes are clamped to 100. Raises PastTheEnd or Invalid."""
    raw = request.args.get("page") or "1"
    if not (raw.isascii() and raw.isdigit()) or not 1 <= int(raw[:20]) <= MAX_PAGE:
        raise PastTheEnd
    size = request.args.get("page_size") or str(default_size)
    if not (size.isascii() and size.isdigit()) or int(size[:20]) < 1:
        raise Invalid({"page_size": ["A valid integer is required."]})
    return int(raw), min(int(size[:20]), MAX_SIZE)


def links(page: Page[Any]) -> tuple[str | None, str | None]:
    """The addresses of the next and the previous page. Raises PastTheEnd for a page past the last."""
    if page.number > page.pages:
        raise PastTheEnd
    following = _link(page.number + 1) if page.number < page.pages else None
    return following, _link(page.number - 1) if page.number > 1 else None


def day_range(start: str | None, end: str | None, zone: tzinfo = UTC) -> tuple[datetime | None, datetime | None]:
    """`YYYY-MM-DD` bounds as moments, the whole end day included: `[start, end)`. Raises Invalid by field."""
    first = _day("start_date", start)
    last = _day("end_date", end)
    return (
        datetime.combine(first, time.min, zone) if first else None,
        datetime.combine(last + timedelta(days=1), time.min, zone) if last else None,
    )


def boolean(field: str, raw: str | None) -> bool | None:
    """`true` or `false` (or 1, 0) of a query string; None where it is absent. Raises Invalid."""
    if raw is None or raw == "":
        return None
    values = {"true": True, "1": True, "false": False, "0": False}
    if raw.lower() not in values:
        raise Invalid({field: ["Must be a valid boolean."]})
    return values[raw.lower()]


def with_query(changes: Mapping[str, str | int | None], path: str | None = None) -> str:
    """This address with some of its query changed (None removes), for links that keep the filters."""
    query = request.args.to_dict(flat=True) | {name: value for name, value in changes.items() if value is not None}
    kept = {name: value for name, value in query.items() if changes.get(name, "") is not None and value != ""}
    return (path or request.path) + (f"?{urlencode(kept)}" if kept else "")


def _link(number: int) -> str:
    return request.host_url.rstrip("/") + with_query({"page": number})


def _day(field: str, raw: str | None) -> date | None:
    if not raw:
        return None
    try:
        found = datetime.strptime(raw, "%Y-%m-%d").date()
    except ValueError:
        raise Invalid({field: ["Enter a valid date (YYYY-MM-DD)."]}) from None
    if not 1 < found.year < 9999:
        raise Invalid({field: ["Enter a valid date (YYYY-MM-DD)."]})
    return found
