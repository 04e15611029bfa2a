"""The figures of probes, column by column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, NamedTuple

from osler.eval.probes.gold import MemoryProbe
from osler.eval.probes.key_facts import (
    KeyAnswer,
    KeyFactFigures,
    key_fact_figures,
    mean_of,
)
from osler.eval.probes.scoring import correctness, retrieved, said
from osler.eval.reader.memory_answers import AnswerForm
from osler.eval.statistics import Figure
from osler.memory.base import Fact, Recall
from osler.ranking import ranked
from osler.runs.plan import Column
from osler.runs.transcript import Transcript


@dataclass(frozen=True)
class ProbeAnswer:
    """A probe in one wording: what was recalled, and what was answered."""

    recall: Recall
    answer: str | None = None
    """None without a model, or if it failed."""
    form: AnswerForm | None = None
    """What the answer says; None if nobody could read it."""
    turn: int = 0
    """The last turn that the memory knew of when it was asked."""

    @property
    def ranked(self) -> tuple[Fact, ...]:
        """What was recalled, the best first; nothing if the memory does not rank its items."""
        facts = self.recall.facts
        if len({fact.score for fact in facts}) < 2:
            return ()
        places = ranked([fact.score for fact in facts], range(len(facts)))
        return tuple(facts[place] for place in places)


@dataclass(frozen=True)
class ProbeResult:
    """A probe with all its askings in order.

    What was told is asked for after earlier turns, and everything in every wording at the end.
    """

    probe: MemoryProbe
    asked: tuple[ProbeAnswer, ...]

    @property
    def at_the_end(self) -> tuple[ProbeAnswer, ...]:
        """The askings at the end of the consultation, a wording each."""
        return self.asked[-len(self.probe.wordings) :]

    def retrieved(self, asking: ProbeAnswer) -> bool | None:
        """Whether a turn that told the thing was recalled; None for what was never told, too."""
        if self.probe.turns:
            return retrieved(self.probe.turns, asking.recall)
        return None

    def correctness(self, asking: ProbeAnswer) -> float | None:
        """What an answer is worth; None if nobody could read it."""
        if asking.form is None:
            return None
        return correctness(self.probe, asking.form)

    def places(self) -> list[int | None]:
        """For each wording, return the rank of the first fact of a turn that told the thing.

        A rank is None if there is no such fact, or if the memory does not rank them. There is none
        for what was never told.
        """
        if not self.probe.turns:
            return []
        return [self._place(asking) for asking in self.at_the_end]

    def _place(self, asking: ProbeAnswer) -> int | None:
        for place, fact in enumerate(asking.ranked, 1):
            if fact.turn in self.probe.turns:
                return place
        return None

    @property
    def consistency(self) -> float | None:
        """Share of pairs of answers that say the same, right or wrong.

        It is None if no pair was read.
        """
        if self.probe.status is None:
            return None
        forms = [asking.form for asking in self.asked if asking.form is not None]
        statements = [said(self.probe, form) for form in forms]
        agree = [
            first is not None and first == other for first, other in combinations(statements, 2)
        ]
        if agree:
            return sum(agree) / len(agree)
        return None


class LeftOut(NamedTuple):
    """Consultations of a run that were not probed."""

    unanswered: int
    """Without an answer of the doctor: the memory stopped half-way."""
    not_rebuilt: int
    """Whose memory asks its model what it did not ask then, as with other prompts."""


@dataclass(frozen=True)
class ProbedConsultation:
    """One consultation's memory, probed."""

    transcript: Transcript
    probes: tuple[ProbeResult, ...]
    unheard: int
    """Requests of the memory to its model when it was asked at the end: they have no answer in the
    transcript."""
    unanswered: int = 0
    """Questions that the model failed to answer."""
    key_facts: tuple[KeyAnswer, ...] = ()
    """What the memory has of the record's key facts; none without visits."""


@dataclass(frozen=True)
class ProbeFigures:
    """One column."""

    column: Column
    consultations: int
    patients: int
    probes: int
    """Each asked in all its wordings at the end; what was told also at some turns before."""
    answers: int
    """That a model gave."""
    unanswered: int
    """The model that answers failed: not scored."""
    unread: int
    """Answers that nobody could read: not scored."""
    unheard: int
    """Requests of the memory to its model when it was asked at the end. They have no recorded
    answer, so it recalls as it does when the model fails."""
    retrieval: Figure
    """Whether the recall tells of a turn that told the thing."""
    correctness: Figure
    """Without a judge, only if every answer is exact: those that are not differ from them."""
    consistency: Figure
    """Of what was told: share of pairs of answers to one probe, asked at several turns and in
    several wordings, that say the same, right or wrong. An answer of not known agrees with none.
    Without a judge as for correctness."""
    retrieval_by_turn: dict[int, Figure]
    """By the turn after which it was asked."""
    by_kind: dict[str, dict[str, Figure]]
    """Retrieval and correctness by kind of probe; only the kinds there were."""
    top_k: dict[int, Figure]
    """Whether one of the first k facts is of a turn that told the thing; empty if the memory ranks
    nothing."""
    key_facts: KeyFactFigures

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        figures = asdict(self)
        del figures["column"]
        return {**self.column.as_json(), **figures}


