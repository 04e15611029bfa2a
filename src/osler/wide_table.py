"""Terminal table that never truncates a number: columns that do not fit continue in a block below."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

_NARROWEST = 14
"""Characters that a header gets before it is broken into lines."""
_FRAME = 3
"""Characters around the text of a column."""


@dataclass(frozen=True)
class WideTable:
    """Named rows of figures. Each block of columns has the names of the rows again."""

    title: str
    headers: Sequence[str]
    """Headers of the columns with figures; a line break in a text is kept."""
    rows: Sequence[Sequence[str]]
    """The name of each row, and its cells."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """As many columns side by side as the terminal has room for."""
        names, *figures = (
            max((cell_len(row[place]) for row in self.rows), default=0) for place in range(len(self.headers) + 1)
        )
        headers = [_broken(header, max(_NARROWEST, width)) for header, width in zip(self.headers, figures, strict=True)]
        widths = [
            max(width, *map(cell_len, header.split("\n"))) + _FRAME
            for header, width in zip(headers, figures, strict=True)
        ]
        for number, block in enumerate(_blocks(widths, options.max_width - names - _FRAME - 1)):
            table = Table(title=Text(self.title) if not number else None, title_justify="left")
            table.add_column("", no_wrap=True)
            for place in block:
                table.add_column(Text(headers[place]), justify="right", no_wrap=True)
            for row in self.rows:
                table.add_row(Text(row[0]), *(Text(row[place + 1]) for place in block))
            yield table


def _broken(header: str, width: int) -> str:
    return "\n".join(part for line in header.split("\n") for part in textwrap.wrap(line, width) or [""])


def _blocks(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Return the indices of the columns that fit side by side; at least one at a time."""
    block: list[int] = []
    for place, width in enumerate(widths):
        if block and sum(widths[one] for one in block) + width > room:
            yield block
            block = []
        block.append(place)
    if block:
        yield block
