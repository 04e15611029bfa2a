"""Run many consultations into a run file.

Everything is checked first; then the run begins, resumes or retries, and reports.
"""

from __future__ import annotations

import asyncio
import json
import platform
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console

from osler import __version__
from osler.agents.patients import check_patients
from osler.code_failures import failure_in
from osler.errors import RunStopped, UserError, warn
from osler.eval.panel import open_panel
from osler.eval.scoring import score, score_missing
from osler.memory import check_memories
from osler.models import parse_spec
from osler.models.servers import describe_servers
from osler.plugins import check_workers_can_load
from osler.records.pages import printed
from osler.runs.plan import Column, Plan, models_of
from osler.runs.store import Planned, RunFile, RunWriter, run_name
from osler.runs.store.reader import RunStatus
from osler.runs.transcript import Transcript
from osler.settings.names import (
    CONCURRENCY,
    HUMAN,
    ONE_STEP,
    SHARE_OF_REPLIES,
    WITHOUT_MODEL,
    Limits,
)
from osler.settings.run_settings import RunSettings
from osler.simulator.build import check_persona, check_strategies
from osler.simulator.clients import Clients, ClientSettings
from osler.simulator.engines.messages import WorkerServer, WorkerSetup
from osler.simulator.engines.pool import WorkerPool
from osler.simulator.engines.process import ProcessConnection, spare_the_collector
from osler.simulator.judge_choice import chosen_judges, named_judges
from osler.simulator.limits import RunLimiter, check_prices
from osler.simulator.live_judge import LiveJudge, open_live_judge
from osler.simulator.own_failures import KIND as OWN_CODE
from osler.simulator.progress_display import show_progress
from osler.simulator.summary import saved, summary
from osler.simulator.trials import warn_of_equal_trials
from osler.simulator.work_queue import RunProgress, WorkQueue
from osler.stdout import spared_stdout

_PACKAGES = (
    "autogen-core",
    "autogen-ext",
    "openai",
    "pydantic",
    "numpy",
    "jieba",
    "faiss-cpu",
    "xllamacpp",
    "ray",
)


@dataclass(frozen=True)
class RunOptions:
    """How a run is executed.

    It may change from one start to the next, since it decides no result.
    """

    concurrency: int = CONCURRENCY
    workers: int | None = None
    engine: str = "local"
    ray_address: str | None = None
    limits: Limits = field(default_factory=Limits)
    """Limits of the run."""
    clients: ClientSettings = field(default_factory=ClientSettings)
    quiet: bool = False
    as_json: bool = False
    judges: tuple[str, ...] = ()
    """Who reads what consultations conclude, as they end; several are a panel. Nobody named: see
    `judge_choice`."""
    judge_replies: float = SHARE_OF_REPLIES
    """Share of the patient's replies that the judge reads, where patient and judge are models."""
    tells_name: bool = True
    """Whether the name of a run that was given none is printed."""


class StoppedEarly(UserError):
    """A run that ended before its plan did.

    The exit code names the signal that ended it, as shells expect.
    """

    def __init__(
        self,
        message: str,
        stop: RunStopped,
        name: str,
        *,
        is_new: bool = False,
        enough: str | None = None,
    ) -> None:
        """Say what happened, and how to resume.

        Args:
            message: What happened.
            stop: Why the run ended.
            name: The run's name.
            is_new: Whether the command gave it none.
            enough: A limit that will do for the rest.
        """
        self.kind = stop.kind
        self.exit_code = UserError.exit_code if stop.signal is None else 128 + stop.signal
        if stop.kind == OWN_CODE:
            super().__init__(
                message,
                f"mend it, then `osler runs retry {name}` runs what failed and what is left",
            )
            return
        needed = [f"--out {name}"] if is_new else []
        if stop.kind.endswith("_limit"):
            needed.append("a larger limit" + (f" (about {enough} in all)" if enough else ""))
        how = f" with {' and '.join(needed)}" if needed else ""
        super().__init__(message, f"re-run the same command{how} to resume")


