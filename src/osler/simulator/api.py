"""`osler.simulate` and `osler.asimulate`: a run from Python, as from the command line."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, cast

from osler.errors import UserError, warn
from osler.eval.judge import outside_judge
from osler.eval.runs import Run, load_run
from osler.models import parse_spec
from osler.models.rate_limit import Rates
from osler.prompts.own import own_prompts
from osler.records.pool import RecordPool
from osler.records.schema import PatientRecord
from osler.runs.plan import Plan, default_patient, default_ram
from osler.settings.choice import Choice, choose
from osler.settings.declared import Declared, options_in
from osler.settings.names import ONE_STEP, WITHOUT_MODEL, Feedback, Limits
from osler.settings.run_settings import RunSettings, settings_class
from osler.settings.values import refuse
from osler.simulator.batch import Outcome, RunOptions, run_plan
from osler.simulator.clients import ClientSettings
from osler.simulator.judge_choice import named_judges

T = TypeVar("T")
Function = TypeVar("Function", bound=Callable[..., Any])


def _with_options(function: Function) -> Function:
    """Show all options of a run, with their defaults, in a function's signature and help."""
    options = options_in(settings_class())
    parameters = [_parameter(declared) for declared in options.values()]
    returned = inspect.signature(function).return_annotation
    changed = cast("Any", function)
    changed.__signature__ = inspect.Signature(parameters, return_annotation=returned)
    lines = [f"    {name}: {_about(declared)}" for name, declared in options.items()]
    parts = [inspect.getdoc(function) or "", "Options:\n" + "\n".join(lines)]
    function.__doc__ = "\n\n".join(parts)
    return function


def _parameter(declared: Declared) -> inspect.Parameter:
    default = None if declared.setting.default_depends else declared.default
    return inspect.Parameter(
        declared.option,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=declared.type,
    )


def _about(declared: Declared) -> str:
    choices = f" One of {', '.join(declared.choices)}." if declared.choices else ""
    return declared.help_text("One, or a list") + choices


@_with_options
def simulate(**options: Any) -> Run:
    """Simulate consultations and return the run.

    Call it again with the same `out` to resume; without, it is a new run. Works in a script and in
    a notebook, whose event loop is already running. Where a memory, a strategy or a backbone is
    named, a class or function of your own can be given as it is. Options of which several values
    are given make a column for each.

    Raises:
        UserError: An option is wrong, or a limit ended the run early; what was finished is in the
            file.
    """
    return load_run(_wait_for(_simulated(options)).path)


@_with_options
async def asimulate(**options: Any) -> Run:
    """The same as `simulate`, for code that runs in an event loop of its own."""
    return load_run((await _simulated(options)).path)


async def _simulated(options: dict[str, Any]) -> Outcome:
    choice = choose(options)
    pool = choice.settings.pool
    name = str(pool) if isinstance(pool, str | Path) else type(pool).__name__
    plan = plan_of(choice)
    execution = run_options_of(choice.settings)
    outcome = await run_plan(plan, choice.settings.out, execution, name)
    outcome.raise_if_stopped()
    return outcome


def plan_of(choice: Choice) -> Plan:
    """Return the consultations that a choice of options asks for."""
    settings = _settled(choice.settings)
    memories = settings.memories
    if settings.one_step:
        named = memories if "memories" in settings.model_fields_set else ()
        memories = (*named, ONE_STEP)
    return Plan(
        _records(settings),
        settings.backbones,
        memories,
        settings.strategies,
        settings.trials,
        settings,
        tuple(dict.fromkeys(settings.experience)),
        choice.axes,
    )


def _settled(settings: RunSettings) -> RunSettings:
    """Return settings with the models that others decide, and the texts of prompts of one's own."""
    _check_visits_and_streams(settings)
    named = settings.model_fields_set
    patient = settings.patient_backbone
    ram = settings.ram_backbone
    if "patient_backbone" not in named:
        patient = default_patient(settings.backbones)
    if "ram_backbone" not in named:
        ram = default_ram(patient)
    settled = {
        "patient_backbone": patient,
        "ram_backbone": ram,
        "feedback_judge": _feedback_judge(settings, patient),
        "prompts": own_prompts(settings.prompts),
    }
    return settings.model_copy(update=settled)


