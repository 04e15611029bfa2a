"""Write a table as a part of a page."""

from __future__ import annotations

from osler.tables.markup import Html, bounded, element, joined, table_element
from osler.tables.table import Link, Table

_LONGEST_CELL = 200
"""Characters of a cell."""
_LONGEST_NOTE = 400
"""Characters of a note."""


def html_table(table: Table) -> Html:
    """A table in a box that scrolls by itself, and its notes; the title is left to the page."""
    header = [_cell(heading) for heading in table.headings]
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    notes = [element("p", bounded(note, _LONGEST_NOTE), class_="note") for note in table.notes]
    return joined([table_element(header, rows, numbers=table.names_its_rows), *notes])


def _cell(text: str) -> str | Html:
    shown = bounded(text, _LONGEST_CELL)
    if isinstance(text, Link):
        return element("a", shown, href=text.target)
    return shown
