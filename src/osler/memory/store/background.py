"""An event loop in a thread of its own, shared by all stores of a process.

Whatever thread, task or notebook calls a store, its memories, models and file are used in this one
thread only.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from osler.errors import UserError

P = ParamSpec("P")
T = TypeVar("T")


class _Background:
    """The loop of this process; a forked process starts with none."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start without a loop: threads do not survive a fork."""
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop, started if need be."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=self._loop.run_forever, name="osler-memory", daemon=True
                ).start()
            return self._loop


_background = _Background()
os.register_at_fork(after_in_child=_background.forget)


def in_background(
    method: Callable[P, Coroutine[Any, Any, T]],
) -> Callable[P, Coroutine[Any, Any, T]]:
    """Run an async method in the background loop, whichever loop awaits it."""

    @wraps(method)
    async def run(*args: P.args, **kwargs: P.kwargs) -> T:
        loop = _background.loop()
        if asyncio.get_running_loop() is loop:
            return await method(*args, **kwargs)
        return await asyncio.wrap_future(
            asyncio.run_coroutine_threadsafe(method(*args, **kwargs), loop)
        )

    return run


def blocking(method: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The method without `await`.

    It works in scripts, threads and where a loop is running, as in a notebook.
    """

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        loop = _background.loop()
        if _running_loop() is loop:
            raise UserError(
                "a memory of the store called the store and would wait for itself",
                "await the async method",
            )
        future = asyncio.run_coroutine_threadsafe(method(*args, **kwargs), loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    return call


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
