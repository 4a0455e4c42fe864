"""Claims: fenced, leased, one per lane, orgs and lanes in turn."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from uuid import uuid4

import pytest

from tests.capture_world import Place, World
from webapp.access.actor import Actor, system
from webapp.db.session import transaction
from webapp.errors import Conflict, NotAllowed, NotVisible
from webapp.inbox import activity, claim
from webapp.inbox.types import Counts, Item, Usage


def take(place: Place, most: int = 10, *, lease: float = 60, attempts: int = 3, after: str = "") -> list[Item]:
    return claim.claim(place.org_id, most, lease_seconds=lease, max_attempts=attempts, after_lane=after)


def done(item: Item, counts: Counts | None = None) -> None:
    with transaction(item.org_id) as session:
        item.meter.add(Usage("m", 1, 2))
        claim.finish(session, item, counts or Counts())


def expire(world: World, place: Place) -> None:
    world.execute(place, "UPDATE inbox SET lease_until = now() - interval '1 second' WHERE state = 'claimed'")


def test_a_lane_is_worked_off_in_order_and_one_at_a_time(world: World, place: Place) -> None:
    first, second = (world.say(place, f"I own {number} boats.").id for number in range(2))
    (item,) = take(place)
    assert (item.id, item.attempts, item.body["user_message"]) == (first, 1, "I own 0 boats.")
    assert take(place) == []
    done(item)
    assert [one.id for one in take(place)] == [second]


def test_lanes_run_side_by_side(world: World, place: Place) -> None:
    for user in place.users:
        world.say(place, "I own 3 boats.", user=user)
    assert {item.user_id for item in take(place)} == set(place.users)


def test_what_waits_for_a_retry_holds_its_lane_and_what_failed_does_not(world: World, place: Place) -> None:
    first, second = (world.say(place, f"I own {number} boats.").id for number in range(2))
    claim.retry(take(place)[0], "model_timeout", delay_seconds=60, count_attempt=True)
    assert take(place) == []
    world.execute(place, "UPDATE inbox SET next_at = now() WHERE id = :id", id=first)
    (item,) = take(place)
    assert (item.id, item.attempts) == (first, 2)
    claim.fail(item, "model_refused")
    assert [one.id for one in take(place)] == [second]


def test_a_retry_that_does_not_count_gives_the_attempt_back(world: World, place: Place) -> None:
    world.say(place, "I own 3 boats.")
    claim.retry(take(place)[0], "model_unreachable", delay_seconds=0, count_attempt=False)
    (item,) = take(place)
    assert item.attempts == 1
    claim.release(item)
    row = world.row(place, item.id)
    assert (row.state, row.attempts, row.error) == ("pending", 0, None)


def test_who_lost_the_claim_can_change_nothing(world: World, place: Place) -> None:
    world.say(place, "I own 3 boats.")
    (late,) = take(place)
    expire(world, place)
    (item,) = take(place)
    assert (item.id, item.attempts) == (late.id, 2)
    for change in (done, lambda one: claim.fail(one, "x"), claim.release, hold, skip):
        with pytest.raises(claim.Fenced):
            change(late)
    assert world.row(place, item.id).claim == item.claim
    done(item, Counts(created=2, rejections={"question": 3}))
    row = world.row(place, item.id)
    assert (row.state, row.created, row.rejected, row.rejections, row.model, row.tokens_in, row.tokens_out) == (
        "done", 2, 3, {"question": 3}, "m", 1, 2,
    )  # fmt: skip
    with pytest.raises(claim.Fenced):
        done(item)


def hold(item: Item) -> None:
    with transaction(item.org_id) as session:
        claim.hold(session, item)


def skip(item: Item) -> None:
    with transaction(item.org_id) as session:
        claim.skip(session, item, "org_off")


def test_what_loses_its_worker_too_often_fails_and_lets_others_pass(world: World, place: Place) -> None:
    first, second = (world.say(place, f"I own {number} boats.").id for number in range(2))
    for _ in range(3):
        assert [item.id for item in take(place)] == [first]
        expire(world, place)
    assert [item.id for item in take(place)] == [second]
    row = world.row(place, first)
    assert (row.state, row.error, row.attempts, row.body is None) == ("failed", "worker_lost", 3, False)


def test_skipping_takes_the_text_away(world: World, place: Place) -> None:
    world.say(place, "I own 3 boats.")
    (item,) = take(place)
    skip(item)
    row = world.row(place, item.id)
    assert (row.state, row.reason, row.body) == ("skipped", "org_off", None)


def test_lanes_come_in_turn(world: World, place: Place) -> None:
    for user in place.users:
        for number in range(2):
            world.say(place, f"I own {number} boats.", user=user)
    last, lanes = "", []
    for _ in range(6):
        (item,) = take(place, 1, after=last)
        lanes.append(item.lane)
        last = item.lane
        done(item)
    assert lanes == sorted(set(lanes)) * 2


def test_claimers_at_once_never_share_an_item_or_a_lane(world: World) -> None:
    place = world.place(12)
    for user in place.users:
        for number in range(3):
            world.say(place, f"I own {number} boats.", user=user)
    barrier = Barrier(6)

    def claimer(_: int) -> list[Item]:
        with world.app.app_context():
            barrier.wait()
            return [item for _ in range(8) for item in take(place, 3)]

    with ThreadPoolExecutor(6) as pool:
        items = [item for found in pool.map(claimer, range(6)) for item in found]
    assert len({item.id for item in items}) == len(items) == 12
    assert Counter(item.lane for item in items).most_common(1)[0][1] == 1


def test_the_database_itself_refuses_two_running_in_one_lane(world: World, place: Place) -> None:
    first, second = (world.say(place, f"I own {number} boats.").id for number in range(2))
    running_late = (
        "UPDATE inbox SET state = 'claimed', claim = :claim, lease_until = now() + interval '1 minute' WHERE id = :id"
    )
    world.execute(place, running_late, id=second, claim=uuid4())
    assert take(place) == []
    assert world.row(place, first).state == "pending"


def test_due_orgs_are_those_with_something_to_do(world: World, place: Place) -> None:
    later, idle = world.place(), world.place()
    world.say(place, "I own 3 boats.")
    world.say(later, "I own 3 boats.")
    claim.retry(take(later)[0], "model_timeout", delay_seconds=60, count_attempt=True)
    due = claim.due_orgs()
    assert place.org_id in due
    assert later.org_id not in due
    assert idle.org_id not in due
    take(place)
    assert place.org_id not in claim.due_orgs()
    expire(world, place)
    assert place.org_id in claim.due_orgs()


def test_a_long_backlog_does_not_make_claiming_slow(world: World, place: Place) -> None:
    fill = """
        INSERT INTO inbox (org_id, kind, lane, user_id, agent_id, principal, path, body_hash, body)
        SELECT :org, 'exchange', 'user:' || :user, :user, :agent, 'p', '/', '', '{}' FROM generate_series(1, 20000)
    """
    world.execute(place, fill, org=place.org_id, user=place.user, agent=place.agent_id)
    world.execute(place, "UPDATE inbox SET body = body")
    (item,) = take(place)
    plan = world.rows(place, "EXPLAIN (ANALYZE, FORMAT TEXT) " + claim_statement(place))
    took = [float(row[0].split("Execution Time: ")[1].split(" ")[0]) for row in plan if "Execution Time" in row[0]]
    assert statistics.median(took) < 50
    done(item)


def claim_statement(place: Place) -> str:
    given = {":org": str(place.org_id), ":after": "''", ":limit": "10", ":claim": f"'{uuid4()}'::uuid", ":lease": "60"}
    statement = str(claim._CLAIM.text)
    for name, value in given.items():
        statement = statement.replace(name, value)
    return statement


def test_backoff_doubles_with_jitter_and_has_a_limit() -> None:
    assert 1 <= claim.backoff_seconds(1) <= 2
    assert 8 <= claim.backoff_seconds(4) <= 16
    assert 150 <= claim.backoff_seconds(60) <= 300


def test_retrying_by_hand(world: World, place: Place) -> None:
    admin = Actor("person", place.org_id, "root", "account:0", account_id=0, org_role="admin")
    member = replace(admin, org_role="member")
    accepted = world.say(place, "I own 3 boats.").id
    assert accepted is not None
    with pytest.raises(Conflict):
        activity.retry(admin, accepted, world.settings)
    claim.fail(take(place)[0], "model_refused")
    with pytest.raises(NotAllowed):
        activity.retry(member, accepted, world.settings)
    with pytest.raises(NotVisible):
        activity.retry(admin, accepted + 1_000_000, world.settings)
    assert activity.recent(admin, states=["failed"])[0][0].can_retry
    activity.retry(admin, accepted, world.settings)
    (item,) = take(place)
    assert (item.id, item.attempts) == (accepted, 1)
    claim.fail(item, "model_refused")
    world.execute(place, "UPDATE inbox SET body = NULL")
    assert not activity.recent(admin)[0][0].can_retry
    with pytest.raises(Conflict):
        activity.retry(admin, accepted, world.settings)


def test_counts_and_status(world: World, place: Place) -> None:
    boss = system(place.org_id, "test")
    ids = [world.say(place, "I own 3 boats.", user=user).id for user in place.users]
    claim.fail(take(place, 1)[0], "model_refused")
    take(place, 1, after=f"user:{place.users[0]}")
    found = activity.counts(boss)
    assert (found.waiting, found.running, found.failed) == (1, 1, 1)
    assert 0 <= (found.oldest_seconds or -1) < 60
    shown = activity.status(boss, user_id=place.users[0], agent_id=place.agent_id, item_id=ids[0] or 0)
    assert (shown.status, shown.error, shown.attempts, shown.can_retry) == ("failed", "model_refused", 1, True)
    with pytest.raises(NotVisible):
        activity.status(boss, user_id=place.users[1], agent_id=place.agent_id, item_id=ids[0] or 0)
    assert activity.counts(system(world.place().org_id, "test")).oldest_seconds is None


def test_texts_go_some_days_after_the_end(world: World, place: Place) -> None:
    for user in place.users:
        world.say(place, "I own 3 boats.", user=user)
    items = take(place)
    done(items[0])
    claim.fail(items[1], "model_refused")
    world.execute(place, "UPDATE inbox SET done_at = done_at - interval '29 days'")
    assert activity.purge_texts(place.org_id, days=30) == 0
    world.execute(place, "UPDATE inbox SET done_at = done_at - interval '2 days'")
    assert activity.purge_texts(place.org_id, days=30) == 2
    assert [row.id for row in world.rows(place, "SELECT id FROM inbox WHERE body IS NOT NULL")] == [items[2].id]


def test_what_was_spent_adds_up_over_attempts_whatever_became_of_them(world: World, place: Place) -> None:
    world.say(place, "I own 3 boats.")
    ends: list[Callable[[Item], None]] = [
        lambda item: claim.retry(item, "model_timeout", delay_seconds=0, count_attempt=True),
        claim.release,
        lambda item: claim.retry(item, "model_unreachable", delay_seconds=0, count_attempt=False),
        lambda item: claim.fail(item, "model_refused"),
    ]
    for number, end in enumerate(ends):
        (item,) = take(place)
        if number != 2:
            item.meter.add(Usage("first"))
            item.meter.add(Usage(f"m{number}", 100, 10))
        end(item)
    row = world.row(place, item.id)
    assert (row.state, row.model, row.tokens_in, row.tokens_out) == ("failed", "m3", 300, 30)


def test_where_nobody_counted_nothing_is_said(world: World, place: Place) -> None:
    world.say(place, "I own 3 boats.")
    (item,) = take(place)
    claim.retry(item, "model_timeout", delay_seconds=0, count_attempt=True)
    row = world.row(place, item.id)
    assert (row.model, row.tokens_in, row.tokens_out) == (None, None, None)


def test_what_was_spent_under_a_lost_claim_is_counted_too(world: World, place: Place) -> None:
    world.say(place, "I own 3 boats.")
    (late,) = take(place)
    expire(world, place)
    (item,) = take(place)
    late.meter.add(Usage("m", 100, 10))
    done(item)
    claim.charge(late)
    row = world.row(place, item.id)
    assert (row.state, row.tokens_in, row.tokens_out) == ("done", 101, 12)
