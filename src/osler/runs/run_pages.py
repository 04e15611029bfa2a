"""Runs as pages to read in a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler import row_labels
from osler.errors import UserError, printable
from osler.runs.events import Role
from osler.runs.plan import COLUMN
from osler.runs.run_servers import server_lines
from osler.runs.store import RunFile, RunStatus
from osler.runs.store.columns import column_progress
from osler.runs.store.run_names import SUFFIX
from osler.settings.stored import setting_rows


def runs_table(folder: Path) -> RenderableType:
    """Print one line per run; a file that is not a run is named, and the others are still shown."""
    files = sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else []
    if not files:
        return Text(f"no runs in {folder}; `osler simulate` makes one")
    table = _table(["run"], ["done", "failed", "to do", "calls", "tokens", "USD"])
    for path in files:
        try:
            with RunFile.open(path) as run:
                status = run.status()
        except UserError as error:
            table.add_row(Text(path.stem), Text(error.message, style="red"))
            continue
        counts = (status.done, status.failed, status.todo, status.calls, status.tokens)
        cost = "–" if status.cost is None else f"{status.cost:.2f}"
        table.add_row(Text(path.stem), *map(_counted, counts), cost)
    return table


def _table(names: Iterable[str], numbers: Iterable[str]) -> Table:
    """A table without lines: columns of names, then columns of numbers."""
    table = Table(box=None, pad_edge=False)
    for name in names:
        table.add_column(name)
    for name in numbers:
        table.add_column(name, justify="right")
    return table


def _counted(count: int) -> str:
    return f"{count:,}"


def status_page(run: RunFile) -> Group:
    """Show how far a run is, column by column, and what it was made with.

    The line at the top says what was spent. The tokens of a column are those that its ended
    consultations are charged, as if no answer were shared, so that they do not depend on which
    column came first.
    """
    about = run.about()
    values = [
        f"{name} {value}" for name, value in setting_rows(about["settings"]) if value != "none"
    ]
    return Group(
        Text(str(run.path), style="bold"),
        Text(_line(run.status())),
        Text(f"Osler {about.get('version')}; {', '.join(values)}", style="dim"),
        *(Text(printable(line), style="dim") for line in server_lines(run)),
        Text(),
        _progress_table(run),
    )


def _progress_table(run: RunFile) -> Table:
    """How far each column is."""
    has_variants = any(column.variants for column in run.columns())
    fields = [name for name in COLUMN if name != "variants" or has_variants]
    figures = ["done", "failed", "to do", row_labels.mean("turns"), row_labels.total("tokens")]
    table = _table(fields, figures)
    for progress in column_progress(run):
        names = progress.column.as_row()
        counts = (progress.done, progress.failed, progress.todo)
        table.add_row(
            *(Text(names[field]) for field in fields),
            *map(_counted, counts),
            "–" if progress.turns is None else f"{progress.turns:.1f}",
            _counted(progress.tokens),
        )
    return table


def _line(status: RunStatus) -> str:
    """How far a run is and what it used, in one line."""
    begun = f" ({status.begun:,} of them begun)" if status.begun else ""
    return (
        f"{status.done:,} done, {status.failed:,} failed, {status.todo:,} to do of"
        f" {status.total:,}{begun}; {status.attempts:,} attempts, {status.calls:,} calls,"
        f" {status.tokens:,} tokens{cost_text(status)}, {status.seconds:.0f} s"
    )


def cost_text(status: RunStatus, digits: int = 2) -> str:
    """Return what answers cost, to put after other figures; nothing if no model was asked."""
    if status.cost is None:
        return ", cost not known (a model has no price)"
    if status.calls:
        return f", {status.cost:.{digits}f} USD"
    return ""


def failures_page(run: RunFile) -> RenderableType:
    """Every failure with its reason and its attempts."""
    failures = run.failures()
    if not failures:
        return Text("nothing failed")
    lines = []
    for number, ending, failure in failures:
        title = Text(run.name_of(number), style="bold")
        role = f" ({failure.role})" if failure and failure.role is not Role.SIMULATOR else ""
        lines.append(title.append(f"  {ending}{role}", style="not bold red"))
        attempts = run.attempts(number)
        tokens = sum(attempt.tokens for attempt in attempts)
        reason = printable(failure.line if failure else "")
        lines.append(Text(f"  {reason} ({len(attempts)} attempt(s), {tokens:,} tokens)"))
    return Group(*lines)
