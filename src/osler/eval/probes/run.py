"""Probe the memories of a run: each is rebuilt turn by turn and asked.

The run itself is only read. Memories are rebuilt from the recorded model answers, so rebuilding
makes no new calls.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pydantic import BaseModel

from osler.errors import UserError
from osler.eval.probes.figures import (
    LeftOut,
    ProbeAnswer,
    ProbedConsultation,
    ProbeFigures,
    ProbeResult,
    probe_figures,
)
from osler.eval.probes.gold import MemoryProbe, probes_of
from osler.eval.probes.key_facts import (
    KeyAnswer,
    KeyRecall,
    Moment,
    ask_for_key_facts,
    state_of,
    truth_of_fact,
)
from osler.eval.reader.memory_answers import AnswerForm, AskedTruth, MemoryAnswerReader
from osler.language import Language
from osler.memory import Memory, MemorySettings, memory_factory
from osler.memory.base import Purpose, Query, Recall, Turn
from osler.models import Backbone, ChatMessage, ask, open_backbone, parse_spec
from osler.models.errors import unless_it_fails
from osler.models.spec import Spec
from osler.prompts import Prompt, phrases, prompt, using_prompts
from osler.records.schema import PatientRecord
from osler.runs.events import Called, Recalled, Remembered, Role
from osler.runs.plan import Column, chosen_columns
from osler.runs.store import RunFile
from osler.runs.transcript import Transcript
from osler.seeds import derive
from osler.settings.names import ONE_STEP, TIMEOUT, WITHOUT_MODEL
from osler.settings.run_settings import RunSettings


class RecordedAnswers:
    """A memory's model, out of a transcript.

    It gives each answer to its own request, and those to repeated requests in their order.
    """

    def __init__(self, transcript: Transcript) -> None:
        """Take what the memory's model answered, and where it failed."""
        self._waiting: dict[str, deque[str | None]] = defaultdict(deque)
        for call in transcript.of(Called):
            if call.role is Role.MEMORY:
                text = "\n".join(message.content for message in call.messages)
                self._waiting[text].append(call.answer if call.failure is None else None)
        self.missing = 0
        """Requests that were not made in the consultation; the memory does without, as it does when
        a model fails."""

    async def think(
        self, template: Prompt, text: str, schema: type[BaseModel] | None, most: int
    ) -> str | None:
        """Return what the model answered to that request; None if it failed, or was never asked."""
        waiting = self._waiting.get(text)
        if waiting:
            return waiting.popleft()
        self.missing += 1
        return None


class NotRebuiltError(UserError):
    """A memory asks its model what it did not ask then, as with other prompts.

    What is rebuilt is not that memory.
    """

    def __init__(self, case: str, memory: str) -> None:
        """Name the consultation."""
        super().__init__(
            f"the memory {memory} of {case} cannot be rebuilt: it now asks its model what has no"
            " recorded answer",
            "use the version of Osler that made the run, or run it again",
        )


class Rebuilt(NamedTuple):
    """A rebuilt memory, and what was missing to rebuild it."""

    memory: Memory
    answers: RecordedAnswers
    missing: int
    """Requests to its model that were not made in the consultation: if there are any, it is not the
    same memory."""


AfterTurn = Callable[[int, Memory], Awaitable[None]]
"""Called with each remembered turn and a copy of the memory at that moment."""


async def rebuilt(
    transcript: Transcript,
    settings: RunSettings,
    after_turn: AfterTurn | None = None,
    turns_due: Collection[int] = (),
) -> Rebuilt:
    """The memory of a consultation at its end; `after_turn` is called after the turns that are due.

    Recalls are gone through as well: some memories ask their model then, or keep what is often
    recalled. A turn that the consultation ended too early to remember stays unknown here, too.
    """
    answers = RecordedAnswers(transcript)
    memory = _empty_memory(transcript, settings, answers)
    turns = transcript.exchanges
    for event in transcript.events:
        if isinstance(event, Recalled):
            await memory.recall(query_of(event, turns))
        elif isinstance(event, Remembered):
            await memory.remember(turns[event.of])
            if after_turn is not None and event.of in turns_due:
                copy = _empty_memory(transcript, settings, RecordedAnswers(transcript))
                copy.state = memory.state
                await after_turn(event.of, copy)
    return Rebuilt(memory, answers, answers.missing)


def query_of(event: Recalled, turns: Mapping[int, Turn]) -> Query:
    """What the memory was asked in a consultation with these turns."""
    exchange = None if event.beside is None else turns[event.beside]
    purpose = Purpose.CONCLUSION if event.to_conclude else Purpose.QUESTION
    return Query(event.query, exchange, purpose)


