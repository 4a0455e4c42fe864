"""A transaction is opened by `webapp.db.session` and in no other way: the driver begins none, each statement would be one."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OTHER_WAYS = re.compile(r"(?<!webapp\.)\bdb\.(session\b|engine\.(begin|connect)\()|\bSession\(")
# The first is the way; the second reads one row.
ALLOWED = ["webapp/db/session.py", "webapp/health.py"]


def test_a_transaction_is_opened_in_one_way() -> None:
    found = [
        path.relative_to(ROOT).as_posix()
        for folder in ("webapp", "jobs", "bench", "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if OTHER_WAYS.search(path.read_text())
    ]
    assert found == ALLOWED
