"""`osler.simulate` and `osler.asimulate`: a run from Python, with the options of the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar, Unpack

from osler.errors import UserError, warn
from osler.eval.runs import Run, load_run
from osler.models.rate_limit import Rates
from osler.records.pool import RecordPool
from osler.records.schema import PatientRecord
from osler.runs.lessons import Feedback
from osler.runs.plan import ONE_STEP, PLAIN, RULES, Limits, Plan, ResultsFrom, Settings, default_patient, default_ram
from osler.simulator.batch import Outcome, RunOptions, run_plan
from osler.simulator.clients import ClientSettings
from osler.simulator.option_checks import checked_options
from osler.simulator.options import DEFAULTS, SimulateOptions, Things

T = TypeVar("T")


def simulate(**options: Unpack[SimulateOptions]) -> Run:
    """Simulate consultations and return the run. Call it again with the same `out` to resume; without, it is a new run.

    Works in a script and in a notebook, whose event loop is already running.

    Raises:
        UserError: An option is wrong, or a limit ended the run early; what was finished is in the file.
    """
    return load_run(_wait_for(_simulated(options)).path)


async def asimulate(**options: Unpack[SimulateOptions]) -> Run:
    """The same as `simulate`, for code that runs in an event loop of its own."""
    return load_run((await _simulated(options)).path)


async def _simulated(options: SimulateOptions) -> Outcome:
    given: SimulateOptions = {**DEFAULTS, **checked_options(options)}
    pool = given["pool"]
    name = str(pool) if isinstance(pool, str | Path) else type(pool).__name__
    out = given.get("out")
    outcome = await run_plan(plan_of(given), None if out is None else Path(out), run_options_of(given), name)
    outcome.raise_if_stopped()
    return outcome


def plan_of(given: SimulateOptions) -> Plan:
    """Return the consultations that the options, with their defaults, ask for."""
    backbones = _names(given.get("backbones")) or (RULES,)
    patient, ram, memory_backbone = (_name(given.get(option)) for option in ("patient", "ram", "memory_backbone"))
    patient = default_patient(backbones) if patient is None else patient
    settings = Settings(
        patient_backbone=patient,
        seed=given["seed"],
        turns=given.get("turns"),
        turn_factor=given["turn_factor"],
        budget=given["budget"],
        answer_tokens=given["answer_tokens"],
        results=ResultsFrom(given["results"]),
        ram_backbone=default_ram(patient) if ram is None else ram,
        memory_backbone=memory_backbone,
        temperature=given["temperature"],
        limits=Limits(given.get("max_tokens"), given.get("max_cost"), given.get("max_seconds")),
        visits=given["visits"],
        filler=given["filler"],
        transfer=given["transfer"],
        retention=given["retention"],
    )
    if settings.filler and not settings.visits:
        raise UserError("small talk is put between earlier visits, which are not played", "add --visits")
    one_step = given["one_step"]
    memories = _names(given.get("memories")) or (() if one_step else ("raw",))
    columns = (*memories, *([ONE_STEP] if one_step else []))
    strategies = _names(given.get("strategies")) or (PLAIN,)
    return Plan(_records(given), backbones, columns, strategies, given["trials"], settings, _experience(given))


def _names(things: Things | None) -> tuple[str, ...]:
    """Names as a plan has them; classes have got theirs when the options were checked."""
    return tuple(map(str, things or ()))


def _name(thing: object) -> str | None:
    return None if thing is None else str(thing)


def _experience(given: SimulateOptions) -> tuple[Feedback, ...]:
    named = given.get("experience") or []
    if not named and (given["transfer"] or given["retention"]):
        raise UserError("--transfer and --retention are parts of a stream", "add --experience none, verdict or truth")
    if wrong := [name for name in named if name not in [*Feedback]]:
        raise UserError(f"there is no experience {wrong[0]!r}", f"give one of {', '.join(Feedback)}")
    return tuple(map(Feedback, dict.fromkeys(named)))


def run_options_of(given: SimulateOptions) -> RunOptions:
    """Return how to execute the run, from the options with their defaults."""
    concurrency, cache = given["concurrency"], given.get("cache")
    # A memory thinks while its consultation goes on: one consultation alone has two calls under way.
    rates = Rates(max(concurrency, 2), given.get("rpm"), given.get("tpm"))
    clients = ClientSettings(
        timeout=given["timeout"],
        temperature=given["temperature"],
        seed=given["seed"],
        rates=rates,
        cache=Path(cache) if cache is not None else None,
    )
    return RunOptions(
        concurrency=concurrency,
        workers=given.get("workers"),
        engine=given["engine"],
        ray_address=given.get("ray_address"),
        limits=Limits(given.get("run_tokens"), given.get("run_cost"), given.get("run_seconds")),
        clients=clients,
        quiet=given["quiet"],
        judges=tuple(given.get("judges") or ()),
        tells_name=not given["quiet"],
    )


def _records(given: SimulateOptions) -> Iterable[PatientRecord]:
    pool = given["pool"]
    if not isinstance(pool, str | Path | RecordPool):
        records = list(pool)
        with_visits = _with_visits(records) if given["visits"] else None
        return [record for record in records if with_visits is None or record.id in with_visits]
    opened = (pool if isinstance(pool, RecordPool) else RecordPool.open(str(pool))).only(
        ids=given.get("cases"), specialties=given.get("specialties"), languages=given.get("languages")
    )
    return opened.only(
        ids=_with_visits(opened) if given["visits"] else None,
        limit=given.get("limit"),
        sample=given.get("sample"),
        seed=given["seed"],
    )


def _with_visits(records: Iterable[PatientRecord]) -> set[str]:
    """Return the ids of the records that have earlier visits, and say how many have none."""
    found, left_out = set(), 0
    for record in records:
        if record.visits:
            found.add(record.id)
        else:
            left_out += 1
    if not found:
        raise UserError("no record has earlier visits", "leave out --visits, or choose records that have `visits`")
    if left_out:
        warn(f"{left_out} record(s) without earlier visits are left out")
    return found


def _wait_for(work: Coroutine[object, object, T]) -> T:
    """Its result; in a thread of its own where an event loop is running here, as in a notebook."""
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
