"""The built-in rules of the graph: measured quality, sentences that must not become somebody's facts, hostile input."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from bench.graph_rules import CASES, cases, score
from webapp.graph.rules import extract
from webapp.graph.types import Message, Statement


def said(text: str) -> list[Statement]:
    return list(extract(Message(text, "user", "John", datetime(2023, 5, 8, tzinfo=UTC))).statements)


@pytest.mark.parametrize("part", ["dev", "held_out"])
def test_measured_quality(part: str) -> None:
    total, _ = score(CASES / f"{part}.txt")
    assert total.precision >= 0.95, total.misses
    assert total.recall >= 0.9, total.misses


def test_a_third_of_the_measured_messages_give_nothing() -> None:
    for part, fewest in (("dev", 150), ("held_out", 60)):
        every = list(cases(CASES / f"{part}.txt"))
        assert len(every) >= fewest
        assert sum(not case.expected for case in every) * 3 >= len(every)


@pytest.mark.parametrize(
    "text",
    [
        "My wife works for Siemens.",
        "I heard that my wife works for Siemens.",
        "I don't work for Siemens.",
        "I might work for Siemens.",
        "I applied for a job at Siemens.",
        "I know Bob works for Siemens.",
        "My manager's brother works for Siemens.",
    ],
)
def test_what_is_not_said_of_the_speaker_ends_no_fact_about_them(text: str) -> None:
    assert [one for one in said(text) if one.source == "John" and one.single] == []
    assert said(text), "the sentence itself is kept"


def test_what_somebody_left_is_not_where_they_work() -> None:
    (fact,) = [one for one in said("I left my job at Orbit.") if one.target == "Orbit"]
    assert fact.relation == "LEFT"


@pytest.mark.parametrize(
    "text",
    ["Hi Ann, " * 12_000, "please " * 14_000, "his job " * 12_000, "A" * 100_000, "Ann's " * 16_000, "I " * 50_000, "( I don't" * 11_000],
)  # fmt: skip
def test_a_hostile_message_costs_no_more_than_its_length(text: str) -> None:
    begun = time.process_time()
    said(text)
    assert time.process_time() - begun < 5
