"""A run from the command line: checked before it starts, shown while it goes, summed up at the end."""

from __future__ import annotations

import asyncio
import json
import platform
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console

from osler import __version__
from osler.errors import RunStopped, UserError
from osler.eval.scoring import score, score_missing
from osler.language import Language
from osler.memory import check_memories
from osler.prompts import prompts_hash
from osler.records.pages import printed
from osler.runs.plan import HUMAN, ONE_STEP, Column, Limits, Plan, Settings, models_of
from osler.runs.store import Planned, RunFile, RunWriter
from osler.runs.store.reader import RunStatus
from osler.simulator.build import check_strategies
from osler.simulator.clients import Clients, ClientSettings
from osler.simulator.engines.local import run_local, spare_the_collector
from osler.simulator.limits import RunLimiter, check_prices
from osler.simulator.progress_display import Display
from osler.simulator.summary import summary
from osler.simulator.work_queue import RunProgress, WorkQueue
from osler.simulator.worker import Worker
from osler.stdout import spared_stdout
from osler.warn import warn

_PACKAGES = ("autogen-core", "autogen-ext", "openai", "pydantic", "numpy", "jieba", "faiss-cpu", "xllamacpp", "ray")

ALL_FAILED = 1
"""What a command exits with when consultations were held and none of them came to an answer."""


@dataclass(frozen=True)
class RunOptions:
    """How a run is carried out: it may change from one start to the next, since it decides no result."""

    concurrency: int = 8
    workers: int | None = None
    engine: str = "local"
    ray_address: str | None = None
    limits: Limits = field(default_factory=Limits)
    """Of the run."""
    clients: ClientSettings = field(default_factory=ClientSettings)
    quiet: bool = False
    as_json: bool = False


@dataclass(frozen=True)
class Outcome:
    """How one session of a run ended."""

    path: Path
    progress: RunProgress
    standing: RunStatus
    stop: RunStopped | None
    """Why it ended before the plan did, if it did."""

    def raise_if_stopped(self) -> None:
        """Raise the error of a run that has consultations left.

        Raises:
            StoppedEarly: It ended before its plan did.
        """
        if self.stop is None:
            return
        left = self.progress.total - self.progress.there - self.progress.done
        lost = "; answers that were still awaited will be asked for again" if self.progress.gave_up else ""
        line = f"the run stopped: {self.stop.message}; {left} consultation(s) are left{lost}"
        raise StoppedEarly(line, self.stop.kind, self.stop.signal)


def simulate_plan(plan: Plan, out: Path, options: RunOptions, pool: str) -> int:
    """Run a plan into a file and print what came of it; the exit code, which is not 0 when every consultation failed.

    Raises:
        UserError: The plan cannot be carried out, or the run ended before it did.
    """
    return _told(asyncio.run(run_plan(plan, out, options, pool, signals=True)), options, plan.settings.patient_backbone)


def retry_run(run: Path, options: RunOptions) -> int:
    """Hold again what failed in a run, and what it has not held yet; the exit code, as of `simulate_plan`."""
    with RunFile.open(run) as known:
        told, settings, columns = known.about(), known.settings, known.columns()
    if told != json.loads(json.dumps(about(settings))):
        raise UserError(f"{run} was made with another version of Osler or its prompts", "use that version for it")

    async def retry() -> Outcome:
        await _check(columns, settings, options)
        with RunWriter.create_or_resume(run, about(settings)) as store:
            return await _carry_out(store, store.retry(), settings, options, {"retry": True}, signals=True)

    return _told(asyncio.run(retry()), options, settings.patient_backbone)


async def run_plan(plan: Plan, out: Path, options: RunOptions, pool: str, *, signals: bool = False) -> Outcome:
    """Run a plan into a file.

    Args:
        plan: Which consultations to hold.
        out: The run's name or file; what it already holds is not held again.
        options: How to carry it out.
        pool: What the records were read from, for the file.
        signals: Whether Ctrl-C ends the run in order; only possible in the main thread.

    Raises:
        UserError: The plan cannot be carried out.
    """
    await _check(plan.columns, plan.settings, options)
    first = next(iter(plan.records), None)
    if first is None:
        raise UserError("no record passes the filters", "`osler records list` shows what there is")
    with RunWriter.create_or_resume(out, about(plan.settings)) as store:
        planned = store.extend(plan)
        return await _carry_out(store, planned, plan.settings, options, {"pool": pool}, signals=signals)


def about(settings: Settings) -> dict[str, Any]:
    """What decides the results of a run, besides its records."""
    prompts = {language.value: prompts_hash(language) for language in Language}
    return {"version": __version__, "prompts": prompts, "settings": settings.as_json()}


async def _check(columns: Sequence[Column], settings: Settings, options: RunOptions) -> None:
    """Open everything once, so that a wrong name stops the run before a file is made."""
    from osler.models.prices import prices

    if HUMAN in (settings.ram_backbone, settings.memory_backbone):
        raise UserError("only the doctor and the patient can be a person", "name a model, or rules")
    with spared_stdout():
        check_memories(sorted({column.memory for column in columns} - {ONE_STEP}))
        check_strategies(column.strategy for column in columns)
    clients = Clients(options.clients)
    models = {spec: clients.open(spec).model for spec in sorted(models_of(columns, settings))}
    for limits in (options.limits, settings.limits):
        check_prices(limits, models, lambda model: model in prices())
    await clients.close()


