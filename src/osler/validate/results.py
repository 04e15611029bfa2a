"""What a simulated patient said in one interview, as it is stored."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from osler.language import Language
from osler.memory.base import FrozenModel
from osler.runs.events import Maker
from osler.settings.names import OSLER


class PatientColumn(FrozenModel):
    """One simulated patient: a column of every table."""

    patient: str
    """Spec of its model, or `rules`."""
    ram: str
    """Spec of the model that retrieves from the record, or `rules`."""
    agent: str = OSLER
    """How its model is played, as `--patient-agent` of `osler simulate` names it."""

    @property
    def name(self) -> str:
        """As tables call it; the same model in both seats is named once."""
        model = self.patient if self.ram == self.patient else f"{self.patient} + {self.ram}"
        return model if self.agent == OSLER else f"{model} {self.agent}"


class SimulatedReply(FrozenModel):
    """What the simulated patient replied to one turn of the human doctor."""

    text: str
    maker: Maker
    """Who made it: the model, the rules in its place, or what was left after a cut."""
    retrieved_by: Maker = Maker.RULES
    """Who chose the entries."""
    entries: tuple[str, ...] = ()
    """Names of the entries that RAM found for the question."""
    disclosed: tuple[str, ...] = ()
    """Names of those that the reply discloses, by the events of the consultation."""
    things: int | None = None
    """Things that the question asks for; None if no model read the question."""


class SeatUsage(FrozenModel):
    """What the model of one seat used in an interview."""

    calls: int = 0
    tokens_in: int | None = 0
    """None if a server did not tell."""
    tokens_out: int | None = 0
    cost: float | None = 0.0
    """In USD; None if a price is unknown."""


class AskedInterview(FrozenModel):
    """One interview, held again with a simulated patient."""

    column: PatientColumn
    interview: str
    language: Language
    content: str
    """Hash of the doctor's turns, the record and the settings: whatever decides the replies."""
    prompts: Mapping[str, str] = Field(default_factory=dict)
    """The prompt templates that were used, and the hash of each."""
    failure: str = ""
    """Why it ended before the last question; empty if it did not."""
    replies: tuple[SimulatedReply, ...] = ()
    usage: Mapping[str, SeatUsage] = Field(default_factory=dict)
    """By seat: patient and ram."""

    @property
    def is_whole(self) -> bool:
        """Whether every turn was answered."""
        return not self.failure
