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
            # Folded, never cut: names of models often differ at their ends.
            shown_name = Text(name.replace(" ", "\n") if place else name)
            table.add_column(shown_name, justify="right" if place else "left", overflow="fold")
        for row in grid.rows:
            table.add_row(*(Text(cell) for cell in row))
        shown += [table, *(Text(note, style="dim") for note in grid.notes), Text()]
    return Group(*shown[:-1])
