"""Probe the memories of a run: each is rebuilt turn by turn and asked, and its answers are scored.

The run itself is only read. Memories are rebuilt from the recorded model answers, so rebuilding makes no new calls.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import NamedTuple

from pydantic import BaseModel

from osler.errors import UserError
from osler.eval.probes.answering import model_answer, rules_answer
from osler.eval.probes.figures import Examined, LeftOut, ProbeAnswer, Probed, ProbeFigures, probe_figures
from osler.eval.probes.gold import MemoryProbe, probes_of
from osler.eval.probes.key_facts import KeyAnswer, KeyRecall, Moment, answered_key_fact, ask_for_key_facts, key_answer
from osler.eval.probes.scoring import score
from osler.language import Language
from osler.memory import Memory, MemorySettings, memory_factory
from osler.memory.base import ConcludingMemory, Recall
from osler.models import Backbone, BackboneError, FailureKind, open_backbone, parse_spec
from osler.prompts import Prompt
from osler.records.schema import PatientRecord
from osler.runs.events import Called, Recalled, Remembered, Role
from osler.runs.plan import ONE_STEP, WITHOUT_MODEL, Column, Settings, chosen_columns
from osler.runs.store import RunFile
from osler.runs.transcript import Transcript
from osler.seeds import derive


class RecordedAnswers:
    """A memory's model, out of a transcript: each answer to its own request, and repeated requests in their order."""

    def __init__(self, transcript: Transcript) -> None:
        """Take what the memory's model answered, and where it failed."""
        self._waiting: dict[str, deque[str | None]] = defaultdict(deque)
        for call in transcript.of(Called):
            if call.role is Role.MEMORY:
                text = "\n".join(message.content for message in call.messages)
                self._waiting[text].append(call.answer if call.failure is None else None)
        self.missing = 0
        """Requests that were not made in the consultation; the memory does without, as it does when a model fails."""

    async def think(self, template: Prompt, text: str, schema: type[BaseModel] | None, most: int) -> str | None:
        """Return what the model answered to that request; None if it failed, or was never asked."""
        if waiting := self._waiting.get(text):
            return waiting.popleft()
        self.missing += 1
        return None


class NotRebuiltError(UserError):
    """A memory asks its model what it did not ask then, as with other prompts: what is rebuilt is not that memory."""

    def __init__(self, case: str, memory: str) -> None:
        """Name the consultation."""
        super().__init__(
            f"the memory {memory} of {case} cannot be rebuilt: it now asks its model what has no recorded answer",
            "use the version of Osler that made the run, or run it again",
        )


class Rebuilt(NamedTuple):
    """A rebuilt memory, and what was missing to rebuild it."""

    memory: Memory
    answers: RecordedAnswers
    missing: int
    """Requests to its model that were not made in the consultation: if there are any, it is not the same memory."""


AfterTurn = Callable[[int, Memory], Awaitable[None]]
"""Called with each remembered turn and a copy of the memory at that moment."""


async def rebuilt(
    transcript: Transcript, settings: Settings, after_turn: AfterTurn | None = None, turns_due: Collection[int] = ()
) -> Rebuilt:
    """The memory of a consultation at its end; after the turns that are due, `after_turn` is called.

    Recalls are gone through as well: some memories ask their model then, or keep what is often recalled. A turn that
    the consultation ended too early to remember stays unknown here, too.
    """
    answers = RecordedAnswers(transcript)
    memory, turns = _empty_memory(transcript, settings, answers), transcript.exchanges
    for event in transcript.events:
        if isinstance(event, Recalled):
            if event.to_conclude and isinstance(memory, ConcludingMemory):
                await memory.recall_to_conclude(event.query, event.beside)
            else:
                await memory.recall(event.query)
        elif isinstance(event, Remembered):
            await memory.remember(turns[event.of])
            if after_turn is not None and event.of in turns_due:
                copy = _empty_memory(transcript, settings, RecordedAnswers(transcript))
                copy.restore(memory.snapshot())
                await after_turn(event.of, copy)
    return Rebuilt(memory, answers, answers.missing)


def _empty_memory(transcript: Transcript, settings: Settings, answers: RecordedAnswers) -> Memory:
    header = transcript.header
    thinks = (settings.memory_backbone or header.backbone) not in WITHOUT_MODEL
    made = MemorySettings(
        language=header.language,
        budget=settings.budget,
        seed=derive(settings.seed, header.case, header.trial, "memory"),
        thinker=answers.think if thinks else None,
        speaker=header.speaker,
        about=header.about,
    )
    return memory_factory(header.memory)(made)


_AT_A_TIME = 8
_HOPELESS = frozenset({FailureKind.UNREACHABLE, FailureKind.UNAUTHORIZED, FailureKind.UNKNOWN_MODEL})
"""Failures that every further question would meet, too."""


class _Asking(NamedTuple):
    """One question to the memory, and what it recalled."""

    probe: MemoryProbe
    turn: int
    """The last turn that the memory knew of."""
    question: str
    recall: Recall


