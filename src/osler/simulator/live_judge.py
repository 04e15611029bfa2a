"""Judges that read what consultations conclude while others are still held.

A consultation is stored before it is judged, so a judge that fails or is slow costs none. What was
not judged when the last consultation has ended is judged then, as `osler score --judge` does it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from osler.eval.faithfulness.judge_replies import judge_patient_replies
from osler.eval.judge import truth_of
from osler.eval.panel import Panel, open_panel
from osler.eval.reader.exact import exact_opinion
from osler.eval.reader.model_judge import ModelJudge
from osler.eval.run_answers import KINDS, AnswerContent, answers_of, own_opinions, stored_opinion
from osler.eval.score_run import JudgeOptions, PanelWork, examine_judges, opinion_of
from osler.records.schema import PatientRecord
from osler.runs.events import Ending
from osler.runs.store import RunWriter, StoredScore
from osler.runs.transcript import Transcript
from osler.simulator.judge_choice import ChosenJudges
from osler.simulator.limits import RunLimiter


class LiveJudge:
    """A panel that judges the consultations of one run as they end."""

    def __init__(
        self,
        store: RunWriter,
        panel: Panel,
        options: JudgeOptions,
        limiter: RunLimiter,
        examination: asyncio.Task[None],
    ) -> None:
        """Take a panel and its examination, which may still go on.

        What it uses counts towards the run's limits.
        """
        self._store = store
        self._panel = panel
        self._options = options
        self._limiter = limiter
        self._examination = examination
        self._gate = asyncio.Semaphore(options.concurrency)
        self._reading: dict[AnswerContent, asyncio.Task[None]] = {}
        """The same answer to the same record is read once."""
        answers = list(answers_of(store))
        self._known = {
            judge.name: own_opinions(store, judge.name, answers).keys() for judge in panel.judges
        }
        """What each judge has read in earlier sessions."""

    def ended(self, number: int, transcript: Transcript) -> None:
        """Have a consultation's answers read; it is stored already."""
        record = self._store.record(transcript.header.case)
        for content in _contents(transcript, record):
            if content not in self._reading:
                self._reading[content] = asyncio.create_task(self._read(number, content, record))

    async def _read(self, number: int, content: AnswerContent, record: PatientRecord) -> None:
        await asyncio.shield(self._examination)
        for judge in self._panel.judges:
            if content in self._known[judge.name]:
                continue
            async with self._gate:
                opinion = await opinion_of(judge, content, record)
            self._limiter.spend(opinion.tokens or 0, opinion.cost or 0.0)
            self._store.store_score(
                number, StoredScore(judge.name, [stored_opinion(content.kind, opinion)])
            )

    async def finish(self) -> str:
        """Judge what is left; return the name of the verdicts.

        Raises:
            UserError: A judge cannot be reached, or cannot judge.
        """
        await self._examination
        # What failed is asked again below, where the failure is told.
        await asyncio.gather(*self._reading.values(), return_exceptions=True)
        work = PanelWork(self._store, self._panel, self._options)
        try:
            await work.ask()
        except ExceptionGroup as several:
            raise several.exceptions[0] from None
        work.store_all()
        self._limiter.spend(work.tokens, work.cost)
        return work.names[-1]

    @property
    def was_refused(self) -> bool:
        """Whether a judge could not be examined, or is not good enough."""
        examination = self._examination
        return (
            examination.done()
            and not examination.cancelled()
            and examination.exception() is not None
        )

    async def read_replies(self, share: float) -> None:
        """Have the first model among the judges read a share of the patient's replies.

        Raises:
            UserError: It cannot be reached or cannot judge replies.
        """
        models = [judge for judge in self._panel.judges if isinstance(judge, ModelJudge)]
        if not models:
            return
        gate = asyncio.Semaphore(self._options.concurrency)
        report = await judge_patient_replies(self._store, models[0].backbone, share, gate)
        self._limiter.spend(report.tokens, report.cost or 0.0)

    async def stop(self) -> None:
        """Give up what is being read: the run has ended before its plan did."""
        for task in (self._examination, *self._reading.values()):
            task.cancel()
        await asyncio.gather(self._examination, *self._reading.values(), return_exceptions=True)


def _contents(transcript: Transcript, record: PatientRecord) -> Iterator[AnswerContent]:
    """What has to be read of a consultation."""
    conclusion = transcript.conclusion
    if (
        conclusion is None
        or transcript.ending is Ending.UNPARSED
        or not transcript.ending.is_answer
    ):
        return
    for kind in KINDS:
        text = conclusion.diagnosis if kind == "diagnosis" else conclusion.treatment
        if not text.strip() or (kind == "treatment" and record.treatment is None):
            continue
        if exact_opinion(truth_of(kind, record), text) is None:
            yield AnswerContent(record.id, kind, text)


@asynccontextmanager
async def open_live_judge(
    store: RunWriter, chosen: ChosenJudges, limiter: RunLimiter, *, concurrency: int, seconds: float
) -> AsyncIterator[LiveJudge | None]:
    """Open the judges of a run; None if it has none.

    Judges that were named are examined first, in the languages of the run. The patient's model is
    examined while the first consultations are held: it may turn out that it cannot judge, and the
    run goes on.

    Raises:
        UserError: A judge that was named cannot be reached or cannot judge.
    """
    if not chosen.specs:
        yield None
        return
    # `any_judge`: it is examined here, once, and not again for each consultation.
    options = JudgeOptions(concurrency=concurrency, timeout=seconds, any_judge=True)
    async with open_panel(chosen.specs, seconds=seconds) as panel:
        examination = asyncio.create_task(_examine(store, panel, concurrency, limiter))
        judge = LiveJudge(store, panel, options, limiter, examination)
        try:
            if chosen.is_named:
                await examination
            yield judge
        finally:
            await judge.stop()


async def _examine(store: RunWriter, panel: Panel, concurrency: int, limiter: RunLimiter) -> None:
    """Examine the judges in the languages of the run."""
    languages = store.languages()
    gate = asyncio.Semaphore(concurrency)
    try:
        tokens = await examine_judges(store, panel.judges, languages, KINDS, gate)
    except ExceptionGroup as several:
        raise several.exceptions[0] from None
    limiter.spend(tokens, 0.0)
