"""The events of a consultation, step by step.

A small tagged union with all that a viewer, judge or replay needs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field

from osler.code_failures import CodeFailure
from osler.errors import OslerError
from osler.memory.base import Change, Recall, Turn
from osler.runs.lessons import Lesson, LessonRecall, NearCase, Stage


class Role(StrEnum):
    """Who caused an event."""

    DOCTOR = "doctor"
    PATIENT = "patient"
    RAM = "ram"
    MEMORY = "memory"
    EXPERIENCE = "experience"
    """Lessons from earlier patients."""
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
        """Whether the doctor gave an answer, so that scoring it is fair."""
        return self in {Ending.CONCLUDED, Ending.TURN_LIMIT, Ending.UNPARSED}


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    turn: int
    role: Role
    at: float = 0.0
    """Seconds since the consultation began."""
    prompt: str | None = None
    """Hash of the prompt template that was used, if any."""


E = TypeVar("E", bound=_Event)


class Maker(StrEnum):
    """Who made a question, a reply, a retrieval or a thought."""

    MODEL = "model"
    """The model, in its first answer."""
    RETRIED = "retried"
    """The model, in its second answer, after the first could not be read or was refused."""
    CUT = "cut"
    """The model, with sentences taken out of it or with its end cut off."""
    STRATEGY = "strategy"
    """The doctor's strategy, in the model's place: a question of the checklist."""
    RULES = "rules"
    SILENT = "silent"
    """Nobody: the model said nothing."""
    HUMAN = "human"

    @property
    def is_own(self) -> bool:
        """Whether a question of this maker is the doctor's own.

        What its strategy asked is not its merit.
        """
        return self not in {Maker.STRATEGY, Maker.SILENT}


class Intervention(StrEnum):
    """A change that Osler made to a model's words, in its place, or to its prompt."""

    REFUSED = "refused"
    """A reply was refused, and the model asked again."""
    UNREAD = "unread"
    """An answer could not be read in the form that was asked for, and the model was asked again."""
    SHORTENED = "shortened"
    """The end of an overlong text was cut off."""
    CUT = "cut"
    """Sentences were taken out of a reply."""
    RULES = "rules"
    """The rules did what the model failed to do."""
    REUSED = "reused"
    """The model had been asked the same before in this run; its answer was taken again."""
    OVERFLOW = "overflow"
    """The prompt did not fit into the model's context, and a part of it was left out."""


class Asked(_Event):
    """The doctor asked a question."""

    type: Literal["asked"] = "asked"
    question: str
    maker: Maker = Maker.RULES
    differential: tuple[str, ...] = ()
    """What the doctor thought of when it asked."""
    repeated: bool = False
    """Asks for nothing that earlier questions of this consultation had not asked for, by the
    entries found for them."""


class Found(BaseModel):
    """An entry that was retrieved."""

    model_config = ConfigDict(frozen=True)
    name: str
    score: float


class Unrecorded(StrEnum):
    """How people answer where the record is silent about a thing."""

    DENIED = "denied"
    """A symptom, habit or illness: not that they know of."""
    NOT_DONE = "not_done"
    """A test or examination: nobody has done it, as far as they know."""
    UNKNOWN = "unknown"
    """A detail that the patient cannot tell."""
    PERSON = "person"
    """A detail of everyday life, on which nothing medical hangs: something ordinary."""


class Implied(StrEnum):
    """What entries settle about a thing that none of them tells."""

    YES = "yes"
    NO = "no"
    PARTLY = "partly"
    DONE = "done"
    """It was looked at or examined."""


class Telling(StrEnum):
    """How a persona tells an entry."""

    PLAIN = "plain"
    BLURRED = "blurred"
    """Vaguely, without numbers, names and dates."""
    PLAYED_DOWN = "played_down"
    """As less than it is."""
    FORGOTTEN = "forgotten"
    """Not at all: the patient does not remember it."""
    DENIED = "denied"
    """Not at all: the patient says no."""

    @property
    def is_hidden(self) -> bool:
        """Whether the doctor hears nothing of it."""
        return self in (Telling.FORGOTTEN, Telling.DENIED)


class Standing(StrEnum):
    """What an answer about a thing rests on."""

    TOLD = "told"
    """The record: an entry, what entries imply, the person sheet or an earlier visit."""
    ASSUMED = "assumed"
    """The record's silence: the patient says what people say then, and nobody is scored by it."""
    UNKNOWN = "unknown"
    """Nothing: the patient does not know."""


