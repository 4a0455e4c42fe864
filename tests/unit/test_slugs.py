"""The slug that an agent's name gives."""

from __future__ import annotations

import pytest

from webapp.directory.rules import agent_slug
from webapp.directory.slugs import slug_of


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Python Tutor", "python-tutor"),
        ("  C++ & Rust!  ", "c-rust"),
        ("Überblick für Straße", "uberblick-fur-strasse"),
        ("Statistics_Helper 2024", "statistics-helper-2024"),
        ("مساعد", "agent"),
        ("!?", "agent"),
        ("", "agent"),
        ("a\x00b", "a-b"),
        ("0" * 32, f"agent-{'0' * 32}"),
        ("x" * 99 + " y", "x" * 99),
    ],
)
def test_it_is_made_of_letters_and_digits(name: str, slug: str) -> None:
    assert slug_of(name) == slug
    assert agent_slug(slug) == slug
