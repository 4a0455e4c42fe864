"""Pages and filters from the query string, and back into links."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from flask import Flask

from webapp.errors import Invalid
from webapp.http.paging import PastTheEnd, boolean, day_range, links, page_request, with_query
from webapp.memory.types import Page


@contextmanager
def asked(query: str) -> Iterator[None]:
    with Flask(__name__).test_request_context(f"/list/?{query}", base_url="http://example.org"):
        yield


@pytest.mark.parametrize(
    ("query", "expected"),
    [("", (1, 20)), ("page=3", (3, 20)), ("page_size=7", (1, 7)), ("page_size=1000", (1, 100)), ("page=&page_size=", (1, 20)),
     ("page=0002", (2, 20)), ("page=2&page=9", (2, 20))],
)  # fmt: skip
def test_what_is_asked_for(query: str, expected: tuple[int, int]) -> None:
    with asked(query):
        assert page_request() == expected


@pytest.mark.parametrize("page", ["0", "-1", "x", "1.0", "1e9", "%D9%A3", "9" * 400, "%20"])
def test_a_page_that_no_list_has(page: str) -> None:
    with asked(f"page={page}"), pytest.raises(PastTheEnd):
        page_request()


@pytest.mark.parametrize("size", ["0", "-1", "x", "1.0", "%D9%A3"])
def test_a_size_that_is_none(size: str) -> None:
    with asked(f"page_size={size}"), pytest.raises(Invalid) as refused:
        page_request()
    assert list(refused.value.errors) == ["page_size"]


def test_links_keep_the_filters_and_the_ends_have_none() -> None:
    with asked("content=a%26b&page=2&page_size=10"):
        following, previous = links(Page([], 25, 2, 10))
        assert following == "http://example.org/list/?content=a%26b&page=3&page_size=10"
        assert previous == "http://example.org/list/?content=a%26b&page=1&page_size=10"
        assert links(Page([], 25, 3, 10))[0] is None
        assert links(Page([], 25, 1, 10))[1] is None
        assert links(Page([], 0, 1, 10)) == (None, None)
        with pytest.raises(PastTheEnd):
            links(Page([], 25, 4, 10))


def test_query_changes() -> None:
    with asked("a=1&b=2&empty="):
        assert with_query({"b": None, "c": 3}) == "/list/?a=1&c=3"
        assert with_query({"a": None, "b": None}) == "/list/"
        assert with_query({}, "/other/") == "/other/?a=1&b=2"


def test_days_are_whole_in_their_zone() -> None:
    assert day_range("2024-02-28", "2024-02-29") == (
        datetime(2024, 2, 28, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC),
    )  # fmt: skip
    berlin = ZoneInfo("Europe/Berlin")
    start, end = day_range("2024-03-31", "2024-03-31", berlin)
    assert start is not None
    assert end is not None
    # The night in which an hour is missing.
    assert (end.astimezone(UTC) - start.astimezone(UTC)).total_seconds() == 23 * 3600
    assert day_range(None, "") == (None, None)


@pytest.mark.parametrize("day", ["2024-2-30", "2024/01/01", "0001-01-01", "9999-01-01", "tomorrow", "2024-01-01 "])
def test_no_day(day: str) -> None:
    with pytest.raises(Invalid) as refused:
        day_range(None, day)
    assert list(refused.value.errors) == ["end_date"]


@pytest.mark.parametrize(
    ("raw", "value"),
    [("true", True), ("TRUE", True), ("1", True), ("false", False), ("0", False), ("", None), (None, None)],
)
def test_booleans(raw: str | None, value: bool | None) -> None:
    assert boolean("flag", raw) is value


def test_no_boolean() -> None:
    with pytest.raises(Invalid):
        boolean("flag", "yes")
