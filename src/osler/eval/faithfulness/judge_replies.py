"""Have a model read a share of a run's replies, after it has passed the controls."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from osler.errors import UserError
from osler.eval.course import Course
from osler.eval.faithfulness.patient_judge import (
    PatientJudge,
    ReadReply,
    request,
    total_cost,
    tried,
)
from osler.eval.faithfulness.replies import GivenReply, replies_of
from osler.models import Backbone, open_backbone
from osler.runs.plan import Cell
from osler.runs.reply_faults import FaultyReply, PatientReading
from osler.runs.store import RunWriter
from osler.runs.store.patient_verdicts import count_replies, judge_trial, patient_readings
from osler.seeds import derive
from osler.settings.names import CONCURRENCY, SHARE_OF_REPLIES, TIMEOUT

_SEEDS = 2**63
"""How many seeds there are."""


@dataclass(frozen=True)
class PatientJudgeReport:
    """What was read, and what it cost."""

    judge: str
    """The model and a hash of its prompts."""
    replies: int
    """Of all consultations that ended with an answer."""
    read: int
    """Replies that it has read by now; what earlier calls read included."""
    new: int
    """Replies that it was asked about in this call."""
    unread: int
    """Replies for which its answer could not be used."""
    faulty: int
    """Replies in which it found a fault."""
    tokens: int
    cost: float | None
    """None if a call had no price."""

    @property
    def line(self) -> str:
        """All of it in one line."""
        unread = f", {self.unread} could not be read" if self.unread else ""
        price = f", {self.cost:.4f} USD" if self.cost else ""
        return (
            f"patient judged by {self.judge}: {self.read:,} of {self.replies:,} replies read"
            f" ({self.new:,} asked about now), {self.faulty:,} with faults{unread}; {self.tokens:,}"
            f" tokens{price}"
        )


def judge_patients(
    run: Path,
    spec: str,
    *,
    share: float = SHARE_OF_REPLIES,
    again: bool = False,
    concurrency: int = CONCURRENCY,
    timeout: float = TIMEOUT,
    any_judge: bool = False,
) -> PatientJudgeReport:
    """Have a model read a share of the replies of a run's consultations that ended with an answer.

    Raises:
        UserError: The model cannot be reached or cannot judge, or the share is none.
    """
    with RunWriter.resume(run) as store:
        return asyncio.run(_judged(store, spec, share, again, concurrency, timeout, any_judge))


async def _judged(
    store: RunWriter,
    spec: str,
    share: float,
    again: bool,
    concurrency: int,
    seconds: float,
    any_judge: bool,
) -> PatientJudgeReport:
    backbone = open_backbone(spec, timeout=seconds)
    gate = asyncio.Semaphore(concurrency)
    try:
        return await judge_patient_replies(
            store, backbone, share, gate, again=again, any_judge=any_judge
        )
    finally:
        await backbone.close()


async def judge_patient_replies(
    store: RunWriter,
    backbone: Backbone,
    share: float,
    gate: asyncio.Semaphore,
    *,
    again: bool = False,
    any_judge: bool = False,
) -> PatientJudgeReport:
    """Have an open model read a share of a run's replies, and store what it says.

    Which replies are drawn follows from the run's seed: a later call draws the same ones, and a
    larger share contains a smaller one. Nothing is asked about a reply twice.

    Args:
        store: The run.
        backbone: The model; it stays open.
        share: Of all replies, above 0 and at most 1.
        gate: Limits how many requests are under way.
        again: Ask once more about the replies that it was asked about before.
        any_judge: Do not try the model on the controls first.

    Raises:
        UserError: The model cannot judge, or the share is none.
    """
    if not 0 < share <= 1:
        raise UserError(
            f"{share} is no share of the replies", "give a number above 0 and at most 1, as in 0.1"
        )
    work = _Work(store, PatientJudge(backbone), share, gate)
    work.draw(again=again)
    try:
        if work.is_anything_left and not any_judge:
            await work.try_out()
        await work.read()
    except ExceptionGroup as several:
        raise several.exceptions[0] from None
    return work.report()


def is_drawn(seed: int, cell: Cell, turn: int, share: float) -> bool:
    """Check whether a reply is one of those that a model reads."""
    return (
        derive(seed, cell.case, cell.trial, f"read the reply of turn {turn} of {cell.column}")
        < share * _SEEDS
    )


class _Work:
    """One judge at work on one run."""

    def __init__(
        self, store: RunWriter, judge: PatientJudge, share: float, gate: asyncio.Semaphore
    ) -> None:
        self._store, self._judge, self._share, self._gate = store, judge, share, gate
        self._before: dict[int, PatientReading] = {}
        """What the judge said in earlier calls and is not asked again, by consultation."""
        self._todo: dict[int, list[GivenReply]] = {}
        """The replies to read, by consultation."""
        self._readings: dict[str, asyncio.Task[ReadReply]] = {}
        """By the prompt: the same reply with the same facts is read once."""
        self._tokens, self._new = 0, 0
        self._cost: float | None = 0.0

    def draw(self, *, again: bool) -> None:
        """Find the replies to read: those that are drawn and have not been read."""
        seed = self._store.settings.seed
        before = patient_readings(self._store, self._judge.name)
        self._before = {} if again else before
        for number in self._store.answered():
            cell = self._store.cell(number)
            known = before[number].drawn if number in before else ()
            left = [
                reply
                for reply in self._replies_of(number)
                if (again and reply.turn in known)
                or (reply.turn not in known and is_drawn(seed, cell, reply.turn, self._share))
            ]
            if left:
                self._todo[number] = left

    def _replies_of(self, number: int) -> list[GivenReply]:
        transcript = self._store.transcript(number)
        if transcript is None:
            return []
        record = self._store.record(transcript.header.case)
        return list(replies_of(Course.of(transcript, record), record))

    @property
    def is_anything_left(self) -> bool:
        """Whether there is anything to read."""
        return bool(self._todo)

    async def try_out(self) -> None:
        """Put the controls of the languages to the judge, unless it passed them in this run before.

        Raises:
            UserError: It gets too many of them wrong.
        """
        languages = {reply.context.language for replies in self._todo.values() for reply in replies}
        passed = judge_trial(self._store, self._judge.name)
        for language in sorted(languages):
            if language.value not in passed:
                trial = await tried(self._judge, language, self._gate)
                self._pay(trial.tokens, trial.cost)
                trial.require_passed(" replies")
                passed[language.value] = trial.wrong
                self._store.store_examination(self._judge.name, passed)

    async def read(self) -> None:
        """Read what is left."""
        async with asyncio.TaskGroup() as group:
            for number, replies in self._todo.items():
                group.create_task(self._read(number, replies))

    async def _read(self, number: int, replies: Sequence[GivenReply]) -> None:
        """Read the drawn replies of one consultation, and store the result when all are done."""
        before = self._before.get(number, PatientReading(drawn=()))
        drawn, unread, faulty = list(before.drawn), list(before.unread), list(before.faulty)
        spent: list[ReadReply] = []
        for reply in replies:
            answer, is_new = await self._say(reply)
            spent += [answer] if is_new else []
            drawn.append(reply.turn)
            if answer.faults is None:
                unread.append(reply.turn)
            elif not answer.faults.is_none:
                faulty.append(FaultyReply(reply.turn, answer.faults))
        reading = PatientReading(drawn=tuple(drawn), unread=tuple(unread), faulty=tuple(faulty))
        tokens, cost = sum(answer.tokens for answer in spent), total_cost(spent)
        self._store.store_reading(
            number, self._judge.name, reading.model_dump(mode="json"), tokens, cost
        )
        self._pay(tokens, cost)
        self._new += len(replies)

    async def _say(self, reply: GivenReply) -> tuple[ReadReply, bool]:
        """Read a reply; also say whether it had to be asked for."""
        prompt = request(reply.text, reply.context)
        is_new = prompt not in self._readings
        if is_new:
            self._readings[prompt] = asyncio.ensure_future(self._ask(reply))
        return await self._readings[prompt], is_new

    async def _ask(self, reply: GivenReply) -> ReadReply:
        async with self._gate:
            return await self._judge.read(reply.text, reply.context)

    def _pay(self, tokens: int, cost: float | None) -> None:
        self._tokens += tokens
        self._cost = None if cost is None or self._cost is None else self._cost + cost

    def report(self) -> PatientJudgeReport:
        """Say what was done."""
        readings = patient_readings(self._store, self._judge.name).values()
        return PatientJudgeReport(
            judge=self._judge.name,
            replies=count_replies(self._store),
            read=sum(reading.read for reading in readings),
            new=self._new,
            unread=sum(len(reading.unread) for reading in readings),
            faulty=sum(len(reading.faulty) for reading in readings),
            tokens=self._tokens,
            cost=self._cost,
        )
