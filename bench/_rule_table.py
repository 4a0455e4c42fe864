"""The table of what built-in rules find, for `bench.rules` and `bench.graph_rules`: scores, printing, the place in a document."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

OUT = Path(__file__).parent / "out"


@dataclass(slots=True)
class Score:
    """Counts of what is found: given rightly, given wrongly, expected, expected and found; of messages."""

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


Scorer = Callable[[Path], tuple[Score, dict[str, Score]]]
"""Scores a file of messages with known answers: all together, and by kind."""


def table(cases: Path, score: Scorer) -> tuple[str, dict[str, dict[str, float]], list[str]]:
    """Return the Markdown table, its figures, and the misses of the part that the rules were written against."""
    rows = ["| messages | kind | given | precision | expected | recall |", "|---|---|---|---|---|---|"]
    figures: dict[str, dict[str, float]] = {}
    misses: list[str] = []
    for part in ("dev", "held_out"):
        total, kinds = score(cases / f"{part}.txt")
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


def run(name: str, about: str | None, cases: Path, document: Path, score: Scorer) -> None:
    """Print the table, write its figures to bench/out, and put it between the document's marks where that is asked for."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"put the table into {document.name}")
    parser.add_argument("--misses", action="store_true", help="list the misses of the dev part")
    arguments = parser.parse_args()
    text, figures, misses = table(cases, score)
    print(text)
    if arguments.misses:
        print("\n".join(misses))
    OUT.mkdir(exist_ok=True)
    (OUT / f"{name}.json").write_text(json.dumps(figures, indent=2))
    if arguments.write:
        marks = re.compile(rf"(<!-- bench\.{name} -->\n).*?(<!-- /bench\.{name} -->)", re.DOTALL)
        before = document.read_text(encoding="utf-8")
        document.write_text(marks.sub(lambda match: f"{match[1]}{text}\n{match[2]}", before), encoding="utf-8")
