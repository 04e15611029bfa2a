"""Write a table as Markdown, LaTeX, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import Any

from osler.tables.html import html_table
from osler.tables.table import Align, Table

_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
} | {char: f"\\{char}" for char in "&%$#_{}"}
_RULES = {Align.LEFT: "---", Align.RIGHT: "---:"}
"""What Markdown has below a header."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a cell that a spreadsheet takes for a formula."""


def markdown(table: Table) -> str:
    """As Markdown."""
    rules = [_RULES[column.align] for column in table.columns]
    lines = [
        f"**{_one_line(table.title)}**",
        "",
        _markdown_row(table.headings),
        f"| {' | '.join(rules)} |",
        *map(_markdown_row, table.rows),
        "",
        *(f"{_markdown_text(note)}  " for note in table.notes),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_markdown_text, cells))} |"


def _markdown_text(text: str) -> str:
    escaped = _one_line(text).replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*")
    return escaped.replace("<", "&lt;")


def latex(table: Table) -> str:
    """As a LaTeX table for booktabs."""
    sides = "".join(column.align.value[0] for column in table.columns)
    lines = [
        r"\begin{table}",
        rf"\caption{{{_latex_text(table.title)}}}",
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        _latex_row(table.headings),
        r"\midrule",
        *map(_latex_row, table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\footnotesize {_latex_text(note)}" for note in table.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(_latex_text, cells)) + r" \\"


def _latex_text(text: str) -> str:
    return "".join(_TEX.get(char, char) for char in _one_line(text))


def csv_text(table: Table) -> str:
    """As CSV, without title and notes."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in (table.headings, *table.rows):
        writer.writerow(map(_harmless, row))
    return out.getvalue()


def _harmless(cell: str) -> str:
    """Mark a text that a spreadsheet would take for a formula with an apostrophe."""
    if cell.startswith(_FORMULA) and not _is_number(cell):
        return f"'{cell}"
    return cell


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def json_text(table: Table) -> str:
    """As a JSON object with title, columns, rows and notes."""
    columns = [
        {"header": _one_line(column.header), "align": column.align, "unit": column.unit}
        for column in table.columns
    ]
    content: dict[str, Any] = {
        "title": table.title,
        "columns": columns,
        "rows": table.rows,
        "notes": table.notes,
    }
    return json.dumps(content, ensure_ascii=False) + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


WRITERS: dict[str, Callable[[Table], str]] = {
    "markdown": markdown,
    "latex": latex,
    "csv": csv_text,
    "html": html_table,
    "json": json_text,
}
"""By the name of the form."""
