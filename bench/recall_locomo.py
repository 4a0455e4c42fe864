"""How much of the evidence recall finds, over ten long conversations.

    python -m bench.recall_locomo --data locomo10.json [--store]

Prints recall@5/10/25/50 for the vector alone, the text alone and both, over the dialog turns and over the
dataset's observations, by half and by category; then how the floor treats unrelated messages, and what
near-duplicates do. Constants of the ranker are tried out with ``--set SIMILARITY_WEIGHT=0.5``. With ``--store``
every turn is written by the product's verb into its database and searched there, and recall itself is asked.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from rich.console import Console
from rich.table import Table

from bench._application import application
from bench._locomo import CATEGORIES, Conversation, Question, Row, load, recall
from bench._locomo_store import StoredCorpus, store
from webapp import ranking
from webapp.llm.embeddings import profile_of
from webapp.llm.local import MODEL_NAME, LocalModel
from webapp.ranking import Content, Floats, Memories, Outcome, Ranking
from webapp.runtime import runtime
from webapp.terms import memory_terms, message_terms, term_hashes

DEPTHS = (5, 10, 25, 50)
PROFILE = profile_of(MODEL_NAME)
PUBLISHED = {
    "published: DRAGON over turns": (56.7, 66.2, 76.7, 82.7),
    "measured before: BM25 over speaker, date, text": (55.7, 64.1, 72.0, 77.8),
}
GENERAL_MESSAGES = """What is the capital of France?
Write a haiku about autumn leaves.
How do I sort a list in Python?
hi
Thanks!
ok, go on
Explain how photosynthesis works.
Convert 5 miles to kilometres.
What is the derivative of x squared?
Who wrote Hamlet?
Translate 'good morning' into Spanish.
Fix this SQL: SELECT * FORM users;
What's the boiling point of water at altitude?
Summarise the French Revolution in two sentences.
How many planets are in the solar system?
Give me a regex for e-mail addresses.
What is a monad?
Why is the sky blue?
Tell me a joke.
What does HTTP 404 mean?
How do vaccines work?
Explain recursion.
What is the GDP of Japan?
How do I center a div?
Compare TCP and UDP.
Who won the 1998 World Cup?
What is the speed of light?
Define entropy.
Difference between mitosis and meiosis?
What is a black hole?""".splitlines()
REWORDINGS = ("The user mentioned that {}", "It is known that {}", "{} This was said.", "From what was said, {}")


@dataclass(frozen=True, slots=True)
class Result:
    """Recall in percent at each depth, at 5 by half of the conversations and by category."""

    corpus: str
    ranker: str
    at: dict[int, float]
    first_half_at_5: float
    second_half_at_5: float
    by_category_at_5: dict[str, float]


class Corpus:
    """One conversation's rows as one user's memories, embedded once and ranked for many messages."""

    def __init__(self, conversation: Conversation, rows: Sequence[Row], model: LocalModel) -> None:
        self.conversation = conversation
        self.rows = rows
        self.vectors = model.embed([row.text for row in rows])
        self.today = max(row.said_at for row in rows).date()
        self._memories = Memories.of(
            ids=range(len(rows)),
            terms=[term_hashes(memory_terms(row.text, row.said_at.date())) for row in rows],
            similarities=np.zeros(len(rows), dtype=np.float32),
            sessions=[row.session for row in rows],
        )

    def rows_of(self, ranking: Ranking) -> Sequence[Row]:
        """The rows in the places of the ranking."""
        return [self.rows[int(place)] for place in ranking.memories.ids]

    def rank(self, message: str, vector: Floats) -> Ranking:
        """Rank this conversation's rows for a message."""
        memories = replace(self._memories, similarities=self.vectors @ vector)
        return ranking.rank(memories, term_hashes(message_terms(message, self.today)), PROFILE.recall_floor)


RANKERS: dict[str, Callable[[Ranking], Floats]] = {
    "vector": lambda ranked: ranked.memories.similarities,
    "text": lambda ranked: ranked.texts,
    "both": lambda ranked: ranked.scores,
}


AnyCorpus = TypeVar("AnyCorpus", Corpus, StoredCorpus)