class Thing(BaseModel):
    """One thing that a question asks for, and the entries about it."""

    model_config = ConfigDict(frozen=True)
    name: str
    entries: tuple[str, ...] = ()
    unrecorded: Unrecorded | None = None
    """Set if the record is silent about it."""
    past: tuple[int, ...] = ()
    """Exchanges of earlier visits about it, as `PatientRecord.past` numbers them."""
    person: tuple[str, ...] = ()
    """Fields of the person sheet about it."""
    implied: Implied | None = None
    """What entries settle that do not tell it; their findings are not handed out."""
    implied_by: tuple[str, ...] = ()
    """The names of these entries."""
    since: bool = False
    """Whether the doctor asks what has changed since it was told at an earlier visit."""

    @property
    def standing(self) -> Standing:
        """What an answer about it rests on."""
        match self.unrecorded:
            case None:
                return Standing.TOLD
            case Unrecorded.UNKNOWN:
                return Standing.UNKNOWN
            case _:
                return Standing.ASSUMED


class Retrieved(_Event):
    """The retrieval module found what the question asked for, or nothing."""

    type: Literal["retrieved"] = "retrieved"
    asked_for: tuple[str, ...] = ()
    """Concepts and categories read from the question."""
    entries: tuple[Found, ...] = ()
    things: tuple[Thing, ...] = ()
    """The things that were asked for, one by one, if a model read the question; by rules only those
    that the person sheet tells."""
    maker: Maker = Maker.RULES
    results: str = ""
    """Reports that were given to the doctor directly, in the record's words."""
    past: tuple[int, ...] = ()
    """Exchanges of earlier visits that the question asks for again, as `PatientRecord.past` numbers
    them."""
    told_again: tuple[str, ...] = ()
    """Names of entries that were told at earlier visits and are told again, since this is the
    second time that the doctor asks."""
    past_again: tuple[int, ...] = ()
    """Exchanges of earlier visits that are told again for the same reason."""
    tellings: dict[str, Telling] = Field(default_factory=dict)
    """How the patient's persona tells entries that it does not tell plainly, by name."""


class Answered(_Event):
    """The patient replied."""

    type: Literal["answered"] = "answered"
    reply: str
    disclosed: tuple[str, ...] = ()
    """Names of the retrieved entries that the reply discloses."""
    maker: Maker


class Intervened(_Event):
    """Osler changed what a model said, or acted in its place: never without this event."""

    type: Literal["intervened"] = "intervened"
    kind: Intervention
    draft: str = ""
    """The words it was done to."""
    reasons: tuple[str, ...] = ()


class Recalled(_Event):
    """The memory recalled something."""

    type: Literal["recalled"] = "recalled"
    query: str
    recall: Recall
    to_conclude: bool = False
    """Whether it was for the conclusion."""
    beside: int | None = None
    """The turn that the doctor had word for word beside the recall."""


class Remembered(_Event):
    """The memory took in a turn."""

    type: Literal["remembered"] = "remembered"
    of: int = 0
    """The turn that was remembered; an earlier one, since this happens while the next question is
    answered."""
    change: Change
    seconds: float = 0.0


class Visited(_Event):
    """The memory heard a turn from before the consultation. Its number is below 1."""

    type: Literal["visited"] = "visited"
    visit: int
    """1 is the first visit; small talk has the number of the visit before it."""
    told: Turn
    """What was said, when and by whom."""
    filler: bool = False
    """Small talk, of which the record says nothing."""


class Message(BaseModel):
    """One message of a prompt."""

    model_config = ConfigDict(frozen=True)
    role: str
    content: str


class CallFailure(BaseModel):
    """Why a call of a model failed."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    CANCELLED: ClassVar[str] = "cancelled"
    """The kind of a call that ended with its consultation."""
    LIMIT: ClassVar[str] = "limit"
    """The kind of a call that a limit of the consultation forbade."""

    kind: str
    """One of these two, or what the model's server did, as `FailureKind` names it."""
    message: str
    remedy: str = ""
    status: int | None = None
    """The HTTP status of the server's answer."""
    detail: str = ""
    """What the server said with it."""
    error: str = ""
    """The name of the error, if it was a fault in code and not the model's."""

    @property
    def line(self) -> str:
        """All of it in one line."""
        message = f"{self.error}: {self.message}" if self.error else self.message
        return "; ".join(filter(None, (f"{self.kind}: {message}", self.remedy)))


