"""A comparison as JSON, with all its figures."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from osler.eval.causes import causes_json
from osler.eval.compare.columns import ColumnFigures
from osler.eval.compare.comparison import Comparison
from osler.eval.compare.differences import ColumnDifference
from osler.eval.compare.measure_rows import COUNTS
from osler.eval.experience import experience_json


def comparison_json(comparison: Comparison) -> str:
    """All figures as JSON."""
    groups = comparison.groups or {}
    content = {
        "judge": comparison.judge,
        "patient_backbone": comparison.patient_backbone,
        "visits": comparison.visits,
        "filler": comparison.filler,
        "patient_ruler": comparison.patient_judge,
        "judge_notes": comparison.judge_notes,
        "patient_ruler_notes": comparison.patient_judge_notes,
        "saved": comparison.shared_answer_notes,
        "warnings": comparison.warnings,
        "unpaired": comparison.unpaired,
        "columns": _columns_json(comparison.columns),
        "differences": list(map(_difference_json, comparison.differences)),
        "causes": causes_json(comparison.causes),
        "experience": experience_json(comparison.experience),
        "groups": {name: _columns_json(columns) for name, columns in groups.items()},
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def _difference_json(difference: ColumnDifference) -> dict[str, Any]:
    return {
        "measure": difference.measure,
        "column": difference.first.name,
        "against": difference.second.name,
        **asdict(difference.paired),
        "p_holm": difference.p_holm,
        "is_told_apart": difference.is_told_apart,
        "undecided": difference.undecided,
        "bounds": difference.bounds,
        "noise": asdict(difference.noise) if difference.noise else None,
    }


def _columns_json(columns: Iterable[ColumnFigures]) -> list[dict[str, Any]]:
    return list(map(_column_json, columns))


def _column_json(column: ColumnFigures) -> dict[str, Any]:
    return {
        "name": column.name,
        "run": column.run,
        **column.column.as_json(),
        **{name: getattr(column, name) for name in COUNTS.values()},
        "undecided": column.undecided,
        "passes": column.passes,
        "pass_records": column.pass_records,
        "figures": {name: asdict(figure) for name, figure in column.figures.items()},
        "makers": asdict(column.makers),
    }
