"""A patient after AgentClinic (Schmidgall et al., 2024): the case is in its prompt.

There the prompt holds history and symptoms; another agent gives results of tests to the doctor.
"""

from __future__ import annotations

from osler.agents.messages import Selection
from osler.agents.patients.case_slots import case_slots
from osler.agents.patients.settings import PatientSettings
from osler.prompts import prompt


class AgentClinicPatient:
    """Answers in one to three sentences, and does not tell everything at once."""

    def __init__(self, settings: PatientSettings) -> None:
        """Take the case, the record's entries and the model."""
        self._settings = settings

    async def respond(self, selection: Selection) -> str:
        """Answer from the case and the conversation so far."""
        template = prompt("patient_agentclinic", self._settings.case.language)
        text = template.fill(**case_slots(self._settings, selection))
        return await self._settings.ask(text, template=template)