async def _carry_out(
    store: RunWriter,
    planned: Planned,
    settings: Settings,
    options: RunOptions,
    detail: dict[str, Any],
    *,
    signals: bool,
) -> Outcome:
    standing = store.status()
    store.begin({**detail, **_provenance(options)})
    if scored := score_missing(store):
        warn(f"{scored} consultation(s) of {store.path} had no score, and were scored now")
    progress = RunProgress(total=len(planned.todo) + planned.there, there=planned.there)
    limiter = RunLimiter(options.limits, standing.tokens, standing.cost_known, standing.seconds)
    with spared_stdout():
        stop = await _held(store, planned, progress, limiter, settings, options, signals=signals)
    if stop is not None:
        store.stopped(stop.kind)
    return Outcome(store.path, progress, store.status(), stop)


async def _held(
    store: RunWriter,
    planned: Planned,
    progress: RunProgress,
    limiter: RunLimiter,
    settings: Settings,
    options: RunOptions,
    *,
    signals: bool,
) -> RunStopped | None:
    queue = WorkQueue(store, planned, progress, limiter, score)
    most = max(1, len(planned.todo))  # idle workers cost memory
    options = replace(
        options, concurrency=min(options.concurrency, most), workers=options.workers and min(options.workers, most)
    )
    quiet = options.quiet or options.as_json
    with Display(progress, quiet=quiet) as display, _Interruptible(queue, quiet=quiet) if signals else nullcontext():
        try:
            async with display.running():
                await _engine(settings, options, limiter)(queue)
        finally:
            queue.flush()
    progress.gave_up = queue.stop.now.is_set()
    return queue.stop.reason


def _engine(settings: Settings, options: RunOptions, limiter: RunLimiter) -> Callable[[WorkQueue], Awaitable[None]]:
    if options.engine == "ray":
        from osler.simulator.engines.ray_pool import RayPool

        return RayPool(settings, options.clients, options.workers, options.concurrency, options.ray_address).run
    if options.workers is not None and options.workers > 1:
        from osler.simulator.engines.process_pool import ProcessPool

        return ProcessPool(settings, options.clients, options.workers, options.concurrency).run

    async def local(queue: WorkQueue) -> None:
        clients = Clients(options.clients)
        spare_the_collector()
        try:
            await run_local(queue, Worker(settings, clients, limiter), options.concurrency)
        finally:
            await clients.close()

    return local


class _Interruptible:
    """Ctrl-C asks the queue to end; a second one, to end now."""

    def __init__(self, queue: WorkQueue, *, quiet: bool) -> None:
        self._queue, self._quiet = queue, quiet
        self._heard = False

    def _interrupt(self, name: signal.Signals) -> None:
        stop = self._queue.stop
        if self._heard:
            stop.now.set()
        elif not self._quiet:
            sys.stderr.write("\nstopping: waiting for requests already sent; press Ctrl-C again to stop at once\n")
        self._heard = True
        stop.ask(RunStopped("interrupted", "it was interrupted", name))

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, self._interrupt, name)

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(name)


def _provenance(options: RunOptions) -> dict[str, Any]:
    """What this session is run with, for whoever has to explain a figure later."""
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


def _told(outcome: Outcome, options: RunOptions, patient: str) -> int:
    """Print how a session ended; return the exit code."""
    if options.as_json:
        sys.stdout.write(json.dumps(_as_json(outcome), ensure_ascii=False) + "\n")
    else:
        with RunFile.open(outcome.path) as file:
            printed(summary(file, patient))
    return _last_lines(outcome, options)


def _as_json(outcome: Outcome) -> dict[str, Any]:
    progress = outcome.progress
    return {
        "run": str(outcome.path),
        "held": progress.done,
        "there": progress.there,
        "session_seconds": round(progress.seconds, 3),
        "failures": dict(progress.failures),
        "stopped_by": outcome.stop.kind if outcome.stop else None,
        **asdict(outcome.standing),
    }


def _last_lines(outcome: Outcome, options: RunOptions) -> int:
    console = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)
    progress, standing, path = outcome.progress, outcome.standing, outcome.path
    if not (options.quiet or options.as_json):
        there = f", {progress.there} were there already" if progress.there else ""
        console.print(f"{progress.done} consultation(s) in {progress.seconds:.1f} s{there}; the run is in {path}")
    if progress.unscored:
        warn(f"a consultation could not be scored ({progress.unscored}); re-run the command to score it")
    outcome.raise_if_stopped()
    held, failed = (progress.done, progress.failed) if progress.done else (standing.total, standing.failed)
    all_failed = 0 < failed == held
    if all_failed or (standing.failed and not options.as_json):
        told = "osler: every consultation failed" if all_failed else f"{standing.failed} failed"
        console.print(f"{told}: `osler runs failures {path}` says why, `osler runs retry` tries again")
    return ALL_FAILED if all_failed else 0


class StoppedEarly(UserError):
    """A run that ended before its plan did. A signal that ended it is told by the exit code, as shells expect."""

    def __init__(self, message: str, kind: str, by_signal: int | None = None) -> None:
        """Say what happened, and how to resume."""
        self.kind = kind
        self.exit_code = UserError.exit_code if by_signal is None else 128 + by_signal
        more = kind.endswith("_limit")
        super().__init__(message, f"re-run the same command {'with a larger limit ' if more else ''}to resume")
