"""How a consultation went: the doctor's way of working, and how true the patient was to its record."""

from osler.eval.measures.consultation import VERSION, Measures, measure
from osler.eval.measures.contradiction import contradicted
from osler.eval.measures.refusal import refuses

__all__ = ["VERSION", "Measures", "contradicted", "measure", "refuses"]
