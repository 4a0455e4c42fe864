"""Terms: the same word in another form is the same term, in languages with and without spaces."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.terms import MAX_TEXT_CHARACTERS, memory_terms, message_terms, packed, term_hashes, terms, unpacked

SAID_ON = date(2023, 5, 10)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("She was painting", "he paints"),
        ("CAFÉ", "cafe"),
        ("the user's children", "users' child's children"),
        ("1,000 steps", "1000 step"),
        ("on the 7th", "07"),
        ("Der Nutzer arbeitet nicht als Pfleger", "ich bin der Pfleger und arbeite für den Nutzer"),
        ("où habitent les étudiants", "l'étudiant habite à la"),
        ("Я работаю в Москве", "работать Москва"),
        ("full width ＡＢＣ", "full width abc"),
    ],
)
def test_forms_of_a_word_share_a_term(one: str, other: str) -> None:
    assert set(terms(one)) & set(terms(other))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't know what it's about", ["know"]),
        ("born 2023-05-07", ["born", "2023", "5", "7"]),
        ("pays $3.50 or 1,250.75", ["pay", "3.50", "1250.75"]),
        ("我喜欢茶", ["我喜", "喜欢", "欢茶"]),
        ("茶", ["茶"]),
        ("ชอบ", ["ชอ", "อบ"]),
        ("喝tea吧", ["喝", "tea", "吧"]),
        ("सीमा", ["सीम"]),
        ("São Paulo", ["sao", "paulo"]),
        ("… !!! 👍", []),
        ("", []),
    ],
)
def test_terms_of_a_text(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_different_numbers_are_different_terms() -> None:
    assert set(terms("March 5")) & set(terms("March 15")) == {"march"}


def test_one_foreign_stop_word_does_not_change_the_language() -> None:
    assert "paint" in terms("painting in São Tomé")


def test_a_memory_is_found_by_when_it_was_said_and_by_the_times_it_names() -> None:
    found = memory_terms("The exam is on 7 June 2023", SAID_ON)
    assert {"day:2023-05-10", "week:2023-05-08", "month:2023-05-01", "year:2023-01-01"} <= set(found)
    assert {"day:2023-06-07", "month:2023-06-01", "exam", "june", "7"} <= set(found)


def test_a_certain_time_in_a_message_stands_for_its_words() -> None:
    assert message_terms("the exam on 7 May 2023", SAID_ON) == ["exam", "day:2023-05-07", "month:2023-05-01"]


def test_a_month_without_a_year_keeps_its_word() -> None:
    assert message_terms("the exam in May", SAID_ON) == ["exam", "may", "month:2023-05-01"]


def test_a_term_of_a_message_comes_once() -> None:
    assert message_terms("tea, tea and more tea", SAID_ON) == ["tea"]


def test_the_stored_form_of_a_term_never_changes() -> None:
    # The check value of CRC-32, from its specification.
    assert term_hashes(["123456789"]).tolist() == [0xCBF43926]
    assert packed(["123456789"]) == bytes.fromhex("2639f4cb")


@given(st.lists(st.text(max_size=12), max_size=20), st.lists(st.text(max_size=12), max_size=20))
def test_packed_terms_can_be_joined_and_read_back(first: list[str], second: list[str]) -> None:
    assert unpacked(packed(first) + packed(second)).tolist() == term_hashes([*first, *second]).tolist()


@given(st.text(max_size=300))
def test_any_text_has_terms_without_space_or_capitals(text: str) -> None:
    for term in terms(text):
        assert term
        assert not any(letter.isspace() for letter in term)
        assert term == term.lower()


def test_the_time_one_text_takes_is_bounded() -> None:
    assert terms("x " * MAX_TEXT_CHARACTERS + "unread")[-1] == "x"
