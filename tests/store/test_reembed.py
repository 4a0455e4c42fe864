"""A change of embedding model: rows of both side by side, everything answered meanwhile, nothing of an old text kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pytest

from tests.capture_world import Place, World
from tests.model_server import Call, ModelServer, Reply, embedding_answer, error, vector
from tests.store.recall_world import RecallWorld, recall_world, texts
from webapp.errors import Unavailable
from webapp.llm import embeddings
from webapp.llm.embeddings import EmbeddingProfile
from webapp.memory import reembed
from webapp.memory.write import manual, removal
from webapp.runtime import Runtime, runtime
from webapp.settings import Settings

T = TypeVar("T")
FACTS = ["The user keeps falcons", "The user sails a dinghy", "The user was born in Graz", "The user bakes bread"]
DIMENSIONS = {"former": 256, "scripted": 256, "narrow": 100, "wide": 2000}


class Models:
    """Makes the scripted server answer each model's name with vectors of its own: those of two are unrelated."""

    def __init__(self, server: ModelServer) -> None:
        self.texts: Counter[str] = Counter()
        self.absent: set[str] = set()
        self._asked = ""
        server.on_call, server.embed = self._note, self._answer

    def vector(self, model: str, text: str) -> list[float]:
        """What the model makes of the text."""
        return np.resize(np.roll(vector(text), len(model)), DIMENSIONS[model]).tolist()

    def distance(self, model: str, one: str, other: str) -> float:
        """The cosine distance of two texts by this model."""
        first, second = np.array(self.vector(model, one)), np.array(self.vector(model, other))
        return float(1 - first @ second / np.linalg.norm(first) / np.linalg.norm(second))

    def _note(self, call: Call) -> None:
        self._asked = call.parameters["model"]
        self.texts[self._asked] += len(call.parameters["input"])

    def _answer(self, given: Sequence[str]) -> Reply:
        if self._asked in self.absent:
            return error(404, "no such model")
        return embedding_answer([self.vector(self._asked, text) for text in given])


@pytest.fixture(scope="module")
def world(settings: Settings) -> Iterator[RecallWorld]:
    with recall_world(settings) as made:
        yield made
        for embedder in vars(runtime())["_embedders"].values():
            embedder.close()


@pytest.fixture
def place(world: RecallWorld) -> Iterator[Place]:
    yield world.place(2)
    world.model.forget()


@pytest.fixture(autouse=True)
def models(world: RecallWorld, place: Place) -> Models:  # noqa: ARG001  forgotten with the place
    """What is asked of the models from now on."""
    return Models(world.model)


def learned(world: RecallWorld, place: Place, *facts: str) -> list[int]:
    """Memories from the time before the change: the model that is set up has embedded none of them."""
    ids = world.remember(place, *(facts or FACTS))
    former = runtime().embedder_of("former")
    for memory_id, embedding in zip(ids, former.embed(facts or FACTS), strict=True):
        world.execute(
            place,
            "UPDATE memory_vector SET embedding_model = 'former', embedding = CAST(:v AS halfvec) WHERE memory_id = :id",
            id=memory_id,
            v=str(former.stored(embedding).tolist()),
        )
    return ids


def move(place: Place, model: str = "scripted", user: int | None = None) -> int:
    return sum(reembed.move(place.org_id, user or place.user, runtime().embedder_of(model), pause=_no_pause))


def stored(world: World, place: Place) -> Counter[str]:
    return Counter(row.embedding_model for row in world.rows(place, "SELECT embedding_model FROM memory_vector"))


def _no_pause(_seconds: float) -> None:
    pass


def test_rows_of_both_models_stand_side_by_side(world: RecallWorld, place: Place) -> None:
    learned(world, place)
    assert reembed.missing(place.org_id, "scripted") == {place.user: 4}
    assert move(place) == 4
    assert stored(world, place) == {"former": 4, "scripted": 4}
    assert reembed.missing(place.org_id, "scripted") == {}


