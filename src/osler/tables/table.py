"""A table of text: columns with a header, an alignment and a unit; rows; and notes below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

DASH = "–"
"""A cell without a value."""


class Align(StrEnum):
    """On which side the cells of a column stand."""

    LEFT = "left"
    RIGHT = "right"


class Link(str):
    """The text of a cell that leads somewhere on a page; elsewhere it is the text alone."""

    __slots__ = ("target",)

    target: str

    def __new__(cls, text: str, target: str) -> Self:
        """Take the text and the address."""
        link = super().__new__(cls, text)
        link.target = target
        return link


@dataclass(frozen=True)
class TableColumn:
    """One column of a table."""

    header: str
    """A line break in it is kept on a terminal, and is a space elsewhere."""
    align: Align = Align.RIGHT
    unit: str = ""
    """What its figures are counted in; empty for text, and where each row has a unit of its own."""

    @property
    def heading(self) -> str:
        """The header with the unit."""
        if self.unit:
            return f"{self.header}, {self.unit}"
        return self.header


@dataclass(frozen=True)
class Table:
    """A table of text, ready to be written in any form."""

    title: str
    columns: tuple[TableColumn, ...]
    rows: list[list[str]]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        title: str,
        header: Sequence[str],
        rows: Iterable[Iterable[str]],
        notes: Iterable[str] = (),
    ) -> Self:
        """Make a table whose first column names the rows, and whose other columns are figures."""
        names, *figures = header
        columns = (TableColumn(names, Align.LEFT), *(TableColumn(name) for name in figures))
        return cls(title, columns, [list(row) for row in rows], tuple(notes))

    @property
    def headings(self) -> list[str]:
        """The heading of each column."""
        return [column.heading for column in self.columns]

    @property
    def names_its_rows(self) -> bool:
        """Whether the first column has no header: it names the rows, and all others are alike."""
        return not self.columns[0].heading


def p_text(value: float | None) -> str:
    """A p-value as tables show it."""
    if value is None:
        return DASH
    if value < 0.001:
        return "< 0.001"
    return f"{value:.3f}"
