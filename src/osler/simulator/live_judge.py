"""Judges that read what consultations conclude while others are still held.

A consultation is stored before it is judged, so a judge that fails or is slow costs none. What was not judged when the
last consultation has ended is judged then, as `osler score --judge` does it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager

from osler.eval.judge import truth_of
from osler.eval.panel import Panel, open_panel
from osler.eval.reader.exact import exact_opinion
from osler.eval.run_answers import KINDS, AnswerContent, stored_opinion
from osler.eval.score_run import JudgeOptions, PanelWork, examine_judges
from osler.language import Language
from osler.models import BackboneError
from osler.records.schema import PatientRecord
from osler.runs.events import Ending
from osler.runs.store import RunWriter, StoredScore
from osler.runs.transcript import Transcript


class LiveJudge:
    """A panel that judges the consultations of one run as they end."""

    def __init__(self, store: RunWriter, panel: Panel, options: JudgeOptions) -> None:
        """Take a panel that has been examined."""
        self._store, self._panel, self._options = store, panel, options
        self._gate = asyncio.Semaphore(options.concurrency)
        self._reading: dict[AnswerContent, asyncio.Task[None]] = {}
        """The same answer to the same record is read once."""

    def ended(self, number: int, transcript: Transcript) -> None:
        """Have a consultation's answers read; it is stored already."""
        record = self._store.record(transcript.header.case)
        for content in _contents(transcript, record):
            if content not in self._reading:
                self._reading[content] = asyncio.create_task(self._read(number, content, record))

    async def _read(self, number: int, content: AnswerContent, record: PatientRecord) -> None:
        for judge in self._panel.judges:
            async with self._gate:
                try:
                    opinion = await judge.judge(content.kind, content.text, record)
                except BackboneError:
                    return  # asked again at the end, where the failure is told
            self._store.scored(number, StoredScore(judge.name, [stored_opinion(content.kind, opinion)]))

    async def finish(self) -> str:
        """Judge what is left; return the name of the verdicts.

        Raises:
            UserError: A judge cannot be reached.
        """
        await asyncio.gather(*self._reading.values())
        work = PanelWork(self._store, self._panel, self._options)
        try:
            await work.ask()
        except ExceptionGroup as several:
            raise several.exceptions[0] from None
        work.keep()
        return work.names[-1]

    async def stop(self) -> None:
        """Give up what is being read: the run has ended before its plan did."""
        for task in self._reading.values():
            task.cancel()
        await asyncio.gather(*self._reading.values(), return_exceptions=True)


def _contents(transcript: Transcript, record: PatientRecord) -> Iterator[AnswerContent]:
    """What has to be read of a consultation."""
    conclusion = transcript.conclusion
    if conclusion is None or transcript.ending is Ending.UNPARSED or not transcript.ending.is_answer:
        return
    for kind in KINDS:
        text = conclusion.diagnosis if kind == "diagnosis" else conclusion.treatment
        if not text.strip() or (kind == "treatment" and record.treatment is None):
            continue
        if exact_opinion(truth_of(kind, record), text) is None:
            yield AnswerContent(record.id, kind, text)


@asynccontextmanager
async def open_live_judge(
    store: RunWriter, specs: Sequence[str], languages: Sequence[Language], *, concurrency: int, seconds: float
) -> AsyncIterator[LiveJudge]:
    """Open judges for a run, after they have been examined in its languages.

    Raises:
        UserError: A judge cannot be reached or cannot judge.
    """
    options = JudgeOptions(concurrency=concurrency, timeout=seconds, any_judge=True)  # examined here, once
    async with open_panel(specs, seconds=seconds) as panel:
        gate = asyncio.Semaphore(concurrency)
        await examine_judges(store, panel.judges, languages, KINDS, gate)
        yield LiveJudge(store, panel, options)