def _check_visits_and_streams(settings: RunSettings) -> None:
    """Refuse settings of visits and of streams where there are none."""
    if settings.filler and not settings.visits:
        raise UserError(
            "small talk is put between earlier visits, which are not played", "add --visits"
        )
    if not settings.experience and (settings.transfer or settings.retention):
        raise UserError(
            "--transfer and --retention are parts of a stream",
            "add --experience none, verdict or truth",
        )


def _feedback_judge(settings: RunSettings, patient: str) -> str | None:
    """Return the model that reads for doctors who are told the verdict.

    It is the first judge, or the patient's model.
    """
    if Feedback.VERDICT not in settings.experience:
        return None
    specs = named_judges(settings.judges)
    if not settings.judges:
        specs = (patient,)
    models = [spec for spec in specs if spec not in WITHOUT_MODEL and outside_judge(spec) is None]
    if models and parse_spec(models[0]).kind != "local":
        return models[0]
    return None


def run_options_of(settings: RunSettings) -> RunOptions:
    """Return how to execute a run."""
    # A memory thinks while its consultation goes on: one consultation alone has two calls under
    # way.
    rates = Rates(max(settings.concurrency, 2), settings.rpm, settings.tpm)
    return RunOptions(
        concurrency=settings.concurrency,
        workers=settings.workers,
        engine=settings.engine,
        ray_address=settings.ray_address,
        limits=Limits(settings.run_tokens, settings.run_cost, settings.run_seconds),
        clients=ClientSettings(
            timeout=settings.timeout, seed=settings.seed, rates=rates, cache=settings.cache
        ),
        quiet=settings.quiet,
        judges=settings.judges,
        judge_replies=settings.judge_replies,
        tells_name=not settings.quiet,
    )


def _records(settings: RunSettings) -> Iterable[PatientRecord]:
    pool = settings.pool
    if not isinstance(pool, str | Path | Iterable):
        refuse("pool", pool, "a path, `bundled` or records")
    if not isinstance(pool, str | Path | RecordPool):
        records = list(pool)
        if settings.twins:
            records = _in_pairs(records)
        if settings.visits:
            with_visits = _with_visits(records)
            records = [record for record in records if record.id in with_visits]
        return records
    opened = (pool if isinstance(pool, RecordPool) else RecordPool.open(str(pool))).only(
        ids=_if_given(settings, "cases"),
        specialties=_if_given(settings, "specialties"),
        languages=_if_given(settings, "languages"),
        pairs=settings.twins or None,
    )
    return opened.only(
        ids=_with_visits(opened) if settings.visits else None,
        limit=settings.limit,
        sample=settings.sample,
        seed=settings.seed,
    )


def _in_pairs(records: Sequence[PatientRecord]) -> list[PatientRecord]:
    """Return the records whose other half is there as well."""
    ids = {record.id for record in records}
    pairs: set[str] = set()
    for record in records:
        if record.twin_of in ids:
            pairs |= {record.id, str(record.twin_of)}
    if not pairs:
        raise UserError("the pool has no twins", "leave out --twins, or add twins to the pool")
    return [record for record in records if record.id in pairs]


def _if_given(settings: RunSettings, name: str) -> tuple[str, ...] | None:
    """Return the names that a filter lets pass; None if the filter was not given."""
    chosen: tuple[str, ...] = getattr(settings, name)
    if name in settings.model_fields_set:
        return chosen
    return None


def _with_visits(records: Iterable[PatientRecord]) -> set[str]:
    """Return the ids of the records that have earlier visits, and say how many have none."""
    with_visits: set[str] = set()
    left_out = 0
    for record in records:
        if record.visits:
            with_visits.add(record.id)
        else:
            left_out += 1
    if not with_visits:
        raise UserError(
            "no record has earlier visits",
            "leave out --visits, or choose records that have `visits`",
        )
    if left_out:
        warn(f"{left_out} record(s) without earlier visits are left out")
    return with_visits


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
