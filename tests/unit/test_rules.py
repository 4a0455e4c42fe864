"""The built-in extractor: exact sentences, measured quality, hostile input."""

from __future__ import annotations

import time
from datetime import date
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.rules import CASES, KINDS, score
from webapp.graph.rules.extract import _KINDS
from webapp.llm.rules import Kind, extract


def _sentences(path: Path) -> list[tuple[str, list[tuple[str, str]]]]:
    blocks = [block.strip().split("\n") for block in path.read_text(encoding="utf-8").split("\n\n")]
    blocks = [lines for lines in blocks if lines[0] and not lines[0].startswith("# ")]
    return [
        (lines[0], [(kind, text) for kind, text in (line.split(" | ", 1) for line in lines[1:])]) for lines in blocks
    ]


SENTENCES = _sentences(CASES / "sentences.txt")


def test_there_are_enough_sentences() -> None:
    assert sum(bool(given) for _, given in SENTENCES) >= 40
    assert sum(not given for _, given in SENTENCES) >= 20


@pytest.mark.parametrize(("message", "statements"), SENTENCES, ids=[message[:50] for message, _ in SENTENCES])
def test_sentence(message: str, statements: list[tuple[str, str]]) -> None:
    assert [(found.kind, found.text) for found in extract(message)] == statements


@pytest.mark.parametrize(("message", "_statements"), SENTENCES, ids=[message[:50] for message, _ in SENTENCES])
def test_quote_is_a_passage_of_the_message(message: str, _statements: object) -> None:
    assert all(found.quote and found.quote in message for found in extract(message))


@pytest.mark.parametrize(("part", "recall"), [("dev", 0.95), ("held_out", 0.9)])
def test_measured_quality(part: str, recall: float) -> None:
    total, _ = score(CASES / f"{part}.txt")
    assert total.messages >= 150
    assert total.precision >= 0.95, total.misses
    assert total.recall >= recall, total.misses


def test_half_of_the_measured_messages_give_nothing() -> None:
    from bench.rules import cases

    every = [case for part in ("dev", "held_out") for case in cases(CASES / f"{part}.txt")]
    assert len(every) >= 300
    assert sum(not case.expected for case in every) * 2 >= len(every)


def test_a_fact_said_twice_is_given_once() -> None:
    assert [found.text for found in extract("I live in Lisbon. As I said, I live in Lisbon.")] == [
        "The user lives in Lisbon."
    ]


def test_names_and_figures_stay_as_typed() -> None:
    (found,) = extract("hey, i work at O’Reilly & Söhne GmbH since 2014, 38.5 hours a week")
    assert found.text.startswith("The user works at O’Reilly & Söhne GmbH since 2014")


DATED = [
    ("I passed my driving test last Friday!", "The user passed their driving test last Friday (2023-05-19)."),
    ("I moved to Lisbon two years ago.", "The user moved to Lisbon two years ago (2021)."),
    ("I got promoted last month.", "The user got promoted last month (2023-04)."),
    ("I won a medal last weekend.", "The user won a medal last weekend (2023-05-20)."),
    ("I finished my thesis last week.", "The user finished their thesis last week (2023-05-15)."),
    ("I'm moving to Oslo tomorrow.", "The user is moving to Oslo tomorrow (2023-05-23)."),
    ("I want to run a marathon next year.", "The user wants to run a marathon next year (2024)."),
    ("I'm preparing for an exam in three weeks.", "The user is preparing for an exam in three weeks (2023-06-12)."),
    ("I want to lose 5 kg in two months.", "The user wants to lose 5 kg in two months."),
    ("I want to pass the exam next Friday.", "The user wants to pass the exam."),
    ("I finished my thesis last summer.", "The user finished their thesis."),
    ("I'm in my last year of college.", "The user is in their last year of college."),
    ("I now work at Klarna.", "The user now works at Klarna."),
    ("I moved to Lisbon on 3 May 2021.", "The user moved to Lisbon on 3 May 2021."),
]


@pytest.mark.parametrize(("message", "statement"), DATED)
def test_relative_times_get_their_date_or_go(message: str, statement: str) -> None:
    """Said on a Monday. Which Friday is "next" is not certain; "in two months" may also be how long it takes."""
    assert [found.text for found in extract(message, date(2023, 5, 22))] == [statement]


def test_without_a_day_relative_times_stay_as_typed() -> None:
    assert [found.text for found in extract("I got promoted last month.")] == ["The user got promoted last month."]


def test_a_date_out_of_the_calendar_is_left_as_typed() -> None:
    (found,) = extract("I moved to Lisbon 999 years ago.", date(900, 1, 1))
    assert found.text == "The user moved to Lisbon 999 years ago."


def test_a_message_of_many_lines_and_parts() -> None:
    message = "Hi!\n\nSome background:\n- I'm a nurse\n- I live in Porto\n\nCan you fix this?\n```\nI work at Acme\n```\n> I love cats and dogs"
    assert [found.text for found in extract(message)] == ["The user is a nurse.", "The user lives in Porto."]


@pytest.mark.parametrize(
    "hostile",
    [
        "I " * 30_000,
        "and I live in " * 4_000,
        "a" * 60_000,
        '"I ' * 20_000,
        "." * 60_000,
        'f("' * 20_000,
        "`" * 60_000,
        "I find " + "x " * 30_000 + "hard",
        "my goal is " * 6_000,
        "I live in" + " " * 60_000 + "x",
        "\x00\ud800 I am \u202e a nurse",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_text_costs_no_more_than_its_length(hostile: str) -> None:
    start = time.process_time()
    extract(hostile)
    assert time.process_time() - start < 5


WORDS = st.sampled_from(
    [
        "I",
        "I'm",
        "my",
        "live",
        "work",
        "in",
        "at",
        "Lisbon",
        "a nurse",
        ",",
        ".",
        "?",
        "if",
        "and",
        '"',
        "`",
        "prefer",
        "\n",
        "goal is",
        "to",
    ]
)


@given(st.lists(WORDS, max_size=40).map(" ".join) | st.text(max_size=80))
def test_any_text_gives_sentences_about_the_user_or_nothing(message: str) -> None:
    for found in extract(message):
        assert found.text.startswith("The user")
        assert found.text.endswith(".")
        assert found.quote in message


def test_every_kind_has_its_relation_in_the_graph_and_a_table_of_its_own() -> None:
    assert set(get_args(Kind)) == set(_KINDS) == set(KINDS)
