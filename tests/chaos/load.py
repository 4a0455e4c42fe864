"""What people say during a chaos run, and what must be remembered of it."""

from __future__ import annotations

import http.client
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Any, Literal

# The word that must be nowhere but in the tables: part of every fact, so that any text that leaks shows.
PLANTED = "Zyxomma"
REFUSED = "REFUSEME"

Sort = Literal["new", "again", "two", "nothing", "refused"]
_SORTS: tuple[Sort, ...] = ("new", "again", "two", "nothing", "refused")
_WEIGHTS = (84, 6, 4, 3, 3)


@dataclass(frozen=True, slots=True)
class Member:
    """A user, as the API names them."""

    id: int
    username: str


@dataclass(frozen=True, slots=True)
class Said:
    """One exchange: who said it, its facts as they must be remembered, and the key it is sent under."""

    member: Member
    number: int
    sort: Sort
    message: str
    facts: tuple[str, ...]

    @property
    def key(self) -> str:
        """The idempotency key."""
        return f"{self.member.id}-{self.number}"


@dataclass(slots=True)
class Ledger:
    """What was answered with 202: exchange id → what was said."""

    accepted: dict[int, Said] = field(default_factory=dict)
    answers: int = 0
    lock: Lock = field(default_factory=Lock)

    def add(self, exchange_id: int, said: Said) -> None:
        """Note an answer; the same exchange may be answered more than once."""
        with self.lock:
            self.answers += 1
            known = self.accepted.setdefault(exchange_id, said)
            assert known.key == said.key, "one exchange answered to two different ones"

    def expected(self) -> dict[int, set[str]]:
        """User id → the facts that must be remembered, each once."""
        facts: dict[int, set[str]] = defaultdict(set)
        for said in self.accepted.values():
            facts[said.member.id].update(said.facts)
        return facts


def boat(member: Member, number: int) -> str:
    """A thing that only this exchange is about."""
    return f"the boat {PLANTED} {member.id}{number:04d}"


def conversation(member: Member, count: int, seed: int) -> list[Said]:
    """What one person says, in order."""
    chance = random.Random(f"{seed}-{member.id}")
    said: list[Said] = []
    owned: list[str] = []
    for number in range(count):
        sort: Sort = chance.choices(_SORTS, _WEIGHTS)[0]
        sort = "new" if sort == "again" and not owned else sort
        said.append(_say(member, number, sort, owned, chance))
    return said


def _say(member: Member, number: int, sort: Sort, owned: list[str], chance: random.Random) -> Said:
    things = [boat(member, number * 2 + place) for place in range({"new": 1, "two": 2}.get(sort, 0))]
    told = [chance.choice(owned)] if sort == "again" else things
    owned += things
    text = " ".join(f"I own {thing}." for thing in told) or "What do you think?"
    if sort == "refused":
        text = f"{REFUSED} {text}"
    facts = tuple(f"The user owns {thing}." for thing in told)
    return Said(member, number, sort, text, facts)


class Client:
    """Speaks to the web server and does not give up: the same key makes sending again harmless."""

    def __init__(self, port: int, token: str, org: str, agent: str) -> None:
        self._given = (port, token, org, agent)
        self._port, self._token = port, token
        self._base = f"/api/ai-agent/orgs/{org}/users"
        self._agent = agent
        self._connection: http.client.HTTPConnection | None = None

    def another(self) -> Client:
        """One with a connection of its own."""
        return Client(*self._given)

    def hand_in(self, said: Said, until: float) -> int | None:
        """Hand in an exchange until it is accepted; its id."""
        path = f"{self._base}/{said.member.username}/agents/{self._agent}/exchanges/"
        body = {"user_message": said.message, "assistant_message": "I see.", "idempotency_key": said.key}
        while time.monotonic() < until:
            status, answer = self.post(path, body)
            if status == 202:
                return int(answer["id"])
            assert status in {0, 429, 500, 502, 503}, (status, answer)
            time.sleep(0.2)
        return None

    def remember(self, member: Member, content: str) -> int:
        """Write a global memory by hand; the status."""
        return self.post(f"{self._base}/{member.username}/global-memories/", {"content": content})[0]

    def switch(self, member: Member, on: bool) -> int:
        """Set the person's capture switch; the status."""
        path = f"{self._base}/{member.username}/memsearch-settings/"
        return self.post(path, {"auto_capture_enabled": on}, method="PUT")[0]

    def post(self, path: str, body: dict[str, Any], method: str = "POST") -> tuple[int, Any]:
        """Send once; status 0 where nobody answered."""
        headers = {"Authorization": f"Token {self._token}", "Content-Type": "application/json"}
        try:
            connection = self._connection or http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
            self._connection = connection
            connection.request(method, path, json.dumps(body), headers)
            response = connection.getresponse()
            raw = response.read()
            return response.status, json.loads(raw) if response.status < 500 else None
        except (OSError, http.client.HTTPException, ValueError):
            self.close()
            return 0, None

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None


class Load:
    """Threads that hand in conversations, each person's in order, at about a given rate."""

    def __init__(
        self, conversations: list[list[Said]], clients: Iterator[Client], ledger: Ledger, seconds: float
    ) -> None:
        self._ledger = ledger
        self._stopping = Event()
        self.refused: list[Said] = []
        self._until = time.monotonic() + 5 * seconds + 300
        shares: list[list[list[Said]]] = [conversations[place::12] for place in range(12)]
        total = sum(map(len, conversations))
        self._threads = [
            Thread(target=self._run, args=(share, next(clients), seconds, total), daemon=True)
            for share in shares
            if share
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    @property
    def is_running(self) -> bool:
        """Whether something is still to be handed in."""
        return any(thread.is_alive() for thread in self._threads)

    def _run(self, share: list[list[Said]], client: Client, seconds: float, _total: int) -> None:
        began, count = time.monotonic(), sum(map(len, share))
        rounds = max(map(len, share))
        order = [talk[place] for place in range(rounds) for talk in share if place < len(talk)]
        for place, said in enumerate(order):
            time.sleep(max(0.0, began + seconds * place / count - time.monotonic()))
            found = client.hand_in(said, self._until)
            if found is None:
                self.refused.append(said)
            else:
                self._ledger.add(found, said)
        client.close()
