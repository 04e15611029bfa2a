"""Columns side by side: what was counted, how sure we are, and what it cost."""

from osler.eval.compare.columns import ColumnFigures, columns_of
from osler.eval.compare.comparison import ColumnDifference, Comparison, compare

__all__ = ["ColumnDifference", "ColumnFigures", "Comparison", "columns_of", "compare"]
