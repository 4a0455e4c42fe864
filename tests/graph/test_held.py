"""What a process holds of a group in memory is what the database has, whatever has changed and whoever changed it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from tests.graph.world import GraphWorld
from webapp.access.actor import system
from webapp.db.session import transaction
from webapp.graph import embedding, held, index, remove, retrieve
from webapp.graph.candidates import Found, Scope
from webapp.graph.retrieve import Question
from webapp.graph.store import columns, groups, search
from webapp.llm.embeddings import Embedder
from webapp.runtime import runtime
from webapp.terms import message_terms, term_hashes

ENDED = datetime(2024, 5, 8, 10, 30, tzinfo=UTC)
QUERY = "Who works for Northwind in Berlin, and where does Paul live?"


@pytest.fixture(autouse=True)
def nothing_held(world: GraphWorld) -> Iterator[None]:
    with world.app.app_context():
        runtime().graph_indexes.clear()
        yield


def found(
    world: GraphWorld, way: object, *keys: str, as_of: datetime | None = None, now: datetime | None = None
) -> Found:
    """What one of the two ways finds."""
    org_id = world.orgs["acme"]
    terms = term_hashes(message_terms(QUERY, date(2026, 1, 1)))
    vector = runtime().embedder.embed_one(QUERY)
    with transaction(org_id) as session:
        scope = Scope(org_id, groups.among(session, org_id, list(keys)), as_of or now or datetime.now(UTC), as_of)
        return way.candidates(session, scope, runtime().embedder, vector, terms)  # type: ignore[attr-defined]


def same(world: GraphWorld, *keys: str, as_of: datetime | None = None) -> set[int]:
    """The ids that both ways find; everything else that they find is alike too."""
    in_memory, in_database = (found(world, way, *keys, as_of=as_of) for way in (held, search))
    assert in_memory.whole == in_database.whole
    assert {one.id: one for one in in_memory.candidates} == {one.id: one for one in in_database.candidates}
    assert similarities(in_memory) == pytest.approx(similarities(in_database), abs=2e-3, nan_ok=True)
    assert held_terms(in_memory) == held_terms(in_database)
    return {one.id for one in in_memory.candidates}


def similarities(some: Found) -> dict[int, float]:
    return dict(zip(some.columns.ids.tolist(), some.columns.similarities.tolist(), strict=True))


def held_terms(some: Found) -> dict[int, list[int]]:
    parts = np.split(some.columns.terms, np.cumsum(some.columns.lengths)[:-1])
    return {one: part.tolist() for one, part in zip(some.columns.ids.tolist(), parts, strict=True)}


@pytest.fixture
def reread(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many facts were read as changes, one entry each time."""
    read: list[int] = []
    original = columns.changed

    def counted(*given: Any) -> columns.Loaded | None:
        loaded = original(*given)
        read.append(len(loaded.facts) if loaded else 0)
        return loaded

    monkeypatch.setattr(columns, "changed", counted)
    return read


