"""Pairs of twins among the consultations of a column: what measures over pairs are counted from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from osler.runs.plan import Column
from osler.runs.scored import ScoredConsultation, ScoredPair


class _Place(NamedTuple):
    """What both consultations of a pair share."""

    column: Column
    trial: int
    twin: str


class TwinPairs(NamedTuple):
    """The pairs of consultations, and how many pairs have only one."""

    complete: tuple[ScoredPair, ...]
    left_out: int
    """Pairs of which a half failed, or has not ended."""

    def __bool__(self) -> bool:
        """Whether there is any pair, complete or not."""
        return bool(self.complete or self.left_out)


def pairs_among(consultations: Iterable[ScoredConsultation]) -> TwinPairs:
    """Bring the two consultations of each pair together, column by column and trial by trial."""
    places: dict[_Place, dict[str, ScoredConsultation]] = {}
    for consultation in consultations:
        if consultation.pair is not None:
            place = _Place(consultation.column, consultation.trial, consultation.pair.twin)
            halves = places.setdefault(place, {})
            if not consultation.is_failed:
                halves[consultation.case] = consultation
    complete = [_pair(halves) for halves in places.values() if len(halves) == 2]
    return TwinPairs(tuple(complete), len(places) - len(complete))


def _pair(halves: dict[str, ScoredConsultation]) -> ScoredPair:
    (one, other) = halves.values()
    assert one.pair is not None
    return ScoredPair(one, other) if one.case == one.pair.base else ScoredPair(other, one)
