"""`osler report`: a run as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from osler.commands.run_options import RunName


def report(
    run: RunName,
    out: Annotated[Path, typer.Option("--out", "-o", help="The page.")] = Path("report.html"),
    judge: Annotated[str | None, typer.Option("--judge", help="Whose verdicts; without it, the rules' ladder.")] = None,
    patient_judge: Annotated[
        str | None,
        typer.Option(
            "--patient-judge", help="Whose leaks and fabrications: rules, or a model that judged the replies."
        ),
    ] = None,
    figures: Annotated[
        Path | None, typer.Option("--figures", help="A folder for the figures as SVG and PNG, for papers.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
) -> None:
    """Write all that a run came to as one page that opens from disk: tables, figures, failures, conversations."""
    from osler.eval.report import write_report

    made = write_report(run, out, judge=judge, ruler=patient_judge, figures=figures, force=force)
    told = f"{made.page} ({made.size / 1024:,.0f} KiB)"
    if figures is not None:
        told += f" and {len(made.figures)} figure(s) in {figures}"
    typer.echo(told)
