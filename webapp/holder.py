"""Values that a process holds in memory: bounded in bytes and in time. Safe to share between threads."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

IDLE_SECONDS = 1_800.0
"""A value that is not used for so long goes with the next call."""
LIFETIME_SECONDS = 86_400.0
"""One that is used goes after so long: what has left it in the meantime, and lies in it unread, goes with it."""
_LOCKS = 64


@dataclass(slots=True)
class _Held(Generic[V]):
    value: V
    size: int
    made: float
    used: float


class Holder(Generic[K, V]):
    """Holds values until they are idle, too old, or too many: then those used longest ago go first."""

    def __init__(self, most_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` gives seconds; 0 bytes hold nothing."""
        self.most_bytes = most_bytes
        self._clock = clock
        self._held: OrderedDict[K, _Held[V]] = OrderedDict()
        self._lock = Lock()
        self._alone = tuple(Lock() for _ in range(_LOCKS))

    @property
    def size(self) -> int:
        """The bytes that are held."""
        with self._lock:
            return sum(one.size for one in self._held.values())

    def get(self, key: K) -> V | None:
        """What is held under a key."""
        with self._lock:
            self._drop_old()
            found = self._held.get(key)
            if found is None:
                return None
            self._held.move_to_end(key)
            found.used = self._clock()
            return found.value

    def put(self, key: K, value: V, size: int) -> None:
        """Hold a value of so many bytes. One that takes the place of another is as old as that."""
        with self._lock:
            self._drop_old()
            before, now = self._held.pop(key, None), self._clock()
            self._held[key] = _Held(value, size, before.made if before else now, now)
            total = sum(one.size for one in self._held.values())
            while total > self.most_bytes:
                total -= self._held.popitem(last=False)[1].size

    def clear(self) -> None:
        """Hold nothing."""
        with self._lock:
            self._held.clear()

    def alone(self, key: K) -> Lock:
        """Held by whoever makes the value of this key, so that others wait for it instead of making it as well."""
        return self._alone[hash(key) % _LOCKS]

    def _drop_old(self) -> None:
        now = self._clock()
        for key, one in list(self._held.items()):
            if now - one.used > IDLE_SECONDS or now - one.made > LIFETIME_SECONDS:
                del self._held[key]
