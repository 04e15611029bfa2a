"""A patient after CRAFT-MD (Johri et al., 2025): the case vignette is in its prompt.

There a vignette has results as well, as far as they were known.
"""

from __future__ import annotations

from osler.agents.messages import Selection
from osler.agents.patients.case_slots import case_slots
from osler.agents.patients.settings import PatientSettings
from osler.prompts import prompt


class CraftMdPatient:
    """Answers in one sentence of a lay person, or that it does not know."""

    def __init__(self, settings: PatientSettings) -> None:
        """Take the case, the record's entries and the model."""
        self._settings = settings

    async def respond(self, selection: Selection) -> str:
        """Answer from the vignette."""
        template = prompt("patient_craftmd", self._settings.case.language)
        text = template.fill(**case_slots(self._settings, selection, with_results=True))
        return await self._settings.ask(text, template=template)
