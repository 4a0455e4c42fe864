"""`flask reembed` moves the graph's vectors too: beside the former ones, resumable, and removes those at the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.graph.world import GraphWorld
from webapp.errors import Unavailable
from webapp.graph import embedding
from webapp.llm.embeddings import Embedder, Vectors
from webapp.runtime import Runtime, runtime

COUNTS = """
    SELECT embedding_model AS model, count(*) AS vectors FROM (
        SELECT embedding_model FROM graph_fact_vector UNION ALL SELECT embedding_model FROM graph_entity_vector
    ) every GROUP BY 1
"""


def vectors(world: GraphWorld) -> dict[str, int]:
    return {row.model: row.vectors for row in world.rows("acme", COUNTS)}


@pytest.fixture
def written(world: GraphWorld) -> Iterator[int]:
    """Two groups whose vectors are a former model's; how many there are."""
    for _ in range(2):
        world.say("olga", world.group(), *(f"Person {number} works for Company {number}." for number in range(3)))
    for table in ("graph_fact_vector", "graph_entity_vector"):
        world.execute("acme", f"UPDATE {table} SET embedding_model = 'former'")
    yield sum(vectors(world).values())
    world.execute("acme", "DELETE FROM graph_group")


@pytest.fixture
def coming(world: GraphWorld) -> Iterator[Embedder]:
    """Another model of the same server."""
    embedder = Embedder(model="coming", base_url=world.model.url)
    yield embedder
    embedder.close()


def moved(world: GraphWorld, embedder: Embedder) -> int:
    org = world.orgs["acme"]
    with world.app.app_context():
        return sum(
            count for group in embedding.missing(org, embedder.model) for count in embedding.move(org, group, embedder)
        )


def test_the_command_moves_beside_and_then_removes_the_former(
    world: GraphWorld, written: int, coming: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with world.app.app_context():
        embedders = {"coming": coming, "scripted": runtime().embedder}
    monkeypatch.setattr(Runtime, "embedder_of", lambda _self, model: embedders[model])
    runner = world.app.test_cli_runner()
    there = runner.invoke(args=["reembed", "--org", "acme", "--to", "coming"])
    assert there.exit_code == 0, there.output
    assert f"acme: {written} entities and facts of 2 graph groups embedded by coming." in there.output
    assert "set MEMORY_EMBEDDING_MODEL=coming" in there.output
    assert vectors(world) == {"former": written, "coming": written}
    done = runner.invoke(args=["reembed", "--org", "acme"])
    assert done.exit_code == 0, done.output
    assert f"acme: {written} entities and facts of 2 graph groups embedded by scripted." in done.output
    assert f"acme: {2 * written} vectors of other models removed." in done.output
    assert vectors(world) == {"scripted": written}
    again = runner.invoke(args=["reembed", "--org", "acme"])
    assert "graph groups" not in again.output
    assert "acme: 0 vectors of other models removed." in again.output


def test_both_models_stand_side_by_side_until_the_end(world: GraphWorld, written: int, coming: Embedder) -> None:
    assert moved(world, coming) == written
    assert vectors(world) == {"former": written, "coming": written}


def test_a_move_that_broke_off_goes_on_where_it_was(
    world: GraphWorld, written: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "BATCH", 2)
    with world.app.app_context():
        embedder = runtime().embedder
        org = world.orgs["acme"]
        first = next(iter(embedding.missing(org, embedder.model)))
        moving = embedding.move(org, first, embedder)
        taken = next(moving)
        moving.close()
    texts: list[str] = []
    embed = embedder.embed

    def counted(given: list[str]) -> Vectors:
        texts.extend(given)
        return embed(given)

    monkeypatch.setattr(embedder, "embed", counted)
    assert moved(world, embedder) == written - taken == len(texts)
    assert vectors(world)["scripted"] == written


def test_a_busy_service_is_waited_for_and_one_that_stays_away_ends_the_move(
    world: GraphWorld, written: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with world.app.app_context():
        embedder, org = runtime().embedder, world.orgs["acme"]
        group = next(iter(embedding.missing(org, embedder.model)))
        embed, waits = embedder.embed, []

        def busy(given: list[str]) -> Vectors:
            if len(waits) < 2:
                raise Unavailable("busy")
            return embed(given)

        monkeypatch.setattr(embedder, "embed", busy)
        assert sum(embedding.move(org, group, embedder, waits.append)) == written // 2
        assert waits == [1, 2]

        def away(_given: list[str]) -> Vectors:
            raise Unavailable("away")

        monkeypatch.setattr(embedder, "embed", away)
        other = next(iter(embedding.missing(org, embedder.model)))
        with pytest.raises(Unavailable):
            list(embedding.move(org, other, embedder, waits.append))
    assert vectors(world) == {"former": written, "scripted": written // 2}


def test_a_group_that_is_not_whole_keeps_its_former_vectors(world: GraphWorld, written: int) -> None:
    with world.app.app_context():
        embedder, org = runtime().embedder, world.orgs["acme"]
        first, _second = embedding.missing(org, embedder.model)
        list(embedding.move(org, first, embedder))
        assert embedding.drop_others(org, embedder.model) == written // 2
    assert vectors(world) == {"former": written // 2, "scripted": written // 2}
