"""Races that chance alone would rarely set up: each is played to the moment that matters, with a process frozen there."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Thread
from typing import TypeVar

from flask import Flask
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.chaos.faults import Faults, frozen
from tests.chaos.load import Client, Ledger, Member, Said, boat
from tests.chaos.stack import LEASE, Stack
from webapp.access.actor import system
from webapp.db.session import transaction
from webapp.memory.user_switches import change_settings
from webapp.privacy.erase import erase

ANSWER_SECONDS = 60.0
T = TypeVar("T")


@dataclass(slots=True)
class Scenes:
    """Plays the scenes, each about a person of its own. `erased` and `switched_off` are what the check needs."""

    stack: Stack
    app: Flask
    org_id: int
    client: Client
    faults: Faults
    ledger: Ledger
    members: list[Member]
    erased: list[Member] = field(default_factory=list)
    switched_off: dict[int, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def play(self, round_: int) -> None:
        """One scene after the other, in turn."""
        scenes = (
            self.taken_over_while_frozen,
            self.erased_while_being_accepted,
            self.erased_while_being_written,
            self.switched_off_while_being_written,
            self.fifty_identical_requests,
            self.written_by_hand_at_once,
        )
        scene, member = scenes[round_ % len(scenes)], self.members.pop()
        self.faults.play(lambda: scene.__name__.replace("_", " ") if scene(member) else None)

    def taken_over_while_frozen(self, member: Member) -> bool:
        """A worker freezes before it writes; another one takes over when the lease is out; then the first one wakes."""
        said = _said(member)
        with frozen(self.faults, f"before_write-{member.id}", lambda: self._hand_in(said)) as came:
            end = time.monotonic() + LEASE + 20
            while came and time.monotonic() < end and not self._count(member):
                self.faults.keep_going()
        return came

    def erased_while_being_accepted(self, member: Member) -> bool:
        """The person is erased after their epoch was read and before the exchange is inserted."""
        said = _said(member)
        with frozen(self.faults, f"before_insert-{member.id}", lambda: self._hand_in(said)) as came:
            if came:
                self._erase(member)
        return came

    def erased_while_being_written(self, member: Member) -> bool:
        """The person is erased while a worker stands in the transaction that writes about them."""
        said = _said(member)
        with frozen(self.faults, f"before_finish-{member.id}", lambda: self._hand_in(said)) as came:
            if came:
                eraser = Thread(target=self._erase, args=(member,), daemon=True)
                eraser.start()
                time.sleep(0.5)
        if came:
            eraser.join(60)
        return came

    def switched_off_while_being_written(self, member: Member) -> bool:
        """Capture is switched off while a worker stands in the transaction: after the answer nothing more comes."""
        counted: list[int] = []

        def switch() -> None:
            self._insist(lambda: change_settings(system(self.org_id, "chaos"), member.id, auto_capture=False))
            counted.append(self._count(member))

        said = _said(member)
        with frozen(self.faults, f"before_finish-{member.id}", lambda: self._hand_in(said)) as came:
            if came:
                switcher = Thread(target=switch, daemon=True)
                switcher.start()
                time.sleep(0.5)
        if came:
            switcher.join(60)
        if counted:
            self.switched_off[member.id] = counted[0]
        return came

    def fifty_identical_requests(self, member: Member) -> bool:
        """One exchange, however often it is sent at once."""
        said = _said(member)
        clients = [self._client() for _ in range(10)]

        def send(place: int) -> list[int | None]:
            return [clients[place].hand_in(said, time.monotonic() + ANSWER_SECONDS) for _ in range(5)]

        with ThreadPoolExecutor(10) as pool:
            ids = {found for part in pool.map(send, range(10)) for found in part}
        for client in clients:
            client.close()
        if len(ids - {None}) != 1:
            self.broken.append(f"50 identical requests were answered with {sorted(map(str, ids))}")
        for found in ids - {None}:
            self.ledger.add(found or 0, said)
        return True

    def written_by_hand_at_once(self, member: Member) -> bool:
        """The same text by hand ten times at once is one memory."""
        clients = [self._client() for _ in range(10)]
        content = f"I sail {boat(member, 7)} every summer."
        with ThreadPoolExecutor(10) as pool:
            statuses = list(pool.map(lambda client: client.remember(member, content), clients))
        for client in clients:
            client.close()
        if statuses.count(201) > 1:
            self.broken.append(f"the same memory was written {statuses.count(201)} times by hand")
        return True

    def _hand_in(self, said: Said) -> None:
        # Not in the ledger: what becomes of it is what the scene is about.
        client = self._client()
        client.hand_in(said, time.monotonic() + ANSWER_SECONDS)
        client.close()

    def _erase(self, member: Member) -> None:
        self._insist(lambda: erase(system(self.org_id, "chaos"), member.id))
        self.erased.append(member)

    def _insist(self, verb: Callable[[], T]) -> T:
        """Call a verb in this process until the database, which may be away, lets it through."""
        end = time.monotonic() + ANSWER_SECONDS
        while True:
            try:
                with self.app.app_context():
                    return verb()
            except DBAPIError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def _count(self, member: Member) -> int:
        def count() -> int:
            with transaction(self.org_id) as session:
                statement = text("SELECT count(*) FROM memory WHERE user_id = :user")
                return session.scalar(statement, {"user": member.id}) or 0

        return self._insist(count)

    def _client(self) -> Client:
        return self.client.another()


def _said(member: Member) -> Said:
    thing = boat(member, 1)
    return Said(member, 1, "new", f"I own {thing}.", (f"The user owns {thing}.",))