async def examine(
    transcript: Transcript, record: PatientRecord, settings: Settings, backbone: Backbone | None = None
) -> Examined:
    """Rebuild the memory of a consultation and ask it: at the end every probe in every wording, some before.

    The backbone answers from what is recalled; without one, rules do.

    Raises:
        BackboneError: the model that answers cannot be reached at all.
        NotRebuiltError: the memory's model was asked other things then.
    """
    probes = probes_of(transcript, record)
    last = max((event.of for event in transcript.of(Remembered)), default=0)
    due: dict[int, list[tuple[MemoryProbe, str]]] = defaultdict(list)
    for probe in probes:
        for turn, question in probe.asked_at(last):
            due[turn].append((probe, question))
    askings: list[_Asking] = []
    key_recalls: list[KeyRecall] = []
    has_visits = transcript.header.date is not None

    async def ask_now(turn: int, memory: Memory) -> None:
        askings.extend([_Asking(probe, turn, said, await memory.recall(said)) for probe, said in due[turn]])
        if turn == _LAST_OF_VISITS:
            key_recalls.extend(await ask_for_key_facts(record, memory, Moment.VISITS))

    again = await rebuilt(transcript, settings, ask_now, {*due, *([_LAST_OF_VISITS] if has_visits else [])})
    if again.missing:
        raise NotRebuiltError(transcript.header.case, transcript.header.memory)
    at_the_end = [(probe, said) for probe in probes for said in probe.wordings]
    askings += [_Asking(probe, last, said, await again.memory.recall(said)) for probe, said in at_the_end]
    if has_visits:
        key_recalls += await ask_for_key_facts(record, again.memory, Moment.END)
    unheard = again.answers.missing
    answers = await _answers(askings, record.language, backbone)
    by_probe: dict[int, list[ProbeAnswer]] = defaultdict(list)
    for asking, answer in zip(askings, answers, strict=True):
        by_probe[id(asking.probe)].append(answer)
    done = tuple(Probed(probe, tuple(by_probe[id(probe)])) for probe in probes)
    return Examined(transcript, done, unheard, await _key_answers(key_recalls, record.language, backbone))


_LAST_OF_VISITS = 0
"""The number of the last turn before the consultation."""


async def _key_answers(
    asked: Sequence[KeyRecall], language: Language, backbone: Backbone | None
) -> tuple[KeyAnswer, ...]:
    """Return what became of each key fact; those for which the model failed are left out."""
    gate = asyncio.Semaphore(_AT_A_TIME)

    async def answered(one: KeyRecall) -> KeyAnswer | None:
        if backbone is None:
            return key_answer(one, one.recall.text)
        async with gate:
            said = await _answer(one.fact.question, one.recall, language, backbone)
        return None if said is None else answered_key_fact(one, said)

    found = await asyncio.gather(*map(answered, asked))
    return tuple(one for one in found if one is not None)


async def _answer(question: str, recall: Recall, language: Language, backbone: Backbone) -> str | None:
    """Return the model's answer from what was recalled; None if it failed this time."""
    try:
        return await model_answer(question, recall.text, language, backbone)
    except BackboneError as error:
        if error.kind in _HOPELESS:
            raise
        return None


async def _answers(askings: Sequence[_Asking], language: Language, backbone: Backbone | None) -> Sequence[ProbeAnswer]:
    gate = asyncio.Semaphore(_AT_A_TIME)

    async def answered(asking: _Asking) -> ProbeAnswer:
        probe, turn, question, recall = asking
        if backbone is None:
            answer: str | None = rules_answer(probe, recall, language)
        else:
            async with gate:
                answer = await _answer(question, recall, language, backbone)
        return ProbeAnswer(recall, None if answer is None else score(probe, recall, answer, language), turn)

    return await asyncio.gather(*map(answered, askings))


async def probe_run(
    run: RunFile,
    ks: Sequence[int],
    *,
    memories: Sequence[str] | None = None,
    strategies: Sequence[str] | None = None,
    answered_by: str = "rules",
    limit: int | None = None,
    seconds: float = 60.0,
) -> tuple[list[ProbeFigures], LeftOut]:
    """Probe the consultations of a run; also return how many were left out.

    Args:
        run: The run.
        ks: Where rankings are cut.
        memories: Only these; None means all.
        strategies: Only these; None means all.
        answered_by: The backbone that answers from what is recalled, or `rules`.
        limit: Consultations of each column.
        seconds: For one answer of a model.

    Raises:
        UserError: A memory or backbone that there is not, or nothing to probe.
        NotRebuiltError: No memory can be rebuilt.
    """
    columns = chosen_columns(run.columns(), memories, strategies)
    spec = parse_spec(answered_by)
    backbone = None if spec.kind == "rules" else open_backbone(spec, timeout=seconds)
    settings, done, unanswered, failures = run.settings, list[Examined](), 0, list[NotRebuiltError]()
    seen: Counter[Column] = Counter()
    try:
        for transcript in run.transcripts():
            column = transcript.header.column
            # The ceiling has no memory to probe: the doctor was given the whole record.
            if column not in columns or column.memory == ONE_STEP or (limit is not None and seen[column] >= limit):
                continue
            if not transcript.ending.is_answer:
                unanswered += 1
                continue
            seen[column] += 1
            try:
                done.append(await examine(transcript, run.record(transcript.header.case), settings, backbone))
            except NotRebuiltError as error:
                failures.append(error)
    finally:
        if backbone is not None:
            await backbone.close()
    if failures and not done:
        raise failures[0]
    if not done:
        raise UserError(f"the run {run.path} has no consultation to probe", "hold some with `osler simulate`")
    return probe_figures(done, ks), LeftOut(unanswered, len(failures))
