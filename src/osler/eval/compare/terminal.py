"""Grids as a page for the terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.eval.compare.grid import Grid
from osler.wide_table import WideTable


def page(tables: list[Grid]) -> Group:
    """One table under the other."""
    shown: list[RenderableType] = []
    for grid in tables:
        shown += [_table(grid), *(Text(note, style="dim") for note in grid.notes), Text()]
    return Group(*shown[:-1])


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
