"""What happens in a consultation, step by step: a small tagged union that holds all a viewer, judge or replay needs."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field

from osler.errors import OslerError
from osler.memory.base import Change, Recall


class Role(StrEnum):
    """Who caused an event."""

    DOCTOR = "doctor"
    PATIENT = "patient"
    RAM = "ram"
    MEMORY = "memory"
    SIMULATOR = "simulator"


class Ending(StrEnum):
    """How a consultation ended; only the first two are answers that can be scored."""

    CONCLUDED = "concluded"
    TURN_LIMIT = "turn_limit"
    """The doctor was asked for its conclusion at the limit, and gave one."""
    UNPARSED = "unparsed"
    """The doctor's conclusion could not be read, even after one repair request."""
    TOKEN_LIMIT = "token_limit"  # noqa: S105
    COST_LIMIT = "cost_limit"
    TIME_LIMIT = "time_limit"
    DOCTOR_ERROR = "doctor_error"
    PATIENT_ERROR = "patient_error"
    SIMULATOR_ERROR = "simulator_error"
    """A fault in Osler or in a memory from elsewhere."""
    BACKBONE_FAILURE = "backbone_failure"
    """A model could not be reached or answered nonsense: never scored as a wrong answer."""

    @property
    def is_answer(self) -> bool:
        """Whether the doctor had its say, so that scoring it is fair."""
        return self in {Ending.CONCLUDED, Ending.TURN_LIMIT, Ending.UNPARSED}


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    turn: int
    role: Role
    at: float = 0.0
    """Seconds since the consultation began."""
    prompt: str | None = None
    """Hash of the prompt template that was used, where one was."""


E = TypeVar("E", bound=_Event)


class Voice(StrEnum):
    """How a question or a reply came about."""

    MODEL = "model"
    """The model's first draft."""
    RETRIED = "retried"
    """The model's second, after the guard refused the first."""
    REPLACED = "replaced"
    """The wording of the rules, after the guard refused both."""
    RULES = "rules"
    HUMAN = "human"


class Asked(_Event):
    """The doctor asked a question."""

    type: Literal["asked"] = "asked"
    question: str
    voice: Voice = Voice.RULES
    repeated: bool = False
    """Asks again for what an earlier question of this consultation asked for."""


class Found(BaseModel):
    """An entry that was retrieved."""

    model_config = ConfigDict(frozen=True)
    name: str
    score: float


class Retrieved(_Event):
    """The retrieval module found what the question asked for, or nothing."""

    type: Literal["retrieved"] = "retrieved"
    asked_for: tuple[str, ...] = ()
    """Concepts and categories read from the question."""
    entries: tuple[Found, ...] = ()


class Answered(_Event):
    """The patient replied."""

    type: Literal["answered"] = "answered"
    reply: str
    disclosed: tuple[str, ...] = ()
    """Names of the retrieved entries that the reply tells of."""
    voice: Voice
    leaks: tuple[str, ...] = ()
    """Names of the diagnosis that the reply gives away."""
    fabrications: tuple[str, ...] = ()
    """Numbers or findings in the reply that no retrieved entry holds."""


class Guarded(_Event):
    """A guard refused a draft."""

    type: Literal["guarded"] = "guarded"
    draft: str
    reasons: tuple[str, ...]


class Recalled(_Event):
    """The memory brought something to mind."""

    type: Literal["recalled"] = "recalled"
    query: str
    recall: Recall


class Remembered(_Event):
    """The memory took in a turn."""

    type: Literal["remembered"] = "remembered"
    of: int = 0
    """The turn that was remembered; an earlier one, since this happens while the next question is answered."""
    change: Change
    seconds: float = 0.0


class Message(BaseModel):
    """One message of a prompt."""

    model_config = ConfigDict(frozen=True)
    role: str
    content: str


class Called(_Event):
    """A model was called, well or not."""

    type: Literal["called"] = "called"
    model: str
    messages: tuple[Message, ...]
    answer: str = ""
    unread: int | None = None
    """Characters at the end of the answer that nobody read: it went on far beyond the tokens it was allowed."""
    failure: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    cost: float | None = None
    seconds: float = 0.0
    attempts: int = 1
    source: str = "model"
    """`model`; `cache`: another consultation asked the same; `earlier`: this one did, before it was interrupted."""


class Concluded(_Event):
    """The doctor ended with its findings."""

    type: Literal["concluded"] = "concluded"
    diagnosis: str
    treatment: str
    differential: tuple[str, ...] = ()
    reasoning: str = ""


class Failed(_Event):
    """Something went wrong that ended the consultation."""

    type: Literal["failed"] = "failed"
    kind: str
    message: str


Event = Annotated[
    Asked | Retrieved | Answered | Guarded | Recalled | Remembered | Called | Concluded | Failed,
    Field(discriminator="type"),
]


class Journal:
    """Where a consultation's events are written down, each with its turn and time."""

    def __init__(self) -> None:
        """Start the clock."""
        self.events: list[Event] = []
        self.turn = 0
        self._began = time.perf_counter()

    def add(self, event_type: type[E], role: Role, /, **fields: Any) -> E:
        """Write down one event, now."""
        event = event_type(turn=self.turn, role=role, at=round(time.perf_counter() - self._began, 4), **fields)
        self.events.append(cast("Event", event))
        return event


class ConsultationError(OslerError):
    """What ends a consultation without an answer."""

    def __init__(self, ending: Ending, kind: str, message: str) -> None:
        """Say how it ended and why."""
        self.ending, self.kind = ending, kind
        super().__init__(message)
