"""`osler runs`: what runs there are, how far they are, what failed in them, and trying that again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from osler.commands import run_options
from osler.commands.run_options import RunName
from osler.errors import printable

if TYPE_CHECKING:
    from osler.simulator.api import SimulateOptions

app = typer.Typer(no_args_is_help=True, help="List, inspect, check and retry runs.")


@app.command("list")
def list_runs(folder: Annotated[Path, typer.Argument(help="Where the runs are.")] = Path("runs")) -> None:
    """List the runs of a folder and their progress."""
    from osler.records.pages import printed
    from osler.runs.run_pages import runs_table

    printed(runs_table(folder))


@app.command("status")
def status(run: RunName, as_json: run_options.AsJson = False) -> None:
    """Show the progress, usage and settings of a run."""
    import json
    from dataclasses import asdict

    from osler.records.pages import printed
    from osler.runs.run_pages import status_page
    from osler.runs.store import RunFile

    with RunFile.open(run) as opened:
        if as_json:
            typer.echo(json.dumps({"run": str(opened.path), **asdict(opened.status()), "about": opened.about()}))
        else:
            printed(status_page(opened))


@app.command("check")
def check(run: RunName) -> None:
    """Check a run file for damage, and name what is damaged. Exit code 1 if anything is."""
    from osler.runs.store import RunFile
    from osler.runs.store.check import find_damage

    with RunFile.open(run) as opened:
        found = 0
        for fault in find_damage(opened):
            found += 1
            typer.echo(f"{fault.part}: {printable(fault.what)}")
        if found:
            typer.echo("damaged consultations are left out of all tables; `osler runs retry` runs them again")
            raise typer.Exit(1)
        typer.echo(f"no damage found; {opened.status().total:,} consultation(s)")


@app.command("failures")
def failures(run: RunName) -> None:
    """List the failures of a run, with reasons and attempts."""
    from osler.records.pages import printed
    from osler.runs.run_pages import failures_page
    from osler.runs.store import RunFile

    with RunFile.open(run) as opened:
        printed(failures_page(opened))


@app.command("retry")
def retry(
    run: RunName,
    run_tokens: run_options.RunTokens = None,
    run_cost: run_options.RunCost = None,
    run_seconds: run_options.RunSeconds = None,
    concurrency: run_options.Concurrency = 8,
    workers: run_options.Workers = None,
    engine: run_options.EngineName = run_options.Engine.LOCAL,
    ray_address: run_options.RayAddress = None,
    rpm: run_options.Rpm = None,
    tpm: run_options.Tpm = None,
    timeout: run_options.Timeout = 60.0,
    quiet: run_options.Quiet = False,
    as_json: run_options.AsJson = False,
) -> None:
    """Re-run what failed and resume what is left; answers that models gave are not requested again."""
    options = {name: value for name, value in locals().items() if name not in {"run", "as_json"}}
    from osler.runs.store import RunFile
    from osler.simulator.api import run_options_of
    from osler.simulator.batch import retry_run

    with RunFile.open(run) as opened:
        options["temperature"] = opened.settings.temperature
    how = replace(run_options_of(cast("SimulateOptions", options)), as_json=as_json)
    if code := retry_run(run, how):
        raise typer.Exit(code)
