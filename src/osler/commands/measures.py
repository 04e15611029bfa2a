"""`osler measures`: what is measured, and how."""

from __future__ import annotations

from typing import Annotated, Literal

import typer
from typer import Option

from osler.commands.options import print_page


def measures(
    form: Annotated[
        Literal["table", "markdown", "latex", "csv", "html", "json"],
        Option("--format", help="Format of the table."),
    ] = "table",
) -> None:
    """List every measure with its unit, formula and denominator."""
    from osler.eval.measures.reference import reference_table
    from osler.tables import WRITERS, on_terminal

    table = reference_table()
    if form == "table":
        print_page(on_terminal([table]))
    else:
        typer.echo(WRITERS[form](table), nl=False)
