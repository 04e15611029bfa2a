"""Key facts of earlier visits: whether a memory still has them after the visits and at the end of the consultation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from osler.eval.statistics import Figure
from osler.memory.base import Memory, Recall
from osler.records.schema import PatientRecord
from osler.records.visits import KeyFact


class Moment(StrEnum):
    """When a fact is asked for."""

    VISITS = "after the visits"
    END = "at the end"


class FactState(StrEnum):
    """What an answer, or without a model the recall itself, says of a key fact."""

    RIGHT = "right"
    """It has what is so now."""
    OUTDATED = "outdated"
    """It has only what was corrected since."""
    MISSING = "missing"


class KeyRecall(NamedTuple):
    """What a memory recalled for the question of a key fact."""

    fact: KeyFact
    moment: Moment
    recall: Recall


class KeyAnswer(NamedTuple):
    """What became of a key fact."""

    fact: KeyFact
    moment: Moment
    state: FactState


async def ask_for_key_facts(record: PatientRecord, memory: Memory, moment: Moment) -> list[KeyRecall]:
    """Ask a memory for every key fact of a record."""
    return [KeyRecall(fact, moment, await memory.recall(fact.question)) for fact in record.key_facts]


def key_answer(asked: KeyRecall, text: str) -> KeyAnswer:
    """Compare what was recalled, or answered, with the fact, by the texts that the record accepts."""
    fact = asked.fact
    state = FactState.OUTDATED if fact.is_outdated(text) else FactState.MISSING
    return KeyAnswer(fact, asked.moment, FactState.RIGHT if fact.is_right(text) else state)


def answered_key_fact(asked: KeyRecall, answer: str) -> KeyAnswer:
    """Compare a model's answer with the fact; it is read with its question, whose words it need not repeat.

    "Her husband" tells who takes bisoprolol only as the answer to that; a recall has to name both.
    """
    return key_answer(asked, f"{asked.fact.question}\n{answer}")


@dataclass(frozen=True)
class KeyFactFigures:
    """The key facts of one column; empty without visits."""

    shares: dict[str, dict[str, Figure]]
    """By moment, the shares of right, outdated and missing."""
    by_visit: dict[int, Figure]
    """Share of right answers at the end, by the visit at which the fact was said last: consistency by visit."""


def key_fact_figures(answers: Iterable[tuple[str, KeyAnswer]]) -> KeyFactFigures:
    """Return shares with their intervals over patients; each answer comes with its patient."""
    told = list(answers)
    shares = {
        moment.value: {
            state.value: _share(((who, one.state) for who, one in told if one.moment is moment), state)
            for state in FactState
        }
        for moment in Moment
    }
    at_the_end: dict[int, list[tuple[str, FactState]]] = defaultdict(list)
    for who, one in told:
        if one.moment is Moment.END:
            at_the_end[one.fact.visit].append((who, one.state))
    by_visit = {visit: _share(some, FactState.RIGHT) for visit, some in sorted(at_the_end.items())}
    return KeyFactFigures(shares if told else {}, by_visit)


def _share(states: Iterable[tuple[str, FactState]], wanted: FactState) -> Figure:
    by_patient: dict[str, list[float]] = defaultdict(list)
    for patient, state in states:
        by_patient[patient].append(float(state is wanted))
    return Figure.of(by_patient)


def key_fact_rows(found: Sequence[KeyFactFigures]) -> Iterator[tuple[str, list[Figure | None]]]:
    """Rows of a table: a name, and a figure for each column."""
    if not any(one.shares for one in found):
        return
    empty: Mapping[str, Figure] = {}
    for moment in Moment:
        for state in FactState:
            figures = [one.shares.get(moment, empty).get(state) for one in found]
            yield f"key facts {moment}: {state}", figures
    for visit in sorted({visit for one in found for visit in one.by_visit}):
        yield f"  of visit {visit}: right", [one.by_visit.get(visit) for one in found]
