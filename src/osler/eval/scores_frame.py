"""The consultations of a run as a data frame: what they were, and every measure by its name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from osler.eval.measures import Measure, Place, Unit, measures_in
from osler.runs.scored import DIAGNOSIS, TREATMENT, ScoredConsultation


def scores_frame(consultations: Iterable[ScoredConsultation]) -> pd.DataFrame:
    """Return one row per consultation, as `Run.scores` describes it."""
    measures = measures_in(Place.SCORES)
    frame = pd.DataFrame([_row(consultation, measures) for consultation in consultations])
    # A column without any value would be of objects, which have no mean.
    shares = [
        measure.name
        for measure in measures
        if measure.unit_of_one is Unit.SHARE and measure.name in frame
    ]
    return frame.astype(dict.fromkeys(shares, float))


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
