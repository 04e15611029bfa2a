"""Doctors with a model, by the name of their strategy, and all that a doctor of one's own needs."""

from osler.agents.doctors.plain import DoctorSettings
from osler.agents.doctors.registry import Doctor, DoctorFactory, doctor_factory, doctor_names
from osler.agents.messages import Briefing, Case, Conclusion, Question
from osler.runs.events import Maker

__all__ = [
    "Briefing",
    "Case",
    "Conclusion",
    "Doctor",
    "DoctorFactory",
    "DoctorSettings",
    "Maker",
    "Question",
    "doctor_factory",
    "doctor_names",
]
