"""The kinds of fault that graph memories are known for, each made impossible here: with the built-in rules, over HTTP."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from tests.graph.world import GraphWorld

MAY = datetime(2023, 5, 8, 10, 30, tzinfo=UTC)


def at(text: str, when: str, **more: str) -> dict[str, str]:
    return {"content": text, "timestamp": when, **more}


def intervals(world: GraphWorld, group: str) -> list[tuple[str, str | None, str | None]]:
    """(sentence, from, until) of every fact, as dates."""
    return sorted(
        (row.content, row.valid_at and str(row.valid_at.date()), row.invalid_at and str(row.invalid_at.date()))
        for row in world.facts("acme", group)
    )


def test_no_fact_is_retired_only_because_it_shares_a_pair_of_entities(world: GraphWorld) -> None:
    group = world.group()
    world.say(
        "olga",
        group,
        at("Ann Smith is the CFO of Orbit.", "2023-01-01"),
        at("Ann Smith administers Orbit's git.", "2023-06-01"),
    )
    assert world.current("acme", group) == {"Ann Smith is the CFO of Orbit.", "Ann Smith administers Orbit's git."}


def test_an_assignment_that_moved_leaves_no_old_one_current(world: GraphWorld) -> None:
    group = world.group()
    world.say(
        "olga",
        group,
        at("Ticket 42 is assigned to Ann.", "2023-01-01"),
        at("Ticket 42 was reassigned from Ann to Bob.", "2023-02-01"),
    )
    first = next(row for row in world.facts("acme", group) if row.content == "Ticket 42 is assigned to Ann.")
    assert first.invalid_at == datetime(2023, 2, 1, tzinfo=UTC)
    assert first.expired_at > datetime(2026, 1, 1, tzinfo=UTC)
    now = [row for row in world.facts("acme", group) if row.relation == "ASSIGNED_TO" and row.invalid_at is None]
    assert [row.target for row in now] == ["Bob"]


def test_late_old_news_does_not_win(world: GraphWorld) -> None:
    group = world.group()
    world.say("olga", group, at("I live in Rome.", "2023-05-01"))
    world.say("olga", group, at("I live in Paris.", "2020-05-01"))
    assert intervals(world, group) == [
        ("John: I live in Paris.", "2020-05-01", "2023-05-01"),
        ("John: I live in Rome.", "2023-05-01", None),
    ]


def test_separate_intervals_are_not_merged(world: GraphWorld) -> None:
    group = world.group()
    world.say(
        "olga",
        group,
        at("I live in Paris.", "2019-01-01"),
        at("I live in Rome.", "2020-01-01"),
        at("I live in Paris.", "2021-01-01"),
    )
    assert intervals(world, group) == [
        ("John: I live in Paris.", "2019-01-01", "2020-01-01"),
        ("John: I live in Paris.", "2021-01-01", None),
        ("John: I live in Rome.", "2020-01-01", "2021-01-01"),
    ]


STORY = [
    at("I live in Oslo.", "2018-03-01"),
    at("I live in Paris.", "2019-03-01"),
    at("I live in Oslo.", "2020-03-01"),
    at("I used to live in Oslo until 2021.", "2022-03-01"),
]


def test_whatever_the_order_of_arrival_the_intervals_are_the_same(world: GraphWorld) -> None:
    found = []
    for order in itertools.permutations(STORY):
        group = world.group()
        world.say("olga", group, *order, process=False)
        found.append(group)
    world.settle()
    told = {str(intervals(world, group)) for group in found}
    assert len(told) == 1, told
    assert intervals(world, found[0])[:2] == [
        ("John: I live in Oslo.", "2018-03-01", "2019-03-01"),
        ("John: I live in Oslo.", "2020-03-01", "2021-01-01"),
    ]


def test_one_name_is_one_entity(world: GraphWorld) -> None:
    group = world.group()
    world.say(
        "olga", group, "I work for Northwind.", "I like NORTHWIND a lot.", "Northwind Inc. hired Sarah.",
        "Apple (AAPL) is trading at $185.25.", "I bought AAPL yesterday.",
    )  # fmt: skip
    assert sorted(world.entities("acme", group)) == ["Apple", "John", "Northwind", "Sarah"]
    world.post("olga", "/ingest/entity-node", group_id=group, name="northwind", summary="A trader")
    assert len(world.entities("acme", group)) == 4


def test_the_same_fact_twice_in_one_batch_is_one_fact(world: GraphWorld) -> None:
    group = world.group()
    text = "I work for Northwind. I work for Northwind. I work  for NORTHWIND."
    world.say("olga", group, at(text, "2023-05-08T10:00:00Z"), at(text, "2023-05-08T10:01:00Z"))
    rows = world.facts("acme", group)
    assert len(rows) == 1
    (fact,) = world.search("olga", "Northwind", [group])
    assert len(fact["episodes"]) == 2


def test_a_different_figure_is_a_different_fact(world: GraphWorld) -> None:
    group = world.group()
    world.say(
        "olga",
        group,
        at("Apple (AAPL) closed at $185.25.", "2023-05-08"),
        at("Apple (AAPL) closed at $186.25.", "2023-05-09"),
    )
    assert [(row.content, row.invalid_at is None) for row in world.facts("acme", group)] == [
        ("Apple (AAPL) closed at $185.25.", False),
        ("Apple (AAPL) closed at $186.25.", True),
    ]


def test_back_filled_messages_are_not_dated_today(world: GraphWorld) -> None:
    group = world.group()
    world.say("olga", group, at("Moved to Lisbon last week.", "2023-05-08"), at("I met Sarah.", "2019-02-03T04:05:06"))
    (episode, later) = world.call("olga", "GET", f"/retrieve/episodes/{group}?last_n=5").json()
    assert episode["messages"][0]["timestamp"] == "2019-02-03T04:05:06Z"
    assert later["created_at"] > "2026"
    valid = {row.content: row.valid_at for row in world.facts("acme", group)}
    assert valid["John: Moved to Lisbon last week."] == datetime(2023, 5, 1, tzinfo=UTC)
    assert valid["John: I met Sarah."] == datetime(2019, 2, 3, 4, 5, 6, tzinfo=UTC)


def test_naive_and_aware_times_are_told_apart(world: GraphWorld) -> None:
    group = world.group()
    world.say(
        "olga", group, at("I live in Rome.", "2023-05-08T12:00:00+02:00"), at("I live in Oslo.", "2023-05-08T10:30:00"),
        at("I live in Bern.", "2023-05-08T11:00:00Z"),
    )  # fmt: skip
    said = {
        row.content: (row.valid_at.strftime("%H:%M"), row.invalid_at and row.invalid_at.strftime("%H:%M"))
        for row in world.facts("acme", group)
    }
    assert said == {
        "John: I live in Rome.": ("10:00", "10:30"),
        "John: I live in Oslo.": ("10:30", "11:00"),
        "John: I live in Bern.": ("11:00", None),
    }


@pytest.mark.parametrize("uuid", [None, "msg_001"])
def test_the_same_request_twice_changes_nothing(world: GraphWorld, uuid: str | None) -> None:
    group = world.group()
    message = at("I work for Northwind.", "2023-05-08", **({"uuid": uuid} if uuid else {}))
    world.say("olga", group, message)
    world.say("olga", group, message)
    assert len(world.call("olga", "GET", f"/retrieve/episodes/{group}?last_n=9").json()) == 1
    (fact,) = world.search("olga", "Northwind", [group])
    assert len(fact["episodes"]) == 1


def test_a_request_without_times_is_the_same_by_its_key(world: GraphWorld) -> None:
    group = world.group()
    body = {"group_id": group, "messages": [{"content": "I work for Northwind.", "role_type": "user"}] * 2}
    for _ in range(2):
        assert world.call("olga", "POST", "/ingest/messages", body, Idempotency_Key="once").status_code == 202
    assert len(world.call("olga", "GET", f"/retrieve/episodes/{group}?last_n=9").json()) == 2


def test_the_same_uuid_at_once_is_one_message(world: GraphWorld) -> None:
    group = world.group()
    messages = [world.message(at("I work for Northwind.", "2023-05-08", uuid=f"m{place}")) for place in range(5)]
    orders = [messages, messages[::-1], messages[2:] + messages[:2], messages]
    with ThreadPoolExecutor(4) as pool:
        answers = list(
            pool.map(
                lambda order: world.call("olga", "POST", "/ingest/messages", {"group_id": group, "messages": order}),
                orders,
            )
        )
    assert [answer.status_code for answer in answers] == [202] * 4
    assert len(world.call("olga", "GET", f"/retrieve/episodes/{group}?last_n=50").json()) == 5


@pytest.mark.parametrize("query", ["", " ", "???", "&& || !", "AND OR NOT", "(*) :* \\", "'\"%_;--", "\n"])
def test_a_query_of_operators_finds_nothing_and_is_no_error(world: GraphWorld, query: str) -> None:
    group = world.group()
    world.say("olga", group, "I work for Northwind and like operators.")
    assert world.search("olga", query, [group]) == []


def test_two_people_may_send_msg_001(world: GraphWorld) -> None:
    groups = {"olga": world.group(), "mira": world.group()}
    uuid = f"msg_001_{groups['olga']}"
    for who, place in (("olga", "Rome"), ("mira", "Oslo")):
        world.say(who, groups[who], at(f"I live in {place}.", "2023-05-08", uuid=uuid))
    assert [fact["fact"] for fact in world.search("olga", "where does John live", list(groups.values()))] == [
        "John: I live in Rome."
    ]
    assert world.call("olga", "DELETE", f"/ingest/episode/{uuid}").status_code == 200
    assert [fact["fact"] for fact in world.search("mira", "where does John live", list(groups.values()))] == [
        "John: I live in Oslo."
    ]


def test_of_two_with_the_same_start_neither_closes_the_other(world: GraphWorld) -> None:
    group = world.group()
    world.say("olga", group, at("I live in Rome.", "2023-05-08"), at("I live in Oslo.", "2023-05-08"))
    assert world.current("acme", group) == {"John: I live in Rome.", "John: I live in Oslo."}


def test_what_somebody_left_has_ended_whichever_is_heard_first(world: GraphWorld) -> None:
    story = [at("I work for Northwind.", "2020-01-01"), at("I left Northwind in March.", "2023-05-08")]
    for order in (story, story[::-1]):
        group = world.group()
        world.say("olga", group, *order)
        assert ("John: I work for Northwind.", "2020-01-01", "2023-03-01") in intervals(world, group)
        assert "John: I left Northwind in March." in world.current("acme", group)
