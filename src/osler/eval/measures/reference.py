"""What the documentation says of every measure, as data."""

from __future__ import annotations

from typing import NamedTuple

from osler.eval.measures.registry import all_measures
from osler.tables import Align, Table, TableColumn


class MeasureReference(NamedTuple):
    """One measure, in words."""

    name: str
    label_en: str
    label_zh: str
    unit: str
    formula: str
    denominator: str
    higher: str
    """What a higher number means: `better`, `worse` or `neither`."""
    places: tuple[str, ...]
    """Where it is shown."""


def measure_reference() -> list[MeasureReference]:
    """Every measure in words, in the order of tables."""
    return [
        MeasureReference(
            name=measure.name,
            label_en=measure.label.en,
            label_zh=measure.label.zh,
            unit=measure.unit.value,
            formula=measure.formula,
            denominator=measure.denominator,
            higher=measure.higher.value,
            places=tuple(sorted(place.value for place in measure.places)),
        )
        for measure in all_measures()
    ]


def reference_table() -> Table:
    """The same as a table, with the English labels."""
    header = ("name", "label", "unit", "higher is", "formula", "denominator")
    rows = [
        [
            *(measure.name, measure.label_en, measure.unit, measure.higher),
            *(measure.formula, measure.denominator),
        ]
        for measure in measure_reference()
    ]
    columns = tuple(TableColumn(name, Align.LEFT) for name in header)
    return Table("measures", columns, rows)
