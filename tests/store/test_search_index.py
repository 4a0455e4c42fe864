"""The search index: what stands in it after each change, and that a search reads one user's memories exactly."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, timedelta

import numpy as np
import psycopg
import pytest
from sqlalchemy import text

from tests.capture_world import Place, at
from tests.model_server import error
from tests.servers import Database
from tests.store.recall_world import RecallWorld, recall_world
from webapp.db import binary
from webapp.db.session import transaction
from webapp.memory import search
from webapp.memory.nearest import nearest
from webapp.memory.search import Corpus
from webapp.memory.write import manual, organise, removal
from webapp.runtime import runtime
from webapp.settings import Settings
from webapp.terms import memory_terms, term_hashes

DOWN = error(503, "down")


@pytest.fixture(scope="module")
def world(settings: Settings) -> Iterator[RecallWorld]:
    with recall_world(settings) as made:
        yield made


@pytest.fixture
def place(world: RecallWorld) -> Iterator[Place]:
    yield world.place(2)
    world.model.forget()


def corpus(place: Place, message: str | None = None, *, user: int | None = None, agent: bool = True) -> Corpus:
    embedder = runtime().embedder
    vector = embedder.stored(embedder.embed_one(message)) if message else None
    agent_id = place.agent_id if agent else None
    with transaction(place.org_id) as session:
        return search.corpus(session, place.org_id, user or place.user, agent_id, embedder.model, vector)


def test_each_column_holds_what_was_stored(world: RecallWorld, place: Place) -> None:
    said = at("2024-05-07T12:30:15.123456+00:00")
    (first,) = world.remember(place, "The user sails", source_session_id="s1", occurred_at=said)
    (second,) = world.remember(place, "The user likes long answers", agent=True)
    found = corpus(place)
    order = np.argsort(found.memories.ids)
    assert found.memories.ids[order].tolist() == [first, second]
    assert found.agents[order].tolist() == [0, place.agent_id]
    assert found.memories.sessions[order].tolist() == [search.session_key("s1", None), 0]
    assert found.memories.times[order][0] == (said - at("2000-01-01T00:00:00+00:00")) // timedelta(microseconds=1)
    ends = np.cumsum(found.memories.lengths)
    terms = {
        int(memory_id): found.memories.terms[end - length : end].tolist()
        for memory_id, end, length in zip(found.memories.ids, ends, found.memories.lengths, strict=True)
    }
    assert terms[first] == term_hashes(memory_terms("The user sails", date(2024, 5, 7))).tolist()
    assert found.memories.similarities.dtype == np.float32
    assert found.memories.ids.dtype.isnative


def test_the_longest_memory_is_found_by_its_first_words(world: RecallWorld, place: Place) -> None:
    words = " ".join(f"word{number:05}" for number in range(2_000))
    (memory_id,) = world.remember(place, words[:10_000], source_session_id="s")
    found = corpus(place)
    assert (found.memories.ids.tolist(), found.memories.lengths.tolist()) == ([memory_id], [search.MAX_TERMS])


def test_a_search_by_words_reads_the_key_alone(place: Place, database: Database) -> None:
    with psycopg.connect(database.superuser_url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "INSERT INTO memory_search (org_id, user_id, memory_id, session_key, said_at, terms) "
            "SELECT %s, 1000000 + n %% 50, 1000000 + n, 0, now(), decode(repeat('00', 60), 'hex') "
            "FROM generate_series(1, 10000) n",
            [place.org_id],
        )
        # The test server commits before the log is written; only what is written counts as seen by everybody.
        connection.execute("CHECKPOINT")
        connection.execute("VACUUM ANALYZE memory_search")
    given = {"org": place.org_id, "user": 1_000_007, "agent": place.agent_id}
    with transaction(place.org_id) as session:
        explained = binary.rows(session, f"EXPLAIN (ANALYZE) {search.TERMS}", given)
    plan = "\n".join(line for (line,) in explained)
    assert "Index Only Scan using pk_memory_search" in plan
    assert "Heap Fetches: 0" in plan


def test_a_user_without_memories_is_an_empty_search(place: Place) -> None:
    found = corpus(place, "anything")
    assert (found.memories.ids.size, found.memories.terms.size, found.memories.similarities.size) == (0, 0, 0)


def test_similarities_are_those_of_brute_force(world: RecallWorld, place: Place) -> None:
    texts = [f"The user has seen {animal} in {town}" for animal in ("owls", "elks") for town in ("Oslo", "Rome")]
    ids = world.remember(place, *texts)
    found = corpus(place, "owls in Rome")
    vectors = runtime().embedder.embed([*texts, "owls in Rome"])
    expected = dict(zip(ids, vectors[:-1] @ vectors[-1], strict=True))
    for memory_id, similarity in zip(found.memories.ids, found.memories.similarities, strict=True):
        assert similarity == pytest.approx(expected[int(memory_id)], abs=2e-3)


def test_nobody_elses_memories_are_searched(world: RecallWorld, place: Place) -> None:
    other, stranger = world.place(), place.users[1]
    (mine,) = world.remember(place, "The user keeps bees")
    world.remember(place, "The user keeps bees", user=stranger)
    world.remember(other, "The user keeps bees")
    with transaction(place.org_id) as session:
        second = session.scalar(
            text("INSERT INTO agent (org_id, slug, name) VALUES (:org, 'second', 'Second') RETURNING id"),
            {"org": place.org_id},
        )
    world.remember(place, "The user wants bees explained", agent_id=second, category_slug="preferences")
    assert corpus(place, "bees").memories.ids.tolist() == [mine]
    assert corpus(place, "bees", agent=False).memories.ids.tolist() == [mine]


def test_without_an_agent_only_global_memories_are_searched(world: RecallWorld, place: Place) -> None:
    (about,) = world.remember(place, "The user is left-handed")
    world.remember(place, "The user wants diagrams", agent=True)
    assert corpus(place, agent=False).memories.ids.tolist() == [about]


def test_only_live_memories_stand_in_the_index(world: RecallWorld, place: Place) -> None:
    deleted, kept, merged = world.remember(place, "The user had a cat", "The user has a dog", "The user owns a dog")
    removal.delete(world.actor(place), [deleted])
    assert sorted(corpus(place).memories.ids) == [kept, merged]
    organise.merge(world.actor(place), [kept, merged], "The user has a terrier")
    assert term_hashes(["terrier"])[0] in corpus(place).memories.terms
    rows = world.rows(place, "SELECT count(*) FROM memory_search UNION ALL SELECT count(*) FROM memory_vector")
    assert [row.count for row in rows] == [1, 1]
    removal.restore(world.actor(place), deleted)
    assert deleted in corpus(place).memories.ids


def test_a_memory_that_waits_for_its_vector_has_no_similarity(world: RecallWorld, place: Place) -> None:
    (embedded,) = world.remember(place, "The user has a red bicycle")
    world.model.outage = DOWN
    (waiting,) = world.remember(place, "The user has a green bicycle")
    world.model.outage = None
    found = corpus(place, "bicycle")
    known = dict(zip(found.memories.ids.tolist(), found.memories.similarities.tolist(), strict=True))
    assert not found.embedded
    assert known[embedded] > 0.3
    assert np.isnan(known[waiting])


def test_a_new_text_is_not_found_by_the_old_ones_vector(world: RecallWorld, place: Place) -> None:
    (memory_id,) = world.remember(place, "The user lives in Oslo")
    world.model.outage = DOWN
    manual.edit(world.actor(place), memory_id, content="The user lives in Rome")
    world.model.outage = None
    assert np.isnan(corpus(place, "Oslo").memories.similarities).all()
    assert set(corpus(place).memories.terms) == set(
        term_hashes(memory_terms("The user lives in Rome", _said_on(world, place, memory_id)))
    )


def test_a_moved_memory_keeps_its_vector(world: RecallWorld, place: Place) -> None:
    (memory_id,) = world.remember(place, "The user likes maps", agent=True)
    manual.edit(world.actor(place), memory_id, category_slug="learning_goals")
    assert corpus(place, "maps").embedded


def test_vectors_of_another_model_are_not_compared(world: RecallWorld, place: Place) -> None:
    world.remember(place, "The user likes maps")
    world.execute(place, "UPDATE memory_vector SET embedding_model = 'former'")
    found = corpus(place, "maps")
    assert np.isnan(found.memories.similarities).all()
    vector = runtime().embedder.stored(runtime().embedder.embed_one("maps"))
    with transaction(place.org_id) as session:
        where = (session, place.org_id, place.user)
        assert nearest(*where, None, "scripted", vector, 5) == []
        assert search.fuller_model(*where, "scripted") == "former"
        assert search.fuller_model(*where, "former") is None


def test_a_vector_of_another_length_is_as_good_as_none(world: RecallWorld, place: Place) -> None:
    ids = world.remember(place, "The user likes maps", "The user likes globes")
    world.execute(
        place, "UPDATE memory_vector SET embedding = subvector(embedding, 1, 9) WHERE memory_id = :id", id=ids[0]
    )
    found = corpus(place, "maps").memories
    assert np.isnan(found.similarities).tolist() == [memory_id == ids[0] for memory_id in found.ids]
    vector = runtime().embedder.stored(runtime().embedder.embed_one("maps"))
    with transaction(place.org_id) as session:
        near = nearest(session, place.org_id, place.user, None, "scripted", vector, 5)
    assert [one.memory_id for one in near] == [ids[1]]
    assert len(world.recall(place, "Which maps does the user like?").global_memories) == 2


def test_related_memories_come_by_words_and_vector_relevant_or_not(world: RecallWorld, place: Place) -> None:
    ids = world.remember(place, "The user drives a van", "The user collects stamps", "The user plays chess")
    (filed,) = world.remember(place, "The user asked about stamps", agent=True)
    message = "Which stamps are worth money?"
    vector = runtime().embedder.stored(runtime().embedder.embed_one(message))
    with transaction(place.org_id) as session:
        found = search.related(
            session, place.org_id, place.user, place.agent_id,
            message=message, said_on=date(2024, 5, 7), model="scripted", vector=vector, limit=3,
        )  # fmt: skip
    assert set(found[:2]) == {ids[1], filed}
    assert len(found) == 3


def _said_on(world: RecallWorld, place: Place, memory_id: int) -> date:
    (row,) = world.rows(place, "SELECT occurred_at FROM memory WHERE id = :id", id=memory_id)
    said: date = row.occurred_at.astimezone(UTC).date()
    return said
