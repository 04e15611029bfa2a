"""Key facts of earlier visits.

Whether a memory still has them after the visits and at the end of the consultation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

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

    asked: KeyRecall
    state: FactState | None
    """None without an answer, or if nobody could read it."""


async def ask_for_key_facts(
    record: PatientRecord, transcript: Transcript, memory: Memory, moment: Moment
) -> list[KeyRecall]:
    """Ask a memory for every key fact of a record."""
    asked = []
    for fact in record.key_facts:
        recall, turns = await memory.recall(Query(fact.question)), turns_telling(fact, transcript)
        asked.append(KeyRecall(fact, moment, recall, retrieved(turns, recall) if turns else None))
    return asked


def turns_telling(fact: KeyFact, transcript: Transcript) -> frozenset[int]:
    """The turns of the memory at which a fact was told.

    Empty if the record does not say at which exchange.
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
    return FactState.RIGHT if is_right else FactState.MISSING


@dataclass(frozen=True)
class KeyFactFigures:
    """The key facts of one column; empty without visits."""

    shares: dict[str, dict[str, Figure]]
    """By moment, the shares that were recalled, and of the answers that were read those that are
    right, outdated and
    missing; without what was not measured."""
    by_visit: dict[int, Figure]
    """Share recalled at the end, by the visit at which the fact was said last."""


def key_fact_figures(answers: Iterable[tuple[str, KeyAnswer]], *, judged: bool) -> KeyFactFigures:
    """Return shares with their intervals over patients; each answer comes with its patient.

    Without a judge, shares of answers are known only if every answer is exact: those that are not
    differ from them.
    """
    told = list(answers)
    judged = judged or all(one.state is not None for _, one in told)
    shares = {}
    for moment in Moment:
        some = [(who, one) for who, one in told if one.asked.moment is moment]
        figures = {RECALLED: mean_of((who, one.asked.recalled) for who, one in some)}
        read = [(who, one.state) for who, one in some if one.state is not None and judged]
        for state in FactState:
            figures[state.value] = mean_of((who, found is state) for who, found in read)
        shares[moment.value] = {
            name: figure for name, figure in figures.items() if figure.value is not None
        }
    by_visit: dict[int, list[tuple[str, bool | None]]] = defaultdict(list)
    for who, one in told:
        if one.asked.moment is Moment.END:
            by_visit[one.asked.fact.visit].append((who, one.asked.recalled))
    visits = {visit: mean_of(some) for visit, some in sorted(by_visit.items())}
    return KeyFactFigures(
        shares if told else {}, {k: one for k, one in visits.items() if one.value is not None}
    )


def mean_of(values: Iterable[tuple[str, float | None]]) -> Figure:
    """The mean of the values of patients, those that are known."""
    by_patient: dict[str, list[float]] = defaultdict(list)
    for patient, value in values:
        if value is not None:
            by_patient[patient].append(float(value))
    return Figure.of(by_patient)


def key_fact_rows(found: Sequence[KeyFactFigures]) -> Iterator[tuple[str, list[Figure | None]]]:
    """Rows of a table: a name, and a figure for each column.

    A row that no column has is left out, but `recalled`.
    """
    if not any(one.shares for one in found):
        return
    empty: Mapping[str, Figure] = {}
    for moment in Moment:
        for name in _NAMES:
            figures = [one.shares.get(moment, empty).get(name) for one in found]
            if any(figures) or name == RECALLED:
                yield f"key facts {moment}: {name}", figures
    for visit in sorted({visit for one in found for visit in one.by_visit}):
        yield f"  of visit {visit}: recalled", [one.by_visit.get(visit) for one in found]
