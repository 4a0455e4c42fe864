"""Our own block is taken out of an exchange before anything is captured from it."""

from __future__ import annotations

import pytest

from webapp.capture.injected import HEADINGS, strip_injected

BLOCK = """\
## Agent Knowledge
- Our refund window is 30 days

## User Information
- The user is a software engineer
- The user lives in Lisbon

## Relevant Context from Previous Conversations
- [Knowledge Gaps] The user struggled with recursion"""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (BLOCK, ""),
        (f"{BLOCK}\n\nI moved to Porto.", "I moved to Porto."),
        (f"{BLOCK}\nI moved to Porto.", "I moved to Porto."),
        (f"{BLOCK}\n\n- my first point\n- my second", "- my first point\n- my second"),
        (f"You are a tutor.\n\n{BLOCK}\n\nHi!", "You are a tutor.\n\nHi!"),
        (BLOCK.replace("\n", "\r\n") + "\r\n\r\nHi!", "Hi!"),
        (BLOCK.replace("- ", "* ").replace("##", "  ##") + "\n\nHi!", "Hi!"),
        ("## user information\n- The user lives in Rome\n\nHi!", "Hi!"),
        ("I live in Porto.\n\n- one\n- two", "I live in Porto.\n\n- one\n- two"),
        ("## My plan\n- learn Rust", "## My plan\n- learn Rust"),
        ("Tell me about User Information forms\n- one", "Tell me about User Information forms\n- one"),
        ("  leading space stays\n", "  leading space stays\n"),
        ("", ""),
    ],
)
def test_the_block_goes_and_the_rest_stays(text: str, left: str) -> None:
    assert strip_injected(text) == left


@pytest.mark.parametrize(
    "line",
    [
        "The user lives in Lisbon",
        "- The user lives in Lisbon",
        "- [Preferences] the user  lives in lisbon",
        "* The user lives in Lisbon",
    ],
)
def test_lines_that_repeat_what_was_handed_out_go(line: str) -> None:
    assert (
        strip_injected(f"Known:\n{line}\nI moved to Porto.", ["- The user lives in Lisbon"])
        == "Known:\nI moved to Porto."
    )
    assert strip_injected(f"Known:\n{line}\nI moved to Porto.") == f"Known:\n{line}\nI moved to Porto."


def test_a_line_that_only_holds_a_memory_stays() -> None:
    text = "As you know the user lives in Lisbon, but I moved."
    assert strip_injected(text, ["The user lives in Lisbon"]) == text


def test_the_headings_are_those_of_the_block() -> None:
    context = pytest.importorskip("webapp.recall.context")
    assert set(HEADINGS) == {context.KNOWLEDGE, context.ABOUT_USER, context.FROM_CONVERSATIONS}
