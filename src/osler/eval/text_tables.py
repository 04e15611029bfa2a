"""Tables of text: for the terminal, and as Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, field

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.wide_table import WideTable


@dataclass(frozen=True)
class Grid:
    """A table of text."""

    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)


def p_text(value: float | None) -> str:
    """A p-value as tables show it."""
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def page(tables: list[Grid]) -> Group:
    """One table under the other."""
    parts: list[RenderableType] = []
    for grid in tables:
        parts += [_table(grid), *(Text(note, style="dim") for note in grid.notes), Text()]
    return Group(*parts[:-1])


def _table(grid: Grid) -> RenderableType:
    names, *headers = (name.replace(" ", "\n") if place else name for place, name in enumerate(grid.header))
    if not names:
        return WideTable(grid.title, headers, grid.rows)
    table = Table(title=Text(grid.title), title_justify="left")
    for place, name in enumerate((names, *headers)):
        # Folded, never cut: names of models often differ at their ends.
        table.add_column(Text(name), justify="right" if place else "left", overflow="fold")
    for row in grid.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def markdown(grid: Grid) -> str:
    """As Markdown."""
    header, *rows = (f"| {' | '.join(map(_md, row))} |" for row in (grid.header, *grid.rows))
    lines = [f"**{_plain(grid.title)}**", "", header, f"| --- |{' ---: |' * (len(grid.header) - 1)}", *rows]
    return "\n".join([*lines, "", *(f"{_md(note)}  " for note in grid.notes)]).rstrip() + "\n"


def _plain(text: str) -> str:
    return " ".join(text.split())


def _md(text: str) -> str:
    return _plain(text).replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"} | {
    char: f"\\{char}" for char in "&%$#_{}"
}


def latex(grid: Grid) -> str:
    """As a LaTeX table for booktabs."""
    header, *rows = (" & ".join(map(_tex, row)) + r" \\" for row in (grid.header, *grid.rows))
    lines = [r"\begin{table}", rf"\caption{{{_tex(grid.title)}}}"]
    lines += [rf"\begin{{tabular}}{{l{'r' * (len(grid.header) - 1)}}}", r"\toprule", header, r"\midrule"]
    lines += [*rows, r"\bottomrule"]
    lines += [r"\end{tabular}", *(rf"\par\footnotesize {_tex(note)}" for note in grid.notes), r"\end{table}"]
    return "\n".join(lines) + "\n"


def _tex(text: str) -> str:
    return "".join(_TEX.get(char, char) for char in _plain(text))


def csv_text(grid: Grid) -> str:
    """As CSV; a cell that a spreadsheet would take for a formula is quoted with an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in (grid.header, *grid.rows):
        writer.writerow([f"'{cell}" if cell[:1] in {"=", "@"} else cell for cell in row])
    return out.getvalue()


WRITERS: dict[str, Callable[[Grid], str]] = {"markdown": markdown, "latex": latex, "csv": csv_text}
