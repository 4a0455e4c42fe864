"""How well the built-in rules extract: precision and recall on messages with known answers.

    python -m bench.rules           print the table
    python -m bench.rules --write   and put it into docs/capture.md
    python -m bench.rules --misses  and list what was missed or wrongly given

Prints a table and writes bench/out/rules.json.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

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


@dataclass(slots=True)
class Score:
    """Counts of statements: given rightly, given wrongly, expected, expected and found; of messages."""

    messages: int = 0
    right: int = 0
    wrong: int = 0
    expected: int = 0
    found: int = 0
    misses: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.found / max(1, self.expected)


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


def table() -> tuple[str, dict[str, dict[str, float]], list[str]]:
    """Return the Markdown table, its figures, and the misses of the part that the rules were written against."""
    rows = ["| messages | kind | given | precision | expected | recall |", "|---|---|---|---|---|---|"]
    figures: dict[str, dict[str, float]] = {}
    misses: list[str] = []
    for part in ("dev", "held_out"):
        total, kinds = score(CASES / f"{part}.txt")
        label = f"{part.replace('_', ' ')}, {total.messages}"
        for kind, counts in [("all", total), *kinds.items()]:
            given = counts.right + counts.wrong
            rows.append(
                f"| {label} | {kind} | {given} | {counts.precision:.3f} | {counts.expected} | {counts.recall:.3f} |"
            )
            label = ""
        figures[part] = {"precision": total.precision, "recall": total.recall, "messages": total.messages}
        misses += total.misses if part == "dev" else []
    return "\n".join(rows), figures, misses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into docs/capture.md")
    parser.add_argument("--misses", action="store_true", help="list the misses of the dev part")
    arguments = parser.parse_args()
    text, figures, misses = table()
    print(text)
    if arguments.misses:
        print("\n".join(misses))
    out = ROOT / "bench" / "out"
    out.mkdir(exist_ok=True)
    (out / "rules.json").write_text(json.dumps(figures, indent=2))
    if arguments.write:
        pattern = re.compile(r"(<!-- bench\.rules -->\n).*?(<!-- /bench\.rules -->)", re.DOTALL)
        DOC.write_text(
            pattern.sub(lambda match: f"{match[1]}{text}\n{match[2]}", DOC.read_text(encoding="utf-8")),
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
