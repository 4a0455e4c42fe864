"""The text of a memory: cleaning, equality, length."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.errors import Invalid
from webapp.memory.content import check, clean, content_hash, display_width, normalise

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=60)
HARD_TEXT = st.text(alphabet="a ß\u0130❤🔥م\u200c\u200d\ufe0f\U000e0101\u0301\u0000\ud800\u202e\n\r\u2028", max_size=30)


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("  The user works.\t\n", "The user works."),
        ("wo\x00rks", "works"),
        ("wo\ud83drks", "works"),
        ("wo\x1b[0mrks", "wo[0mrks"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("a\tb", "a\tb"),
        ("\u202eevil\u202c \u2066x\u2069 \u200emark", "evil x mark"),
        ("in\u200bvis\ufeffi\u2060ble\xad", "invisible"),
        ("w\u200do\u200crks", "works"),
        ("hi\U000e0049\U000e0067\U000e007f", "hi"),
        ("x\ufe0f\ufe01\ufe02\U000e0101", "x\ufe0f"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        ("👩\u200d💻 and 👩🏽\u200d🚀 and ❤️\u200d🔥", "👩\u200d💻 and 👩🏽\u200d🚀 and ❤️\u200d🔥"),
        ("👩\u200d", "👩"),
        ("a" + "\u0301" * 100, "a" + "\u0301" * 30),
    ],
)
def test_clean(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned


@given(ANY_TEXT | HARD_TEXT)
def test_clean_and_normalise_settle_at_once_and_can_be_stored(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert "\x00" not in cleaned
    cleaned.encode()
    assert normalise(cleaned) == normalise(text)
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user lives in Lisbon", "the  USER lives\n in lisbon "),
        ("caf\u00e9 owner", "cafe\u0301 owner"),
        ("The user\u00a0works", "The user works"),
        ("Ο ΟΔΥΣΣΕΑΣ", "ο οδυσσεας"),
        ("Ο οδυσσέας", "ο οδυσσέασ"),
        ("İstanbul", "istanbul"),
        ("GROẞ", "groß"),
        ("in\u200bvisible", "invisible"),
        ("❤️ tea", "❤ tea"),
        ("東京　に住む", "東京 に住む"),
    ],
)
def test_same_memory(one: str, other: str) -> None:
    assert content_hash(one) == content_hash(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Maße der Wohnung", "Masse der Wohnung"),
        ("ısı", "isi"),
        ("cana", "caña"),
        ("2² apples", "22 apples"),
        ("1½ hours", "11⁄2 hours"),
        ("resume", "resumé"),
        ("が", "か"),
        ("مَلِك", "مالك"),
        ("user2", "user 2"),
        ("C", "C++"),
        ("−5", "5"),
    ],
)
def test_different_words_stay_different(one: str, other: str) -> None:
    assert content_hash(one) != content_hash(other)


def test_hash_is_sha256_of_the_normalised_text() -> None:
    assert content_hash(" The  User ") == hashlib.sha256(b"the user").digest()


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("日本", 4), ("ｱ", 1), ("Ａ", 2), ("e\u0301", 1), ("", 0), ("한국", 4)]
)
def test_display_width(text: str, width: int) -> None:
    assert display_width(text) == width


def test_check_returns_the_cleaned_text() -> None:
    assert check("  The user\u200b works. ") == "The user works."
    assert check("x" * 10) == "x" * 10
    assert check("x" * 10_000) == "x" * 10_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Ensure this field has at least 10 characters."),
        ("x" * 9, "Ensure this field has at least 10 characters."),
        (" " * 40, "Ensure this field has at least 10 characters."),
        ("\u200b" * 40, "Ensure this field has at least 10 characters."),
        ("x" * 10_001, "Ensure this field has no more than 10000 characters."),
        ("The user\x00 works", "Null characters are not allowed."),
        ("The user \udcff works", "Lone surrogates are not allowed."),
    ],
)
def test_check_refuses(text: str, message: str) -> None:
    with pytest.raises(Invalid) as caught:
        check(text)
    assert caught.value.errors == {"content": [message]}
