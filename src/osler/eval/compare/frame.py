"""A comparison as a data frame: one row per column and measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from osler.eval.compare.comparison import Comparison

if TYPE_CHECKING:
    import pandas as pd


def frame(comparison: Comparison) -> pd.DataFrame:
    """Every figure with its n and interval, and its paired difference where the column was compared with another."""
    import pandas as pd

    differences = {(one.first.name, one.first.run, one.measure): one for one in comparison.differences}
    rows = []
    for column in comparison.columns:
        names = {"column": column.name, "run": column.run, **column.column.as_row()}
        for measure, figure in column.figures.items():
            low, high = (figure.interval.low, figure.interval.high) if figure.interval else (None, None)
            row = {**names, "measure": measure, "value": figure.value, "low": low, "high": high, "n": figure.n}
            one = differences.get((column.name, column.run, measure))
            row["against"] = one.second.name if one else None
            row["difference"] = one.paired.difference if one else None
            row["p_holm"] = one.p_holm if one else None
            rows.append(row)
    return pd.DataFrame(rows)
