"""What a search picks out of a large group is what looking at every fact one by one would pick."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from types import ModuleType

import numpy as np
import numpy.typing as npt
import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from tests.graph.world import GraphWorld
from webapp.access.actor import system
from webapp.db.session import transaction
from webapp.graph import candidates as nominate
from webapp.graph import held, retrieve
from webapp.graph.candidates import Scope
from webapp.graph.retrieve import Question
from webapp.graph.store import groups, search
from webapp.graph.types import Group
from webapp.ranking import Memories, Statistics, best, rank
from webapp.runtime import runtime
from webapp.terms import TermHashes, memory_terms, message_terms, packed, term_hashes, unpacked

WORDS = [
    "harbour",
    "library",
    "turbine",
    "orchard",
    "tram",
    "archive",
    "kitchen",
    "bridge",
    "clinic",
    "observatory",
    "lantern",
    "quarry",
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)
FACTS, ENTITIES = 400, 60
QUERIES = ("the harbour and the library", "turbine bridge", "quarry", "something else entirely", "tram tram lantern")


@dataclass(frozen=True)
class Kept:
    id: int
    source: int
    target: int
    text: str
    valid_at: datetime
    invalid_at: datetime | None
    terms: TermHashes
    vector: npt.NDArray[np.float64] | None


@dataclass(frozen=True)
class Filled:
    """A group of facts made from a seed, as they were written."""

    org_id: int
    group: Group
    entities: list[int]
    facts: list[Kept]


@pytest.fixture(scope="module")
def filled(world: GraphWorld) -> Filled:
    org_id, choose = world.orgs["acme"], random.Random(11)
    with world.app.app_context(), transaction(org_id) as session:
        runtime().embedder.check()
        groups.make(session, org_id, "large", world.users["olga"])
        group = groups.find(session, org_id, "large")
        assert group
        entities = [
            session.execute(
                text("INSERT INTO graph_entity (org_id, group_id, uuid, name) VALUES (:o, :g, :n, :n) RETURNING id"),
                {"o": org_id, "g": group.id, "n": f"E{number}"},
            ).scalar_one()
            for number in range(ENTITIES)
        ]
        facts = [_fact(session, org_id, group.id, entities, choose) for _ in range(FACTS)]
        counts = {"f": FACTS, "t": sum(len(set(one.terms.tolist())) for one in facts), "g": group.id}
        session.execute(text("UPDATE graph_group SET fact_count = :f, term_count = :t WHERE id = :g"), counts)
        found = groups.find(session, org_id, "large")
        assert found
    return Filled(org_id, found, entities, facts)


def _fact(session: Session, org_id: int, group_id: int, entities: list[int], choose: random.Random) -> Kept:
    """A tenth of them without a vector, a third ended; a few words that many share, in a chain of entities."""
    said = " ".join(choose.choices(WORDS, weights=range(1, 13), k=choose.randrange(2, 6)))
    place = choose.randrange(ENTITIES - 1)
    source, target = entities[place], entities[min(ENTITIES - 1, place + choose.randrange(0, 3))]
    start = NOW - timedelta(days=choose.randrange(10, 900))
    end = start + timedelta(days=choose.randrange(1, 9)) if choose.random() < 0.33 else None
    terms = packed(memory_terms(said, date(2026, 1, 1)))
    number = session.scalar(text("SELECT nextval('graph_fact_id_seq')"))
    given = {
        "o": org_id, "g": group_id, "id": number, "u": f"f{number}", "s": source, "t": target, "c": said, "h": f"{number}",
        "v": start, "i": end, "terms": terms,
    }  # fmt: skip
    session.execute(
        text(
            "INSERT INTO graph_fact (org_id, group_id, id, uuid, source_id, target_id, relation, content, statement, slot, "
            "valid_at, invalid_at, terms) VALUES (:o, :g, :id, :u, :s, :t, 'R', :c, :h, :h, :v, :i, :terms)"
        ),
        given,
    )
    held = [{"o": org_id, "g": group_id, "f": number, "t": term} for term in set(unpacked(terms).view("<i4").tolist())]
    session.execute(text("INSERT INTO graph_term (org_id, group_id, term, fact_id) VALUES (:o, :g, :t, :f)"), held)
    vector = None if choose.random() < 0.1 else _direction(choose)
    if vector is not None:
        written = {"o": org_id, "g": group_id, "f": number, "m": runtime().embedder.model, "e": str(vector.tolist())}
        session.execute(text("INSERT INTO graph_fact_vector VALUES (:o, :g, :f, :m, CAST(:e AS halfvec))"), written)
    return Kept(int(number or 0), source, target, said, start, end, unpacked(terms), vector)


def _direction(choose: random.Random) -> npt.NDArray[np.float64]:
    raw = np.array([choose.gauss(0, 1) for _ in range(runtime().embedder.stored_length)])
    return np.asarray((raw / np.linalg.norm(raw)).astype(np.float16).astype(np.float64))


def _asked(query: str) -> TermHashes:
    return term_hashes(message_terms(query, date(2026, 1, 1)))


def _holders(filled: Filled, term: int) -> list[Kept]:
    return [one for one in filled.facts if term in one.terms]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("as_of", [None, NOW - timedelta(days=400)])
@pytest.mark.parametrize("most", [20_000, 90, 5])
@pytest.mark.parametrize("way", [held, search], ids=["in memory", "in the database"])
def test_the_candidates_are_those_of_a_look_at_every_fact(
    world: GraphWorld,
    filled: Filled,
    monkeypatch: pytest.MonkeyPatch,
    way: ModuleType,
    query: str,
    as_of: datetime | None,
    most: int,
) -> None:
    monkeypatch.setattr(nominate, "CANDIDATES", 7)
    monkeypatch.setattr(nominate, "MOST_POSTINGS", most)
    terms = _asked(query)
    with world.app.app_context(), transaction(filled.org_id) as session:
        vector = _direction(random.Random(query)).astype(np.float32)
        scope = Scope(filled.org_id, [filled.group], as_of or NOW, as_of)
        found = way.candidates(session, scope, runtime().embedder, vector, terms)
    there = [one for one in filled.facts if as_of is None or _held(one, as_of)]
    near = sorted((-float(one.vector @ vector), -one.id) for one in there if one.vector is not None)[:7]
    expected = {-negative for _, negative in near} | _best_by_words(filled, there, terms, most)
    assert {one.id for one in found.candidates} == expected
    held_by = {int(term): len(_holders(filled, int(term))) for term in terms if _holders(filled, int(term))}
    assert found.whole == Statistics(FACTS, filled.group.term_count / FACTS, held_by)
    by_id = {one.id: one for one in filled.facts}
    for one in found.candidates:
        kept = by_id[one.id]
        assert (one.group_id, one.source_id, one.target_id) == (filled.group.id, kept.source, kept.target)
        assert one.ended == (kept.invalid_at is not None and kept.invalid_at <= (as_of or NOW))
    vectors = {one.id: one.vector for one in filled.facts}
    for place, one in enumerate(found.candidates):
        own, similarity = vectors[one.id], found.columns.similarities[place]
        assert np.isnan(similarity) if own is None else similarity == pytest.approx(own @ vector, abs=2e-3)


def _held(one: Kept, moment: datetime) -> bool:
    return one.valid_at <= moment and (one.invalid_at is None or one.invalid_at > moment)


def _best_by_words(filled: Filled, there: list[Kept], terms: TermHashes, most: int, best: int = 7) -> set[int]:
    """By the rarest words, as many as stay within `most` holders; at least one."""
    by_rarity = sorted(
        (len(_holders(filled, int(term))), int(np.int32(np.uint32(term).view(np.int32)))) for term in terms
    )
    weights: dict[int, float] = {}
    left = most
    for holders, term in by_rarity:
        if not holders:
            continue
        if weights and holders > left:
            break
        left -= holders
        weights[term & 0xFFFFFFFF] = float(np.log1p(FACTS / (holders + 0.5)))
    sums = [(round(-sum(weights.get(term, 0.0) for term in set(one.terms.tolist())), 9), -one.id) for one in there]
    return {-negative for weight, negative in sorted(sums)[:best] if weight < 0}


@pytest.mark.parametrize("below", [0, 1])
@pytest.mark.parametrize("way", [held, search], ids=["in memory", "in the database"])
def test_words_nominate_as_long_as_their_holders_are_no_more_than_that(
    world: GraphWorld, filled: Filled, monkeypatch: pytest.MonkeyPatch, way: ModuleType, below: int
) -> None:
    terms = _asked("turbine bridge")
    most = sum(len(_holders(filled, int(term))) for term in terms) - below
    monkeypatch.setattr(nominate, "CANDIDATES", FACTS)
    monkeypatch.setattr(nominate, "MOST_POSTINGS", most)
    with world.app.app_context(), transaction(filled.org_id) as session:
        found = way.candidates(session, Scope(filled.org_id, [filled.group], NOW), runtime().embedder, None, terms)
    assert {one.id for one in found.candidates} == _best_by_words(filled, filled.facts, terms, most, FACTS)
    commonest = max(terms, key=lambda term: len(_holders(filled, int(term))))
    by_it_alone = {one.id for one in filled.facts if set(one.terms.tolist()) & set(terms.tolist()) == {int(commonest)}}
    assert by_it_alone
    assert by_it_alone.isdisjoint(one.id for one in found.candidates) == bool(below)


@pytest.mark.parametrize("query", QUERIES[:3])
def test_with_as_many_candidates_as_facts_a_search_is_the_ranker_over_all(
    world: GraphWorld, filled: Filled, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.setattr(nominate, "CANDIDATES", FACTS)
    monkeypatch.setattr(retrieve, "_vector", lambda _query: None)
    with world.app.app_context():
        found = retrieve.relevant_facts(
            system(filled.org_id, "test"), "large", Question(query, max_facts=FACTS, on=date(2026, 1, 1))
        )
    columns = Memories.of([one.id for one in filled.facts], [one.terms for one in filled.facts], np.full(FACTS, np.nan))
    whole = Statistics(
        FACTS,
        filled.group.term_count / FACTS,
        {int(term): len(_holders(filled, int(term))) for term in _asked(query)},
    )
    ranked = [one.id for one in best(rank(columns, _asked(query), 0.7, whole=whole), FACTS) if one.text > 0]
    by_id = {one.id: one for one in filled.facts}
    in_order = [one for one in ranked if by_id[one].invalid_at is None] + [
        one for one in ranked if by_id[one].invalid_at
    ]
    said: dict[tuple[str, datetime], int] = {}
    for one in in_order:
        said.setdefault((by_id[one].text, by_id[one].valid_at), one)
    assert [one.id for one in found] == list(said.values())
    assert len(found) > 10


def test_hops_are_those_of_a_breadth_first_walk(world: GraphWorld, filled: Filled) -> None:
    for center in (filled.entities[0], filled.entities[ENTITIES // 2], filled.entities[-1]):
        with world.app.app_context(), transaction(filled.org_id) as session:
            reached = search.hops(session, filled.org_id, filled.group.id, center, filled.entities)
        walked = _walk(filled, center)
        assert reached == {entity: far for entity, far in walked.items() if far <= 2}
        assert set(reached.values()) == {0, 1, 2}
        assert max(walked.values()) > 2


def _walk(filled: Filled, center: int) -> dict[int, int]:
    beside: dict[int, set[int]] = {}
    for one in filled.facts:
        beside.setdefault(one.source, set()).add(one.target)
        beside.setdefault(one.target, set()).add(one.source)
    reached, waiting = {center: 0}, deque([center])
    while waiting:
        entity = waiting.popleft()
        for other in beside.get(entity, set()) - reached.keys():
            reached[other] = reached[entity] + 1
            waiting.append(other)
    return reached
