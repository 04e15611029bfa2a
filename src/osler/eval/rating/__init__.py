"""Blind rating by people: moments of a run on a sheet that does not tell the system, and what raters made of them."""

from osler.eval.rating.export import Exported, check_run, export_sheets
from osler.eval.rating.figures import ratings_page
from osler.eval.rating.key import Key
from osler.eval.rating.returned import Rating, read_ratings
from osler.eval.rating.table import write_table

__all__ = ["Exported", "Key", "Rating", "check_run", "export_sheets", "ratings_page", "read_ratings", "write_table"]
