"""Grids as a page for the terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.eval.compare.grid import Grid


def page(tables: list[Grid]) -> Group:
    """One table under the other."""
    shown: list[RenderableType] = []
    for grid in tables:
        table = Table(title=Text(grid.title), title_justify="left")
        for place, name in enumerate(grid.header):
            table.add_column(Text(name.replace(" ", "\n") if place else name), justify="right" if place else "left")
        for row in grid.rows:
            table.add_row(*(Text(cell) for cell in row))
        shown += [table, *(Text(note, style="dim") for note in grid.notes), Text()]
    return Group(*shown[:-1])
