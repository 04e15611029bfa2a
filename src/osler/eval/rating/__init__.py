"""Blind rating by people: moments of a run on a sheet that does not tell the system, and what raters made of them."""

from osler.eval.rating.csv_table import write_table
from osler.eval.rating.export import ExportedSheets, check_run, export_sheets
from osler.eval.rating.import_sheets import Rating, read_ratings
from osler.eval.rating.key import Key
from osler.eval.rating.results import ratings_page

__all__ = [
    "ExportedSheets",
    "Key",
    "Rating",
    "check_run",
    "export_sheets",
    "ratings_page",
    "read_ratings",
    "write_table",
]
