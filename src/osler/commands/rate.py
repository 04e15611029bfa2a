"""`osler rate`: let people judge moments of a run without knowing whose work they are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from osler.commands.run_options import RunName

app = typer.Typer(no_args_is_help=True, help="Blind rating by people: sheets out, ratings in.")

Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]


@app.command("export")
def export(
    run: RunName,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The sheet; the key lies beside it as NAME.key.json.")
    ] = Path("sheet.xlsx"),
    per_cell: Annotated[int, typer.Option("--per-cell", min=1, help="Items per column.")] = 20,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the draw and of the order.")] = 0,
    raters: Annotated[
        int, typer.Option("--raters", min=1, max=100, help="Sheets with the same items, each in its own order.")
    ] = 1,
    force: Force = False,
) -> None:
    """Write moments of a run as sheets that do not tell the system, and the key that does."""
    from osler.errors import printable
    from osler.eval.rating import export_sheets
    from osler.runs.store import RunFile

    with RunFile.open(run) as opened:
        done = export_sheets(opened, out, per_system=per_cell, seed=seed, raters=raters, force=force)
    for column, count in done.items.items():
        few = "" if count == per_cell else f", fewer than {per_cell}: the run has not more"
        typer.echo(f"{printable(str(column))}: {count} items{few}")
    typer.echo(f"for raters: {', '.join(map(str, done.sheets))}")
    typer.echo(f"not for raters: {done.key}")


@app.command("import")
def import_ratings(
    sheets: Annotated[list[Path], typer.Argument(help="The sheets as the raters saved them: .xlsx or CSV, one each.")],
    key: Annotated[Path, typer.Option("--key", help="The .key.json file that was exported with them.")],
    run: Annotated[Path | None, typer.Option("--run", help="Check that the items are of this run.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Also write all ratings as a CSV file.")] = None,
    force: Force = False,
) -> None:
    """Read ratings back: the means of every column, and how far the raters agree."""
    from osler.eval.rating import Key, check_run, ratings_page, read_ratings, write_table
    from osler.records.pages import printed
    from osler.runs.store import RunFile

    opened_key = Key.open(key)
    if run is not None:
        with RunFile.open(run) as opened:
            check_run(opened_key, opened)
    ratings = read_ratings(sheets, opened_key)
    if out is not None:
        write_table(ratings, out, force=force)
    printed(ratings_page(ratings, opened_key))
