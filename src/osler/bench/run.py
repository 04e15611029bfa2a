"""Run a bench: every memory on every person, several at a time, resumable."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from osler import __version__
from osler.bench.cases import BenchCase, by_data
from osler.bench.person import BenchSettings, PersonBench
from osler.bench.results import PersonResult
from osler.bench.store import BenchFolder
from osler.errors import RunStopped, UserError
from osler.memory.registry import check_memories
from osler.models import parse_spec
from osler.models.rate_limit import Rates
from osler.seeds import derive
from osler.simulator.clients import Clients, ClientSettings

Progress = Callable[[PersonResult, int, int], None]
"""Called after each person with the result, how many are done, and how many there are."""


def memory_specs(given: str) -> list[str]:
    """Split a list of memories; a piece with `=` is an option of the memory before it."""
    specs: list[str] = []
    for piece in filter(None, (part.strip() for part in given.split(","))):
        if "=" in piece and specs:
            specs[-1] += f",{piece}"
        else:
            specs.append(piece)
    if not specs:
        raise UserError("--memories names no memory", "give one or more, as in --memories raw,tim")
    return list(dict.fromkeys(specs))


def sampled(cases: Sequence[BenchCase], people: int | None, limit: int | None, seed: int) -> list[BenchCase]:
    """So many people of each data set, and so many questions of each, drawn by the seed; in the order of the data."""
    kept = []
    for data, some in by_data(cases).items():
        draws = random.Random(derive(seed, data, 0, "people"))  # noqa: S311 -- a sample
        chosen = set(draws.sample(range(len(some)), min(people or len(some), len(some))))
        kept += [case.sampled(limit, draws) for place, case in enumerate(some) if place in chosen]
    return [case for case in kept if case.questions and case.turns]


async def run_bench(
    cases: Sequence[BenchCase],
    memories: Sequence[str],
    settings: BenchSettings,
    folder: BenchFolder,
    *,
    concurrency: int = 8,
    seconds: float = 60.0,
    told: dict[str, Any] | None = None,
    progress: Progress | None = None,
) -> list[PersonResult]:
    """Measure what is not in the folder yet, and return all results.

    Args:
        cases: The people.
        memories: Specs, as in `--memory`.
        settings: Budget, seed, model and judge.
        folder: Where results are kept.
        concurrency: People at the same time.
        seconds: For one model call.
        told: What else belongs to the settings of this bench, such as the data.
        progress: Called after each person.

    Raises:
        UserError: A memory or model that there is not, or the folder holds another bench.
    """
    check_memories(memories)
    for spec in filter(None, (settings.model, settings.judge)):
        parse_spec(spec)
    folder.begin({"version": __version__, "memories": list(memories), **asdict(settings), **(told or {})})
    done = {(one.memory, one.data, one.person) for one in folder.results()}
    groups = by_data(cases)
    units = [(spec, case) for spec in memories for case in cases if (spec, case.data, case.person) not in done]
    total = len(memories) * len(cases)
    cache = folder.cache if settings.model or settings.judge else None
    clients = Clients(
        ClientSettings(timeout=seconds, seed=settings.seed, rates=Rates(at_once=concurrency), cache=cache)
    )
    gate = asyncio.Semaphore(concurrency)

    async def measure(spec: str, case: BenchCase) -> None:
        async with gate:
            result = await PersonBench(spec, case, groups[case.data], settings, clients).run()
            folder.append(result)
            done.add((spec, case.data, case.person))
            if progress is not None:
                progress(result, len(done), total)

    try:
        async with asyncio.TaskGroup() as tasks:
            for spec, case in units:
                tasks.create_task(measure(spec, case))
    except ExceptionGroup as group:
        first = group.exceptions[0]
        if isinstance(first, RunStopped):
            first = UserError(first.message, "re-run the same command to resume")
        raise first from None
    finally:
        await clients.close()
    return folder.results()


def data_told(folder: Path, cases: Sequence[BenchCase]) -> dict[str, Any]:
    """The data as the settings of a bench name it."""
    counts = {
        name: {
            "people": len(some),
            "turns": sum(len(case.turns) for case in some),
            "questions": sum(len(case.questions) for case in some),
            "left_out": sum(case.left_out for case in some),
        }
        for name, some in by_data(cases).items()
    }
    return {"data": str(folder), "counts": counts}
