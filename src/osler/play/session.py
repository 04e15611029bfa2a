"""A consultation with a human player: it pauses on their turn and returns the result."""

from __future__ import annotations

import asyncio
import time
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from osler.agents.human import Before, Move, Mover
from osler.agents.messages import Briefing, Conclusion, Question, Reply, Selection
from osler.errors import RunStopped, UserError, printable
from osler.eval.course import Course
from osler.eval.measures import Measures, key_elements, measure
from osler.eval.scoring import exact_verdicts
from osler.play.played_runs import Paid, PlayAssignment, SavedConsultation, keep
from osler.records.schema import Entry, Part, PatientRecord
from osler.runs.events import Ending, Failed, Journal, Maker, Role
from osler.runs.store import StoredVerdict
from osler.runs.transcript import Transcript
from osler.runs.turns import TurnView, turn_views
from osler.settings.names import Limits
from osler.simulator.clients import Clients, ConsultationClients
from osler.simulator.limits import RunLimiter
from osler.simulator.worker import simulate_one, transcript_of

if TYPE_CHECKING:
    from osler.models import Backbone

LONGEST = 2000
"""Characters of one move."""


class MoveRefused(UserError):
    """The person's move is not possible now."""

    http_status = 409


def one_line(text: str) -> str:
    """A text on one line, without control characters and half characters."""
    characters = (
        char for char in " ".join(text.split()) if unicodedata.category(char) not in {"Cc", "Cs"}
    )
    return "".join(characters).strip()


def _checked(text: str) -> str:
    line = one_line(text)
    if not line:
        raise MoveRefused("nothing was said", "write a few words")
    if len(line) > LONGEST:
        raise MoveRefused(f"that is {len(line):,} characters long", f"use at most {LONGEST:,}")
    return line


