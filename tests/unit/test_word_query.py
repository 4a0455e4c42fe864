"""What is typed into a search over a whole agent becomes a query of words, or is left to a substring."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.memory.words import word_query


@pytest.mark.parametrize(
    ("typed", "query"),
    [
        ("sort", "'sort':*"),
        ("list.sort()", "'list':* & 'sort':*"),
        ("  Two   WORDS ", "'two':* & 'words':*"),
        ("O'Brien", "'o':* & 'brien':*"),
        ("100%", "'100':*"),
        ("مرحبا بالعالم", "'مرحبا':* & 'بالعالم':*"),
        ("ćwiczenia", "'ćwiczenia':*"),
    ],
)
def test_words_and_their_beginnings(typed: str, query: str) -> None:
    assert word_query(typed) == query


@pytest.mark.parametrize("typed", ["", "%", "!!!", "🙂", "東京に住む", "ภาษาไทย", "mixed 東京", "x" * 201])
def test_what_words_do_not_help_with(typed: str) -> None:
    assert word_query(typed) is None


@given(st.text(max_size=60))
def test_nothing_typed_leaves_the_quotes(typed: str) -> None:
    query = word_query(typed)
    if query is not None:
        for part in query.split(" & "):
            assert part.startswith("'")
            assert part.endswith("':*")
            assert not set(part[1:-3]) & set("'\\&|!()<>:* \t\n")
