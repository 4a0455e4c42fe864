"""Answers made to break the reader: sizes, depths and five thousand generated ones."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.capture.answer import MAX_ITEMS, AnswerError, parse

TEXT = "The user lives in Lisbon."
GOOD: dict[str, Any] = {
    "has_memories": True,
    "global_memories": [TEXT],
    "mentor_memories": {"preferences": ["The user prefers tea."]},
}
BARE = json.dumps(GOOD)
SCHEMA = '{"type": "object", "properties": {"has_memories": {"type": "boolean"}, "global_memories": {"type": "array", "items": {"type": "string"}}, "mentor_memories": {"type": "object"}}}'


def test_ten_thousand_items_are_bounded_and_counted() -> None:
    answer = parse(json.dumps({"global_memories": [TEXT] * 10_000}))
    assert (len(answer.candidates), answer.overflow) == (MAX_ITEMS, 10_000 - MAX_ITEMS)


@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 900_000,
        "{" * 900_000,
        '{"a":' * 150_000,
        '{"global_memories":' * 50_000,
        '{"has_memories":true,"global_memories":' + "[" * 400_000 + "]" * 400_000 + "}",
        '{"global_memories":[' + '"",' * 300_000 + '""]}',
        '{"global_memories":[],' * 40_000,
        "{" + ",".join('"global_memories":["x"]' for _ in range(40_000)) + "}",
        "{" + ",".join('"mentor_memories":{"a":["x"]}' for _ in range(30_000)) + "}",
        '"' * 900_000,
        "\\" * 900_000,
        '{"global_memories":["' + "!" * 900_000 + 'a"]}',
        "<think>" * 120_000,
        "</think>" * 110_000,
        "```" * 300_000,
        '{"global_memories":[' + "9" * 500_000 + "]}",
        ", " * 450_000 + "]",
        "{ " * 100 + BARE,
    ],
    ids=lambda text: text[:24],
)
def test_hostile_sizes_cost_little(hostile: str) -> None:
    start = time.process_time()
    with suppress(AnswerError):
        parse(hostile)
    assert time.process_time() - start < 5


# Generated hostile answers: an odd answer, cut and spliced. Hypothesis draws the seed alone: drawing each part by itself
# costs it ten times as long.
ODD = [
    None,
    True,
    False,
    0,
    -1,
    10**20,
    1.5,
    float("nan"),
    TEXT,
    "",
    "...",
    "same 1",
    "<think>",
    "```json",
    "{",
    "global",
    "x" * 40,
    "\ud800",
    "\x00",
]
KEYS = [
    "text",
    "evidence",
    "relation",
    "quote",
    "message",
    "kind",
    "n",
    "preferences",
    "type",
    "",
    "has_memories",
    "global_memories",
]
SCRAPS = [
    "",
    "```json\n",
    "```",
    "<think>",
    "</think>",
    "Sure: ",
    SCHEMA,
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    ",",
    ":",
    "\x00",
    "\ud800",
    "\n",
    "NaN",
    "'",
    BARE,
]


def odd_value(random: Random, depth: int = 3) -> object:
    if depth == 0 or random.random() < 0.5:
        return random.choice(ODD)
    inner = [odd_value(random, depth - 1) for _ in range(random.randrange(4))]
    return inner if random.random() < 0.5 else {random.choice(KEYS): value for value in inner}


def odd_answer(random: Random) -> str:
    if random.random() < 0.2:
        return BARE
    keys = ["has_memories", "global_memories", "mentor_memories", "agent_memories"]
    return json.dumps({key: odd_value(random) for key in random.sample(keys, random.randrange(5))})


def hostile_answer(seed: int) -> str:
    random = Random(seed)
    answer = odd_answer(random)
    for _ in range(random.randrange(4)):
        place = random.randrange(len(answer) + 1)
        answer = answer[:place] + random.choice(SCRAPS) + answer[place:]
    return answer[: random.randrange(len(answer) + 1)] if random.random() < 0.4 else answer


@settings(max_examples=5000, deadline=None)
@given(st.integers(0, 2**48))
def test_generated_hostile_answers(seed: int) -> None:
    answer = hostile_answer(seed)
    try:
        read = parse(answer)
    except AnswerError:
        return
    for candidate in read.candidates:
        assert candidate.text == candidate.text.strip() != ""
        candidate.text.encode()
        assert not candidate.text.startswith(("{", "[", "```", "<think"))
        assert "_memories" not in candidate.text or "_memories" in TEXT
        assert candidate.scope == "global" or isinstance(candidate.category_slug, str)
        assert candidate.relation.kind in {"none", "same", "supersedes"}
