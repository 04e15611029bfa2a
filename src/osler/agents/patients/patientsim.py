"""A patient after PatientSim (Kyung et al., 2025): a profile, and four axes of how it is told."""

from __future__ import annotations

from collections.abc import Mapping

from osler.agents.messages import Selection
from osler.agents.patients.case_slots import axes_of, case_slots
from osler.agents.patients.settings import PatientSettings
from osler.prompts import phrases, prompt


class PatientSimPatient:
    """Answers as its personality, level of language, recall and confusion have it."""

    AXES: Mapping[str, tuple[str, ...]] = {
        "personality": ("plain", "verbose", "pleasing", "impatient", "distrustful", "anxious"),
        "language": ("A", "B", "C"),
        "recall": ("high", "low"),
        "confusion": ("normal", "high"),
    }
    """The values of each axis."""
    DEFAULTS: Mapping[str, str] = {
        "personality": "plain",
        "language": "B",
        "recall": "high",
        "confusion": "normal",
    }

    def __init__(self, settings: PatientSettings, axes: Mapping[str, str] = DEFAULTS) -> None:
        """Take the profile and the model; `axes` and the run's persona replace the defaults."""
        self._settings = settings
        self._axes = {**self.DEFAULTS, **axes, **axes_of(settings.case.factors)}

    async def respond(self, selection: Selection) -> str:
        """Answer from the profile, in the manner of the axes."""
        language = self._settings.case.language
        line, template = phrases("patient_axes", language), prompt("patient_patientsim", language)
        manner = "\n".join(line[f"{axis}_{value}"] for axis, value in self._axes.items())
        text = template.fill(**case_slots(self._settings, selection), manner=manner)
        return await self._settings.ask(text, template=template)
