"""Workers on a Ray cluster: joins one or starts one on this machine, and places the workers there.

A cluster of this machine alone needs nothing else. On any other, the same version of Osler has to
be installed on every machine, and whatever a backbone reads from a disk (weights, a table of
prices) has to be there, too.
"""

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

from osler import __version__
from osler.api_keys import settings_for_workers
from osler.errors import UserError
from osler.simulator.engines.messages import Message, WorkerServer, WorkerSetup
from osler.simulator.engines.pool import WorkerPool
from osler.simulator.work_queue import WorkQueue

_JOIN = 30.0
"""Seconds to join a cluster. Ray itself goes on trying for minutes."""
_OBJECTS = 100 * 1024 * 1024
"""Bytes of shared memory for a cluster started here: records and transcripts are small, and pass
one at a time."""
_STARTS = 3
"""Times that the start of a worker is tried: it may be killed while it starts."""


class RayWorker:
    """A worker in a process of the cluster, as a Ray actor."""

    def __init__(self, setup: WorkerSetup, variables: dict[str, str]) -> None:
        os.environ.update(variables)
        setup.extend_module_path()
        self._server = WorkerServer(setup)

    async def version(self) -> str:
        """The version of Osler that is installed here.

        Answers once the cluster has room for this worker.
        """
        return __version__

    async def send(self, message: Message) -> None:
        """Do what a message says."""
        self._server.send(message)

    async def receive(self) -> list[Message]:
        """Return what there is to report, as soon as there is something."""
        return await self._server.receive()


class RayConnection:
    """A worker on the cluster."""

    def __init__(self, ray: Any, actor: Any) -> None:
        self._ray = ray
        self._actor = actor

    @classmethod
    async def start(cls, ray: Any, variables: dict[str, str], setup: WorkerSetup) -> RayConnection:
        """Start a worker, with these environment variables, once the cluster has room for it."""
        remedy = (
            f"check the cluster; osler {__version__} and Ray {ray.__version__} must be installed on"
            " all its machines"
        )
        error: Exception | None = None
        for _ in range(_STARTS):
            actor = ray.remote(scheduling_strategy="SPREAD")(RayWorker).remote(setup, variables)
            try:
                version = await actor.version.remote()
            except ray.exceptions.RayError as failure:
                error = failure
                continue
            except asyncio.CancelledError:
                ray.kill(actor)
                raise
            if version != __version__:
                raise UserError(f"a machine of the Ray cluster has osler {version}", remedy)
            return cls(ray, actor)
        assert error is not None
        raise UserError(f"a Ray worker cannot be started ({_last_line(error)})", remedy)

    def send(self, message: Message) -> None:
        """Send a message; nothing is heard of it if the worker is gone."""
        self._actor.send.remote(message)

    async def receive(self) -> list[Message]:
        """The worker's next messages; none when it is gone."""
        try:
            messages: list[Message] = await self._actor.receive.remote()
        except self._ray.exceptions.RayError:
            return []
        return messages

    async def close(self) -> None:
        """Kill the worker."""
        self._ray.kill(self._actor)


async def run_on_ray(
    queue: WorkQueue, setup: WorkerSetup, address: str | None, workers: int | None, concurrency: int
) -> None:
    """Run what the queue hands out on a cluster.

    Without an address, the cluster is started here.
    """
    ray = import_ray(address)
    async with cluster(ray, address, workers):
        cpus = int(ray.cluster_resources().get("CPU", 1))
        # Keys are not passed as Ray's runtime environment: Ray writes that to its logs.
        connect = partial(RayConnection.start, ray, settings_for_workers() if address else {})
        await WorkerPool(
            queue, setup, connect, workers or max(1, min(cpus, concurrency)), concurrency
        ).run()


def import_ray(address: str | None) -> Any:
    """Ray, told to be quiet about itself, to everybody.

    What it should know must be in the environment before.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # Without this it warns of a change to come.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if address is None:
        # On any system: listen on loopback only.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        import ray
    except ImportError:
        raise UserError("the ray engine needs Ray", "pip install 'osler[ray]'") from None
    return ray


@asynccontextmanager
async def cluster(ray: Any, address: str | None, workers: int | None) -> AsyncIterator[None]:
    """Be part of a cluster: the one at the address, or one of this machine.

    Whoever is in one already stays in it.
    """
    if ray.is_initialized():
        yield
        return
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address is None:
            # In a thread that lives as long as this process: Ray's processes end with the thread
            # that started them.
            local: dict[str, Any] = {
                "num_cpus": workers,
                "object_store_memory": _OBJECTS,
                "include_dashboard": False,
            }
            await asyncio.to_thread(ray.init, "local", **local, **quiet)
        else:
            await asyncio.to_thread(_knock, address)
            with _hushed():
                await _within(_JOIN, partial(ray.init, address, **quiet))
    except Exception as error:
        if isinstance(error, TimeoutError):
            told = f"{address} did not answer in {_JOIN:g} s"
        else:
            told = _last_line(error)
        if address is None:
            raise UserError(
                f"Ray cannot be started here ({told})",
                "free memory and disk, or leave out --engine ray",
            ) from None
        remedy = (
            "check --ray-address, e.g. HOST:6379, and RAY_AUTH_MODE and RAY_AUTH_TOKEN if the"
            " cluster wants a token"
        )
        raise UserError(f"there is no Ray cluster to join ({told})", remedy) from None
    _hear_again()
    try:
        yield
    finally:
        # It ends a cluster that was started here, and leaves one that was joined.
        await asyncio.to_thread(ray.shutdown)


def _hear_again() -> None:
    """Restore the SIGTERM handler.

    Ray's native part takes it for a crash, and a run has to end in order.
    """
    if threading.current_thread() is threading.main_thread() and (
        heard_by := signal.getsignal(signal.SIGTERM)
    ):
        signal.signal(signal.SIGTERM, heard_by)
        signal.siginterrupt(signal.SIGTERM, False)


def _knock(address: str) -> None:
    """Raise at once if nobody listens.

    Addresses that are not HOST:PORT are for Ray to understand.
    """
    host, colon, port = address.rpartition(":")
    if colon and port.isdecimal() and "/" not in host:
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
        except (OSError, OverflowError) as error:
            raise ConnectionError(f"{address}: {error}") from None


@contextmanager
def _hushed() -> Iterator[None]:
    """Drop what Ray's native part writes to the terminal while it tries and tries.

    It has no switch for that.
    """
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


async def _within(seconds: float, call: Callable[[], object]) -> None:
    """Make a call that may never return, and leave its thread behind then.

    Exit would wait for a pool's.
    """
    promise: Future[object] = Future()
    promise.set_running_or_notify_cancel()

    def keep() -> None:
        try:
            promise.set_result(call())
        except BaseException as error:
            promise.set_exception(error)

    threading.Thread(target=keep, daemon=True).start()
    await asyncio.wait_for(asyncio.wrap_future(promise), seconds)


def _last_line(error: BaseException) -> str:
    """Return Ray's message, without its remote traceback."""
    return next(
        (line.strip() for line in reversed(str(error).splitlines()) if line.strip()),
        type(error).__name__,
    )
