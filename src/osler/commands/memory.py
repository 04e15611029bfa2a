"""`osler memory`: how a doctor's memory of one patient grew."""

from __future__ import annotations

from typing import Annotated

import typer

from osler.commands.run_options import RunName, Trial

app = typer.Typer(no_args_is_help=True, help="How a doctor's memory of one patient grew.")


@app.command("show")
def show(
    run: RunName,
    case: Annotated[str, typer.Argument(help="A record's id, or its patient's.")],
    memory: Annotated[str | None, typer.Option("--memory", help="Where the run has several.")] = None,
    strategy: Annotated[str | None, typer.Option("--strategy", help="Where the run has several.")] = None,
    backbone: Annotated[str | None, typer.Option("--backbone", help="Where the run has several.")] = None,
    trial: Trial = None,
) -> None:
    """Turn by turn: what was recalled, inserted, superseded, merged and forgotten, and why."""
    from osler.records.pages import printed
    from osler.replay.pages import memory_page
    from osler.runs.plan import Selector
    from osler.runs.store import RunFile

    with RunFile.open(run) as opened:
        printed(memory_page(opened.find(Selector(case, backbone, strategy, memory, trial))))
