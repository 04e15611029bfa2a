"""Workers in processes of this machine.

How they are started and talked to, and the program that they run.
"""

from __future__ import annotations

import asyncio
import gc
import os
import pickle
import signal
import struct
import sys

from osler.errors import mute_warnings
from osler.simulator.engines.messages import Message, WorkerServer, WorkerSetup

_LONGEST = 64 * 1024 * 1024
"""Bytes of a message: a record, or a transcript with all its prompts, is far shorter."""
_LENGTH = struct.Struct(">I")


def spare_the_collector() -> None:
    """Keep the garbage collector from scanning what is loaded already and stays."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


def pack(message: Message) -> bytes:
    """A message as bytes: pickled, with its length before it."""
    body = pickle.dumps(message)
    return _LENGTH.pack(len(body)) + body


async def read_message(reader: asyncio.StreamReader) -> Message | None:
    """The next message, or None if the other side is gone, also in the middle of a message."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        if length > _LONGEST:
            return None
        # Unpickling is safe: we started the process that wrote it.
        message: Message = pickle.loads(await reader.readexactly(length))  # noqa: S301
    except (asyncio.IncompleteReadError, ConnectionError, pickle.UnpicklingError, EOFError):
        return None
    return message


class ProcessConnection:
    """A worker process, at the other end of two pipes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, setup: WorkerSetup) -> ProcessConnection:
        """Start a worker."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # a queue.py in the folder we work in must not take the library's place
            "-m",
            __name__,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST,
            process_group=0,  # a Ctrl-C at the terminal is for the queue alone
        )
        connection = cls(process)
        connection.send(setup)
        return connection

    def send(self, message: Message) -> None:
        """Send a message, unless the worker is gone."""
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(pack(message))

    async def receive(self) -> list[Message]:
        """The worker's next message; none when it is gone."""
        assert self._process.stdout is not None
        message = await read_message(self._process.stdout)
        if message is None:
            return []
        return [message]

    async def close(self) -> None:
        """Kill the worker."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()


async def serve() -> None:
    """Work until the input ends, which it also does when the process at its other end is killed."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_LONGEST)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What a library prints must not end up between messages.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    async def report(server: WorkerServer) -> None:
        while True:
            out.write(b"".join(map(pack, await server.receive())))
            out.flush()

    if isinstance(setup := await read_message(reader), WorkerSetup):
        setup.extend_module_path()
        server = WorkerServer(setup)
        reporting = asyncio.create_task(report(server))
        spare_the_collector()
        while not reporting.done() and (message := await read_message(reader)) is not None:
            server.send(message)
    os._exit(0)  # whoever wanted the results is gone; nothing here is worth waiting for


if __name__ == "__main__":
    mute_warnings()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    asyncio.run(serve())
