"""What a process holds in memory is bounded in bytes and in time."""

from __future__ import annotations

import pytest

from webapp.holder import IDLE_SECONDS, LIFETIME_SECONDS, Holder


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_what_is_put_is_got(clock: Clock) -> None:
    holder: Holder[str, int] = Holder(100, clock)
    holder.put("a", 1, 40)
    assert (holder.get("a"), holder.get("b"), holder.size) == (1, None, 40)


def test_what_was_used_longest_ago_goes_first(clock: Clock) -> None:
    holder: Holder[str, int] = Holder(100, clock)
    for key in "abc":
        holder.put(key, 0, 30)
    holder.get("a")
    holder.put("d", 0, 30)
    assert [key for key in "abcd" if holder.get(key) is not None] == ["a", "c", "d"]


def test_the_bytes_are_those_of_the_newest_value(clock: Clock) -> None:
    holder: Holder[str, int] = Holder(100, clock)
    holder.put("a", 1, 90)
    holder.put("a", 2, 10)
    holder.put("b", 3, 90)
    assert (holder.get("a"), holder.get("b"), holder.size) == (2, 3, 100)


def test_what_is_larger_than_all_there_is_is_not_held(clock: Clock) -> None:
    holder: Holder[str, int] = Holder(100, clock)
    holder.put("a", 1, 101)
    assert (holder.get("a"), holder.size) == (None, 0)


def test_with_no_bytes_nothing_is_held(clock: Clock) -> None:
    holder: Holder[str, int] = Holder(0, clock)
    holder.put("a", 1, 1)
    assert holder.get("a") is None


def test_a_value_goes_when_it_is_idle(clock: Clock) -> None:
    holder: Holder[str, int] = Holder(100, clock)
    holder.put("a", 1, 1)
    for _ in range(3):
        clock.now += IDLE_SECONDS
        assert holder.get("a") == 1
    clock.now += IDLE_SECONDS + 1
    assert holder.get("a") is None


def test_a_value_goes_when_it_is_too_old_however_often_it_is_used_or_renewed(clock: Clock) -> None:
    holder: Holder[str, int] = Holder(100, clock)
    began = clock.now
    holder.put("a", 1, 1)
    while clock.now + IDLE_SECONDS <= began + LIFETIME_SECONDS:
        clock.now += IDLE_SECONDS
        assert holder.get("a") is not None
        holder.put("a", 2, 1)
    clock.now += 1
    assert holder.get("a") is None
    holder.put("a", 3, 1)
    clock.now += IDLE_SECONDS
    assert holder.get("a") == 3


def test_idle_values_leave_the_memory_when_others_are_used(clock: Clock) -> None:
    holder: Holder[str, int] = Holder(100, clock)
    holder.put("a", 1, 60)
    clock.now += IDLE_SECONDS + 1
    holder.get("b")
    assert holder.size == 0


def test_who_makes_a_value_is_alone_with_its_key() -> None:
    holder: Holder[int, int] = Holder(100)
    assert holder.alone(1) is holder.alone(1)
    assert holder.alone(1) is not holder.alone(2)


def test_cleared_it_holds_nothing(clock: Clock) -> None:
    holder: Holder[str, int] = Holder(100, clock)
    holder.put("a", 1, 1)
    holder.clear()
    assert holder.get("a") is None