def _empty_memory(
    transcript: Transcript, settings: RunSettings, answers: RecordedAnswers
) -> Memory:
    header = transcript.header
    settings = settings.for_column(header.column)
    thinks = (settings.memory_backbone or header.backbone) not in WITHOUT_MODEL
    memory_settings = MemorySettings(
        language=header.language,
        budget=settings.budget,
        seed=derive(settings.seed, header.case, header.trial, "memory"),
        thinker=answers.think if thinks else None,
        speaker=header.speaker,
        about=header.about,
    )
    return memory_factory(header.memory)(memory_settings)


_AT_A_TIME = 8
"""Requests to the models that answer and read, at a time."""
_LONGEST = 120
"""Tokens of an answer."""


class _ProbeRecall(NamedTuple):
    """One question to the memory, and what it recalled."""

    probe: MemoryProbe
    turn: int
    """The last turn that the memory knew of."""
    question: str
    recall: Recall


@dataclass(frozen=True)
class Examiner:
    """Who answers from what is recalled, and who reads the answers.

    Without them, only recalls are looked at.
    """

    backbone: Backbone | None = None
    judge: Backbone | None = None
    _gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_A_TIME))

    async def answer(self, question: str, recall: Recall, language: Language) -> str | None:
        """The model's answer from what was recalled.

        It is None without a model, or if the model failed this time.
        """
        if self.backbone is None:
            return None
        nothing = phrases("probe_questions", language)["nothing"]
        template = prompt("probe_answer", language)
        text = template.fill(recall=recall.text or nothing, question=question)
        client = self.backbone.client
        messages = [ChatMessage("user", text)]
        async with self._gate:
            answer = await unless_it_fails(lambda: ask(client, messages, max_tokens=_LONGEST))
        if answer is not None:
            return answer.text.strip()
        return None

    async def read(
        self, question: AskedTruth, answer: str | None, language: Language
    ) -> AnswerForm | None:
        """What an answer says; None if there is none, or nobody could read it."""
        if answer is None:
            return None
        reader = MemoryAnswerReader(self.judge, language)
        async with self._gate:
            return await unless_it_fails(lambda: reader.read(question, answer))


async def examine(
    transcript: Transcript,
    record: PatientRecord,
    settings: RunSettings,
    examiner: Examiner | None = None,
) -> ProbedConsultation:
    """Rebuild the memory of a consultation and ask it.

    Every probe is asked in every wording at the end, and in some after earlier turns.

    Raises:
        NotRebuiltError: The memory asks its model what it did not ask then.
        BackboneError: The model that answers, or the one that reads, cannot be reached at all.
    """
    probes = probes_of(transcript, record)
    last_turn = max(transcript.exchanges, default=0)
    has_key_facts = bool(record.key_facts) and transcript.header.date is not None
    recalls: list[_ProbeRecall] = []
    key_recalls: list[KeyRecall] = []
    questions_after: dict[int, list[_Question]] = defaultdict(list)
    for probe in probes:
        for turn, wording in probe.asked_at(last_turn):
            questions_after[turn].append((probe, wording))
    turns_due = set(questions_after)
    if has_key_facts:
        turns_due.add(_LAST_OF_VISITS)

    async def ask_now(turn: int, memory: Memory) -> None:
        recalls.extend(await _ask_memory(memory, turn, questions_after[turn]))
        if turn == _LAST_OF_VISITS:
            key_recalls.extend(await ask_for_key_facts(record, transcript, memory, Moment.VISITS))

    at_the_end = await rebuilt(transcript, settings, ask_now, turns_due)
    if at_the_end.missing:
        raise NotRebuiltError(transcript.header.case, transcript.header.memory)
    every_wording: list[_Question] = []
    for probe in probes:
        every_wording += [(probe, wording) for wording in probe.wordings]
    recalls += await _ask_memory(at_the_end.memory, last_turn, every_wording)
    if has_key_facts:
        key_recalls += await ask_for_key_facts(record, transcript, at_the_end.memory, Moment.END)

    examiner = examiner or Examiner()
    language = record.language
    answers = await asyncio.gather(*(_answered(recall, language, examiner) for recall in recalls))
    key_answers = await asyncio.gather(
        *(_fact_answered(recall, language, examiner) for recall in key_recalls)
    )
    # By identity: two probes may be equal.
    answers_of: dict[int, list[ProbeAnswer]] = defaultdict(list)
    for recall, answer in zip(recalls, answers, strict=True):
        answers_of[id(recall.probe)].append(answer)
    results = tuple(ProbeResult(probe, tuple(answers_of[id(probe)])) for probe in probes)
    failed = 0
    if examiner.backbone is not None:
        failed = sum(answer.answer is None for answer in answers)
    unheard = at_the_end.answers.missing
    return ProbedConsultation(transcript, results, unheard, failed, tuple(key_answers))