@pytest.fixture
def wholes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The groups that were read whole, one entry each time."""
    read: list[int] = []
    original = columns.whole
    monkeypatch.setattr(columns, "whole", lambda *given: (read.append(given[2]), original(*given))[1])
    return read


def test_both_ways_find_the_same_after_every_kind_of_change(world: GraphWorld, wholes: list[int]) -> None:
    group = world.group()
    world.say("olga", group, "Anna works for Northwind in Berlin.", "Paul lives in Ghent.")
    first = same(world, group)
    assert len(first) >= 2
    world.say("olga", group, {"content": "Maria works for Contoso.", "uuid": "third"})
    second = same(world, group)
    assert second > first
    world.say("olga", group, {"content": "Paul moved to Lisbon.", "timestamp": ENDED.isoformat()})
    ended = [row.id for row in world.facts("acme", group) if row.invalid_at is not None]
    assert ended, "the test needs a fact that ended"
    third = same(world, group)
    assert {one.id for one in found(world, held, group).candidates if one.ended} >= set(ended) & third
    assert same(world, group, as_of=datetime(2023, 6, 1, tzinfo=UTC)) < third
    for far in (timedelta(0), timedelta(microseconds=-1)):
        now = ENDED + far
        by_way = [
            {one.id for one in found(world, way, group, now=now).candidates if one.ended} for way in (held, search)
        ]
        assert by_way[0] == by_way[1]
        assert bool(by_way[0]) == (far == timedelta(0)), "a fact has ended at the moment that it ends"
    gone = world.facts("acme", group)[0]
    assert world.call("olga", "DELETE", f"/ingest/entity-edge/{gone.uuid}").status_code == 200
    assert same(world, group) == third - {gone.id}
    assert world.call("olga", "DELETE", f"/ingest/episode/third?group_id={group}").status_code == 200
    assert same(world, group) < third - {gone.id}
    assert len(wholes) == 1, "changes are read alone"


def test_only_what_has_changed_is_read_again(world: GraphWorld, reread: list[int]) -> None:
    group = world.group()
    world.say("olga", group, "Anna works for Northwind in Berlin.", "Paul lives in Ghent.")
    same(world, group)
    before = len(world.facts("acme", group))
    world.say("olga", group, "Maria works for Contoso.")
    same(world, group)
    same(world, group)
    assert reread == [len(world.facts("acme", group)) - before]


def test_a_group_that_is_deleted_and_begun_anew_has_nothing_of_the_former(world: GraphWorld) -> None:
    group = world.group()
    world.say("olga", group, "Anna works for Northwind in Berlin.")
    before = same(world, group)
    assert world.call("olga", "DELETE", f"/ingest/group/{group}").status_code == 200
    world.say("olga", group, "Paul lives in Ghent.")
    assert same(world, group).isdisjoint(before)


def test_pruned_messages_take_their_facts_out_of_memory(world: GraphWorld, wholes: list[int]) -> None:
    group, org_id = world.group(), world.orgs["acme"]
    world.say("olga", group, *(f"Person {number} works for Northwind." for number in range(6)))
    before = same(world, group)
    with transaction(org_id) as session:
        made = groups.find(session, org_id, group)
        assert made is not None
        assert remove.prune(session, org_id, made.id, 2) == 4
        world_sees = found(world, held, group)
        assert {one.id for one in world_sees.candidates} == before, "not before it is committed"
    assert len(same(world, group)) < len(before)
    assert len(wholes) == 1


def test_a_vector_that_comes_later_is_found(world: GraphWorld) -> None:
    group, org_id = world.group(), world.orgs["acme"]
    world.say("olga", group, "Anna works for Northwind in Berlin.", "Paul lives in Ghent.")
    made = world.rows("acme", "SELECT id FROM graph_group WHERE key = :group", group=group)[0].id
    world.execute("acme", "DELETE FROM graph_fact_vector WHERE group_id = :g", g=made)
    same(world, group)
    assert np.isnan(found(world, held, group).columns.similarities).all()
    assert embedding.embed_missing(org_id)
    same(world, group)
    assert not np.isnan(found(world, held, group).columns.similarities).any()


def test_several_groups_are_searched_as_one(world: GraphWorld) -> None:
    keys = [world.group() for _ in range(3)]
    for key in keys:
        world.say("olga", key, f"Anna works for Northwind in {key}.", "Paul lives in Ghent.")
    assert same(world, *keys) == same(world, keys[0]) | same(world, keys[1]) | same(world, keys[2])


def test_one_who_waits_for_another_to_read_a_group_does_not_read_it_again(
    world: GraphWorld, wholes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    group = world.group()
    world.say("olga", group, "Anna works for Northwind in Berlin.")
    holder = runtime().graph_indexes
    original = holder.alone

    def late(key: tuple[int, int, str]) -> object:
        """Another search has read the group by the time that this one's turn has come."""
        monkeypatch.setattr(holder, "alone", original)
        found(world, held, group)
        return original(key)

    monkeypatch.setattr(holder, "alone", late)
    assert found(world, held, group).candidates
    assert len(wholes) == 1


