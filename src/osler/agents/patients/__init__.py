"""Model-driven patients by name, and what you need to write your own."""

from osler.agents.messages import Case, Exchange, Reply, Selection
from osler.agents.patients.registry import (
    Patient,
    PatientFactory,
    check_patients,
    patient_factory,
    patient_names,
)
from osler.agents.patients.settings import PatientSettings
from osler.runs.events import Maker

__all__ = [
    "Case",
    "Exchange",
    "Maker",
    "Patient",
    "PatientFactory",
    "PatientSettings",
    "Reply",
    "Selection",
    "check_patients",
    "patient_factory",
    "patient_names",
]
