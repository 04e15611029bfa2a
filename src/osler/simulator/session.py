"""A run from the command line: checked before it starts, shown while it goes, summed up at the end."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table

from osler import __version__
from osler.errors import UserError
from osler.memory import MemorySettings, memory_factory
from osler.records.pages import printed
from osler.simulator.batch import Plan, Progress, run_batch
from osler.simulator.build import WITHOUT_MODEL
from osler.simulator.clients import Clients
from osler.simulator.display import live_view, plain_line
from osler.simulator.runs import Run
from osler.simulator.summary import summary

_EVERY = 0.25
"""Seconds between two pictures of the live view."""


def run_plan(plan: Plan, out: Path, *, pool: str, concurrency: int, timeout: float, quiet: bool) -> None:
    """Run a plan into a folder and print what came of it."""
    if not plan.records:
        raise UserError("no record passes the filters", "`osler records list` shows what there is")
    for name in plan.memories:
        memory_factory(name)(MemorySettings())
    clients = Clients(timeout)
    settings = plan.settings
    others = (settings.patient_backbone, settings.memory_backbone, settings.ram_backbone)
    for spec in {*plan.backbones, *(spec for spec in others if spec)} - WITHOUT_MODEL:
        clients.open(spec)
    run = Run.create(
        out,
        {
            "version": __version__,
            "pool": pool,
            "patient": settings.patient_backbone,
            "seed": settings.seed,
            "guards": settings.guards,
            "turns": settings.turns,
            "turn_factor": settings.turn_factor,
            "budget": settings.budget,
            "ram": settings.ram_backbone,
            "memory_backbone": settings.memory_backbone,
        },
    )
    began = time.perf_counter()
    progress = asyncio.run(_watched(plan, run, clients, concurrency, quiet=quiet))
    printed(_table(plan, run))
    seconds = time.perf_counter() - began
    console = Console(stderr=True, markup=False, highlight=False)
    if not quiet:
        skipped = f", {progress.skipped} were there already" if progress.skipped else ""
        console.print(f"{len(progress.done)} consultation(s) in {seconds:.1f} s{skipped}; the run is in {out}")


async def _watched(plan: Plan, run: Run, clients: Clients, concurrency: int, *, quiet: bool) -> Progress:
    console = Console(stderr=True, markup=False, highlight=False)
    try:
        if quiet or not console.is_terminal:
            watch = None if quiet else lambda progress: console.print(plain_line(progress))
            return await run_batch(plan, run, clients, concurrency=concurrency, watch=watch)
        return await _live(plan, run, clients, concurrency, console)
    finally:
        await clients.close()


async def _live(plan: Plan, run: Run, clients: Clients, concurrency: int, console: Console) -> Progress:
    began = time.perf_counter()
    shown = Progress(total=len(plan.cells()))
    with Live(console=console, auto_refresh=False, transient=True) as live:
        task = asyncio.create_task(run_batch(plan, run, clients, concurrency=concurrency, progress=shown))
        while not task.done():
            live.update(live_view(shown, time.perf_counter() - began), refresh=True)
            await asyncio.wait({task}, timeout=_EVERY)
        return task.result()


def _table(plan: Plan, run: Run) -> Table:
    """The run's figures, for the records that are at hand to be compared with."""
    return summary(run.transcripts(), {record.id: record for record in plan.records}, plan.settings.patient_backbone)
