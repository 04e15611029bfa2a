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
    by_figure: dict[tuple[str, str], list[ColumnDifference]] = defaultdict(list)
    for difference in differences:
        by_figure[difference.first.name, difference.measure].append(difference)
    rows = []
    for column in columns:
        names = {"column": column.name, "run": column.run, **column.column.as_row()}
        for measure, figure in column.figures.items():
            low, high = figure.interval or (None, None)
            row = {
                **names,
                "measure": measure,
                "value": figure.value,
                "low": low,
                "high": high,
                "n": figure.n,
            }
            its_differences = by_figure.get((column.name, measure), [])
            if not its_differences:
                rows.append(row | _NO_DIFFERENCE)
            rows += [row | _difference_cells(difference) for difference in its_differences]
    return pd.DataFrame(rows)


_NO_DIFFERENCE = dict.fromkeys(
    (
        "against",
        "difference",
        "difference_at_least",
        "difference_at_most",
        "p_holm",
        "told_apart",
        *_OF_NOISE,
    )
)
"""The cells of a figure of which no difference was tested."""


def _difference_cells(difference: ColumnDifference) -> dict[str, Any]:
    low, high = difference.bounds or (None, None)
    cells = {
        **_NO_DIFFERENCE,
        "against": difference.second.name,
        "difference": difference.paired.difference,
        "difference_at_least": low,
        "difference_at_most": high,
        "p_holm": difference.p_holm,
        "told_apart": difference.is_told_apart,
    }
    if difference.noise is not None:
        cells |= zip(_OF_NOISE, astuple(difference.noise), strict=True)
    return cells
