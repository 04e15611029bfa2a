"""One kind of table, and how it is written: to a terminal, a page, a paper or a program."""

from osler.tables.html import html_table
from osler.tables.table import DASH, Align, Link, Table, TableColumn, p_text
from osler.tables.terminal import on_terminal
from osler.tables.writers import WRITERS, csv_text, json_text, latex, markdown

__all__ = [
    "DASH",
    "WRITERS",
    "Align",
    "Link",
    "Table",
    "TableColumn",
    "csv_text",
    "html_table",
    "json_text",
    "latex",
    "markdown",
    "on_terminal",
    "p_text",
]