@dataclass(frozen=True)
class Outcome:
    """How one session of a run ended."""

    path: Path
    progress: RunProgress
    status: RunStatus
    stop: RunStopped | None
    """Why it ended before the plan did, if it did."""
    is_new: bool = False
    """Whether the command gave the run no name."""
    enough: str | None = None
    """How large the limit that ended it must be about for the rest."""
    judge: str | None = None
    """Whose verdicts are shown; None for the rules'."""

    def raise_if_stopped(self) -> None:
        """Raise `StoppedEarly` if the run ended before its plan did."""
        if self.stop is None:
            return
        ended = self.progress.there + self.progress.done
        if self.progress.gave_up:
            lost = "; answers that were still awaited will be asked for again"
        else:
            lost = ""
        total = self.progress.total
        counts = f"{ended} of {total} have ended, {total - ended} consultation(s) are left"
        if self.status.begun:
            begun = f", {self.status.begun} of them begun, with their answers kept"
        else:
            begun = ""
        line = f"the run stopped: {self.stop.message}; {counts}{begun}{lost}"
        raise StoppedEarly(
            line, self.stop, run_name(self.path), is_new=self.is_new, enough=self.enough
        )


def simulate_plan(plan: Plan, out: Path | None, options: RunOptions, pool: str) -> int:
    """Run a plan into a file and print the results.

    Returns the exit code, which is not 0 when all of it failed.
    """
    outcome = asyncio.run(run_plan(plan, out, options, pool, signals=True))
    return _report(outcome, options, plan.settings.patient_backbone)


def retry_run(run: Path, options: RunOptions) -> int:
    """Re-run what failed in a run, and run what is left of it.

    Returns the exit code, as `simulate_plan` does.
    """
    with RunFile.open(run) as opened:
        made_with = opened.about()
        settings = opened.settings
        columns = opened.columns()
    if made_with["version"] != __version__:
        raise UserError(f"{run} was made with another version of Osler", "use that version for it")

    async def retry() -> Outcome:
        await _check(columns, settings, options)
        with RunWriter.create_or_resume(run, about(settings)) as store:
            return await _run(
                store, store.retry(), settings, options, {"retry": True}, signals=True
            )

    return _report(asyncio.run(retry()), options, settings.patient_backbone)


async def run_plan(
    plan: Plan, out: Path | None, options: RunOptions, pool: str, *, signals: bool = False
) -> Outcome:
    """Run those consultations of a plan that its file does not have yet.

    Without a file, they go into a new run.

    `pool` says in the file where the records are from. With `signals`, for which it must be called
    in the main thread, Ctrl-C ends the run in order.

    Raises:
        UserError: The plan cannot be run.
    """
    check_strategies(plan.strategies)  # also where no doctor has a model that would work by it
    await _check(plan.columns, plan.settings, options)
    if next(iter(plan.records), None) is None:
        raise UserError("no record passes the filters", "`osler records list` shows what there is")
    made_with = about(plan.settings)
    with (
        RunWriter.create(made_with) if out is None else RunWriter.create_or_resume(out, made_with)
    ) as store:
        planned = store.extend(plan)
        name = run_name(store.path)
        warn_of_equal_trials(plan)
        if out is None and options.tells_name:
            sys.stderr.write(f"osler: new run {name}; --out {name} resumes it\n")
        outcome = await _run(
            store, planned, plan.settings, options, {"pool": pool}, signals=signals
        )
    return replace(outcome, is_new=out is None)


def about(settings: RunSettings) -> dict[str, Any]:
    """Return what decides the results of a run, besides its records and prompts."""
    return {"version": __version__, "settings": settings.as_json()}


async def _check(columns: Sequence[Column], settings: RunSettings, options: RunOptions) -> None:
    """Open everything once, so that a wrong name stops the run before a file is made."""
    of_columns = [settings.for_column(column) for column in columns]
    if any(HUMAN in (own.ram_backbone, own.memory_backbone) for own in of_columns):
        raise UserError("only the doctor and the patient can be a person", "name a model, or rules")
    for own in of_columns:
        check_persona(own)
    with spared_stdout():
        check_memories(sorted({column.memory for column in columns} - {ONE_STEP}))
        check_strategies(column.strategy for column in columns)
        check_patients(of_columns)
    if options.engine == "ray" or (options.workers or 1) > 1:
        _check_workers_can_load(columns, settings)
    clients = Clients(options.clients)
    models = [clients.open(spec).model for spec in sorted(models_of(columns, settings))]
    for limits in (options.limits, settings.limits):
        check_prices(limits, models)
    if models and options.clients.cache is not None and options.clients.cache.exists():
        _ = clients.cache  # opens it: a file that is no cache would fail every consultation
    await clients.close()
    judges = named_judges(options.judges)
    if judges:
        async with open_panel(judges):
            pass