PatientResult = tuple[str, ProbeResult]
"""A probe with the patient whom it is about."""
_TOLD = "told"
_NOT_KNOWN = "not known"
KINDS = (_TOLD, "present", "absent", "normal", "not done", "when", _NOT_KNOWN)
"""Kinds of probes, in the order of tables; `told` is everything but `not known`."""


def probe_figures(
    consultations: Sequence[ProbedConsultation], ks: Sequence[int], *, judged: bool = False
) -> list[ProbeFigures]:
    """One entry for each column, in the order they come.

    `judged` says whether a model read the answers.
    """
    groups: dict[Column, list[ProbedConsultation]] = defaultdict(list)
    for consultation in consultations:
        groups[consultation.transcript.header.column].append(consultation)
    return [_figures(column, group, ks, judged) for column, group in groups.items()]


def _figures(
    column: Column, consultations: list[ProbedConsultation], ks: Sequence[int], judged: bool
) -> ProbeFigures:
    results: list[PatientResult] = []
    key_facts: list[tuple[str, KeyAnswer]] = []
    for consultation in consultations:
        patient = consultation.transcript.header.patient
        results += [(patient, result) for result in consultation.probes]
        key_facts += [(patient, answer) for answer in consultation.key_facts]
    answers = [
        asking for _, result in results for asking in result.asked if asking.answer is not None
    ]
    unread = sum(asking.form is None for asking in answers)
    # Without a judge only exact answers are read, and what is not exact differs from what is.
    is_read = judged or not unread
    consistency = [
        (patient, result.consistency if is_read else None) for patient, result in results
    ]
    return ProbeFigures(
        column=column,
        consultations=len(consultations),
        patients=len({patient for patient, _ in results}),
        probes=len(results),
        answers=len(answers),
        unanswered=sum(consultation.unanswered for consultation in consultations),
        unread=unread,
        unheard=sum(consultation.unheard for consultation in consultations),
        **_scores(results, is_read),
        consistency=mean_of(consistency),
        retrieval_by_turn=_by_turn(results),
        by_kind=_by_kind(results, is_read),
        top_k=_top_k(results, ks),
        key_facts=key_fact_figures(key_facts, judged=judged),
    )


def _by_kind(results: list[PatientResult], is_read: bool) -> dict[str, dict[str, Figure]]:
    figures = {}
    for kind in KINDS:
        of_kind = [pair for pair in results if kind in _kinds(pair[1].probe)]
        if of_kind:
            figures[kind] = _scores(of_kind, is_read)
    return figures


def _kinds(probe: MemoryProbe) -> tuple[str, ...]:
    if probe.kind == _NOT_KNOWN:
        return (probe.kind,)
    return (_TOLD, probe.kind)


def _scores(results: list[PatientResult], is_read: bool) -> dict[str, Figure]:
    """Both scores over every wording at the end; earlier answers count for consistency alone."""
    retrieved: list[tuple[str, float | None]] = []
    correct: list[tuple[str, float | None]] = []
    for patient, result in results:
        for asking in result.at_the_end:
            retrieved.append((patient, result.retrieved(asking)))
            correct.append((patient, result.correctness(asking) if is_read else None))
    return {"retrieval": mean_of(retrieved), "correctness": mean_of(correct)}


def _by_turn(results: list[PatientResult]) -> dict[int, Figure]:
    turns: dict[int, list[tuple[str, bool | None]]] = defaultdict(list)
    for patient, result in results:
        for asking in result.asked:
            turns[asking.turn].append((patient, result.retrieved(asking)))
    figures = {turn: mean_of(values) for turn, values in sorted(turns.items())}
    return {turn: figure for turn, figure in figures.items() if figure.value is not None}


def _top_k(results: list[PatientResult], ks: Sequence[int]) -> dict[int, Figure]:
    if not any(asking.ranked for _, result in results for asking in result.asked):
        return {}
    places: list[tuple[str, int | None]] = []
    for patient, result in results:
        places += [(patient, place) for place in result.places()]
    return {
        k: mean_of((patient, place is not None and place <= k) for patient, place in places)
        for k in ks
    }
