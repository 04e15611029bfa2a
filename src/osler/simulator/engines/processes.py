"""Several processes on this machine, each with some consultations: for when asking is itself the bottleneck."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter

from osler.simulator.clients import ClientSettings
from osler.simulator.desk import Desk
from osler.simulator.engines.frames import LONGEST, pack, unit_frame
from osler.simulator.engines.local import GRACE, until_stopped
from osler.simulator.engines.setup import worker_setup
from osler.simulator.engines.taking import take
from osler.simulator.plan import Settings
from osler.simulator.worker import given_up

_MOST_DEATHS = 3
"""A consultation in which that many workers died is not tried again: it may be what kills them."""


class ProcessPool:
    """Workers in processes of their own. They write nothing: all comes back to the desk."""

    def __init__(self, settings: Settings, clients: ClientSettings, workers: int, concurrency: int) -> None:
        """Plan the workers; they start with the run."""
        self._settings = settings
        self._setup = worker_setup(settings, clients, workers)
        self._workers, self._each = workers, max(1, -(-concurrency // workers))
        self._deaths: Counter[int] = Counter()

    async def run(self, desk: Desk, grace: float = GRACE) -> None:
        """Hold what the desk hands out until there is nothing left, or the run is to end."""
        await until_stopped(desk, [self._keep_one(desk) for _ in range(self._workers)], grace)

    async def _keep_one(self, desk: Desk) -> None:
        """Keep one worker going; one that dies is replaced, and what it was doing is taken up again."""
        left: list[int] = []
        while True:
            left = await self._one_worker(desk, left)
            if not left:
                return
            for number in list(left):
                self._deaths[number] += 1
                desk.interrupted(number, "its worker process died")
                if self._deaths[number] >= _MOST_DEATHS:
                    left.remove(number)
                    line = f"{_MOST_DEATHS} worker processes died while they held it"
                    desk.ended(number, given_up(desk.unit(number), self._settings, "worker died", line))

    async def _one_worker(self, desk: Desk, again: list[int]) -> list[int]:
        """One process from start to end; the numbers of what it left undone by dying."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # a queue.py in the folder we work in must not take the library's place
            "-m",
            "osler.simulator.engines.process",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST,
            process_group=0,  # a Ctrl-C at the terminal is for the desk, also while a worker is still starting
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(pack(setup=self._setup, each=self._each))
        under_way: set[int] = set()
        waiting = list(again)

        def hand_out() -> bool:
            number = waiting.pop() if waiting and not desk.stop.asked.is_set() else None
            unit = desk.unit(number) if number is not None else desk.next()
            if unit is None:
                return False
            assert process.stdin is not None
            under_way.add(unit.number)
            process.stdin.write(pack(unit=unit_frame(unit)))
            return True

        try:
            for _ in range(self._each):
                if not hand_out():
                    break
            while under_way and (line := await process.stdout.readline()):
                ended = take(desk, json.loads(line))
                if ended is not None:
                    under_way.discard(ended)
                    hand_out()
            return [*under_way, *waiting]
        except (ConnectionResetError, BrokenPipeError):
            return [*under_way, *waiting]
        except asyncio.CancelledError:
            for number in under_way:
                desk.interrupted(number, "the run was stopped")
            raise
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()
