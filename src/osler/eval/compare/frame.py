"""A comparison as a data frame."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import astuple
from typing import Any

import pandas as pd

from osler.eval.compare.columns import ColumnFigures
from osler.eval.compare.differences import ColumnDifference

_OF_NOISE = ("noise", "noise_rerun", "patients_needed", "trials_needed")
"""Columns for the fields of `Noise`, in their order."""


def frame_of(
    columns: Iterable[ColumnFigures], differences: Iterable[ColumnDifference]
) -> pd.DataFrame:
    """Return the rows that `Comparison.frame` describes."""
    by_figure: dict[tuple[str, str], list[ColumnDifference | None]] = defaultdict(list)
    for difference in differences:
        by_figure[difference.first.name, difference.measure].append(difference)
    rows = []
    for column in columns:
        names = {"column": column.name, "run": column.run, **column.column.as_row()}
        for measure, figure in column.figures.items():
            low, high = figure.interval or (None, None)
            row = {**names, "measure": measure, "value": figure.value, "low": low, "high": high}
            row["n"] = figure.n
            tested = by_figure[column.name, measure] or [None]
            rows += [row | _difference_cells(difference) for difference in tested]
    return pd.DataFrame(rows)


def _difference_cells(difference: ColumnDifference | None) -> dict[str, Any]:
    """Return the cells of one difference; without values where none was tested."""
    low, high = (difference and difference.bounds) or (None, None)
    noise = difference.noise if difference else None
    values = (None,) * len(_OF_NOISE) if noise is None else astuple(noise)
    return {
        "against": difference.second.name if difference else None,
        "difference": difference.paired.difference if difference else None,
        "difference_at_least": low,
        "difference_at_most": high,
        "p_holm": difference.p_holm if difference else None,
        "told_apart": difference.is_told_apart if difference else None,
        **dict(zip(_OF_NOISE, values, strict=True)),
    }
