"""Runs as pages to read in a terminal."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler import row_labels
from osler.errors import UserError, printable
from osler.runs.plan import COLUMN
from osler.runs.run_servers import server_lines
from osler.runs.store import RunFile
from osler.runs.store.reader import RunStatus
from osler.runs.store.run_names import SUFFIX


def runs_table(folder: Path) -> RenderableType:
    """Print one line per run; a file that is not a run is named, and the others are still shown."""
    files = sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else []
    if not files:
        return Text(f"no runs in {folder}; `osler simulate` makes one")
    table = Table(box=None, pad_edge=False)
    for name in ("run", "done", "failed", "to do", "calls", "tokens", "USD"):
        table.add_column(name, justify="left" if name == "run" else "right")
    for path in files:
        try:
            with RunFile.open(path) as run:
                standing = run.status()
        except UserError as error:
            table.add_row(Text(path.stem), Text(error.message, style="red"))
            continue
        counts = (standing.done, standing.failed, standing.todo, standing.calls, standing.tokens)
        cost = "–" if standing.cost is None else f"{standing.cost:.2f}"
        table.add_row(Text(path.stem), *(f"{count:,}" for count in counts), cost)
    return table


def status_page(run: RunFile) -> Group:
    """Show how far a run is, column by column, and what it was made with.

    The line at the top says what was spent. The tokens of a column are those that its ended consultations are charged,
    as if no answer were shared, so that they do not depend on which column came first.
    """
    about, standing, settings = run.about(), run.status(), run.settings.as_json()
    fields = [name for name in COLUMN if name != "variants" or any(column.variants for column in run.columns())]
    table = Table(box=None, pad_edge=False)
    for name in (*fields, "done", "failed", "to do", row_labels.mean("turns"), row_labels.total("tokens")):
        table.add_column(name, justify="left" if name in COLUMN else "right")
    columns = ", ".join(f"cells.{name}" for name in COLUMN)
    for row in run.rows(
        f"{columns}, sum(state = 'done') AS done, sum(state = 'failed') AS failed,"
        " sum(state = 'todo') AS todo, avg(turns) AS turns,"
        " CAST(total(tokens_in + tokens_out) AS INTEGER) AS tokens",
        where=f"1 GROUP BY {columns}",
        order="min(cells.number)",
    ):
        turns = f"{row['turns']:.1f}" if row["turns"] is not None else "–"
        counts = (f"{row[name]:,}" for name in ("done", "failed", "todo"))
        table.add_row(*(Text(row[name]) for name in fields), *counts, turns, f"{row['tokens']:,}")
    told = ", ".join(f"{name} {value}" for name, value in settings.items() if value is not None and name != "limits")
    made_with = Text(f"Osler {about.get('version')}; {told}", style="dim")
    servers = [Text(printable(line), style="dim") for line in server_lines(run)]
    return Group(Text(str(run.path), style="bold"), Text(_line(standing)), made_with, *servers, Text(), table)


def _line(standing: RunStatus) -> str:
    spent = f"{standing.calls:,} calls, {standing.tokens:,} tokens{cost_text(standing)}"
    counts = f"{standing.done:,} done, {standing.failed:,} failed, {standing.todo:,} to do of {standing.total:,}"
    counts += f" ({standing.begun:,} of them begun)" if standing.begun else ""
    return f"{counts}; {standing.attempts:,} attempts, {spent}, {standing.seconds:.0f} s"


def cost_text(standing: RunStatus, digits: int = 2) -> str:
    """Return what answers cost, to put after other figures; nothing if no model was asked."""
    if standing.cost is None:
        return ", cost not known (a model has no price)"
    return f", {standing.cost:.{digits}f} USD" if standing.calls else ""


def failures_page(run: RunFile) -> RenderableType:
    """Every failure with its reason and its attempts."""
    rows = list(run.rows("cells.number, failure, message, ending", where="state = 'failed'"))
    if not rows:
        return Text("nothing failed")
    lines = []
    for row in rows:
        attempts = run.attempts(row["number"])
        tokens = sum(tokens for _, _, tokens in attempts)
        lines.append(Text(run.name_of(row["number"]), style="bold").append(f"  {row['ending']}", style="not bold red"))
        reason = printable(row["message"] or row["failure"] or "")
        lines.append(Text(f"  {reason} ({len(attempts)} attempt(s), {tokens:,} tokens)"))
    return Group(*lines)
