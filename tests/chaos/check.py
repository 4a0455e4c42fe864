"""The invariants, checked in the tables as the superuser sees them, in the queue and in the logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import redis

from tests.chaos.load import PLANTED, REFUSED, Ledger, Member
from tests.chaos.stack import Stack

FINISHED = {"done", "skipped", "failed"}


def broken(stack: Stack, ledger: Ledger, erased: list[Member], switched_off: dict[int, int]) -> list[str]:
    """Every broken promise, in words; empty when all are kept."""
    with stack.superuser() as connection:
        rows = _rows(connection, "SELECT * FROM inbox")
        memories = _rows(connection, "SELECT * FROM memory")
        members = _rows(connection, "SELECT user_id, erased_at FROM membership")
    return [
        *each_accepted_exchange_ends_once(rows, ledger, {member.id for member in erased}),
        *each_fact_is_remembered_once(memories, ledger),
        *nothing_without_a_finished_source(rows, memories),
        *counters_equal_rows(rows, memories),
        *in_order(memories),
        *nothing_of_the_erased(rows, memories, {row["user_id"]: row["erased_at"] for row in members}, erased),
        *nothing_after_switching_off(memories, switched_off),
        *no_text_in_queue_or_logs(stack),
    ]


def unfinished(stack: Stack) -> int:
    """How many exchanges are waiting or running."""
    with stack.superuser() as connection:
        found = connection.execute("SELECT count(*) FROM inbox WHERE state IN ('pending', 'claimed')").fetchone()
    return int(found[0]) if found else 0


def each_accepted_exchange_ends_once(rows: list[Any], ledger: Ledger, erased: set[int]) -> Iterator[str]:
    """Each 202 has one row in one final state, which is `failed` only where the model refuses for good."""
    by_id = {row["id"]: row for row in rows}
    for exchange_id, said in ledger.accepted.items():
        row = by_id.get(exchange_id)
        if row is None:
            if said.member.id not in erased:
                yield f"exchange {exchange_id} was accepted and is gone"
            continue
        wanted = {"failed"} if said.sort == "refused" else {"done"}
        if row["state"] not in wanted:
            yield f"exchange {exchange_id} ({said.sort}) is {row['state']}: {row['error'] or row['reason']}"
        if row["state"] == "failed" and row["error"] != "model_refused":
            yield f"exchange {exchange_id} failed as {row['error']}"
    unknown = {row["id"] for row in rows if row["user_id"] in {said.member.id for said in ledger.accepted.values()}}
    keys = Counter(row["idempotency_key"] for row in rows if row["id"] in unknown)
    yield from (f"key {key} made {count} exchanges" for key, count in keys.items() if count > 1)


def each_fact_is_remembered_once(memories: list[Any], ledger: Ledger) -> Iterator[str]:
    """What was said is there, as it was said, exactly once."""
    live = [row for row in memories if row["deleted_at"] is None and row["superseded_at"] is None]
    counted = Counter((row["user_id"], row["content"]) for row in live)
    for user_id, facts in ledger.expected().items():
        for fact in facts:
            if counted[user_id, fact] != 1:
                yield f"user {user_id}: {counted[user_id, fact]} times {fact!r}"
    twice = [(place, count) for place, count in counted.items() if count > 1]
    yield from (f"user {place[0]} remembers {count} times {place[1]!r}" for place, count in twice)


def nothing_without_a_finished_source(rows: list[Any], memories: list[Any]) -> Iterator[str]:
    """A captured memory comes from an exchange that is done."""
    states = {row["id"]: row["state"] for row in rows}
    for memory in memories:
        if memory["origin"] == "captured" and states.get(memory["source_exchange_id"]) != "done":
            yield f"memory {memory['id']} comes from an exchange that is {states.get(memory['source_exchange_id'])}"


def counters_equal_rows(rows: list[Any], memories: list[Any]) -> Iterator[str]:
    """What an exchange says it created is what lies there."""
    made = Counter(row["source_exchange_id"] for row in memories if row["origin"] == "captured")
    for row in rows:
        if row["created"] != made[row["id"]]:
            yield f"exchange {row['id']} counts {row['created']} and made {made[row['id']]}"
        if row["state"] in FINISHED and (row["claim"] is not None or row["lease_until"] is not None):
            yield f"exchange {row['id']} is {row['state']} and still claimed"


def in_order(memories: list[Any]) -> Iterator[str]:
    """One person's exchanges were taken in the order in which they were accepted."""
    latest: dict[int, int] = {}
    for memory in sorted(memories, key=lambda row: row["id"]):
        if memory["origin"] == "captured":
            if latest.get(memory["user_id"], 0) > memory["source_exchange_id"]:
                yield f"memory {memory['id']} was made out of order"
            latest[memory["user_id"]] = memory["source_exchange_id"]


def nothing_of_the_erased(
    rows: list[Any], memories: list[Any], erased_at: dict[int, Any], erased: list[Member]
) -> Iterator[str]:
    """After an erasure nothing that was handed in before it is there.

    A client that was not answered in time may send its exchange once more after the erasure: that is a new one.
    """
    gone = {member.id for member in erased}
    later = {row["id"] for row in rows if row["user_id"] in gone and row["created_at"] > erased_at[row["user_id"]]}
    for memory in memories:
        if memory["user_id"] in gone and memory["source_exchange_id"] not in later:
            yield f"memory {memory['id']} of an erased person"
    for row in rows:
        if row["user_id"] in gone and row["id"] not in later and (row["state"] != "skipped" or row["body"] is not None):
            yield f"exchange {row['id']} of an erased person is {row['state']}, text kept: {row['body'] is not None}"


def nothing_after_switching_off(memories: list[Any], switched_off: dict[int, int]) -> Iterator[str]:
    """What was there when the switch was answered is all that is there."""
    counted = Counter(row["user_id"] for row in memories)
    for user_id, count in switched_off.items():
        if counted[user_id] != count:
            yield f"user {user_id} had {count} memories when capture was switched off and has {counted[user_id]}"


def no_text_in_queue_or_logs(stack: Stack) -> Iterator[str]:
    """The planted word is in no key, value, job or log line."""
    words = (PLANTED.encode(), REFUSED.encode())
    with redis.Redis(unix_socket_path=str(stack.valkey.socket)) as client:
        for key in client.keys("*"):
            if any(word in client.dump(key) or word in key for word in words):
                yield f"text in the queue under {key!r}"
    logs: list[Path] = [*(stack.folder / "logs").glob("*"), stack.postgres.log]
    for log in logs:
        if any(word in log.read_bytes() for word in words):
            yield f"text in {log.name}"


def _rows(connection: psycopg.Connection, statement: str) -> list[Any]:
    with connection.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        return cursor.execute(statement).fetchall()
