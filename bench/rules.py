"""How well the built-in rules extract: precision and recall on messages with known answers.

    python -m bench.rules           print the table
    python -m bench.rules --write   and put it into docs/capture.md
    python -m bench.rules --misses  and list what was missed or wrongly given

Prints a table and writes bench/out/rules.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench._rule_table import Score, run
from webapp.llm.rules import Statement, extract

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "fixtures" / "rules"
DOC = ROOT / "docs" / "capture.md"
KINDS = ("work", "place", "study", "family", "pastime", "preference", "struggle", "goal", "achievement")
_EXPECTED = re.compile(rf"(?P<optional>\??)(?P<kind>{'|'.join(KINDS)}) \| (?P<words>.+)")


@dataclass(frozen=True, slots=True)
class Expected:
    kind: str
    words: tuple[str, ...]
    optional: bool

    def matches(self, statement: Statement) -> bool:
        text = statement.text.casefold()
        return statement.kind == self.kind and any(words.casefold() in text for words in self.words)


@dataclass(frozen=True, slots=True)
class Case:
    message: str
    expected: tuple[Expected, ...]


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
    return Expected(match["kind"], tuple(match["words"].split("|")), bool(match["optional"]))


def score(path: Path) -> tuple[Score, dict[str, Score]]:
    """Return the counts over a file, in all and by kind."""
    total, kinds = Score(), {kind: Score() for kind in KINDS}
    for case in cases(path):
        total.messages += 1
        given = extract(case.message)
        for statement in given:
            right = any(expected.matches(statement) for expected in case.expected)
            for counts in (total, kinds[statement.kind]):
                counts.right += right
                counts.wrong += not right
            if not right:
                total.misses.append(f"wrong: {case.message!r} -> {statement.kind}: {statement.text}")
        for expected in case.expected:
            found = any(expected.matches(statement) for statement in given)
            if expected.optional:
                continue
            for counts in (total, kinds[expected.kind]):
                counts.expected += 1
                counts.found += found
            if not found:
                total.misses.append(
                    f"missed: {case.message!r} -> {expected.kind}: {expected.words}; gave {[s.text for s in given]}"
                )
    return total, kinds


if __name__ == "__main__":
    run("rules", __doc__, CASES, DOC, score)
