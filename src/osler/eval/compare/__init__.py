"""Compare columns: what was counted, how certain it is, and what it cost."""

from osler.eval.compare.columns import ColumnFigures, columns_of
from osler.eval.compare.comparison import ColumnDifference, Comparison, compare

__all__ = ["ColumnDifference", "ColumnFigures", "Comparison", "columns_of", "compare"]