def _check_workers_can_load(columns: Sequence[Column], settings: RunSettings) -> None:
    """Refuse classes that were given in Python and that a worker cannot import."""
    for column in columns:
        check_workers_can_load("memory", column.memory)
        check_workers_can_load("strategy", column.strategy)
        check_workers_can_load("patient", settings.for_column(column).patient_agent)
    for spec in models_of(columns, settings):
        check_workers_can_load("backbone", parse_spec(spec).model)


async def _run(
    store: RunWriter,
    planned: Planned,
    settings: RunSettings,
    options: RunOptions,
    detail: dict[str, Any],
    *,
    signals: bool,
) -> Outcome:
    """Run what is planned, judge it as it ends, and return what came out."""
    before = store.status()
    servers = await _servers(models_of(store.columns(), settings)) if planned.todo else {}
    store.begin({**detail, **_provenance(options), "servers": servers})
    scored_now = score_missing(store)
    if scored_now:
        warn(f"{scored_now} consultation(s) of {store.path} had no score, and were scored now")
    progress = RunProgress(total=len(planned.todo) + planned.there, there=planned.there)
    tokens = before.tokens + store.judge_tokens()
    limiter = RunLimiter(options.limits, tokens, before.cost_known, before.seconds)
    judges = chosen_judges(store, options.judges, settings.patient_backbone)
    timeout = options.clients.timeout
    judging = open_live_judge(
        store, judges, limiter, concurrency=options.concurrency, seconds=timeout
    )
    async with judging as judge:
        on_end = judge.ended if judge is not None else _judged_later
        queue = WorkQueue(store, planned, progress, limiter, score, on_end)
        most = max(1, len(planned.todo))
        await _run_queue(queue, settings, options, most, signals=signals)
        is_stopped = queue.stop.reason is not None
        progress.gave_up = queue.stop.now.is_set()
        if queue.stop.reason is not None:
            store.note_stop(queue.stop.reason.kind)
        verdicts = await _verdicts(judge, store, is_stopped=is_stopped)
        has_model_patient = settings.patient_backbone not in WITHOUT_MODEL
        if verdicts is not None and judge is not None and has_model_patient:
            await _read_replies(judge, options.judge_replies)
    return Outcome(
        store.path,
        progress,
        store.status(),
        queue.stop.reason,
        enough=queue.enough(),
        judge=verdicts,
    )


async def _run_queue(
    queue: WorkQueue, settings: RunSettings, options: RunOptions, most: int, *, signals: bool
) -> None:
    """Run the consultations of a queue with a display; what has ended is stored in any case."""
    quiet = options.quiet or options.as_json
    interruptible = _interruptible(queue, quiet=quiet) if signals else nullcontext()
    with spared_stdout(), interruptible:
        try:
            async with show_progress(queue.progress, quiet=quiet):
                await _run_engine(queue, settings, options, most)
        finally:
            queue.flush()
            queue.write_remarks()


async def _servers(models: set[str]) -> dict[str, dict[str, Any]]:
    """Return what the servers of models say of themselves, as plain data."""
    servers = await describe_servers(models)
    return {
        spec: description.model_dump(exclude_defaults=True) for spec, description in servers.items()
    }


def _judged_later(number: int, transcript: Transcript) -> None:
    """Nobody reads a consultation as it ends."""


async def _verdicts(judge: LiveJudge | None, store: RunWriter, *, is_stopped: bool) -> str | None:
    """Judge what is left, and return the name of the verdicts.

    It is None if there is no judge, or it could not be asked.
    """
    if judge is None:
        return None
    if is_stopped:
        await judge.stop()
        return None
    try:
        name = await judge.finish()
        store.note({"judge": name})
        return name
    # A judge of one's own may fail in any way, and every consultation is stored.
    except Exception as error:
        reason = error.message if isinstance(error, UserError) else _own_failure(error)
        if judge.was_refused:
            warn(
                f"nobody judges this run: {reason}. What is not exact stays undecided;"
                " --judge names a judge"
            )
        else:
            warn(
                f"the consultations are kept, but not all are judged ({reason}); re-run the command"
                " to judge them"
            )
        return None


async def _read_replies(judge: LiveJudge, share: float) -> None:
    """Have a share of the patient's replies read; a run without is still whole."""
    if share == 0:
        return
    try:
        await judge.read_replies(share)
    except UserError as error:
        warn(
            f"nobody reads the patient's replies: {error.message}. `--judge-replies 0` leaves them"
            " unread"
        )