def test_until_all_are_moved_the_former_model_answers(
    world: RecallWorld, place: Place, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned(world, place)
    message = "Who keeps falcons?"

    def distance() -> float | None:
        (best, *_) = world.recall(place, message).global_memories
        assert best.memory.content == FACTS[0]
        return best.distance

    old, new = (models.distance(model, message, FACTS[0]) for model in ("former", "scripted"))
    assert distance() == pytest.approx(old, abs=2e-3)
    monkeypatch.setattr(reembed, "BATCH", 3)
    moving = reembed.move(place.org_id, place.user, runtime().embedder)
    assert next(moving) == 3
    assert distance() == pytest.approx(old, abs=2e-3)
    assert list(moving) == [1]
    assert stored(world, place) == {"former": 4, "scripted": 4}
    asked = models.texts["former"]
    assert distance() == pytest.approx(new, abs=2e-3)
    assert models.texts["former"] == asked


def test_what_is_written_meanwhile_is_found_by_its_words(world: RecallWorld, place: Place) -> None:
    learned(world, place)
    world.remember(place, "The user collects stamps")
    found = world.recall(place, "Which stamps?")
    assert texts(found)[0] == ["The user collects stamps"]
    assert found.global_memories[0].distance is None
    move(place)
    assert world.recall(place, "Which stamps?").global_memories[0].distance is not None


def test_a_former_model_that_is_gone_leaves_words_and_what_is_moved(
    world: RecallWorld, place: Place, models: Models
) -> None:
    learned(world, place)
    models.absent.add("former")
    found = world.recall(place, "Is it falcons that the user keeps, without the former model?")
    assert texts(found)[0] == [FACTS[0]]
    assert found.global_memories[0].distance is None


def test_thresholds_follow_the_model_that_answers(
    world: RecallWorld, place: Place, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    strict = EmbeddingProfile("strict", recall_floor=0.0001)
    monkeypatch.setitem(embeddings._PROFILES, "strict", strict)
    monkeypatch.setitem(DIMENSIONS, "strict", 256)
    world.remember(place, "The user was born in Graz")
    message = "The user was born far away from the hills, in which town?"
    assert len(world.recall(place, message).global_memories) == 1
    assert runtime().recall_floor(strict) == 0.0001
    move(place, "strict")
    world.execute(place, "DELETE FROM memory_vector WHERE embedding_model <> 'strict'")
    world.execute(place, "UPDATE memory_search SET terms = ''")
    assert world.recall(place, message).global_memories == []
    assert models.texts["strict"] == 2


def test_a_move_that_broke_off_goes_on_where_it_was(
    world: RecallWorld, place: Place, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned(world, place, *(f"The user has visited country {number}" for number in range(6)))
    monkeypatch.setattr(reembed, "BATCH", 2)
    moving = reembed.move(place.org_id, place.user, runtime().embedder_of("narrow"), pause=_no_pause)
    assert next(moving) == 2
    models.absent.add("narrow")
    with pytest.raises(Unavailable):
        next(moving)
    assert stored(world, place)["narrow"] == 2
    models.absent.clear()
    models.texts.clear()
    assert move(place, "narrow") == 4
    assert models.texts["narrow"] == 4


def test_a_busy_service_is_waited_for(world: RecallWorld, place: Place, models: Models) -> None:
    learned(world, place, "The user has a green canoe")
    waited: list[float] = []

    def pause(seconds: float) -> None:
        waited.append(seconds)
        world.model.outage = None

    world.model.outage = error(429, "slow down", Retry_After="7")
    embedder = runtime().embedder_of("narrow")
    assert sum(reembed.move(place.org_id, place.user, embedder, pause=pause)) == 1
    assert waited == [7]
    assert models.texts["narrow"] == 2


def test_an_edit_meanwhile_leaves_no_vector_of_the_old_text(world: RecallWorld, place: Place) -> None:
    ids = learned(world, place)
    boss = world.actor(place)

    def change() -> None:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(_in_context, world, lambda: manual.edit(boss, ids[0], content="The user keeps owls")).result()
            pool.submit(_in_context, world, lambda: removal.delete(boss, [ids[1]])).result()

    embedder = runtime().embedder_of("narrow")
    embedder.embed(["warm up"])
    real = embedder.embed
    try:
        embedder.embed = lambda given: (real(given), change())[0]  # type: ignore[method-assign, func-returns-value]
        moving = reembed.move(place.org_id, place.user, embedder)
        assert next(moving) == 2
    finally:
        embedder.embed = real  # type: ignore[method-assign]
    assert sum(moving) == 1
    rows = world.rows(place, "SELECT memory_id, embedding_model FROM memory_vector")
    assert {row.embedding_model for row in rows if row.memory_id == ids[0]} == {"scripted", "narrow"}
    assert not [row for row in rows if row.memory_id == ids[1]]
    (row,) = world.rows(
        place,
        "SELECT embedding <=> CAST(:v AS halfvec) AS distance FROM memory_vector "
        "WHERE memory_id = :id AND embedding_model = 'narrow'",
        id=ids[0],
        v=str(embedder.stored(embedder.embed_one("The user keeps owls")).tolist()),
    )
    assert row.distance == pytest.approx(0.0, abs=1e-3)


def test_two_moves_at_once_do_no_harm(world: RecallWorld, place: Place) -> None:
    learned(world, place, *(f"The user has met person {number}" for number in range(20)))
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(_in_context, world, lambda: move(place, "narrow")) for _ in range(2)]
        assert sum(job.result() for job in jobs) >= 20
    assert stored(world, place)["narrow"] == 20


def test_vectors_have_the_length_of_their_model_and_are_exact(world: RecallWorld, place: Place, models: Models) -> None:
    learned(world, place, *FACTS)
    move(place, "narrow")
    message = "Who keeps falcons?"
    lengths = world.rows(place, "SELECT DISTINCT embedding_model, vector_dims(embedding) AS length FROM memory_vector")
    assert {row.embedding_model: row.length for row in lengths} == {"former": 256, "narrow": 100}
    rows = world.rows(
        place,
        "SELECT m.content, v.embedding <=> CAST(:v AS halfvec) AS distance FROM memory_vector v "
        "JOIN memory m ON m.id = v.memory_id WHERE v.embedding_model = 'narrow'",
        v=str(models.vector("narrow", message)),
    )
    assert len(rows) == 4
    for row in rows:
        assert row.distance == pytest.approx(models.distance("narrow", message, row.content), abs=2e-3)


def test_only_who_is_moved_loses_the_former_vectors(world: RecallWorld, place: Place) -> None:
    learned(world, place)
    world.remember(place, "The user paints", user=place.users[1])
    world.execute(place, "UPDATE memory_vector SET embedding_model = 'former'")
    move(place)
    assert reembed.drop_others(place.org_id, "scripted") == 4
    assert stored(world, place) == {"scripted": 4, "former": 1}


def test_a_memory_that_waited_for_its_vector_waits_no_more(world: RecallWorld, place: Place) -> None:
    world.model.outage = error(503, "down")
    world.remember(place, "The user owns a blue kite")
    world.model.outage = None
    assert move(place) == 1
    assert not world.rows(place, "SELECT 1 FROM memory WHERE embed_due_at IS NOT NULL")


def test_the_command_moves_and_says_what_comes_next(world: RecallWorld, place: Place) -> None:
    learned(world, place)
    (org,) = world.rows(place, "SELECT key FROM org WHERE id = :org", org=place.org_id)
    runner = world.app.test_cli_runner()
    there = runner.invoke(args=["reembed", "--org", org.key, "--to", "narrow"])
    assert there.exit_code == 0, there.output
    assert f"{org.key}: 4 memories of 1 people embedded by narrow." in there.output
    assert "set MEMORY_EMBEDDING_MODEL=narrow" in there.output
    assert stored(world, place) == {"former": 4, "narrow": 4}
    done = runner.invoke(args=["reembed", "--org", org.key])
    assert done.exit_code == 0, done.output
    assert "8 vectors of other models removed" in done.output
    assert stored(world, place) == {"scripted": 4}


def test_a_larger_model_is_refused_in_one_sentence(world: RecallWorld, place: Place, models: Models) -> None:
    learned(world, place)
    refused = world.app.test_cli_runner().invoke(args=["reembed", "--to", "wide"])
    assert refused.exit_code == 1
    assert refused.output.strip() == "Error: wide has 2000 dimensions; at most 1536 can be stored."
    assert stored(world, place) == {"former": 4}
    assert models.texts["wide"] == 1


def test_no_text_goes_to_a_server_that_nobody_named(settings: Settings) -> None:
    built_in = Runtime(replace(settings, openai_api_key="", openai_base_url="", embedding_model=""))
    with pytest.raises(Unavailable, match="No server is set up"):
        built_in.embedder_of("text-embedding-3-small")


def _in_context(world: RecallWorld, call: Callable[[], T]) -> T:
    with world.app.app_context():
        return call()
