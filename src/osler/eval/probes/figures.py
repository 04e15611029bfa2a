"""What the probes of a run come to, column by column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from osler.eval.probes.asking import Asked, Examined, Probed
from osler.eval.statistics import Interval, ValuesByPatient, mean, mean_interval
from osler.runs.plan import Column


@dataclass(frozen=True)
class Mean:
    """A mean over answers, with its 95 % interval over patients."""

    n: int
    value: float | None
    interval: Interval | None

    @classmethod
    def of(cls, values: ValuesByPatient, seed: int) -> Mean:
        """Of values by patient; nothing of none."""
        count = sum(map(len, values.values()))
        return cls(count, mean(values), mean_interval(values, seed)) if count else cls(0, None, None)


@dataclass(frozen=True)
class Figures:
    """One column."""

    column: Column
    consultations: int
    patients: int
    probes: int
    """Each asked in all its wordings, and once again."""
    answers: int
    unanswered: int
    """The model that answers failed: not scored."""
    missing: int
    """Requests of the memory to its model without a recorded answer: the memory was rebuilt without it."""
    retrieval: Mean
    correctness: Mean
    coherence: Mean
    consistency: Mean
    """Share of pairs of answers to one probe that say the same. A memory that never knows anything is consistent."""
    consistency_by_turn: dict[int, float]
    """By the last turn that told what was asked."""
    by_kind: dict[str, dict[str, Mean]]
    """The three scores by what was tried; only the kinds there were."""
    top_k: dict[int, Mean]
    """Whether one of the first k items says something of the truth; empty where the memory ranks nothing."""

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        told = asdict(self)
        del told["column"]
        return {**self.column.as_json(), **told}


_SCORES = ("retrieval", "correctness", "coherence")
_TOLD, _NOT_KNOWN = "told", "not known"
KINDS = (_TOLD, "present", "absent", "normal", "not done", "when", _NOT_KNOWN)
"""What probes try, in the order of tables; `told` is everything but `not known`."""


def figures(examined: Sequence[Examined], ks: Sequence[int], seed: int) -> list[Figures]:
    """One entry for each column, in the order they come."""
    groups: dict[Column, list[Examined]] = defaultdict(list)
    for one in examined:
        groups[one.transcript.header.column].append(one)
    return [_figures(column, some, ks, seed) for column, some in groups.items()]


def _figures(column: Column, some: list[Examined], ks: Sequence[int], seed: int) -> Figures:
    rows = [(one.transcript.header.patient, probed) for one in some for probed in one.probes]
    askings = [asked for _, probed in rows for asked in probed.asked]
    kinds: dict[str, list[tuple[str, Probed]]] = defaultdict(list)
    for patient, probed in rows:
        kinds[probed.probe.kind].append((patient, probed))
        if probed.probe.kind != _NOT_KNOWN:
            kinds[_TOLD].append((patient, probed))
    overall = _scores(rows, seed)
    return Figures(
        column=column,
        consultations=len(some),
        patients=len({patient for patient, _ in rows}),
        probes=len(rows),
        answers=sum(asked.score is not None for asked in askings),
        unanswered=sum(asked.score is None for asked in askings),
        missing=sum(one.missing for one in some),
        **overall,
        consistency=Mean.of(_by_patient((patient, agreement(probed.asked)) for patient, probed in rows), seed),
        consistency_by_turn=_by_turn([probed for _, probed in rows]),
        by_kind={kind: _scores(kinds[kind], seed) for kind in KINDS if kind in kinds},
        top_k=_top_k(some, ks, seed),
    )


def _scores(rows: list[tuple[str, Probed]], seed: int) -> dict[str, Mean]:
    """The three scores over every wording; the repeated one counts for consistency alone."""
    scored = [
        (patient, asked.score)
        for patient, probed in rows
        for asked in probed.asked[: len(probed.probe.wordings)]
        if asked.score is not None
    ]
    return {
        name: Mean.of(_by_patient((patient, float(getattr(score, name))) for patient, score in scored), seed)
        for name in _SCORES
    }


def agreement(asked: Iterable[Asked]) -> float | None:
    """Share of pairs of answers to one probe with the same scored content; None where there is no pair."""
    said = [one.score.content for one in asked if one.score is not None]
    pairs = [one == other for one, other in combinations(said, 2)]
    return sum(pairs) / len(pairs) if pairs else None


def _by_turn(probes: list[Probed]) -> dict[int, float]:
    turns: dict[int, list[float]] = defaultdict(list)
    for probed in probes:
        agreed = agreement(probed.asked)
        if probed.probe.turn is not None and agreed is not None:
            turns[probed.probe.turn].append(agreed)
    return {turn: sum(values) / len(values) for turn, values in sorted(turns.items())}


def _top_k(some: list[Examined], ks: Sequence[int], seed: int) -> dict[int, Mean]:
    if not any(asked.ranked for one in some for probed in one.probes for asked in probed.asked):
        return {}
    places = [
        (one.transcript.header.patient, place)
        for one in some
        for probed in one.probes
        for place in probed.places(one.transcript.header.language)
    ]
    return {
        k: Mean.of(_by_patient((patient, float(place is not None and place <= k)) for patient, place in places), seed)
        for k in ks
    }


def _by_patient(values: Iterable[tuple[str, float | None]]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for patient, value in values:
        if value is not None:
            found[patient].append(value)
    return found
