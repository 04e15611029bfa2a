"""`osler runs`: what runs there are, how far they are, what failed in them, and trying that again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from osler.commands.carrying_out import (
    AsJson,
    Concurrency,
    Engine,
    EngineName,
    Quiet,
    RayAddress,
    Rpm,
    RunCost,
    RunName,
    RunSeconds,
    RunTokens,
    Timeout,
    Tpm,
    Workers,
    how_from,
)

app = typer.Typer(no_args_is_help=True, help="Runs: what there is, how far it is, and what failed.")


@app.command("list")
def list_runs(folder: Annotated[Path, typer.Argument(help="Where the runs are.")] = Path("runs")) -> None:
    """The runs of a folder, and how far each is."""
    from osler.records.pages import printed
    from osler.simulator.run_pages import runs_table

    printed(runs_table(folder))


@app.command("status")
def status(run: RunName, as_json: AsJson = False) -> None:
    """How far a run is, what it has used, and what it was made with."""
    import json
    from dataclasses import asdict

    from osler.records.pages import printed
    from osler.simulator.run_pages import status_page
    from osler.simulator.store import RunFile

    with RunFile.open(run) as opened:
        if as_json:
            typer.echo(json.dumps({"run": str(opened.path), **asdict(opened.standing()), "about": opened.about()}))
        else:
            printed(status_page(opened))


@app.command("failures")
def failures(run: RunName) -> None:
    """What failed in a run, why, and after how many attempts."""
    from osler.records.pages import printed
    from osler.simulator.run_pages import failures_page
    from osler.simulator.store import RunFile

    with RunFile.open(run) as opened:
        printed(failures_page(opened))


@app.command("retry")
def retry(
    run: RunName,
    run_tokens: RunTokens = None,
    run_cost: RunCost = None,
    run_seconds: RunSeconds = None,
    concurrency: Concurrency = 8,
    workers: Workers = None,
    engine: EngineName = Engine.LOCAL,
    ray_address: RayAddress = None,
    rpm: Rpm = None,
    tpm: Tpm = None,
    timeout: Timeout = 60.0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Hold again what failed, and go on with what was not held yet; what models have answered is not asked again."""
    from osler.simulator.plan import Limits
    from osler.simulator.session import retry_run
    from osler.simulator.store import RunFile

    with RunFile.open(run) as opened:
        temperature = opened.settings.temperature
    how = how_from(
        concurrency=concurrency,
        workers=workers,
        engine=engine,
        ray_address=ray_address,
        limits=Limits(run_tokens, run_cost, run_seconds),
        rpm=rpm,
        tpm=tpm,
        timeout=timeout,
        temperature=temperature,
        cache=None,
        quiet=quiet,
        as_json=as_json,
    )
    retry_run(run, how)
