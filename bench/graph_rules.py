"""How well the graph's built-in rules extract: precision and recall on messages with known answers.

    python -m bench.graph_rules           print the table
    python -m bench.graph_rules --write   and put it into docs/graph.md
    python -m bench.graph_rules --misses  and list what was missed or wrongly given in the part they are written against

Prints a table and writes bench/out/graph_rules.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench._rule_table import Score, run
from webapp.graph.rules import extract
from webapp.graph.types import Message, Statement

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "fixtures" / "graph_rules"
DOC = ROOT / "docs" / "graph.md"
SPEAKER = "John"
_EXPECTED = re.compile(r"(?P<optional>\??)(?P<source>[^>]+) > (?P<relation>[A-Z_|]+) > (?P<target>[^>]+)")
GROUPS = ("known relation", "figure or description", "link")


@dataclass(frozen=True, slots=True)
class Expected:
    """One fact that a message must give, or (``optional``) may; of each part any of the alternatives."""

    source: tuple[str, ...]
    relation: tuple[str, ...]
    target: tuple[str, ...]
    optional: bool

    def matches(self, given: Statement) -> bool:
        """Whether this is it; a mere link has no direction."""
        if given.relation not in self.relation:
            return False
        if given.source in self.source and given.target in self.target:
            return True
        return given.relation == "RELATES_TO" and given.target in self.source and given.source in self.target


@dataclass(frozen=True, slots=True)
class Case:
    """One message and what it must give."""

    message: str
    expected: tuple[Expected, ...]

    def given(self) -> tuple[Statement, ...]:
        """What the rules give, nothing being known before."""
        return extract(Message(self.message, "user", SPEAKER, datetime(2023, 5, 8, 10, 30, tzinfo=UTC))).statements


def cases(path: Path) -> Iterator[Case]:
    """Read a file of cases: blocks of one message and what it must give."""
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.strip().split("\n") if line and not line.startswith("# ")]
        if lines:
            yield Case(lines[0].replace("\\n", "\n"), tuple(_expected(line) for line in lines[1:]))


def _expected(line: str) -> Expected:
    match = _EXPECTED.fullmatch(line)
    if not match:
        raise SystemExit(f"Not an expectation: {line!r}")
    source, relation, target = (tuple(match[name].split("|")) for name in ("source", "relation", "target"))
    return Expected(source, relation, target, bool(match["optional"]))


def score(path: Path) -> tuple[Score, dict[str, Score]]:
    """Return the counts over a file, in all and by kind of fact."""
    total, kinds = Score(), {kind: Score() for kind in GROUPS}
    for case in cases(path):
        total.messages += 1
        given = case.given()
        for statement in given:
            right = any(expected.matches(statement) for expected in case.expected)
            for counts in (total, kinds[_kind(statement.source, statement.relation, statement.target)]):
                counts.right += right
                counts.wrong += not right
            if not right:
                total.misses.append(f"wrong: {case.message!r} -> {_shown(statement)}")
        for expected in (one for one in case.expected if not one.optional):
            matching = next((one for one in given if expected.matches(one)), None)
            for counts in (total, kinds[_kind_expected(expected, matching)]):
                counts.expected += 1
                counts.found += matching is not None
            if matching is None:
                total.misses.append(f"missed: {case.message!r} -> {expected}; gave {[_shown(one) for one in given]}")
    return total, kinds


def _kind(source: str, relation: str, target: str) -> str:
    if source == target:
        return "figure or description"
    return "link" if relation == "RELATES_TO" else "known relation"


def _kind_expected(expected: Expected, found: Statement | None) -> str:
    if found:
        return _kind(found.source, found.relation, found.target)
    return _kind(expected.source[0], expected.relation[0], expected.target[0])


def _shown(one: Statement) -> str:
    return f"{one.source} > {one.relation} > {one.target}"


if __name__ == "__main__":
    run("graph_rules", __doc__, CASES, DOC, score)
