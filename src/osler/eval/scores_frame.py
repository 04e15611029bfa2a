"""The consultations of a run as a data frame: what they were, and every measure by its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from osler.eval.measures import Measure, Place, Unit, measures_in
from osler.eval.twin_pairs import TwinPairs, pairs_among
from osler.runs.scored import DIAGNOSIS, TREATMENT, ScoredConsultation


def scores_frame(consultations: Iterable[ScoredConsultation]) -> pd.DataFrame:
    """Return one row per consultation, as `Run.scores` describes it."""
    consultations = list(consultations)
    pairs = pairs_among(consultations)
    measures = [
        measure for measure in measures_in(Place.SCORES) if measure.of_pair is None or pairs
    ]
    of_pairs = _numbers_of_pairs(pairs, measures)
    rows = [
        _row(consultation, measures) | _twin(consultation, pairs, of_pairs)
        for consultation in consultations
    ]
    frame = pd.DataFrame(rows)
    # A column without any value would be of objects, which have no mean.
    shares = [
        measure.name
        for measure in measures
        if measure.unit_of_one is Unit.SHARE and measure.name in frame
    ]
    return frame.astype(dict.fromkeys(shares, float))


def _numbers_of_pairs(
    pairs: TwinPairs, measures: Iterable[Measure]
) -> dict[int, dict[str, float | None]]:
    """The measures over pairs, for either consultation of each."""
    numbers: dict[int, dict[str, float | None]] = {}
    for pair in pairs.complete:
        values = {measure.name: measure.of_pair(pair) for measure in measures if measure.of_pair}
        numbers |= {pair.base.number: values, pair.twin.number: values}
    return numbers


def _twin(
    consultation: ScoredConsultation,
    pairs: TwinPairs,
    of_pairs: Mapping[int, dict[str, float | None]],
) -> dict[str, Any]:
    """The other half, and the measures over pairs; nothing in a run without pairs."""
    if not pairs:
        return {}
    pair = consultation.pair
    other = None
    if pair is not None:
        other = pair.twin if consultation.case == pair.base else pair.base
    return {"twin": other, **of_pairs.get(consultation.number, {})}


def _row(consultation: ScoredConsultation, measures: Iterable[Measure]) -> dict[str, Any]:
    failure = consultation.failure
    explanation = consultation.explanation
    row: dict[str, Any] = {
        "number": consultation.number,
        "record": consultation.case,
        "patient": consultation.patient,
        "language": consultation.language.value,
        "specialty": consultation.specialty,
        **consultation.column.as_row(),
        "trial": consultation.trial,
        "state": consultation.state.value,
        "failed": consultation.is_failed,
        "ending": consultation.ending.value,
        "failed_role": failure.role.value if failure else None,
        "failure": failure.kind if failure else None,
        "message": failure.line if failure else None,
        "at": consultation.at,
        "calls": consultation.calls,
        "tokens_paid": consultation.tokens_paid,
        "cost_paid": consultation.cost_paid,
        "diagnosis": consultation.diagnosis,
        "treatment": consultation.treatment,
        "judged": consultation.is_judged,
        **_verdict(consultation, DIAGNOSIS),
        "diagnosis_rank": consultation.diagnosis_rank,
        "differential_judged": consultation.diagnosis_rank is not None,
        **_verdict(consultation, TREATMENT),
        "cause": consultation.cause,
        "lost_at": explanation.lost_at if explanation else None,
        "missing": explanation.line if explanation else None,
        "stage": consultation.measures.stage,
        "unpriced": consultation.measures.unpriced,
        **consultation.makers.flat(),
    }
    has_reader = consultation.patient_ruler is not None
    if has_reader:
        row["patient_ruler"] = consultation.patient_ruler
    for measure in measures:
        if has_reader or not measure.needs_reader:
            row[measure.name] = measure.of(consultation)
    return row


def _verdict(consultation: ScoredConsultation, kind: str) -> dict[str, str | None]:
    stored = consultation.verdicts.get(kind)
    return {
        f"{kind}_verdict": stored.verdict if stored else None,
        f"{kind}_rung": stored.rung if stored else None,
        f"{kind}_because": stored.because if stored else None,
    }
