"""How well "the same" is told: precision and recall over pairs of memories with known verdicts.

    python -m bench.dedup            print the table
    python -m bench.dedup --write    and put it into docs/capture.md
    python -m bench.dedup --misses   and list the pairs that were judged wrongly
    python -m bench.dedup --measure  measure the pairs' distances anew with the built-in model

Prints a table and writes bench/out/dedup.json.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from webapp.capture.dedup import decide, differs
from webapp.capture.types import Candidate, Existing, Relation

ROOT = Path(__file__).parent.parent
PAIRS = ROOT / "tests" / "fixtures" / "dedup" / "pairs.tsv"
DOC = ROOT / "docs" / "capture.md"
THRESHOLD = 0.15


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories, whether they are the same, and the cosine distance of their vectors."""

    same: bool
    distance: float
    one: str
    other: str


def pairs() -> list[Pair]:
    """The pairs of the table, in its order."""
    rows = [line.split("\t") for line in PAIRS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [Pair(verdict == "same", float(distance), one, other) for verdict, distance, one, other in rows]


def by_vector(pair: Pair, one: str, other: str) -> bool:  # noqa: ARG001
    """What a threshold alone says."""
    return pair.distance < THRESHOLD


def by_words(pair: Pair, one: str, other: str) -> bool:
    """What the product says without a model: nominated by the vector, decided by the words."""
    return decide(Candidate(one, "global"), [(_existing(other), pair.distance)], THRESHOLD).kind == "same"


def by_yes_man(pair: Pair, one: str, other: str) -> bool:  # noqa: ARG001
    """What the product says where a model calls everything the same: the guard alone."""
    candidate = Candidate(one, "global", relation=Relation("same", 1))
    return decide(candidate, [], THRESHOLD, named=_existing(other)).kind == "same"


def by_true_verdict(pair: Pair, one: str, other: str) -> bool:
    """What the product says where a model's verdict is always right."""
    if not pair.same:
        return by_words(pair, one, other)
    candidate = Candidate(one, "global", relation=Relation("same", 1))
    return decide(candidate, [(_existing(other), pair.distance)], THRESHOLD, named=_existing(other)).kind == "same"


JUDGES: dict[str, Callable[[Pair, str, str], bool]] = {
    f"vector alone, distance < {THRESHOLD}": by_vector,
    "vector and words, no model": by_words,
    "guard, model says same to all": by_yes_man,
    "guard, model is right": by_true_verdict,
}


def _existing(text: str) -> Existing:
    return Existing(1, 1, text, "global", None, datetime(2025, 1, 1, tzinfo=UTC))


def score(judge: Callable[[Pair, str, str], bool]) -> tuple[float, float, list[str]]:
    """Precision and recall of "same" over all pairs both ways round, and what was judged wrongly."""
    called = right = expected = 0
    wrong: list[str] = []
    for pair in pairs():
        for one, other in ((pair.one, pair.other), (pair.other, pair.one)):
            said = judge(pair, one, other)
            called += said
            right += said and pair.same
            expected += pair.same
            if said != pair.same:
                wrong.append(f"{'same' if said else 'not'} ({pair.distance}, {differs(one, other)}): {one} | {other}")
    return right / max(1, called), right / max(1, expected), wrong


def table() -> tuple[str, dict[str, dict[str, float]]]:
    """The Markdown table and its figures."""
    every = pairs()
    head = f"| {len(every)} pairs, both ways; {sum(pair.same for pair in every)} the same | precision | recall |"
    rows, figures = [head, "|---|---|---|"], {}
    for name, judge in JUDGES.items():
        precision, recall, _ = score(judge)
        rows.append(f"| {name} | {precision:.3f} | {recall:.3f} |")
        figures[name] = {"precision": precision, "recall": recall}
    return "\n".join(rows), figures


def measure() -> None:
    """Write the distances by the built-in model into the table of pairs."""
    from webapp.llm.local import LocalModel

    every = pairs()
    vectors = LocalModel().embed([text for pair in every for text in (pair.one, pair.other)])
    head = [line for line in PAIRS.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    rows = [
        f"{'same' if pair.same else 'different'}\t{1 - float(vectors[2 * place] @ vectors[2 * place + 1]):.3f}\t{pair.one}\t{pair.other}"
        for place, pair in enumerate(every)
    ]
    PAIRS.write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into docs/capture.md")
    parser.add_argument("--misses", action="store_true", help="list the pairs that were judged wrongly without a model")
    parser.add_argument("--measure", action="store_true", help="measure the distances anew")
    arguments = parser.parse_args()
    if arguments.measure:
        measure()
    text, figures = table()
    print(text)
    if arguments.misses:
        for name, judge in JUDGES.items():
            print(f"\n{name}:", *score(judge)[2], sep="\n")
    out = ROOT / "bench" / "out"
    out.mkdir(exist_ok=True)
    (out / "dedup.json").write_text(json.dumps(figures, indent=2))
    if arguments.write:
        pattern = re.compile(r"(<!-- bench\.dedup -->\n).*?(<!-- /bench\.dedup -->)", re.DOTALL)
        written = pattern.sub(lambda match: f"{match[1]}{text}\n{match[2]}", DOC.read_text(encoding="utf-8"))
        DOC.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