class Called(_Event):
    """A model was called, well or not."""

    type: Literal["called"] = "called"
    model: str
    messages: tuple[Message, ...]
    answer: str = ""
    """What it said, without its thinking."""
    thought: str | None = None
    """Its thinking: stored here, neither heard nor remembered."""
    unread: int | None = None
    """Characters at the end of the answer that nobody read: it went on far beyond the tokens it was
    allowed."""
    failure: CallFailure | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    cost: float | None = None
    seconds: float = 0.0
    attempts: int = 1
    source: str = "model"
    """`model`; `cache`: another consultation asked the same; `run`: so did one of this run, whose
    request is made once;
    `earlier`: this one did, before it was interrupted."""


class Concluded(_Event):
    """The doctor ended with its findings."""

    type: Literal["concluded"] = "concluded"
    diagnosis: str
    treatment: str
    differential: tuple[str, ...] = ()
    reasoning: str = ""
    codes: tuple[tuple[str, ...], ...] = ()
    """ICD-10 codes of the diagnosis and of each of the differential, where rules made them: they
    are judged by them."""
    steps: tuple[tuple[str, ...], ...] = ()
    """What the plan consists of, each step by all its names, where rules made it: it is judged by
    them."""
    in_part: tuple[str, ...] = ()
    """Names of what these steps give only in part."""


class JoinedStream(_Event):
    """The consultation is one of a stream, in which the doctor gains experience.

    The first event of such a one.
    """

    type: Literal["joined_stream"] = "joined_stream"
    position: int
    """Cases of the stream before it, lessons or not."""
    stage: Stage
    lessons: int = 0
    """Lessons that could be recalled."""
    nearest: float | None = None
    """How near the nearest patient of these lessons is to this one, from 0 to 1; None without
    lessons."""
    kept_away: tuple[NearCase, ...] = ()
    """Earlier cases whose lessons are kept away: of the same patient, or of one that is nearly a
    copy."""


class LessonsRecalled(_Event):
    """The doctor recalled lessons from earlier patients."""

    type: Literal["lessons_recalled"] = "lessons_recalled"
    recall: LessonRecall


class Learned(_Event):
    """The doctor kept lessons from the consultation."""

    type: Literal["learned"] = "learned"
    lessons: tuple[Lesson, ...]
    told: str
    """What it was told of its conclusion."""
    maker: Maker
    requests: int = 0
    """Model requests it took."""
    failure: str | None = None
    """Why there are no lessons, if the model gave none."""


class Failed(_Event):
    """Something went wrong that ended the consultation."""

    type: Literal["failed"] = "failed"
    """Its role is who failed."""
    kind: str
    message: str
    place: str | None = None
    """Where in the code it went wrong, as `file:line in function`, if it was a fault in code."""
    trace: tuple[str, ...] = ()
    """The lines of the traceback then."""
    own_code: bool = False
    """Whether it was in code of your own."""

    @property
    def line(self) -> str:
        """What went wrong and where."""
        return f"{self.message} ({self.place})" if self.place else self.message


Event = Annotated[
    Asked
    | Retrieved
    | Answered
    | Intervened
    | Recalled
    | Remembered
    | Visited
    | Called
    | Concluded
    | JoinedStream
    | LessonsRecalled
    | Learned
    | Failed,
    Field(discriminator="type"),
]


class Journal:
    """Records a consultation's events, each with its turn and time."""

    def __init__(self, on_event: Callable[[], None] = lambda: None) -> None:
        """Start the clock; call back after every event."""
        self._on_event = on_event
        self.events: list[Event] = []
        self.prompts: dict[str, str] = {}
        """The prompt templates that were used, and the hash of each."""
        self.turn = 0
        self._began = time.perf_counter()

    def add(self, event_type: type[E], role: Role, /, **fields: Any) -> E:
        """Write down one event, now."""
        event = event_type(
            turn=self.turn, role=role, at=round(time.perf_counter() - self._began, 4), **fields
        )
        self.events.append(cast("Event", event))
        self._on_event()
        return event


class ConsultationError(OslerError):
    """Ends a consultation without an answer."""

    def __init__(
        self,
        ending: Ending,
        kind: str,
        message: str,
        code: CodeFailure | None = None,
        *,
        role: Role = Role.SIMULATOR,
    ) -> None:
        """Say how it ended and why, where if code of your own failed, and whose failure it is."""
        self.ending, self.kind, self.code, self.role = ending, kind, code, role
        super().__init__(message)
