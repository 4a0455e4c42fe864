"""Inside the product's processes: dies or freezes at a named step when ordered to, and plays the mutations.

An order is an empty file `STEP.kill` or `STEP.stop` (`STEP-USER.stop` for one user's work) in the folder of orders. The
first process to come by takes it, renaming it to `….taken.PID`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from threading import Timer
from typing import Any

from sqlalchemy import text
from sqlalchemy.dialects.postgresql import insert

ORDERS = Path(os.environ.get("CHAOS_ORDERS", "/nonexistent"))
STEPS = (
    "before_claim",
    "after_claim",
    "during_call",
    "after_call",
    "before_write",
    "after_lock",
    "before_finish",
    "before_commit",
    "after_commit",
    "before_insert",
    "after_insert",
    "after_accept",
)
IN_WORKER = STEPS[:9]
IN_WEB = STEPS[9:]
MUTATIONS = ("claim_check", "unique_index", "membership_lock", "epoch_check")


def step(name: str, user_id: int | None = None) -> None:
    """Come by a step: obey the order for it, if there is one."""
    for place in (name, f"{name}-{user_id}") if user_id else (name,):
        for how, number in (("kill", signal.SIGKILL), ("stop", signal.SIGSTOP)):
            if _take(ORDERS / f"{place}.{how}"):
                os.kill(os.getpid(), number)


def _take(order: Path) -> bool:
    if not order.exists():
        return False
    try:
        order.rename(f"{order}.taken.{os.getpid()}")
    except FileNotFoundError:
        return False
    return True


def install() -> None:
    """Put the steps around the product's own functions, and the mutation into them, if one is ordered."""
    from webapp.capture import commit, pipeline
    from webapp.inbox import accept, claim, wake
    from webapp.llm.chat import Chat
    from webapp.memory.write import captured

    mutate(os.environ.get("CHAOS_MUTATION", ""))
    around(claim, "claim", before="before_claim", after="after_claim", only_if=bool)
    around(captured, "lock_user", after="after_lock", user=lambda given: given[2])
    around(claim, "finish", before="before_finish", after="before_commit", user=lambda given: given[1].user_id)
    around(pipeline, "commit", before="before_write", after="after_commit", user=lambda given: given[0].user_id)
    around(accept, "deposit", before="before_insert", after="after_insert", user=lambda given: given[2].user_id)
    around(wake, "push", before="after_accept")
    around(Chat, "complete", after="after_call", during="during_call")
    assert commit.claim is claim


def around(
    owner: Any,
    name: str,
    *,
    before: str = "",
    after: str = "",
    during: str = "",
    only_if: Callable[[Any], bool] = lambda _: True,
    user: Callable[[tuple[Any, ...]], int | None] = lambda _: None,
) -> None:
    """Wrap a function in steps."""
    original = getattr(owner, name)

    @wraps(original)
    def wrapped(*given: Any, **named: Any) -> Any:
        who = user(given)
        if before:
            step(before, who)
        timer = Timer(0.03, step, [during]) if during else None
        if timer:
            timer.start()
        found = original(*given, **named)
        if after and only_if(found):
            step(after, who)
        return found

    setattr(owner, name, wrapped)


def mutate(mutation: str) -> None:
    """Remove one of the things that keep the promise. The run must then fail."""
    from webapp.capture import commit, pipeline
    from webapp.inbox import claim
    from webapp.memory import store
    from webapp.memory.write import captured

    if mutation == "claim_check":
        for name in ("_DONE", "_SKIPPED", "_FAILED", "_PENDING", "_STILL_HELD"):
            statement = getattr(claim, name).text
            setattr(claim, name, text(statement.replace("AND state = 'claimed' AND claim = :claim", "")))
    if mutation == "membership_lock":
        captured.lock_user = captured.read_user  # type: ignore[assignment]
    if mutation == "epoch_check":
        commit.fence_reason = pipeline.fence_reason = lambda *_: None  # type: ignore[assignment]
    if mutation == "unique_index":
        store.insert = _insert_unchecked  # type: ignore[assignment]


class _InsertUnchecked:
    """An insert that leaves the conflict to nobody: what check-then-insert comes to without the index."""

    def __init__(self, table: Any) -> None:
        self._statement = insert(table)

    def values(self, **given: Any) -> Any:
        statement = self._statement.values(**given)
        statement.on_conflict_do_nothing = lambda **_: statement  # type: ignore[attr-defined]
        return statement


def _insert_unchecked(table: Any) -> Any:
    return _InsertUnchecked(table) if table.__tablename__ == "memory" else insert(table)
