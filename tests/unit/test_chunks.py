"""Long exchanges in parts: nothing lost, nothing cut that could stay whole, nothing found twice."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.capture.chunks import OVERLAP_WIDTH, PART_WIDTH, is_repeat, parts
from webapp.capture.types import Evidence, Message
from webapp.memory.content import display_width

FACT = "By the way, I moved to Lisbon in April."
FILLER = {
    "sentences": "The weather in the report was fine, 3.5 degrees at most. ",
    "no stops": "word after word without any stop at all ",
    "no spaces": "a",
    "chinese": "今天我们讨论项目的进度和下一步的计划。",
    "chinese without stops": "今天我们讨论项目的进度",
    "thai": "วันนี้เราคุยกันเรื่องความคืบหน้าของโครงการ",
    "hindi": "आज हमने परियोजना की प्रगति पर चर्चा की। ",
    "lines": "- item of a long list\n",
    "emoji": "👩‍💻🏽",
}


def message(text: str, index: int = 0, role: str = "user") -> Message:
    return Message(index, "user" if role == "user" else "assistant", "Ana", text)


def whole(cut: list[tuple[Message, ...]], index: int) -> str:
    return "".join(one.text[one.overlap :] for part in cut for one in part if one.index == index)


def test_a_short_exchange_is_one_part_as_it_is() -> None:
    exchange = [message("I live in Lisbon."), message("Nice!", 1, "assistant")]
    assert parts(exchange) == [tuple(exchange)]


@pytest.mark.parametrize("filler", FILLER.values(), ids=FILLER.keys())
def test_a_fact_in_the_middle_of_sixty_thousand_characters_is_whole_in_one_part(filler: str) -> None:
    half = (filler * 60_000)[:30_000]
    text = f"{half}\n{FACT}\n{half}"
    cut = parts([message(text), message("I see.", 1, "assistant")])
    assert 4 <= len(cut) <= 12
    assert whole(cut, 0) == text
    holding = [part for part in cut if any(FACT in one.text[one.overlap :] for one in part)]
    assert len(holding) == 1


@pytest.mark.parametrize("filler", FILLER.values(), ids=FILLER.keys())
def test_wherever_a_fact_stands_one_part_holds_it_whole(filler: str) -> None:
    for place in range(PART_WIDTH - 60, PART_WIDTH + 60, 7):
        text = (filler * PART_WIDTH)[: place // display_width(filler) * len(filler)] + " " + FACT + " " + filler * 300
        cut = parts([message(text)])
        new = [part for part in cut for one in part if FACT in one.text and not is_repeat(Evidence(0, FACT), part)]
        assert len(new) == 1


def test_parts_end_where_sentences_end() -> None:
    cut = parts([message(FILLER["sentences"] * 2_000)])
    assert all(one.text.rstrip().endswith("most.") for part in cut for one in part)
    assert all(one.text[one.overlap :].startswith("The weather") for part in cut for one in part)
    assert all(one.text.startswith("The weather") for part in cut for one in part)


def test_what_only_the_assistant_says_is_not_sent() -> None:
    long_answer = FILLER["sentences"] * 2_000
    cut = parts([message(FACT), message(long_answer, 1, "assistant")])
    assert len(cut) == 1
    assert cut[0][0].text == FACT
    assert parts([message(" \n "), message(long_answer, 1, "assistant")]) == []


def test_a_fact_in_the_overlap_alone_was_found_before() -> None:
    cut = parts([message((FILLER["sentences"] * 2_000)[: PART_WIDTH - 500] + FACT + " " + FILLER["sentences"] * 400)])
    before, after = next((one, two) for one, two in itertools.pairwise(cut) if FACT in one[0].text)
    assert not is_repeat(Evidence(0, FACT), before)
    if FACT in after[0].text[: after[0].overlap]:
        assert is_repeat(Evidence(0, FACT.upper()), after)
    assert not is_repeat(Evidence(0, "said nowhere"), after)
    assert not is_repeat(None, after)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.text(alphabet="ab .!?\n。我e\u0301\u200d👩3", max_size=900)), max_size=4))
def test_nothing_the_user_said_is_lost(said: list[tuple[bool, str]]) -> None:
    exchange = [message(text, place, "user" if mine else "assistant") for place, (mine, text) in enumerate(said)]
    cut = parts(exchange, width=2 * OVERLAP_WIDTH)
    for one in exchange:
        if one.role == "user" and one.text.strip():
            kept = whole(cut, one.index)
            assert kept.split() == one.text.split() or one.text.replace(kept, "").strip() == ""
    assert all(sum(display_width(one.text) for one in part) <= 2 * OVERLAP_WIDTH or len(part) == 1 for part in cut)
    assert all(display_width(one.text) <= 2 * OVERLAP_WIDTH for part in cut for one in part)


@pytest.mark.parametrize(
    "text",
    [
        " " * 300_000 + "x",
        "." * 300_000 + "x",
        "。" * 300_000,
        "\n" * 300_000 + "x",
        "\u0301" * 300_000 + "x",
        "a" * 300_000,
    ],
)
def test_hostile_text_costs_little(text: str) -> None:
    start = time.process_time()
    assert parts([message(text)])
    assert time.process_time() - start < 10
