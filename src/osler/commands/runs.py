"""`osler simulate` and `osler runs`: start, list, inspect, check, repair and retry runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument

from osler.commands.options import AsJson, RunName, open_run, print_page
from osler.commands.settings_command import SettingsCommand, takes_settings
from osler.errors import printable

if TYPE_CHECKING:
    from osler.settings.declared import Declared
    from osler.simulator.batch import RunOptions

app = typer.Typer(no_args_is_help=True, help="List, inspect, check, repair and retry runs.")


@takes_settings()
def simulate(*, as_json: AsJson = False, **options: Any) -> None:
    """Simulate consultations: records × columns × trials.

    Columns are backbones × strategies × memories, and × every other option that is given several
    values. With --out NAME, re-run the command to resume. Without --out, a new run is started and
    its name printed.
    """
    from osler.settings.choice import choose
    from osler.simulator.api import plan_of, run_options_of
    from osler.simulator.batch import simulate_plan

    choice = choose(options, by_flag=True)
    settings = choice.settings
    execution = _execution(run_options_of(settings), as_json=as_json)
    code = simulate_plan(plan_of(choice), settings.out, execution, str(settings.pool))
    if code:
        raise typer.Exit(code)


def _decides_execution(declared: Declared) -> bool:
    return declared.group in ("Execution", "Judge") or declared.option.startswith("run_")


@app.command("retry", cls=SettingsCommand)
@takes_settings(only=_decides_execution)
def retry(run: RunName, *, as_json: AsJson = False, **options: Any) -> None:
    """Re-run what failed and resume what is left. Answers that models already gave are reused."""
    from osler.settings.choice import choose
    from osler.simulator.api import run_options_of
    from osler.simulator.batch import retry_run

    with open_run(run) as opened:
        seed = opened.settings.seed
    settings = choose({**options, "seed": seed}, by_flag=True).settings
    code = retry_run(run, _execution(run_options_of(settings), as_json=as_json))
    if code:
        raise typer.Exit(code)


def _execution(options: RunOptions, *, as_json: bool) -> RunOptions:
    # The name of a new run stands in the JSON; otherwise it is printed, also with --quiet: without
    # it, it is lost.
    return replace(options, as_json=as_json, tells_name=not as_json)


@app.command("list")
def list_runs(
    folder: Annotated[Path, Argument(help="The folder of the runs.")] = Path("runs"),
) -> None:
    """List the runs of a folder and their progress."""
    from osler.runs.run_pages import runs_table

    print_page(runs_table(folder))


@app.command("status")
def status(run: RunName, as_json: AsJson = False) -> None:
    """Show the progress, usage and settings of a run."""
    import json
    from dataclasses import asdict

    from osler.runs.run_pages import status_page
    from osler.runs.run_servers import servers_of

    with open_run(run) as opened:
        if as_json:
            servers: dict[str, list[dict[str, Any]]] = {}
            for spec, descriptions in servers_of(opened).items():
                servers[spec] = [description.model_dump() for description in descriptions]
            progress = asdict(opened.status())
            about = {"about": opened.about(), "servers": servers}
            typer.echo(json.dumps({"run": str(opened.path), **progress, **about}))
        else:
            print_page(status_page(opened))


@app.command("check")
def check(run: RunName) -> None:
    """Check a run file for damage and list what is damaged. Exits with 1 if anything is."""
    from osler.runs.store import RunFile
    from osler.runs.store.check import find_damage

    with RunFile.open(run, verified=False) as opened:
        faults = [f"{fault.part}: {printable(fault.what)}" for fault in find_damage(opened)]
        if faults:
            typer.echo("\n".join(faults))
            typer.echo(
                f"what is damaged is left out of all tables; `osler runs repair {opened.path}`"
                " mends the file"
            )
            raise typer.Exit(1)
        typer.echo(f"no damage found; {opened.status().total:,} consultation(s)")


@app.command("repair")
def repair(run: RunName) -> None:
    """Repair a damaged run file.

    Keep what is sound, make scores again from transcripts, and name what is lost.

    The original is kept beside it. Consultations whose transcripts are damaged are held again by
    the simulate command.
    """
    from osler.eval.repair_run import repair_run

    typer.echo("\n".join(map(printable, repair_run(run))))


@app.command("failures")
def failures(run: RunName) -> None:
    """List the failures of a run, with reasons and attempts."""
    from osler.runs.run_pages import failures_page

    with open_run(run) as opened:
        print_page(failures_page(opened))
