"""Facts and queries for `bench.graph`: the same for every system, made from a seed, embedded by the built-in model."""

from __future__ import annotations

import json
import random
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt

from webapp.llm.embeddings import Embedder

EMBEDDED = 6_000
"""Sentences that are really embedded; a larger set mixes their vectors in pairs, which keeps how near they lie."""
_FIRST = ["Ann", "Bob", "Carla", "Dmitri", "Elif", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kemal", "Lena", "Mara"]
_LAST = ["Adler", "Brook", "Castro", "Dunne", "Ekman", "Fischer", "Gruber", "Haas", "Ivanov", "Jensen", "Kaya", "Lopez"]
_COMPANIES = ["Northwind", "Orbit", "Contoso", "Fabrikam", "Tailspin", "Litware", "Adatum", "Proseware", "Lucerne"]
_PLACES = ["Lisbon", "Porto", "Berlin", "Graz", "Oslo", "Turin", "Ghent", "Malmö", "Riga", "Split", "Basel", "Lyon"]
_SAID = [
    ("WORKS_FOR", "{person} works for {company} as a {job} in {place}"),
    ("LIVES_IN", "{person} lives in {place} near the old {thing}"),
    ("LEADS", "{person} leads the {thing} project at {company} with {number} people"),
    ("BOUGHT", "{person} bought a {thing} for ${number} in {place}"),
    ("OPENED", "{company} opened an office with {number} desks in {place}"),
    ("SOLD", "{company} sold its {thing} business for ${number} million"),
    ("LIKES", "{person} likes the {thing} at {company} better than any other"),
    ("MET", "{person} met a {job} from {company} in {place} about the {thing}"),
]
_JOBS = ["nurse", "welder", "analyst", "baker", "pilot", "architect", "librarian", "surveyor", "translator", "chemist"]
_THINGS = ["harbour", "library", "turbine", "orchard", "tram", "archive", "kitchen", "bridge", "clinic", "observatory"]
_ASKED = [
    "where does {person} work", "who leads the {thing} project at {company}", "what did {person} buy in {place}",
    "offices of {company} in {place}", "who lives near the old {thing}", "{person} and the {thing}",
    "which business did {company} sell", "whom did {person} meet in {place}",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact between two of the entities, by their places in the list."""

    source: int
    target: int
    relation: str
    text: str
    valid_at: str


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """Entities' names, facts, one unit vector per fact, and queries that occur once."""

    entities: list[str]
    facts: list[Fact]
    vectors: npt.NDArray[np.float32]
    queries: list[str]

    def write(self, folder: Path) -> None:
        """Leave it where another interpreter can read it."""
        np.save(folder / "vectors.npy", self.vectors)
        content = {"entities": self.entities, "facts": [asdict(one) for one in self.facts], "queries": self.queries}
        (folder / "data.json").write_text(json.dumps(content))


def make(size: int, queries: int, embedder: Embedder, seed: int = 7) -> Data:
    """So many facts about a tenth as many entities, and so many queries."""
    choose = random.Random(seed)
    names = [f"{first} {last}" for first in _FIRST for last in _LAST]
    people = [f"{names[place % len(names)]} {_roman(place // len(names))}".strip() for place in range(size // 12 + 5)]
    places = [f"{name} {_roman(turn)}".strip() for turn in range(size // 900 + 1) for name in (*_COMPANIES, *_PLACES)]
    entities = list(dict.fromkeys([*people, *places]))
    facts = [_fact(choose, number, people, entities) for number in range(size)]
    asked = [_filled(choose, choose.choice(_ASKED), people) for _ in range(queries)]
    return Data(entities, facts, _vectors(facts, embedder, seed), asked)


def _fact(choose: random.Random, number: int, people: list[str], entities: list[str]) -> Fact:
    relation, pattern = choose.choice(_SAID)
    text = _filled(choose, pattern, people)
    named = [place for place, name in enumerate(entities) if name in text] if len(entities) < 3000 else []
    source = named[0] if named else choose.randrange(len(people))
    target = named[-1] if len(named) > 1 else choose.randrange(len(entities))
    day = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(minutes=31 * number)
    return Fact(source, target, relation, text, day.isoformat())


def _filled(choose: random.Random, pattern: str, people: list[str]) -> str:
    return pattern.format(
        person=choose.choice(people),
        company=choose.choice(_COMPANIES),
        place=choose.choice(_PLACES),
        job=choose.choice(_JOBS),
        thing=choose.choice(_THINGS),
        number=choose.randrange(2, 9_999),
    )


def _vectors(facts: list[Fact], embedder: Embedder, seed: int) -> npt.NDArray[np.float32]:
    base = embedder.embed([one.text for one in facts[:EMBEDDED]])[:, : embedder.profile.dimensions]
    more = len(facts) - len(base)
    if more <= 0:
        return np.asarray(base)
    pick = np.random.default_rng(seed)
    mixed = 0.7 * base[pick.integers(len(base), size=more)] + 0.3 * base[pick.integers(len(base), size=more)]
    mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
    return np.vstack([base, mixed.astype(np.float32)])


def _roman(number: int) -> str:
    signs = ((100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
    found = ""
    for value, sign in signs:
        found, number = found + sign * (number // value), number % value
    return found
