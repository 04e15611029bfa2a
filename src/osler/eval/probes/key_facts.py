"""Whether a memory still has the key facts of earlier visits, after these and at the end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeVar

from osler.eval.probes.scoring import retrieved
from osler.eval.reader.memory_answers import Agreement, AnswerForm, AskedTruth, Says, exact_forms
from osler.eval.statistics import Figure
from osler.memory.base import Memory, Query, Recall
from osler.records.schema import PatientRecord
from osler.records.visits import KeyFact
from osler.runs.transcript import Transcript


class Moment(StrEnum):
    """When a fact is asked for."""

    VISITS = "after the visits"
    END = "at the end"


class FactState(StrEnum):
    """What an answer says of a key fact."""

    RIGHT = "right"
    """It has what is so now."""
    OUTDATED = "outdated"
    """It has only what was corrected since."""
    MISSING = "missing"


RECALLED = "recalled"
"""Whether the recall tells of a turn that told the fact."""
_NAMES = (RECALLED, *FactState)


class KeyRecall(NamedTuple):
    """What a memory recalled for the question of a key fact."""

    fact: KeyFact
    moment: Moment
    recall: Recall
    recalled: bool | None
    """None if the recall does not say which turns it tells of, or the record not which exchanges
    tell the fact."""


class KeyAnswer(NamedTuple):
    """What became of a key fact."""

    recall: KeyRecall
    state: FactState | None
    """None without an answer, or if nobody could read it."""


async def ask_for_key_facts(
    record: PatientRecord, transcript: Transcript, memory: Memory, moment: Moment
) -> list[KeyRecall]:
    """Ask a memory for every key fact of a record."""
    recalls = []
    for fact in record.key_facts:
        recall = await memory.recall(Query(fact.question))
        turns = turns_telling(fact, transcript)
        is_recalled = retrieved(turns, recall) if turns else None
        recalls.append(KeyRecall(fact, moment, recall, is_recalled))
    return recalls


def turns_telling(fact: KeyFact, transcript: Transcript) -> frozenset[int]:
    """The turns of the memory at which a fact was told.

    There are none if the record does not say at which exchange.
    """
    numbers = [
        turn.number
        for turn in transcript.turn_views
        if turn.visited and turn.visited.visit == fact.visit and not turn.visited.filler
    ]
    return frozenset(numbers[place - 1] for place in fact.exchanges if place <= len(numbers))


def truth_of_fact(fact: KeyFact) -> AskedTruth:
    """The question and the truth, for whoever reads an answer to it."""
    outdated = exact_forms(Says.TELLS, Agreement.OUTDATED, fact.outdated)
    right = exact_forms(Says.TELLS, Agreement.ALL, (fact.answer, *fact.accept))
    return AskedTruth(fact.question, fact.answer, fact.outdated, outdated | right)


def state_of(form: AnswerForm) -> FactState:
    """What became of a fact, by what a reader found in the answer."""
    if form.agrees is Agreement.OUTDATED:
        return FactState.OUTDATED
    is_right = form.agrees is Agreement.ALL and form.says not in {Says.NOT_KNOWN, Says.NOTHING}
    if is_right:
        return FactState.RIGHT
    return FactState.MISSING


@dataclass(frozen=True)
class KeyFactFigures:
    """The key facts of one column; empty without visits."""

    shares: dict[str, dict[str, Figure]]
    """By moment, the shares that were recalled, and of the answers that were read those that are
    right, outdated and missing; without what was not measured."""
    by_visit: dict[int, Figure]
    """Share recalled at the end, by the visit at which the fact was said last."""


def key_fact_figures(answers: Iterable[tuple[str, KeyAnswer]], *, judged: bool) -> KeyFactFigures:
    """Return shares with their intervals over patients; each answer comes with its patient.

    Without a judge, shares of answers are known only if every answer is exact: those that are not
    differ from them.
    """
    all_answers = list(answers)
    if not all_answers:
        return KeyFactFigures({}, {})
    is_known = judged or all(answer.state is not None for _, answer in all_answers)
    shares = {}
    for moment in Moment:
        at_moment = [pair for pair in all_answers if pair[1].recall.moment is moment]
        shares[moment.value] = _shares(at_moment, with_answers=is_known)
    by_visit: dict[int, list[tuple[str, bool | None]]] = defaultdict(list)
    for patient, answer in all_answers:
        if answer.recall.moment is Moment.END:
            by_visit[answer.recall.fact.visit].append((patient, answer.recall.recalled))
    visits = {visit: mean_of(values) for visit, values in sorted(by_visit.items())}
    return KeyFactFigures(shares, _measured(visits))


def _shares(answers: Sequence[tuple[str, KeyAnswer]], *, with_answers: bool) -> dict[str, Figure]:
    """The shares of one moment, by name, without what was not measured."""
    recalled = [(patient, answer.recall.recalled) for patient, answer in answers]
    figures = {RECALLED: mean_of(recalled)}
    read = [(patient, answer.state) for patient, answer in answers if answer.state is not None]
    for state in FactState:
        of_state = [(patient, read_state is state) for patient, read_state in read]
        figures[state.value] = mean_of(of_state if with_answers else [])
    return _measured(figures)


_K = TypeVar("_K")


def _measured(figures: Mapping[_K, Figure]) -> dict[_K, Figure]:
    return {key: figure for key, figure in figures.items() if figure.value is not None}


def mean_of(values: Iterable[tuple[str, float | None]]) -> Figure:
    """The mean of the values of patients, those that are known."""
    by_patient: dict[str, list[float]] = defaultdict(list)
    for patient, value in values:
        if value is not None:
            by_patient[patient].append(float(value))
    return Figure.of(by_patient)


def key_fact_rows(columns: Sequence[KeyFactFigures]) -> Iterator[tuple[str, list[Figure | None]]]:
    """Rows of a table: a name, and a figure for each column.

    A row that no column has is left out, but `recalled`.
    """
    if not any(column.shares for column in columns):
        return
    empty: Mapping[str, Figure] = {}
    for moment in Moment:
        for name in _NAMES:
            figures = [column.shares.get(moment, empty).get(name) for column in columns]
            if any(figures) or name == RECALLED:
                yield f"key facts {moment}: {name}", figures
    visits = set[int]().union(*(column.by_visit for column in columns))
    for visit in sorted(visits):
        yield f"  of visit {visit}: recalled", [column.by_visit.get(visit) for column in columns]