@pytest.mark.parametrize("reason", ["too large", "too many"])
def test_what_does_not_fit_is_searched_in_the_database(
    world: GraphWorld, wholes: list[int], monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    group = world.group()
    world.say("olga", group, "Anna works for Northwind in Berlin.")
    if reason == "too large":
        monkeypatch.setattr(runtime().graph_indexes, "most_bytes", 100)
    else:
        monkeypatch.setattr(held, "MOST_GROUPS", 0)
    assert found(world, held, group).candidates
    assert wholes == []
    assert runtime().graph_indexes.size == 0


def test_groups_of_many_facts_are_read_in_parts(world: GraphWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    group = world.group()
    world.say("olga", group, *(f"Person {number} works for Company {number}." for number in range(5)))
    monkeypatch.setattr(columns, "CHUNK", 2)
    same(world, group)
    # More changes than one reading takes: then everything is read again.
    world.say("olga", group, *(f"Person {number} works for Northwind." for number in range(5)))
    assert len(same(world, group)) == len(world.facts("acme", group)) >= 10


def test_vectors_of_another_model_are_not_compared(world: GraphWorld) -> None:
    group, org_id = world.group(), world.orgs["acme"]
    world.say("olga", group, "Anna works for Northwind in Berlin.")
    same(world, group)
    coming = Embedder(model="coming", base_url=world.model.url)
    with transaction(org_id) as session:
        scope = Scope(org_id, groups.among(session, org_id, [group]), datetime.now(UTC))
        vector, terms = coming.embed_one(QUERY), term_hashes(message_terms(QUERY, date(2026, 1, 1)))
        by_coming = held.candidates(session, scope, coming, vector, terms)
    coming.close()
    assert by_coming.candidates
    assert np.isnan(by_coming.columns.similarities).all()


def test_vectors_of_another_length_are_not_compared(world: GraphWorld) -> None:
    """As after a service has changed its model under the same name."""
    group = world.group()
    world.say("olga", group, "Anna works for Northwind in Berlin.", "Paul lives in Ghent.")
    same(world, group)
    made = world.rows("acme", "SELECT id FROM graph_group WHERE key = :group", group=group)[0].id
    one = world.facts("acme", group)[0].id
    world.execute("acme", "UPDATE graph_group SET revision = revision + 1 WHERE id = :g", g=made)
    world.execute(
        "acme",
        "UPDATE graph_fact f SET revision = g.revision FROM graph_group g WHERE g.id = :g AND f.group_id = g.id",
        g=made,
    )
    for table in ("graph_fact_vector", "graph_entity_vector"):
        world.execute("acme", f"UPDATE {table} SET embedding = subvector(embedding, 1, 5) WHERE group_id = :g", g=made)
    same(world, group)
    assert np.isnan(similarities(found(world, held, group))[one])
    assert retrieve.find_facts(system(world.orgs["acme"], "test"), [group], Question(QUERY))
    world.say("olga", group, "Maria works for Northwind in Berlin.")
    assert same(world, group)


def test_a_fact_that_goes_between_the_search_and_its_showing_is_left_out(
    world: GraphWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    group, org_id = world.group(), world.orgs["acme"]
    world.say("olga", group, "Anna works for Northwind in Berlin.", "Paul works for Northwind in Ghent.")
    actor = system(org_id, "test")
    shown = retrieve.find_facts(actor, [group], Question(QUERY))
    assert len(shown) >= 2
    original = search.load

    def just_deleted(*given: object) -> object:
        monkeypatch.setattr(search, "load", original)
        remove.delete_fact(actor, shown[0].uuid)
        return original(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(search, "load", just_deleted)
    left = [one.uuid for one in retrieve.find_facts(actor, [group], Question(QUERY))]
    assert set(left) >= {one.uuid for one in shown[1:]}
    assert shown[0].uuid not in left


def test_what_is_held_is_no_text(world: GraphWorld) -> None:
    group = world.group()
    world.say("olga", group, "Anna works for Northwind in Berlin.")
    found(world, held, group)
    kept = [one.value for one in runtime().graph_indexes._held.values()]
    assert kept
    for one in kept:
        assert isinstance(one, index.Index)
        for segment in one.segments:
            assert all(column.dtype.kind in "biuf" for column in vars_of(segment.facts))


def vars_of(facts: index.Columns) -> list[np.ndarray]:
    return [getattr(facts, name) for name in index.Columns.__dataclass_fields__]


def test_the_setting_says_how_much_is_held(world: GraphWorld) -> None:
    from webapp.runtime import Runtime

    assert Runtime(replace(world.settings, graph_index_mb=3)).graph_indexes.most_bytes == 3_000_000
