"""`osler memory`: how a doctor's memory of one patient grew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="How a doctor's memory of one patient grew.")


@app.command("show")
def show(
    run: Annotated[Path, typer.Argument(help="The run's folder.")],
    case: Annotated[str, typer.Argument(help="A record's id, or its patient's.")],
    memory: Annotated[str | None, typer.Option("--memory", help="Where the run has several.")] = None,
    backbone: Annotated[str | None, typer.Option("--backbone", help="Where the run has several.")] = None,
    trial: Annotated[int | None, typer.Option("--trial", help="Where the run has several.")] = None,
) -> None:
    """Turn by turn: what was recalled, inserted, superseded, merged and forgotten, and why."""
    from osler.records.pages import printed
    from osler.simulator.memory_page import memory_page
    from osler.simulator.runs import Run

    printed(memory_page(Run.open(run).find(case, memory, backbone, trial)))
