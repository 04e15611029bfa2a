"""The queue of a run.

Hands out consultations, takes back the results, and is the only one that writes them.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import astuple, dataclass, field

from osler.errors import RunStopped, StorageError
from osler.models.completion import AnswerSource, Completion
from osler.records.schema import PatientRecord
from osler.runs.events import Journal
from osler.runs.plan import Cell
from osler.runs.run_servers import AnswerNote
from osler.runs.store import (
    AnswerRow,
    CellState,
    Planned,
    RunWriter,
    StoredScore,
    answer_row,
    begun,
    column_spending,
    spending_of,
)
from osler.runs.transcript import Transcript
from osler.runs.transcript_rows import ResultRow
from osler.simulator.admission import Admission
from osler.simulator.experience.streams import Streams
from osler.simulator.limits import RunLimiter
from osler.simulator.own_failures import OwnFailures
from osler.simulator.worker import Job

_Remarks = tuple[str, str | None, tuple[str, ...]]
"""A model, the fingerprint of its server, and the options that the server refused."""


@dataclass
class RunProgress:
    """How far a run is, for whoever shows it. It holds counts, never transcripts: runs are long."""

    total: int
    there: int = 0
    """Ended before this session began."""
    done: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    tokens: int = 0
    """Spent in this session, like the next two: an answer that is shared counts once."""
    cost: float | None = 0.0
    calls: int = 0
    under_way: dict[int, Journal | None] = field(default_factory=dict)
    """By number; workers in other processes show no journal."""
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


class StopRequest:
    """Whether a run is to end early: in order, or at once."""

    def __init__(self) -> None:
        self.reason: RunStopped | None = None
        self.error: StorageError | None = None
        self.asked = asyncio.Event()
        self.now = asyncio.Event()

    def ask(self, reason: RunStopped) -> None:
        """End in order: send no more requests, and keep the answers to those in flight."""
        self.reason = self.reason or reason
        self.asked.set()

    def fail(self, error: StorageError) -> None:
        """End at once: answers cannot be written any more."""
        self.error = self.error or error
        self.ask(RunStopped("not written", error.message))
        self.now.set()

    async def wait(self) -> RunStopped:
        """Wait until the run is to end; returns the reason."""
        await self.asked.wait()
        assert self.reason is not None
        return self.reason


class WorkQueue:
    """The consultations of a run that are to be done. The engines take from it and report to it."""

    def __init__(
        self,
        store: RunWriter,
        planned: Planned,
        progress: RunProgress,
        limiter: RunLimiter,
        score: Callable[[Transcript, PatientRecord], StoredScore],
        on_end: Callable[[int, Transcript], None] = lambda *_: None,
    ) -> None:
        """Take the plan of a run.

        `on_end` is called with each consultation that has been stored.
        """
        self._store = store
        self.progress = progress
        self.limiter = limiter
        self._score = score
        self._on_end = on_end
        self._streams = Streams(store, store.settings, planned.todo)
        self._todo = deque(
            self._begun_first(number for number in planned.todo if number not in self._streams)
        )
        self._todo.extend(self._streams.ready())
        self._admission: Admission | None = None
        if any(limit is not None for limit in astuple(limiter.limits)):
            self._admission = Admission(limiter, column_spending(store, CellState.DONE))
        self.changed = asyncio.Event()
        """Set for a moment whenever a consultation has ended, so that another may be admitted."""
        self._buffer: list[AnswerRow] = []
        self._written: asyncio.Future[None] | None = None
        self._remarks: Counter[_Remarks] = Counter()
        self._has_new_remarks = False
        self.stop = StopRequest()
        self._own_failures = OwnFailures(store.has_succeeded, self.stop.ask)

    def _begun_first(self, numbers: Iterable[int]) -> list[int]:
        """Put those first that were begun in an earlier session."""
        first = begun(self._store)
        return sorted(numbers, key=lambda number: number not in first)

    def next(self) -> Job | None:
        """Return the next consultation; None if there is none that may begin now."""
        self.stop_at_limit()
        if not self._todo or self.stop.asked.is_set() or not self._may_begin(self._todo[0]):
            return None
        return self.job(self._todo.popleft())

    def _may_begin(self, number: int) -> bool:
        """Check whether limits let a consultation begin.

        If they do not, and none is under way that could make room for it, the run ends.
        """
        if self._admission is None:
            return True
        spent = spending_of(self._store, number)
        refusal = self._admission.refusal(self._store.cell(number).column, spent)
        if refusal is not None and not self.progress.under_way:
            self.stop.ask(refusal)
        return refusal is None

    @property
    def is_held_back(self) -> bool:
        """Whether there is a consultation that has not begun, and nobody asked the run to stop.

        `next` returned None then because limits hold it back until one under way has ended.
        """
        return bool(self._todo) and not self.stop.asked.is_set()

    @property
    def is_waiting(self) -> bool:
        """Whether there is a consultation that has not begun."""
        return bool(self._todo)

    def stop_at_limit(self) -> None:
        """Ask the run to end when one of its limits is reached."""
        try:
            self.limiter.check()
        except RunStopped as stop:
            self.stop.ask(stop)

    def job(self, number: int) -> Job:
        """A consultation, with the answers that models have given in it."""
        self.flush()
        cell = self._store.cell(number)
        self.progress.under_way[number] = None
        if self._admission is not None:
            self._admission.begin(number, cell.column, spending_of(self._store, number))
        experience = self._streams.experience(number)
        return Job(
            number,
            cell,
            self._store.record(cell.case),
            self._store.stored_answers(number),
            experience,
        )

    def watch(self, job: Job, journal: Journal) -> None:
        """Let the display look at a consultation that runs in this process."""
        self.progress.under_way[job.number] = journal

    def answered(self, number: int, key: str, answer: Completion) -> asyncio.Future[None]:
        """Store an answer that was paid for.

        Done when it is written, and only then may its consultation go on.

        Answers that come in the same moment are written together. A kill costs the requests in
        flight, and no more.
        """
        row = answer_row(number, key, answer)
        self._buffer.append(row)
        self._note(answer)
        progress = self.progress
        progress.calls += row.calls
        progress.tokens += row.tokens
        if progress.cost is None or row.cost is None:
            progress.cost = None
        else:
            progress.cost = progress.cost + row.cost
        if self._admission is not None:
            self._admission.used(number, row.tokens, row.cost or 0.0)
        if self._written is None:
            loop = asyncio.get_running_loop()
            self._written = loop.create_future()
            loop.call_soon(self._flush_soon)
        return self._written

    def _note(self, answer: Completion) -> None:
        """Count answers by what the server remarked with them.

        A new remark is written with its answer.
        """
        remarks = (answer.model, answer.fingerprint, answer.refused_options)
        if answer.source is AnswerSource.MODEL and any(remarks[1:]):
            self._remarks[remarks] += 1
            self._has_new_remarks |= self._remarks[remarks] == 1

    def write_remarks(self) -> None:
        """Write what the servers remarked with their answers."""
        self._has_new_remarks = False
        if self._remarks:
            noted = [
                AnswerNote(
                    model=model, fingerprint=fingerprint, refused_options=refused, count=count
                )
                for (model, fingerprint, refused), count in self._remarks.items()
            ]
            self._store.note({"answers": [one.model_dump(exclude_defaults=True) for one in noted]})

    def _flush_soon(self) -> None:
        with suppress(StorageError):  # it stops the run, and whoever waits for the write gets it
            self.flush()

    def flush(self) -> None:
        """Write the answers that wait; raises StorageError if they cannot be written."""
        buffer = self._buffer
        written = self._written
        self._buffer = []
        self._written = None
        if not buffer or written is None:
            return
        try:
            self._store.store_answers(buffer)
            if self._has_new_remarks:
                self.write_remarks()
        except StorageError as error:
            self.stop.fail(error)
            if not written.done():
                written.set_exception(error)
                written.exception()  # nobody may be waiting any more
            raise
        if not written.done():
            written.set_result(None)

    def ended(self, number: int, transcript: Transcript) -> None:
        """Store a consultation that has ended, with its score; the next of its stream can start."""
        self.flush()
        figures = self._store.finish(number, transcript, self._scored(transcript))
        self._todo.extend(self._streams.ended(number, transcript))
        self.progress.under_way.pop(number, None)
        if self._admission is not None:
            self._admission.end(number, answered=transcript.ending.is_answer)
            self._tell_of_change()
        self.progress.done += 1
        if not transcript.ending.is_answer:
            self.progress.failures[figures.failure or figures.ending] += 1
        self.progress.newest = (transcript.header.cell, figures)
        self._on_end(number, transcript)
        self._own_failures.ended(transcript)

    def _scored(self, transcript: Transcript) -> StoredScore | None:
        """Return its score, or None if scoring fails, which must not cost the consultation.

        It can be scored later.
        """
        try:
            return self._score(transcript, self._store.record(transcript.header.case))
        except Exception as error:
            self.progress.unscored = f"{type(error).__name__}: {error}"
            return None

    def interrupted(self, number: int, reason: str) -> None:
        """Record that a consultation was stopped; it is still to be done."""
        self.flush()
        self._store.note_interruption(number, reason)
        self.progress.under_way.pop(number, None)
        if self._admission is not None:
            self._admission.interrupt(number)
            self._tell_of_change()

    def _tell_of_change(self) -> None:
        self.changed.set()  # wakes whoever waits now
        self.changed.clear()

    def enough(self) -> str | None:
        """Return about how large the limit that ended the run has to be for the rest of it."""
        if self._admission is None or self.stop.reason is None:
            return None
        left = column_spending(self._store, CellState.TODO)
        return self._admission.enough(self.stop.reason.kind, left)