def measure(name: str, corpora: Sequence[AnyCorpus], vectors: dict[str, Floats]) -> Iterator[Result]:
    """Yield the recall of each ranker over all questions of all corpora."""
    rankings = [corpus.rank(question.text, vectors[question.text]) for corpus, question in _questions(corpora)]
    for ranker, scores_of in RANKERS.items():
        found = [
            _best(corpus.rows_of(ranked), scores_of(ranked))
            for (corpus, _), ranked in zip(_questions(corpora), rankings, strict=True)
        ]
        yield _result(name, ranker, corpora, found)


def measure_recalled(corpora: Sequence[StoredCorpus]) -> Result:
    """What the product's recall gives, where it may give fifty: floor and near-duplicates included."""
    found = [corpus.recalled(question.text, DEPTHS[-1]) for corpus, question in _questions(corpora)]
    return _result("stored turns", "recall", corpora, found)


def _result(name: str, ranker: str, corpora: Sequence[AnyCorpus], found: Sequence[Sequence[Row]]) -> Result:
    questions = [question for _, question in _questions(corpora)]
    recalls = np.array(
        [
            [recall(question.evidence, rows[:depth]) for depth in DEPTHS]
            for question, rows in zip(questions, found, strict=True)
        ]
    )
    halves = np.repeat(
        np.arange(len(corpora)) * 2 // len(corpora), [len(each.conversation.questions) for each in corpora]
    )
    categories = np.array([question.category for question in questions])
    return Result(
        corpus=name,
        ranker=ranker,
        at=dict(zip(DEPTHS, map(_percent, recalls.T), strict=True)),
        first_half_at_5=_percent(recalls[halves == 0, 0]),
        second_half_at_5=_percent(recalls[halves == 1, 0]),
        by_category_at_5={label: _percent(recalls[categories == key, 0]) for key, label in CATEGORIES.items()},
    )


def _questions(corpora: Sequence[AnyCorpus]) -> Iterator[tuple[AnyCorpus, Question]]:
    for corpus in corpora:
        for question in corpus.conversation.questions:
            yield corpus, question


def _best(rows: Sequence[Row], scores: Floats) -> list[Row]:
    return [rows[place] for place in np.argsort(-scores, kind="stable")[: DEPTHS[-1]]]


def _percent(shares: Floats) -> float:
    return round(float(shares.mean()) * 100, 1)


def measure_floor(corpora: Sequence[Corpus], vectors: dict[str, Floats]) -> dict[str, float]:
    """What the floor leaves of the evidence in the first five places, and of messages about something else."""
    kept = [
        ranked.relevant[place]
        for corpus, question in _questions(corpora)
        for ranked in [corpus.rank(question.text, vectors[question.text])]
        for place in np.argsort(-ranked.scores)[:5]
        if corpus.rows[place].turns & question.evidence
    ]
    general = [corpus.rank(message, vectors[message]) for corpus in corpora for message in GENERAL_MESSAGES]
    others = [
        corpus.rank(message, vectors[message])
        for corpus, other in zip(corpora, [*corpora[3:], *corpora[:3]], strict=True)
        for message in _strangers(other.conversation)
    ]
    return {
        "evidence kept": _percent(np.array(kept)),
        "general messages with an empty answer": _percent(np.array([not each.relevant.any() for each in general])),
        "another person's questions with an empty answer": _percent(
            np.array([not each.relevant.any() for each in others])
        ),
    }


def _strangers(conversation: Conversation) -> list[str]:
    """Every seventh question, without the speakers' names, which alone would tell that it is about others."""
    texts = [question.text for question in conversation.questions[::7]]
    for name in conversation.speakers:
        texts = [text.replace(f"{name}'s", "").replace(name, "") for text in texts]
    return texts


def measure_copies(conversation: Conversation, model: LocalModel, vectors: dict[str, Floats]) -> tuple[float, ...]:
    """Recall@5 over observations: without copies, with four rewordings of a quarter of them, and with the guard."""
    plain = Corpus(conversation, conversation.observations, model)
    reworded = [
        replace(row, text=wording.format(row.text), session=0)
        for row in conversation.observations[::4]
        for wording in REWORDINGS
    ]
    crowded = Corpus(conversation, [*conversation.observations, *reworded], model)
    return (
        _chosen_recall(plain, vectors, 0.0),
        _chosen_recall(crowded, vectors, 0.0),
        _chosen_recall(crowded, vectors, PROFILE.duplicate_distance),
    )


