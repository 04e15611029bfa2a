"""Joining a Ray cluster, or starting one on this machine; in bounded time, and without a word from Ray."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any

from osler.errors import UserError

_JOIN = 30.0
"""Seconds to join a cluster. Ray itself goes on trying for minutes."""
_OBJECTS = 100 * 1024 * 1024
"""Bytes of shared memory for a cluster started here: records and transcripts are small, and pass one at a time."""


def imported(address: str | None) -> Any:
    """Ray, told to be quiet about itself, to everybody; what it should know must be in the environment before."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else it warns of a change to come
    if address is None:
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # on any system: listen on loopback only
    try:
        import ray
    except ImportError:
        raise UserError("the ray engine needs Ray", "pip install 'osler[ray]'") from None
    return ray


@asynccontextmanager
async def cluster(ray: Any, address: str | None, workers: int | None) -> AsyncIterator[None]:
    """Be part of a cluster: the one at the address, or one of this machine; whoever is in one already stays in it."""
    if ray.is_initialized():
        yield
        return
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address is None:
            # In a thread that lives as long as this process: Ray's processes end with the thread that started them.
            local: dict[str, Any] = {"num_cpus": workers, "object_store_memory": _OBJECTS, "include_dashboard": False}
            await asyncio.to_thread(ray.init, "local", **local, **quiet)
        else:
            await asyncio.to_thread(_knock, address)
            with _hushed():
                await _within(_JOIN, partial(ray.init, address, **quiet))
    except Exception as error:
        told = f"{address} did not answer in {_JOIN:g} s" if isinstance(error, TimeoutError) else last_line(error)
        if address is None:
            raise UserError(
                f"Ray cannot be started here ({told})", "free memory and disk, or leave out --engine ray"
            ) from None
        remedy = (
            "check --ray-address, e.g. HOST:6379, and RAY_AUTH_MODE and RAY_AUTH_TOKEN if the cluster wants a token"
        )
        raise UserError(f"there is no Ray cluster to join ({told})", remedy) from None
    _hear_again()
    try:
        yield
    finally:
        await asyncio.to_thread(ray.shutdown)  # ends a cluster that was started here, leaves one that was joined


def _hear_again() -> None:
    """Put back who hears a SIGTERM: Ray's native part takes it for a crash, and there is a run to be ended in order."""
    if threading.current_thread() is threading.main_thread() and (heard_by := signal.getsignal(signal.SIGTERM)):
        signal.signal(signal.SIGTERM, heard_by)
        signal.siginterrupt(signal.SIGTERM, False)


def _knock(address: str) -> None:
    """Raise at once where nobody listens; addresses that are no HOST:PORT are for Ray to understand."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdecimal() and "/" not in host:
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
        except (OSError, OverflowError) as error:
            raise ConnectionError(f"{address}: {error}") from None


@contextmanager
def _hushed() -> Iterator[None]:
    """Drop what Ray's native part writes to the terminal while it tries and tries: it has no switch for that."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


async def _within(seconds: float, call: Callable[[], object]) -> None:
    """Make a call that may never return, and leave its thread behind then: exit would wait for a pool's."""
    promise: Future[object] = Future()
    promise.set_running_or_notify_cancel()

    def keep() -> None:
        try:
            promise.set_result(call())
        except BaseException as error:
            promise.set_exception(error)

    threading.Thread(target=keep, daemon=True).start()
    await asyncio.wait_for(asyncio.wrap_future(promise), seconds)


def last_line(error: BaseException) -> str:
    """What Ray has to say, without its traceback from afar."""
    return next((line.strip() for line in reversed(str(error).splitlines()) if line.strip()), type(error).__name__)
