"""One catalogue of texts, and points in time as screens show them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from webapp import messages
from webapp.messages import text
from webapp.messages.moments import moment

NOW = datetime(2026, 11, 30, 14, 2, 11, tzinfo=UTC)
TOKYO = ZoneInfo("Asia/Tokyo")


def test_the_number_chooses_the_variant_and_is_grouped() -> None:
    assert text("profile.count", n=1) == "1 memory"
    assert text("profile.count", n=0) == "0 memories"
    assert text("profile.count", n=12_345) == "12,345 memories"


def test_an_unknown_key_and_a_hole_are_errors() -> None:
    with pytest.raises(KeyError):
        text("profile.no_such_text")
    with pytest.raises(KeyError):
        text("row.edited_by")


def test_a_key_stands_in_one_place_only() -> None:
    with pytest.raises(ValueError, match="twice"):
        messages._merge({"a": "1"}, {"a": "2"})


def test_a_text_that_looks_like_a_placeholder_is_left_alone() -> None:
    assert text("row.edited_by", name="{evil} <b>") == "Edited by {evil} <b>"


@pytest.mark.parametrize(
    ("ago", "shown"),
    [
        (timedelta(seconds=0), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(minutes=59), "59 minutes ago"),
        (timedelta(hours=23), "23 hours ago"),
        (timedelta(hours=24), "yesterday"),
        (timedelta(days=6, hours=23), "6 days ago"),
        (timedelta(days=7), "23 Nov 2026"),
        (timedelta(seconds=-5), "in a moment"),
        (timedelta(hours=-2), "in 2 hours"),
        (timedelta(days=-1), "tomorrow"),
    ],
)
def test_how_long_ago(ago: timedelta, shown: str) -> None:
    assert moment(NOW - ago, NOW, ZoneInfo("UTC")).relative == shown


def test_a_moment_is_local_to_the_reader_and_exact_in_utc() -> None:
    shown = moment(NOW, NOW, TOKYO)
    assert shown.local == "30 Nov 2026, 23:02"
    assert shown.utc == "2026-11-30 14:02:11 UTC"
    assert shown.iso == "2026-11-30T14:02:11Z"
    assert moment(NOW.astimezone(TOKYO), NOW, ZoneInfo("UTC")) == moment(NOW, NOW, ZoneInfo("UTC"))


def test_the_date_of_an_old_moment_is_the_readers_date() -> None:
    late = datetime(2026, 11, 1, 20, 0, tzinfo=UTC)
    assert moment(late, NOW, TOKYO).relative == "2 Nov 2026"


def test_naive_times_are_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        moment(NOW.replace(tzinfo=None), NOW, TOKYO)