class PlaySession:
    """A person's consultation. Made and used within one event loop."""

    def __init__(self, assignment: PlayAssignment, clients: Clients) -> None:
        """Start the consultation."""
        self.assignment = assignment
        self.journal = Journal(self._news_came)
        self.before: Before | None = None
        """What the person has to answer; None while it is somebody else's turn."""
        self.over = False
        self.result: Result | None = None
        """Set once it is over; also None if the person left without a word."""
        self.kept: SavedConsultation | None = None
        self.failed: str | None = None
        """Why it ended without an answer, in one line."""
        self.not_kept: str | None = None
        """Why it could not be kept, in one line."""
        self.left = False
        """Whether it ended because the person went away."""
        self.seen = 0
        """Grows with everything that happens."""
        self.last_news = time.monotonic()
        self._paid = list[Paid]()
        self._news = asyncio.Event()
        self._spoke = False
        self._moved: asyncio.Future[Move] | None = None
        self._transcript: Transcript | None = None
        own = ConsultationClients(
            clients, assignment.cell.trial, (), self._paid_for, Limits(), RunLimiter(Limits())
        )
        self._task = asyncio.create_task(self._hold(_PlayClients(own.open, self._person)))

    def say(self, text: str) -> None:
        """Ask the patient, or answer the doctor. Raises MoveRefused if that is not possible now."""
        line = _checked(text)
        before = self._turn()
        if isinstance(before, Selection):
            self._move(Reply(text=line, maker=Maker.HUMAN))
        elif before.turns_left > 0:
            self._move(Question(text=line, maker=Maker.HUMAN))
        else:
            raise MoveRefused("no question is left", "give your diagnosis and treatment")

    def conclude(self, diagnosis: str, treatment: str) -> None:
        """End with a diagnosis and a treatment. Raises MoveRefused if that is not possible now."""
        if not isinstance(self._turn(), Briefing):
            raise MoveRefused("only the doctor concludes", "answer the doctor's question")
        self._move(Conclusion(diagnosis=_checked(diagnosis), treatment=_checked(treatment)))

    async def leave(self) -> None:
        """Leave. If the person has spoken, it is stored as a consultation that broke off."""
        if self.over:
            return
        if self._transcript is None:
            self._task.cancel()
        await asyncio.wait({self._task})
        if self._transcript is None:
            self.left = True
            if self._spoke:
                doctor = self.assignment.role is Role.DOCTOR
                ending = Ending.DOCTOR_ERROR if doctor else Ending.PATIENT_ERROR
                role = self.assignment.role
                await self._end(self._broken_off(role, ending, "left", "the person left"))
            self._news_came(over=True)

    async def news(self, after: int, seconds: float | None = None) -> None:
        """Wait until something happens after `after`, or it is over, or the time is up."""
        await self._until(lambda: self.seen > after, seconds)

    async def your_turn(self, seconds: float | None = None) -> None:
        """Wait until the person has to move, or it is over, or the time is up."""
        await self._until(lambda: self.before is not None, seconds)

    async def remembered(self, seconds: float | None = None) -> None:
        """Wait until the memory has taken in every reply, or it is over, or the time is up."""
        await self._until(
            lambda: all(turn.remembered for turn in self.turns if turn.answered), seconds
        )

    @property
    def turns(self) -> tuple[TurnView, ...]:
        """What has happened so far, turn by turn."""
        return turn_views(self.journal.events)

    @property
    def questions(self) -> int:
        """How many questions were asked so far."""
        return sum(turn.asked is not None for turn in self.turns)

    async def _until(self, come: Callable[[], bool], seconds: float | None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not (come() or self.over):
                    await self._news.wait()

    async def _hold(self, clients: _PlayClients) -> None:
        assignment = self.assignment
        try:
            transcript = await simulate_one(
                assignment.record, assignment.cell, assignment.settings, clients, self.journal
            )
        # An endpoint is down: in a single consultation that is a failure like any other.
        except RunStopped as stop:
            transcript = self._broken_off(
                Role.SIMULATOR, Ending.BACKBONE_FAILURE, stop.kind, stop.message
            )
        await self._end(transcript)
        self._news_came(over=True)

    async def _person(self, before: Before) -> Move:
        self.before = before
        self._moved = asyncio.get_running_loop().create_future()
        self._news_came()
        try:
            return await self._moved
        finally:
            self.before = None

    async def _end(self, transcript: Transcript) -> None:
        """Score and store it. If it cannot be written, the person still gets the result."""
        self._transcript = transcript
        self.before = None
        ended = transcript.of(Failed)
        self.failed = printable(ended[-1].message) if ended else None
        try:
            self.result = await asyncio.to_thread(Result.of, transcript, self.assignment.record)
            self.kept = await asyncio.to_thread(keep, self.assignment, transcript, self._paid)
        # A full disk or a fault of ours: only this person is told.
        except Exception as error:
            self.not_kept = printable(str(error) or type(error).__name__)

    def _broken_off(self, role: Role, ending: Ending, kind: str, message: str) -> Transcript:
        """The transcript so far, which ends with somebody's failure."""
        assignment = self.assignment
        self.journal.add(Failed, role, kind=kind, message=message)
        return transcript_of(
            assignment.record, assignment.cell, assignment.settings, self.journal, ending
        )

    def _turn(self) -> Before:
        if self.over:
            raise MoveRefused("the consultation is over", "start another")
        if self.before is None or self._moved is None or self._moved.done():
            raise MoveRefused("it is not your turn", "wait for the answer")
        return self.before

    def _move(self, move: Move) -> None:
        assert self._moved is not None
        self.before = None
        self._spoke = True
        self._moved.set_result(move)
        self._news_came()

    async def _paid_for(self, key: str, answer: Any) -> None:
        self._paid.append((key, answer))

    def _news_came(self, *, over: bool = False) -> None:
        self.over = self.over or over
        self.seen += 1
        self.last_news = time.monotonic()
        self._news.set()
        self._news = asyncio.Event()


@dataclass(frozen=True)
class _PlayClients:
    """Gives the consultation its models, and the person."""

    open: Callable[[str], Backbone]
    mover: Mover


class Step(NamedTuple):
    """An examination of the record's order."""

    name: str
    should: int
    """Its rank, 1 for what comes first; those of one rank may be asked for in any order."""
    asked_in_turn: int | None
    """None: never."""
    after: tuple[str, ...]
    """What should have come later and was asked for earlier."""


@dataclass(frozen=True)
class Result:
    """What a player is shown once it is over."""

    verdicts: tuple[StoredVerdict, ...]
    """By what is exact, or none if there was no answer to judge."""
    missed: tuple[Entry, ...]
    """The entries of a good work-up that were never asked for, in the order of the record."""
    passed_over: tuple[Entry, ...]
    """The entries beside the point that were not asked for either."""
    key_total: int
    """How many such entries there are in all."""
    order: tuple[Step, ...]
    measures: Measures

    @classmethod
    def of(cls, transcript: Transcript, record: PatientRecord) -> Result:
        """Compare a transcript with its record."""
        asked_in = Course.of(transcript, record).asked
        elements: list[Entry] = []
        for part in Part:
            elements += key_elements(record, part)
        verdicts = exact_verdicts(transcript, record) if transcript.ending.is_answer else []
        beside = [entry for entry in record.entries if entry not in elements]
        return cls(
            verdicts=tuple(verdicts),
            missed=tuple(entry for entry in elements if entry.name not in asked_in),
            passed_over=tuple(entry for entry in beside if entry.name not in asked_in),
            key_total=len(elements),
            order=_steps(record, asked_in),
            measures=measure(transcript, record),
        )


def _steps(record: PatientRecord, asked_in: dict[str, int]) -> tuple[Step, ...]:
    if record.exam_order is None:
        return ()
    pairs = record.order_pairs()
    names = dict.fromkeys(record.entry(name).name for name in record.exam_order.names())

    @cache
    def rank(name: str) -> int:
        return 1 + max((rank(first) for first, second in pairs if second == name), default=0)

    def overtaken_by(name: str) -> tuple[str, ...]:
        if name not in asked_in:
            return ()
        later = [second for first, second in sorted(pairs) if first == name and second in asked_in]
        return tuple(second for second in later if asked_in[second] < asked_in[name])

    steps = (Step(name, rank(name), asked_in.get(name), overtaken_by(name)) for name in names)
    return tuple(sorted(steps, key=lambda step: step.should))
