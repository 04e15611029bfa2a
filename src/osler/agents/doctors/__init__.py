"""Doctors by the name of their strategy: how a model asks and concludes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from osler.agents.participant import Case, Participant
from osler.errors import UserError
from osler.events import Journal

if TYPE_CHECKING:
    from osler.agents.backbones import Backbone


@dataclass(frozen=True)
class DoctorSettings:
    """What a doctor is made from."""

    case: Case
    """What may be known of the patient before the first question."""
    backbone: Backbone
    journal: Journal
    answer_tokens: int
    """Tokens one answer of its model may take, its thinking included."""


DoctorFactory = Callable[[DoctorSettings], Participant]


def _plain(settings: DoctorSettings) -> Participant:
    from osler.agents.doctor import ModelDoctor

    return ModelDoctor(settings.case, settings.backbone, settings.journal)


_BUILT_IN: dict[str, DoctorFactory] = {"plain": _plain}


def doctor_names() -> list[str]:
    """Every strategy that can be given, but for classes named by path."""
    return list(_BUILT_IN)


def doctor_factory(name: str) -> DoctorFactory:
    """What makes the doctor of that strategy.

    Raises:
        UserError: There is none of that name.
    """
    if name not in _BUILT_IN:
        raise UserError(f"there is no strategy {name!r}", f"use one of {', '.join(doctor_names())}")
    return _BUILT_IN[name]
