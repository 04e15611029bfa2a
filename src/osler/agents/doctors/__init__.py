"""Model-driven doctors by strategy name, and what you need to write your own."""

from osler.agents.doctors.plain import DoctorSettings
from osler.agents.doctors.registry import Doctor, DoctorFactory, doctor_factory, doctor_names
from osler.agents.messages import Briefing, Case, Conclusion, Question, ReadyToConclude
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
    "ReadyToConclude",
    "doctor_factory",
    "doctor_names",
]
