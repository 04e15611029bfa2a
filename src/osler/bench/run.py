"""Run a bench: every memory on every person, several at a time, resumable."""

from __future__ import annotations

import asyncio
import itertools
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


def memory_specs(text: str) -> list[str]:
    """Split a list of memories; a piece with `=` is an option of the memory before it."""
    specs: list[str] = []
    for part in text.split(","):
        piece = part.strip()
        if "=" in piece and specs:
            specs[-1] += f",{piece}"
        elif piece:
            specs.append(piece)
    if not specs:
        raise UserError("--memories names no memory", "give one or more, as in --memories raw,tim")
    return list(dict.fromkeys(specs))


def sampled(
    cases: Sequence[BenchCase], people: int | None, limit: int | None, seed: int
) -> list[BenchCase]:
    """Draw people of each data set and questions of each of them by the seed, in their order."""
    sample = []
    for data, group in by_data(cases).items():
        draws = random.Random(derive(seed, data, 0, "people"))  # noqa: S311 -- a sample
        size = min(people or len(group), len(group))
        for place in sorted(draws.sample(range(len(group)), size)):
            sample.append(group[place].sampled(limit, draws))
    return [case for case in sample if case.questions and case.turns]


async def run_bench(
    cases: Sequence[BenchCase],
    memories: Sequence[str],
    settings: BenchSettings,
    folder: BenchFolder,
    *,
    concurrency: int = 8,
    seconds: float = 60.0,
    data: dict[str, Any] | None = None,
    progress: Progress | None = None,
) -> list[PersonResult]:
    """Measure what is not in the folder yet, and return all results.

    Args:
        cases: The people.
        memories: Specs, as in `--memory`.
        settings: Budget, seed, model and judge.
        folder: Where results are stored.
        concurrency: People at the same time.
        seconds: For one model call.
        data: What else belongs to the settings of this bench: its data.
        progress: Called after each person.

    Raises:
        UserError: A memory or model that there is not, or the folder holds another bench.
    """
    check_memories(memories)
    for spec in filter(None, (settings.model, settings.judge)):
        parse_spec(spec)
    folder.begin(
        {"version": __version__, "memories": list(memories), **asdict(settings), **(data or {})}
    )
    done = {(result.memory, result.data, result.person) for result in folder.results()}
    groups = by_data(cases)
    total = len(memories) * len(cases)
    client_settings = ClientSettings(
        timeout=seconds,
        seed=settings.seed,
        rates=Rates(at_once=concurrency),
        cache=folder.cache if settings.model or settings.judge else None,
    )
    clients = Clients(client_settings)
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
            for spec, case in itertools.product(memories, cases):
                if (spec, case.data, case.person) not in done:
                    tasks.create_task(measure(spec, case))
    except ExceptionGroup as group:
        # What the others raise follows from the first: they are cancelled, or fail alike.
        first = group.exceptions[0]
        if isinstance(first, RunStopped):
            first = UserError(first.message, "re-run the same command to resume")
        raise first from None
    finally:
        await clients.close()
    return folder.results()


def describe_data(folder: Path, cases: Sequence[BenchCase]) -> dict[str, Any]:
    """The data as the settings of a bench name it."""
    counts = {}
    for name, group in by_data(cases).items():
        counts[name] = {
            "people": len(group),
            "turns": sum(len(case.turns) for case in group),
            "questions": sum(len(case.questions) for case in group),
            "left_out": sum(case.left_out for case in group),
        }
    return {"data": str(folder), "counts": counts}