def _chosen_recall(corpus: Corpus, vectors: dict[str, Floats], duplicate_distance: float) -> float:
    recalls = []
    for question in corpus.conversation.questions:
        ranked = ranking.best(corpus.rank(question.text, vectors[question.text]), 40)
        contents = {one.id: Content(corpus.rows[one.id].text, corpus.vectors[one.id]) for one in ranked}
        decided = ranking.choose(ranked, contents, 5, duplicate_distance)
        chosen = [corpus.rows[one.id] for one in decided if one.outcome is Outcome.CHOSEN]
        recalls.append(recall(question.evidence, chosen))
    return float(np.mean(recalls))


def in_memory(conversations: Sequence[Conversation]) -> tuple[list[Result], dict[str, object]]:
    """Measure without a database: recall, the floor and near-duplicates."""
    model = LocalModel()
    messages = [question.text for each in conversations for question in each.questions] + GENERAL_MESSAGES
    messages += [text for each in conversations for text in _strangers(each)]
    vectors = dict(zip(messages, model.embed(messages), strict=True))
    corpora = {
        "turns": [Corpus(each, each.turns, model) for each in conversations],
        "observations": [Corpus(each, each.observations, model) for each in conversations],
    }
    results = [result for name, each in corpora.items() for result in measure(name, each, vectors)]
    shares = np.array([measure_copies(each, model, vectors) for each in conversations])
    weights = [len(each.questions) for each in conversations]
    copies = [round(float(share) * 100, 1) for share in np.average(shares, axis=0, weights=weights)]
    labels = ("observations alone", "with four rewordings of every fourth", "the same, near-duplicates left out")
    notes = {f"floor over {name}, %": measure_floor(each, vectors) for name, each in corpora.items()}
    return results, {**notes, "recall@5 of what is chosen, %": dict(zip(labels, copies, strict=True))}


def stored(conversations: Sequence[Conversation]) -> tuple[list[Result], dict[str, object]]:
    """Measure through the product's write verb, database and recall."""
    with application() as product:
        corpora = store(product, conversations)
        messages = [question.text for each in conversations for question in each.questions]
        vectors = dict(zip(messages, runtime().embedder.embed(messages), strict=True))
        results = [*measure("stored turns", corpora, vectors), measure_recalled(corpora)]
        return results, {"turns that are too short for a memory": sum(each.refused for each in corpora)}


def show(results: Sequence[Result], notes: dict[str, object]) -> None:
    """Print the tables."""
    table = Table("rows", "ranker", *(f"@{depth}" for depth in DEPTHS), "1-5 @5", "6-10 @5", *CATEGORIES.values())
    for name, published in PUBLISHED.items():
        table.add_row(name, "", *map(str, published))
    for one in results:
        halves = [one.first_half_at_5, one.second_half_at_5]
        figures = [*one.at.values(), *halves, *one.by_category_at_5.values()]
        table.add_row(one.corpus, one.ranker, *map(str, figures))
    console = Console(width=180)
    console.print(table)
    for name, figures_of in notes.items():
        console.print(f"{name}:", figures_of)


def main() -> None:
    """Measure, print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="locomo10.json")
    parser.add_argument("--store", action="store_true", help="through the product's own storage and search")
    parser.add_argument("--json", type=Path, default=Path("bench/out/recall_locomo.json"), help="where to write")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a constant of the ranker")
    arguments = parser.parse_args()
    for name, value in (pair.split("=", 1) for pair in arguments.set):
        if not hasattr(ranking, name):
            parser.error(f"webapp.ranking has no {name}")
        setattr(ranking, name, ast.literal_eval(value))
    conversations = load(arguments.data)
    results, notes = stored(conversations) if arguments.store else in_memory(conversations)
    show(results, notes)
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps({"recall": [asdict(each) for each in results], **notes}, indent=1))


if __name__ == "__main__":
    main()
