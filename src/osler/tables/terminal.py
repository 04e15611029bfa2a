"""Write tables to a terminal, so that no figure is ever cut."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table as RichTable
from rich.text import Text

from osler.tables.table import Align, Table

_NARROWEST = 14
"""Characters that a header gets before it is broken into lines."""
_FRAME = 3
"""Characters around the text of a column."""


def on_terminal(tables: Iterable[Table]) -> Group:
    """One table below the other, each with its notes."""
    parts: list[RenderableType] = []
    for table in tables:
        if parts:
            parts.append(Text())
        parts.append(_InBlocks(table) if table.names_its_rows else _folded(table))
        parts += [Text(note, style="dim") for note in table.notes]
    return Group(*parts)


def _folded(table: Table) -> RichTable:
    """A table that has to fit: long texts go on in the next line."""
    rich_table = RichTable(title=Text(table.title), title_justify="left")
    for place, column in enumerate(table.columns):
        heading = _in_lines(column.heading) if place else column.heading
        # Folded, never cut: names of models often differ at their ends.
        rich_table.add_column(Text(heading), justify=column.align.value, overflow="fold")
    for row in table.rows:
        rich_table.add_row(*(Text(cell) for cell in row))
    return rich_table


def _in_lines(heading: str) -> str:
    """A heading with a word on each line, unless its lines are set already."""
    if "\n" in heading:
        return heading
    return heading.replace(" ", "\n")


class _InBlocks:
    """A table whose columns go on in a block below where the terminal ends.

    Each block has the names of the rows again.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """As many columns side by side as the terminal has room for."""
        names, *figures = (self._widest_cell(place) for place in range(len(self._table.columns)))
        headings = [
            _broken(_in_lines(column.heading), max(_NARROWEST, width))
            for column, width in zip(self._table.columns[1:], figures, strict=True)
        ]
        widths = [
            max(width, *map(cell_len, heading.split("\n"))) + _FRAME
            for heading, width in zip(headings, figures, strict=True)
        ]
        room = options.max_width - names - _FRAME - 1
        for number, block in enumerate(_blocks(widths, room)):
            yield self._block(block, headings, title=None if number else self._table.title)

    def _widest_cell(self, place: int) -> int:
        return max((cell_len(row[place]) for row in self._table.rows), default=0)

    def _block(
        self, block: Sequence[int], headings: Sequence[str], *, title: str | None
    ) -> RichTable:
        rich_table = RichTable(title=None if title is None else Text(title), title_justify="left")
        rich_table.add_column("", no_wrap=True)
        for place in block:
            rich_table.add_column(Text(headings[place]), justify=Align.RIGHT.value, no_wrap=True)
        for name, *cells in self._table.rows:
            rich_table.add_row(Text(name), *(Text(cells[place]) for place in block))
        return rich_table


def _broken(heading: str, width: int) -> str:
    """The heading with no line longer than this."""
    lines: list[str] = []
    for line in heading.split("\n"):
        lines += textwrap.wrap(line, width) or [""]
    return "\n".join(lines)


def _blocks(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Yield the places of the columns that fit side by side; at least one at a time."""
    block: list[int] = []
    used = 0
    for place, width in enumerate(widths):
        if block and used + width > room:
            yield block
            block = []
            used = 0
        block.append(place)
        used += width
    if block:
        yield block
