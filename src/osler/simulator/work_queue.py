"""The queue of a run: hands out consultations, takes back what came of them, and is the only one that writes."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from osler.errors import RunStopped, StorageError
from osler.models.prices import cost
from osler.records.schema import PatientRecord
from osler.runs.events import Journal
from osler.runs.plan import Cell
from osler.runs.store import AnswerRow, Planned, RunWriter, StoredScore, answer_row
from osler.runs.transcript import Transcript
from osler.runs.transcript_rows import ResultRow
from osler.simulator.limits import RunLimiter
from osler.simulator.messages import AnswerMessage, EndMessage, StopMessage
from osler.simulator.worker import Job

if TYPE_CHECKING:
    from osler.models.completion import Completion


Score = Callable[[Transcript, PatientRecord], StoredScore]
"""Judges and measures a consultation that has ended."""


@dataclass
class RunProgress:
    """How far a run is, for whoever shows it. It holds counts, never transcripts: runs are long."""

    total: int
    there: int = 0
    """Ended before this session began."""
    done: int = 0
    by_backbone: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    tokens: int = 0
    cost: float | None = 0.0
    calls: int = 0
    under_way: dict[int, tuple[Cell, Journal | None]] = field(default_factory=dict)
    newest: tuple[Cell, ResultRow] | None = None
    unscored: str | None = None
    """Why a consultation could not be scored, if one could not."""
    gave_up: bool = False
    """Whether requests were in flight when the run ended."""
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """How long this session has been going."""
        return time.monotonic() - self.began

    @property
    def failed(self) -> int:
        """Consultations of this session that failed."""
        return self.failures.total()


class StopRequest:
    """Whether a run is to end before its plan does: in order, or at once."""

    def __init__(self) -> None:
        """Go on."""
        self.reason: RunStopped | None = None
        self.error: StorageError | None = None
        self.asked = asyncio.Event()
        self.now = asyncio.Event()

    def ask(self, reason: RunStopped) -> None:
        """End in order: send no more requests, and keep the answers to those in flight."""
        self.reason = self.reason or reason
        self.asked.set()

    def fail(self, error: StorageError) -> None:
        """End at once: what models answer cannot be written any more."""
        self.error = self.error or error
        self.ask(RunStopped("not written", error.message))
        self.now.set()

    async def wait(self) -> RunStopped:
        """Wait until the run is to end; the reason."""
        await self.asked.wait()
        assert self.reason is not None
        return self.reason


class WorkQueue:
    """What engines talk to."""

    def __init__(
        self,
        store: RunWriter,
        planned: Planned,
        progress: RunProgress,
        limiter: RunLimiter,
        score: Score | None = None,
    ) -> None:
        """Take the list of what is to be done, and what scores it."""
        self._score = score
        self._store, self.progress, self.limiter = store, progress, limiter
        self._todo = iter(planned.todo)
        self._buffer: list[AnswerRow] = []
        self._written: asyncio.Future[None] | None = None
        self.stop = StopRequest()

    def next(self) -> Job | None:
        """The next consultation to be held; None when there is none, or the run is to end."""
        if self.stop.asked.is_set():
            return None
        if reached := self.limiter.reached():
            self.stop.ask(RunStopped(reached[0].value, reached[1]))
            return None
        number = next(self._todo, None)
        return None if number is None else self.job(number)

    def job(self, number: int) -> Job:
        """A consultation as it stands, with what models have said in it."""
        self.flush()
        cell = self._store.cell(number)
        job = Job(number, cell, self._store.record(cell.case), self._store.kept(number))
        self.progress.under_way[number] = (cell, None)
        return job

    def watch(self, number: int, journal: Journal) -> None:
        """Let the display look at a consultation that is held in this process."""
        self.progress.under_way[number] = (self.progress.under_way[number][0], journal)

    def answered(self, number: int, key: str, answer: Completion) -> asyncio.Future[None]:
        """Keep an answer that was paid for; done when it is written, and only then may its consultation go on.

        Answers that come in the same moment are written together. A kill costs the requests in flight, and no more.
        """
        row = answer_row(number, key, answer)
        self._buffer.append(row)
        price = cost(answer.model, answer.tokens_in, answer.tokens_out, answer.tokens_cached)
        progress = self.progress
        progress.calls += 1
        progress.tokens += row[3]
        progress.cost = None if progress.cost is None or price is None else progress.cost + price
        if self._written is None:
            loop = asyncio.get_running_loop()
            self._written = loop.create_future()
            loop.call_soon(self._flush_soon)
        return self._written

    def _flush_soon(self) -> None:
        with suppress(StorageError):  # it stops the run, and whoever waits for the write hears of it
            self.flush()

    def flush(self) -> None:
        """Write the answers that wait.

        Raises:
            StorageError: They cannot be written: the run ends.
        """
        buffer, written = self._buffer, self._written
        self._buffer, self._written = [], None
        if not buffer:
            return
        try:
            self._store.keep(buffer)
        except StorageError as error:
            self.stop.fail(error)
            if written is not None and not written.done():
                written.set_exception(error)
                written.exception()  # nobody may be waiting any more
            raise
        if written is not None and not written.done():
            written.set_result(None)

    def ended(self, number: int, transcript: Transcript) -> None:
        """Keep a consultation that has ended."""
        self.flush()
        figures = self._store.finish(number, transcript, self._scored(transcript))
        cell, _ = self.progress.under_way.pop(number)
        self.progress.done += 1
        self.progress.by_backbone[cell.column.backbone] += 1
        if not transcript.ending.is_answer:
            self.progress.failures[figures.failure or figures.ending] += 1
        self.progress.newest = (cell, figures)

    def _scored(self, transcript: Transcript) -> StoredScore | None:
        """Its score; None when scoring fails, which must not cost the consultation: it can be scored later."""
        if self._score is None:
            return None
        try:
            return self._score(transcript, self._store.record(transcript.header.case))
        except Exception as error:
            self.progress.unscored = f"{type(error).__name__}: {error}"
            return None

    def take_end(self, message: EndMessage) -> None:
        """Take in how a consultation ended for a worker in another process."""
        if isinstance(message.outcome, StopMessage):
            self.interrupted(message.number, message.outcome.message)
            self.stop.ask(RunStopped(message.outcome.kind, message.outcome.message))
        else:
            self.ended(message.number, message.outcome)

    def take_answer(self, message: AnswerMessage) -> asyncio.Future[None]:
        """Take in an answer that a worker in another process was given; done when it is written.

        Such workers do not know what the run has used, so its limits are checked here.
        """
        self.limiter.used(message.answer)
        written = self.answered(message.number, message.key, message.answer)
        if reached := self.limiter.reached():
            self.stop.ask(RunStopped(reached[0].value, reached[1]))
        return written

    def interrupted(self, number: int, reason: str) -> None:
        """Note that a consultation was stopped; it is still to be done."""
        self.flush()
        self._store.interrupted(number, reason)
        self.progress.under_way.pop(number, None)
