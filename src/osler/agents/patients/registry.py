"""Patients with a model by the name of their kind.

A name is that of a built-in patient, of one that a package registers, or `package.module:Class`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Protocol

from osler.agents.autogen import Participant
from osler.agents.gate import FaultKind, ReplyFault, has_words
from osler.agents.messages import Reply, Selection
from osler.agents.patients.agentclinic import AgentClinicPatient
from osler.agents.patients.craftmd import CraftMdPatient
from osler.agents.patients.model_patient import tidy
from osler.agents.patients.patientsim import PatientSimPatient
from osler.agents.patients.settings import PatientSettings
from osler.agents.rules.patient import reply_by_rules
from osler.code_failures import CodeFailure, error_line, failure_at, failure_in
from osler.errors import OslerError, UserError
from osler.plugins import plugin_factory, plugin_names
from osler.runs.events import ConsultationError, Ending, Intervened, Intervention, Maker, Role
from osler.settings.names import OSLER, WITHOUT_MODEL
from osler.settings.run_settings import RunSettings

GROUP = "osler.patients"
PatientFactory = Callable[[PatientSettings], "ForeignPatient"]
_WANTED = (
    "name something that takes PatientSettings and gives a patient: with `async def respond(self,"
    " selection)`"
)


class Patient(Protocol):
    """The interface of a patient of your own."""

    def respond(self, content: Selection) -> Awaitable[object]:
        """Return the reply to a question: a text, or a `Reply`."""
        ...


_BUILT_IN: dict[str, Callable[[PatientSettings], Patient]] = {
    "agentclinic": AgentClinicPatient,
    "craftmd": CraftMdPatient,
    "patientsim": PatientSimPatient,
}


def patient_names() -> list[str]:
    """Every patient that can be named, except classes named by path."""
    return [OSLER, *_BUILT_IN, *plugin_names(GROUP)]


def patient_factory(name: str) -> PatientFactory:
    """Return the factory of the patient of that name.

    Osler's own is not among them: its gate is given the diagnosis, which no settings hold.

    Raises:
        UserError: There is none of that name, or it cannot be loaded; calling the factory raises it
            too.
    """

    def fault(patient: object) -> str | None:
        return None if callable(getattr(patient, "respond", None)) else "has no respond"

    factory: Callable[[PatientSettings], Patient]
    if name in _BUILT_IN:
        factory = _BUILT_IN[name]
    else:
        factory = plugin_factory(
            "patient", GROUP, name, patient_names(), wanted=_WANTED, fault=fault
        )
    return lambda settings: ForeignPatient(name, factory(settings), settings)


def check_patients(of_columns: Iterable[RunSettings]) -> None:
    """Check the patients of a run's columns before anything depends on them.

    Raises:
        UserError: One cannot be found, or cannot be played with the other settings.
    """
    for settings in of_columns:
        name = settings.patient_agent
        if name == OSLER:
            continue
        if settings.patient_backbone in WITHOUT_MODEL:
            raise UserError(
                f"the patient {name!r} is played by a model, and --patient is"
                f" {settings.patient_backbone}",
                "name a model with --patient, or leave out --patient-agent",
            )
        if settings.visits and name in _BUILT_IN:
            raise UserError(
                f"the patient {name!r} does not know what was told at earlier visits",
                "leave out --visits or --patient-agent",
            )
        patient_factory(name)


class ForeignPatient(Participant):
    """Wraps a patient of your own: checks what it returns, and reports its errors as its own."""

    def __init__(self, kind: str, patient: Patient, settings: PatientSettings) -> None:
        """Take the patient and the name of its kind."""
        super().__init__("patient", f"A patient of the kind {kind}.")
        self._kind, self._patient, self._settings = kind, patient, settings

    async def respond(self, content: Any) -> Reply:
        """Return its reply. A text was made by its model, and is put on one line."""
        selection: Selection = content
        try:
            answer = await self._patient.respond(selection)
        except OslerError:
            raise
        except Exception as error:
            raise self._fault(error_line(error), failure_in(error)) from error
        if isinstance(answer, str):
            answer = Reply(text=tidy(answer), maker=Maker.MODEL)
        if not isinstance(answer, Reply):
            raise self._fault(f"it answered with a {type(answer).__name__}; give a text or a Reply")
        return answer if has_words(answer.text) else self._by_rules(answer, selection)

    def _by_rules(self, answer: Reply, selection: Selection) -> Reply:
        """Answer by rules in place of a patient that said nothing, and write that down."""
        reason = ReplyFault(FaultKind.EMPTY, (), ()).reason(selection.case.language)
        self._settings.journal.add(
            Intervened,
            Role.PATIENT,
            kind=Intervention.RULES,
            draft=answer.text,
            reasons=(reason,),
        )
        return Reply(text=reply_by_rules(selection), maker=Maker.RULES)

    def _fault(self, line: str, code: CodeFailure | None = None) -> ConsultationError:
        """Return the patient's failure, with the place in its code.

        That is where it raised an exception, or where the function that answered wrongly begins.
        """
        return ConsultationError(
            Ending.PATIENT_ERROR,
            "patient",
            f"the patient {self._kind} failed: {line}",
            code or failure_at(self._patient.respond),
            role=Role.PATIENT,
        )
