"""Ratings as one table for other programs: a row for each rater and item."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from osler.eval.rating.import_sheets import Rating
from osler.eval.rating.scales import SCALES
from osler.eval.write_files import check_folder, write_whole
from osler.runs.plan import COLUMN

_HEADER = (
    *("item", "rater", "case", "patient", *COLUMN, "trial", "turn", "concludes"),
    *(scale.name.replace(" ", "_") for scale in SCALES),
    "comment",
)


def write_table(ratings: Sequence[Rating], path: Path, *, force: bool) -> None:
    """Write the ratings as CSV.

    Raises:
        UserError: The file is there already, or cannot be written.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(_HEADER)
    for rating in ratings:
        item = rating.item
        names = (item.id, rating.rater, item.case, item.patient, *item.system.as_row().values())
        values = ["" if value is None else f"{value:g}" for value in rating.values]
        row = (*map(_harmless, names), item.trial, item.turn, int(item.concludes), *values, _harmless(rating.comment))
        writer.writerow(row)
    check_folder(path.parent)
    write_whole({path: text.getvalue().encode("utf-8-sig", "replace")}, force=force)


def _harmless(text: str) -> str:
    """A text that a table program would take for a formula gets the mark that says it is none."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
