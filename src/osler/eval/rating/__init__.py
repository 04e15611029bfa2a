"""Blind rating by people.

Moments of a run on sheets that do not name the column, and importing the ratings.
"""

from osler.eval.rating.export import ExportedSheets, Key, check_run, export_sheets
from osler.eval.rating.import_sheets import Rating, read_ratings
from osler.eval.rating.results import ratings_page, write_table

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
