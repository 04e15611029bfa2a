"""Every measure: its name, labels, unit, formula and denominator."""

from __future__ import annotations

from docs.generate.markdown import code, table
from osler.eval.measures import MeasureReference, measure_reference


def measures_page() -> str:
    """One row for each measure, in the order of the tables."""
    head = ["label", "标签", "name", "unit", "formula for each", "over which", "higher is", "where"]
    return table(head, map(_row, measure_reference()))


def measure_texts() -> dict[str, str]:
    """What each measure of a consultation is, by its name."""
    return {measure.name: measure.formula for measure in measure_reference()}


def _row(measure: MeasureReference) -> list[str]:
    return [
        measure.label_en,
        measure.label_zh,
        code(measure.name),
        measure.unit,
        measure.formula,
        measure.denominator,
        measure.higher,
        ", ".join(measure.places),
    ]
