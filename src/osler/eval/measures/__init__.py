"""What is measured of a consultation, and the one place that says where it is shown."""

from osler.eval.measures.definition import Higher, Label, Measure, Place, Unit, ValueOfPair
from osler.eval.measures.from_transcript import VERSION, Measures, key_elements, measure
from osler.eval.measures.reference import MeasureReference, measure_reference
from osler.eval.measures.registry import (
    all_measures,
    measured_in,
    measures_in,
    register_measure,
)

__all__ = [
    "VERSION",
    "Higher",
    "Label",
    "Measure",
    "MeasureReference",
    "Measures",
    "Place",
    "Unit",
    "ValueOfPair",
    "all_measures",
    "key_elements",
    "measure",
    "measure_reference",
    "measured_in",
    "measures_in",
    "register_measure",
]
