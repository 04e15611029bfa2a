"""Doctors by the name of their strategy: the built-in ones, those that packages register, `package.module:Class`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from osler.agents.autogen import Participant
from osler.agents.doctors.checklist import ChecklistDoctor
from osler.agents.doctors.foreign import ForeignDoctor
from osler.agents.doctors.plain import PlainDoctor
from osler.agents.doctors.settings import DoctorSettings
from osler.agents.doctors.stepwise import StepwiseDoctor
from osler.errors import UserError
from osler.plugins import load_plugin, plugin_names

GROUP = "osler.doctors"
DoctorFactory = Callable[[DoctorSettings], Participant]
_WANTED = "name something that takes DoctorSettings and gives a doctor: with `async def respond(self, briefing)`"
_BUILT_IN: dict[str, DoctorFactory] = {
    "plain": PlainDoctor,
    "stepwise": StepwiseDoctor,
    "checklist": ChecklistDoctor,
}


def doctor_names() -> list[str]:
    """Every strategy that can be named, but for classes named by path."""
    return [*_BUILT_IN, *plugin_names(GROUP)]


def doctor_factory(name: str) -> DoctorFactory:
    """What makes the doctor of that strategy.

    Raises:
        UserError: There is none of that name, or it cannot be loaded; calling the factory raises it too.
    """
    return _BUILT_IN.get(name) or _foreign(name)


def _foreign(name: str) -> DoctorFactory:
    """A doctor that is not ours: whatever goes wrong in it is one line."""
    factory = load_plugin("strategy", GROUP, name, doctor_names())
    if not callable(factory):
        raise UserError(f"the doctor {name!r} is not a class or function", _WANTED)

    def make(settings: DoctorSettings) -> Participant:
        try:
            made: Any = factory(settings)
        except UserError:
            raise
        except (Exception, SystemExit) as error:
            raise UserError(f"the doctor {name!r} cannot be made: {type(error).__name__}: {error}", _WANTED) from None
        if not callable(getattr(made, "respond", None)):
            raise UserError(f"the doctor {name!r} gives a {type(made).__name__}, which has no respond", _WANTED)
        return ForeignDoctor(name, made, settings.case)

    return make
