"""Compare columns: what was counted, how certain it is, and what it cost."""

from osler.eval.compare.as_json import comparison_json
from osler.eval.compare.columns import ColumnFigures, columns_of
from osler.eval.compare.comparison import Comparison, compare
from osler.eval.compare.differences import ColumnDifference
from osler.eval.compare.tables import comparison_tables

__all__ = [
    "ColumnDifference",
    "ColumnFigures",
    "Comparison",
    "columns_of",
    "compare",
    "comparison_json",
    "comparison_tables",
]