_LAST_OF_VISITS = 0
"""The number of the last turn before the consultation."""
_Question = tuple[MemoryProbe, str]
"""A probe and the wording in which it is asked."""


async def _ask_memory(
    memory: Memory, turn: int, questions: Sequence[_Question]
) -> list[_ProbeRecall]:
    recalls = []
    for probe, wording in questions:
        recall = await memory.recall(Query(wording))
        recalls.append(_ProbeRecall(probe, turn, wording, recall))
    return recalls


async def _answered(recall: _ProbeRecall, language: Language, examiner: Examiner) -> ProbeAnswer:
    answer = await examiner.answer(recall.question, recall.recall, language)
    form = await examiner.read(recall.probe.asked(recall.question), answer, language)
    return ProbeAnswer(recall.recall, answer, form, recall.turn)


async def _fact_answered(recall: KeyRecall, language: Language, examiner: Examiner) -> KeyAnswer:
    answer = await examiner.answer(recall.fact.question, recall.recall, language)
    form = await examiner.read(truth_of_fact(recall.fact), answer, language)
    return KeyAnswer(recall, None if form is None else state_of(form))


async def probe_run(
    run: RunFile,
    ks: Sequence[int],
    *,
    memories: Sequence[str] | None = None,
    strategies: Sequence[str] | None = None,
    answered_by: str | None = None,
    judge: str | None = None,
    limit: int | None = None,
    seconds: float = TIMEOUT,
) -> tuple[list[ProbeFigures], LeftOut]:
    """Probe the consultations of a run; also return how many were left out.

    Args:
        run: The run.
        ks: Where rankings are cut.
        memories: Only these; None means all.
        strategies: Only these; None means all.
        answered_by: The model that answers from what is recalled; None means that only recalls are
            looked at.
        judge: The model that reads the answers; None means that only exact answers are read.
        limit: Consultations of each column.
        seconds: For one answer of a model.

    Raises:
        UserError: A memory or backbone that there is not, or nothing to probe.
        NotRebuiltError: No memory can be rebuilt.
    """
    if judge is not None and answered_by is None:
        raise UserError("--judge reads a model's answers, and no model answers", "add --backbone")
    columns = chosen_columns(run.columns(), memories, strategies)
    # Both names are checked before either model is opened.
    backbone_spec = None if answered_by is None else _model(answered_by)
    reader_spec = None if judge is None else _model(judge)
    backbone = None if backbone_spec is None else open_backbone(backbone_spec, timeout=seconds)
    reader = None if reader_spec is None else open_backbone(reader_spec, timeout=seconds)
    examiner = Examiner(backbone, reader)
    settings = run.settings
    probed: list[ProbedConsultation] = []
    failures: list[NotRebuiltError] = []
    unanswered = 0
    count_of: Counter[Column] = Counter()
    try:
        for transcript in run.transcripts():
            column = transcript.header.column
            # The ceiling has no memory to probe: the doctor was given the whole record.
            if column not in columns or column.memory == ONE_STEP:
                continue
            if limit is not None and count_of[column] >= limit:
                continue
            if not transcript.ending.is_answer:
                unanswered += 1
                continue
            count_of[column] += 1
            record = run.record(transcript.header.case)
            try:
                with using_prompts(settings.prompts):
                    probed.append(await examine(transcript, record, settings, examiner))
            except NotRebuiltError as error:
                failures.append(error)
    finally:
        for opened in (backbone, reader):
            if opened is not None:
                await opened.close()
    if failures and not probed:
        raise failures[0]
    if not probed:
        raise UserError(
            f"the run {run.path} has no consultation to probe", "hold some with `osler simulate`"
        )
    figures = probe_figures(probed, ks, judged=judge is not None)
    return figures, LeftOut(unanswered, len(failures))


def _model(spec: str) -> Spec:
    """Parse the name of a model; the rules answer no questions."""
    parsed = parse_spec(spec)
    if parsed.kind in WITHOUT_MODEL:
        raise UserError(
            f"{spec} is no model that answers or reads", "name a model, or leave the option out"
        )
    return parsed
