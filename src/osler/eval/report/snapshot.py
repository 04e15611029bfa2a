"""A run as it was when the report began, and which of its consultations are shown in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from osler.eval.runs import Run
from osler.runs.plan import Column
from osler.runs.scored import ScoredConsultation


class Snapshot(Run):
    """A run whose consultations are read once.

    While another process adds to it, all of the page shows the same ones.
    """

    _consultations: list[ScoredConsultation] | None = None

    def consultations(
        self, judge: str | None = None, patient_judge: str | None = None
    ) -> Iterator[ScoredConsultation]:
        """Every consultation that had ended when they were first asked for."""
        if self._consultations is None:
            self._consultations = list(super().consultations(judge, patient_judge))
        return iter(self._consultations)


def shown_in_full(consultations: Sequence[ScoredConsultation], most: int) -> set[int]:
    """The numbers of the consultations that a page can hold.

    A fair share of every column, of its failures and of its answers.
    """
    counts: Counter[tuple[Column, bool]] = Counter()
    turns: list[tuple[int, int]] = []
    for place, consultation in enumerate(consultations):
        kind = (consultation.column, consultation.is_failed)
        # The first of every kind comes first, then the second of every kind.
        turns.append((counts[kind], place))
        counts[kind] += 1
    return {consultations[place].number for _, place in sorted(turns)[:most]}