def _own_failure(error: Exception) -> str:
    failure = failure_in(error)
    return f"{type(error).__name__}: {error}" + (f" ({failure.place})" if failure else "")


async def _run_engine(
    queue: WorkQueue, settings: RunSettings, options: RunOptions, most: int
) -> None:
    """Run what the queue hands out, at most this many consultations, where the options say."""
    concurrency = min(options.concurrency, most)
    workers = options.workers and min(options.workers, most)
    setup = WorkerSetup(settings, options.clients, tuple(filter(None, sys.path)))

    async def here(setup: WorkerSetup) -> WorkerServer:
        return WorkerServer(setup, queue.watch)

    if options.engine == "ray":
        from osler.simulator.engines.ray_cluster import run_on_ray

        await run_on_ray(queue, setup, options.ray_address, workers, concurrency)
    elif workers is not None and workers > 1:
        await WorkerPool(queue, setup, ProcessConnection.start, workers, concurrency).run()
    else:
        spare_the_collector()
        await WorkerPool(queue, setup, here, 1, concurrency).run()


@contextmanager
def _interruptible(queue: WorkQueue, *, quiet: bool) -> Iterator[None]:
    """Let Ctrl-C ask the queue to end, and a second one to end at once."""
    interrupted = False

    def interrupt(name: signal.Signals) -> None:
        nonlocal interrupted
        if interrupted:
            queue.stop.now.set()
        elif not quiet:
            sys.stderr.write(
                "\nstopping: waiting for requests already sent; press Ctrl-C again to stop at"
                " once\n"
            )
        interrupted = True
        queue.stop.ask(RunStopped("interrupted", "it was interrupted", name))

    loop = asyncio.get_running_loop()
    names = (signal.SIGINT, signal.SIGTERM)
    for name in names:
        loop.add_signal_handler(name, interrupt, name)
    try:
        yield
    finally:
        for name in names:
            loop.remove_signal_handler(name)


def _provenance(options: RunOptions) -> dict[str, Any]:
    """Return what this session runs with, for whoever has to explain a figure later."""
    packages = {}
    for name in _PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "engine": options.engine,
        "workers": options.workers,
        "concurrency": options.concurrency,
        "limits": asdict(options.limits),
        "cache": options.clients.cache is not None,
        "python": platform.python_version(),
        "packages": packages,
    }


def _report(outcome: Outcome, options: RunOptions, patient: str) -> int:
    """Print how a session ended; return the exit code."""
    progress = outcome.progress
    status = outcome.status
    path = outcome.path
    console = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    if options.as_json:
        sys.stdout.write(json.dumps(_as_json(outcome), ensure_ascii=False) + "\n")
    else:
        with RunFile.open(path) as file:
            printed(summary(file, patient, outcome.judge))
        if not options.quiet:
            there = f", {progress.there} were there already" if progress.there else ""
            console.print(
                f"{progress.done} consultation(s) in {progress.seconds:.1f} s{there}; the run is in"
                f" {path}"
            )
    if progress.unscored:
        how = f"re-run the command with --out {run_name(path)} to score it"
        warn(f"a consultation could not be scored ({progress.unscored}); {how}")
    outcome.raise_if_stopped()
    ended = status.total
    failed = status.failed
    if progress.done:  # what happened now says more than what was there
        ended = progress.done
        failed = progress.failures.total()
    all_failed = 0 < failed == ended
    if all_failed or (status.failed and not options.as_json):
        line = "osler: every consultation failed" if all_failed else f"{status.failed} failed"
        name = run_name(path)
        console.print(
            f"{line}: `osler runs failures {name}` says why, `osler runs retry {name}` tries again"
        )
    return 1 if all_failed else 0


def _as_json(outcome: Outcome) -> dict[str, Any]:
    progress = outcome.progress
    with RunFile.open(outcome.path) as file:
        used = saved(file)
    return {
        "run": str(outcome.path),
        "held": progress.done,
        "there": progress.there,
        "session_seconds": round(progress.seconds, 3),
        "failures": dict(progress.failures),
        "stopped_by": outcome.stop.kind if outcome.stop else None,
        **asdict(outcome.status),
        "saved": {"calls": used.saved_calls, "tokens": used.saved_tokens, "cost": used.saved_cost},
    }
