"""Doctors by the name of their strategy.

A name is that of a built-in doctor, of one that a package registers, or `package.module:Class`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from osler.agents.autogen import Participant
from osler.agents.doctors.plain import DoctorSettings, PlainDoctor, briefing_of
from osler.agents.doctors.stepwise import ChecklistDoctor, StepwiseDoctor
from osler.agents.messages import Briefing, Case, Conclusion, Question, ReadyToConclude
from osler.code_failures import CodeFailure, error_line, failure_at, failure_in
from osler.errors import OslerError
from osler.plugins import plugin_factory, plugin_names
from osler.runs.events import ConsultationError, Ending, Maker, Role

GROUP = "osler.doctors"
DoctorFactory = Callable[[DoctorSettings], Participant]
_WANTED = (
    "name something that takes DoctorSettings and gives a doctor: with `async def respond(self,"
    " briefing)`"
)
_BUILT_IN: dict[str, DoctorFactory] = {
    "plain": PlainDoctor,
    "stepwise": StepwiseDoctor,
    "checklist": ChecklistDoctor,
}


def doctor_names() -> list[str]:
    """Every strategy that can be named, except classes named by path."""
    return [*_BUILT_IN, *plugin_names(GROUP)]


def doctor_factory(name: str) -> DoctorFactory:
    """Return the factory of the doctor with that strategy.

    Raises:
        UserError: There is none of that name, or it cannot be loaded; calling the factory raises it
            too.
    """
    if name in _BUILT_IN:
        return _BUILT_IN[name]

    def fault(doctor: object) -> str | None:
        return None if callable(getattr(doctor, "respond", None)) else "has no respond"

    factory = plugin_factory("strategy", GROUP, name, doctor_names(), wanted=_WANTED, fault=fault)
    return lambda settings: ForeignDoctor(name, factory(settings), settings.case)


class Doctor(Protocol):
    """The interface of a doctor of your own."""

    def respond(self, content: Briefing) -> Awaitable[object]:
        """Return the next question, the conclusion, or that it is ready to conclude."""
        ...


class ForeignDoctor(Participant):
    """Wraps a doctor of your own: checks what it returns, and reports its errors as its own."""

    def __init__(self, strategy: str, doctor: Doctor, case: Case) -> None:
        """Take the doctor and the name of its strategy."""
        super().__init__("doctor", f"A doctor of the strategy {strategy}.")
        self._strategy, self._doctor, self._case = strategy, doctor, case

    async def respond(self, content: Any) -> Question | Conclusion | ReadyToConclude:
        """Return its move. A question that does not name its maker was made by its model."""
        briefing = briefing_of(content, self._case)
        try:
            move = await self._doctor.respond(briefing)
        except OslerError:
            raise
        except Exception as error:
            raise self._fault(error_line(error), failure_in(error)) from error
        if isinstance(move, Conclusion):
            # Only the built-in rules may say by what they are judged.
            return move.model_copy(update={"codes": (), "steps": (), "in_part": ()})
        if not isinstance(move, Question | ReadyToConclude):
            raise self._fault(
                f"it answered with a {type(move).__name__}; give a Question or a Conclusion"
            )
        if briefing.turns_left <= 0:
            raise self._fault(
                "it gave no conclusion when no question was left; conclude where turns_left is 0"
            )
        if isinstance(move, ReadyToConclude) or "maker" in move.model_fields_set:
            return move
        return move.model_copy(update={"maker": Maker.MODEL})

    def _fault(self, line: str, code: CodeFailure | None = None) -> ConsultationError:
        """Return the doctor's failure, with the place in its code.

        That is where it raised an exception, or where the function that answered wrongly begins.
        """
        code = code or failure_at(self._doctor.respond)
        return ConsultationError(
            Ending.DOCTOR_ERROR,
            "doctor",
            f"the doctor {self._strategy} failed: {line}",
            code,
            role=Role.DOCTOR,
        )
