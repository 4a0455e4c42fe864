"""Every code that an exchange can end with has words on the Activity screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from webapp.capture.asking import MALFORMED, TOO_MANY
from webapp.capture.commit import DELETED_BEFORE, FORGOT, NOTHING_TO_FORGET
from webapp.capture.types import Reason
from webapp.messages import CATALOGUE

EXCHANGES = Path(__file__).resolve().parents[2] / "docs" / "exchanges.md"


@pytest.mark.parametrize("code", [*Reason, MALFORMED, TOO_MANY, DELETED_BEFORE])
def test_a_rejection_has_words(code: str) -> None:
    assert f"rejection.{code}" in CATALOGUE


@pytest.mark.parametrize("code", [FORGOT, NOTHING_TO_FORGET])
def test_a_reason_has_words(code: str) -> None:
    assert f"reason.{code}" in CATALOGUE


def test_every_documented_error_has_words() -> None:
    table = EXCHANGES.read_text().split("| `error` |")[1]
    codes = {
        code
        for line in table.splitlines()
        if line.startswith("| `")
        for code in re.findall(r"`([a-z_]+)`", line.split("|")[1])
    }
    assert len(codes) > 15
    assert {code for code in codes if f"failure.{code}" not in CATALOGUE} == set()
