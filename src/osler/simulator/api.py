"""`osler.simulate` and `osler.asimulate`: a run from Python, with the options of the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, TypedDict, TypeVar, Unpack

from osler.errors import UserError
from osler.eval.runs import Run, load_run
from osler.models.rate_limit import Rates
from osler.records.pool import RecordPool
from osler.records.schema import PatientRecord
from osler.runs.plan import (
    ONE_STEP,
    PLAIN,
    RULES,
    Limits,
    Plan,
    ResultsFrom,
    Settings,
    default_patient,
    default_ram,
)
from osler.simulator.batch import Outcome, RunOptions, run_plan
from osler.simulator.clients import ClientSettings

T = TypeVar("T")
_LISTS = {"backbones", "strategies", "memories", "cases", "specialties", "languages"}


class SimulateOptions(TypedDict, total=False):
    """What a run is made of and how it is carried out. Names and defaults are those of `osler simulate`.

    Options that may be given several times on the command line are lists here, with a plural name.
    """

    pool: str | Path | Iterable[PatientRecord]
    """A folder or file of records, `bundled`, a `RecordPool`, or records."""
    backbones: Sequence[str]
    strategies: Sequence[str]
    memories: Sequence[str]
    patient: str | None
    cases: Sequence[str] | None
    specialties: Sequence[str] | None
    languages: Sequence[str] | None
    limit: int | None
    sample: int | None
    trials: int
    turns: int | None
    turn_factor: float
    budget: int
    answer_tokens: int
    results: Literal["patient", "report"]
    ram: str | None
    memory_backbone: str | None
    seed: int
    temperature: float
    one_step: bool
    max_tokens: int | None
    max_cost: float | None
    max_seconds: float | None
    run_tokens: int | None
    run_cost: float | None
    run_seconds: float | None
    concurrency: int
    workers: int | None
    engine: Literal["local", "ray"]
    ray_address: str | None
    rpm: float | None
    tpm: float | None
    timeout: float
    cache: str | Path | None
    out: str | Path
    quiet: bool


def simulate(**options: Unpack[SimulateOptions]) -> Run:
    """Simulate consultations and return the run; call it again with the same `out` to resume.

    Works in a script and in a notebook, whose event loop is already running.

    Raises:
        UserError: An option is wrong, or a limit ended the run before its plan did; what was held is in the file.
    """
    return load_run(_wait_for(_simulated(_checked(options))).path)


async def asimulate(**options: Unpack[SimulateOptions]) -> Run:
    """The same as `simulate`, for code that runs in an event loop of its own."""
    return load_run((await _simulated(_checked(options))).path)


def _checked(options: SimulateOptions) -> SimulateOptions:
    """The options; a wrong name must not be ignored, or a run would not be what its caller thinks.

    Raises:
        UserError: There is no such option, or a list was given as one text.
    """
    known = SimulateOptions.__annotations__
    for name, value in options.items():
        if name not in known:
            near = next(iter(get_close_matches(name, known, 1)), None)
            remedy = f"did you mean {near!r}?" if near else f"use one of {', '.join(known)}"
            raise UserError(f"simulate has no option {name!r}", remedy)
        if name in _LISTS and isinstance(value, str):
            raise UserError(f"{name} is one text", f"give a list: {name}=[{value!r}]")
    return options


async def _simulated(options: SimulateOptions) -> Outcome:
    plan, how = plan_of(options), run_options_of(options)
    pool = options.get("pool", "bundled")
    name = str(pool) if isinstance(pool, str | Path) else type(pool).__name__
    outcome = await run_plan(plan, Path(options.get("out", "latest")), how, name)
    outcome.raise_if_stopped()
    return outcome


def plan_of(options: SimulateOptions) -> Plan:
    """The consultations that the options ask for."""
    backbones = tuple(options.get("backbones") or [RULES])
    patient = options.get("patient") or default_patient(backbones)
    one_step = options.get("one_step", False)
    settings = Settings(
        patient_backbone=patient,
        seed=options.get("seed", 0),
        turns=options.get("turns"),
        turn_factor=options.get("turn_factor", 1.5),
        budget=options.get("budget", 2000),
        answer_tokens=options.get("answer_tokens", 1000),
        results=ResultsFrom(options.get("results", "patient")),
        ram_backbone=options.get("ram") or default_ram(patient),
        memory_backbone=options.get("memory_backbone"),
        temperature=options.get("temperature", 0.0),
        limits=Limits(options.get("max_tokens"), options.get("max_cost"), options.get("max_seconds")),
    )
    memories = list(options.get("memories") or ([] if one_step else ["raw"]))
    strategies = tuple(options.get("strategies") or [PLAIN])
    columns = (*memories, *([ONE_STEP] if one_step else []))
    return Plan(_records(options), backbones, columns, strategies, options.get("trials", 1), settings)


def run_options_of(options: SimulateOptions) -> RunOptions:
    """How the options say it is carried out."""
    concurrency, cache = options.get("concurrency", 8), options.get("cache")
    # A memory thinks while its consultation goes on: one consultation alone has two calls under way.
    rates = Rates(max(concurrency, 2), options.get("rpm"), options.get("tpm"))
    return RunOptions(
        concurrency=concurrency,
        workers=options.get("workers"),
        engine=options.get("engine", "local"),
        ray_address=options.get("ray_address"),
        limits=Limits(options.get("run_tokens"), options.get("run_cost"), options.get("run_seconds")),
        clients=ClientSettings(
            timeout=options.get("timeout", 60.0),
            temperature=options.get("temperature", 0.0),
            rates=rates,
            cache=Path(cache) if cache is not None else None,
        ),
        quiet=options.get("quiet", False),
    )


def _records(options: SimulateOptions) -> Iterable[PatientRecord]:
    pool = options.get("pool", "bundled")
    if not isinstance(pool, str | Path | RecordPool):
        return list(pool)
    opened = pool if isinstance(pool, RecordPool) else RecordPool.open(str(pool))
    return opened.only(
        ids=options.get("cases"),
        specialties=options.get("specialties"),
        languages=options.get("languages"),
        limit=options.get("limit"),
        sample=options.get("sample"),
        seed=options.get("seed", 0),
    )


def _wait_for(work: Coroutine[object, object, T]) -> T:
    """What it gives; in a thread of its own where an event loop is running here, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    task: asyncio.Task[T] | None = None

    async def watched() -> T:
        nonlocal task
        task = asyncio.ensure_future(work)
        return await task

    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(asyncio.run, watched())
        try:
            return result.result()
        except KeyboardInterrupt:
            if task is not None:
                task.get_loop().call_soon_threadsafe(task.cancel)
            raise
