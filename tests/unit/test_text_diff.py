"""What changed between two texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webapp.text_diff import MOST_WORDS, Segment, segments


def joined(side: list[Segment]) -> str:
    return "".join(segment.text for segment in side)


def marked(side: list[Segment]) -> list[str]:
    return [segment.text for segment in side if segment.kind != "same"]


def test_only_the_changed_words_are_marked_and_not_the_blank_after_them() -> None:
    before, after = segments("The user works in Porto now.", "The user works in Lisbon now.")
    assert marked(before) == ["Porto"]
    assert marked(after) == ["Lisbon"]


def test_scripts_without_spaces_are_compared_by_character() -> None:
    before, after = segments("用户住在上海", "用户住在北京")
    assert marked(before) == ["上海"]
    assert marked(after) == ["北京"]


def test_equal_texts_have_no_marks_and_empty_ones_no_segments() -> None:
    assert [marked(side) for side in segments("the same", "the same")] == [[], []]
    assert segments("", "new") == ([], [Segment("new", "added")])


def test_a_very_long_text_is_shown_whole() -> None:
    long = "word " * (MOST_WORDS + 1)
    assert segments(long, "short") == ([Segment(long, "removed")], [Segment("short", "added")])


@given(st.text(), st.text())
def test_nothing_is_lost(before: str, after: str) -> None:
    left, right = segments(before, after)
    assert joined(left) == before
    assert joined(right) == after
    assert [s.text for s in left if s.kind == "same"] == [s.text for s in right if s.kind == "same"]
