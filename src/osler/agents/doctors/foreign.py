"""A doctor from elsewhere in its seat: what it answers is looked at once, and its faults are its own."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Protocol

from osler.agents.autogen import Participant
from osler.agents.doctors.requests import briefing_of
from osler.agents.messages import Briefing, Case, Conclusion, Question
from osler.errors import OslerError, printable
from osler.runs.events import ConsultationError, Ending, Maker


class Doctor(Protocol):
    """All that is asked of a doctor from elsewhere."""

    def respond(self, content: Briefing) -> Awaitable[object]:
        """The next question, or the conclusion."""
        ...


class ForeignDoctor(Participant):
    """Passes a briefing on, and takes a question or a conclusion back."""

    def __init__(self, strategy: str, doctor: Doctor, case: Case) -> None:
        """Seat a doctor."""
        super().__init__("doctor", f"A doctor of the strategy {strategy}.")
        self._strategy, self._doctor, self._case = strategy, doctor, case

    async def respond(self, content: Any) -> Question | Conclusion:
        """Its move. What does not say who made it is its model's."""
        briefing = briefing_of(content, self._case)
        try:
            move = await self._doctor.respond(briefing)
        except OslerError:
            raise
        except Exception as error:
            raise self._fault(f"{type(error).__name__}: {printable(str(error))[:300]}") from error
        if isinstance(move, Conclusion):
            return move
        if not isinstance(move, Question):
            raise self._fault(f"it answered with a {type(move).__name__}; give a Question or a Conclusion")
        if briefing.turns_left <= 0:
            raise self._fault("it asked when no question was left; conclude where turns_left is 0")
        return move if "maker" in move.model_fields_set else move.model_copy(update={"maker": Maker.MODEL})

    def _fault(self, line: str) -> ConsultationError:
        return ConsultationError(Ending.DOCTOR_ERROR, "doctor", f"the doctor {self._strategy} failed: {line}")
