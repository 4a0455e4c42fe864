"""One event loop in a thread of its own, so that threads can make calls with a deadline that really ends them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine
from threading import Lock, Thread
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """Runs coroutines for other threads. The thread starts at the first use and dies with the process."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._pid = 0

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result, awaited from the calling thread; raises what it raises, CancelledError included."""
        with self._lock:
            future = asyncio.run_coroutine_threadsafe(coroutine, self._running())
        return future.result()

    def close(self, last: Callable[[], Awaitable[None]] | None = None) -> None:
        """Cancel what is running, await `last` in the loop, and end the thread."""
        # Under the lock, so that whatever was begun before this is among what is cancelled.
        with self._lock:
            loop, thread, pid = self._loop, self._thread, self._pid
            self._loop = self._thread = None
            if loop is None or thread is None or pid != os.getpid():
                return
            wound_up = asyncio.run_coroutine_threadsafe(_wind_up(last), loop)
        wound_up.result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def _running(self) -> asyncio.AbstractEventLoop:
        # A thread does not survive a fork: the child starts its own.
        if self._loop is None or self._pid != os.getpid():
            self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
            self._thread = Thread(target=self._loop.run_forever, name=self._name, daemon=True)
            self._thread.start()
        return self._loop


async def _wind_up(last: Callable[[], Awaitable[None]] | None) -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    if last is not None:
        await last()
