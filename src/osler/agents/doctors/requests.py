"""How our doctors ask their model: one prompt made from the briefing, and once more where it cannot be used."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import BaseModel

from osler.agents.doctors.settings import DoctorSettings
from osler.agents.messages import Briefing, Case
from osler.agents.prompt_slots import briefing_slots
from osler.models import ChatMessage, FailureKind
from osler.prompts import prompt
from osler.runs.events import ConsultationError, Intervened, Intervention, Role

_LONGEST_QUOTE = 400
"""Characters of an unreadable answer that the model is shown: one that rambled is not to go on rambling."""


class Unread(NamedTuple):
    """An answer that could not be read, and the prompt that asks for it once more."""

    answer: str
    repair: str


def briefing_of(content: Any, case: Case) -> Briefing:
    """What came to a doctor as a briefing; a text is the first thing that the patient says."""
    if isinstance(content, Briefing):
        return content
    return Briefing(case=case, turn=1, turns_left=1, reply=str(content))


class Requests:
    """A doctor's requests to its model."""

    def __init__(self, settings: DoctorSettings) -> None:
        """Take the model."""
        self._settings = settings

    async def answer(
        self,
        name: str,
        briefing: Briefing,
        *,
        schema: type[BaseModel] | None = None,
        after: Unread | None = None,
        **slots: object,
    ) -> str:
        """What the model says to a prompt of that name; empty when it says nothing.

        A prompt that does not fit into the model's context is sent once more with the newest half of the recall.

        Raises:
            ConsultationError: The model failed, or the shorter prompt does not fit either.
        """
        try:
            return await self._sent(name, briefing, schema, after, slots)
        except ConsultationError as error:
            lines = briefing.recall.text.splitlines()
            if error.kind != FailureKind.TOO_LONG or len(lines) < 2:
                raise
        older, newer = lines[: (len(lines) + 1) // 2], lines[(len(lines) + 1) // 2 :]
        self._settings.journal.add(
            Intervened,
            Role.DOCTOR,
            kind=Intervention.OVERFLOW,
            draft="\n".join(older),
            reasons=(f"the prompt does not fit: the oldest {len(older)} of {len(lines)} recalled lines are left out",),
            prompt=prompt(name, self._settings.case.language).hash,
        )
        shorter = briefing.recall.model_copy(update={"text": "\n".join(newer)})
        return await self._sent(name, briefing.model_copy(update={"recall": shorter}), schema, after, slots)

    def note(self, kind: Intervention, draft: str, reason: str) -> None:
        """Write down what is done to the model's words."""
        self._settings.journal.add(Intervened, Role.DOCTOR, kind=kind, draft=draft, reasons=(reason,))

    async def _sent(
        self,
        name: str,
        briefing: Briefing,
        schema: type[BaseModel] | None,
        after: Unread | None,
        slots: dict[str, object],
    ) -> str:
        template = prompt(name, self._settings.case.language)
        text = template.fill(**briefing_slots(briefing), **slots)
        messages = [ChatMessage("user", text)]
        if after is not None:
            template = prompt(after.repair, self._settings.case.language)
            if quoted := after.answer[:_LONGEST_QUOTE].strip():
                messages.append(ChatMessage("assistant", quoted))
                messages.append(ChatMessage("user", template.fill()))
            else:  # no server takes an empty message of its model
                messages = [ChatMessage("user", f"{text}\n\n{template.fill()}")]
        return await self._settings.ask(messages, template=template, schema=schema)
