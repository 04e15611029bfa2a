"""Read the consultations of a run that have ended, with their results, verdicts and measures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from sqlite3 import Row
from typing import Any, NamedTuple

from osler.language import Language
from osler.runs.events import Ending
from osler.runs.lessons import Stage
from osler.runs.makers import Makers
from osler.runs.reply_faults import PatientReading
from osler.runs.scored import (
    DIAGNOSIS,
    TREATMENT,
    CellState,
    ScoredConsultation,
    StoredExplanation,
    StoredMeasures,
    StoredVerdict,
    TwinPair,
)
from osler.runs.store.explanations import explanations
from osler.runs.store.patient_verdicts import patient_readings
from osler.runs.store.reader import RunFile
from osler.runs.store.tables import cell_of
from osler.runs.store.twins import twin_pairs
from osler.runs.transcript_rows import ResultRow

_SELECT = """
SELECT cells.number, cells.record, patient, language, specialty, cells.backbone, cells.strategy,
    cells.memory, cells.variants, cells.trial, cells.state, results.*,
    cells.tokens AS tokens_paid,
    CASE WHEN results.cost IS NULL THEN NULL ELSE cells.cost END AS cost_paid,
    d.verdict AS diagnosis_verdict, d.rung AS diagnosis_rung, d.because AS diagnosis_because,
    d.rank AS diagnosis_rank, d.tokens AS diagnosis_tokens,
    t.verdict AS treatment_verdict, t.rung AS treatment_rung, t.because AS treatment_because,
    t.rank AS treatment_rank, t.tokens AS treatment_tokens,
    measures.version AS measures_version, measures.body AS measures_body
FROM cells
JOIN records ON records.id = cells.record
JOIN results ON results.cell = cells.number
LEFT JOIN verdicts d ON d.cell = cells.number AND d.kind = 'diagnosis' AND d.judge = ?1
LEFT JOIN verdicts t ON t.cell = cells.number AND t.kind = 'treatment' AND t.judge = ?1
LEFT JOIN measures ON measures.cell = cells.number
"""
_ALL = "ORDER BY cells.number"
_SINGLE = "WHERE cells.number = ?2"


class _Readers(NamedTuple):
    """Who judged what is read, what they wrote beside their verdicts, and the pairs of twins."""

    judge: str
    explanations: Mapping[int, StoredExplanation]
    patient_ruler: str | None
    readings: Mapping[int, PatientReading]
    pairs: Mapping[str, TwinPair]


def scored_consultations(
    run: RunFile, judge: str, patient_ruler: str | None = None, number: int | None = None
) -> Iterator[ScoredConsultation]:
    """Yield every consultation that has ended, in the order of the plan.

    Damaged ones are left out, with one warning at the end.

    Args:
        run: The open run.
        judge: Whose verdicts and explanations.
        patient_ruler: Whose reading of the replies; None: nobody's.
        number: Only this consultation.
    """
    readings: Mapping[int, PatientReading] = {}
    if patient_ruler is not None:
        readings = patient_readings(run, patient_ruler, number)
    readers = _Readers(
        judge, explanations(run, judge, number), patient_ruler, readings, twin_pairs(run, number)
    )
    damaged = []
    every = number is None
    rows = run.each(_SELECT + (_ALL if every else _SINGLE), (judge,) if every else (judge, number))
    for row in rows:
        try:
            consultation = _consultation(row, readers)
        except (AttributeError, TypeError, ValueError):
            # Flipped bits turn numbers into text, and text into bytes.
            damaged.append(row["number"])
        else:
            yield consultation
    run.warn_of_damage(damaged)


def _consultation(row: Row, readers: _Readers) -> ScoredConsultation:
    """Read a row; a ValueError or TypeError if a value of it cannot be right."""
    number = row["number"]
    result = ResultRow.model_validate({name: row[name] for name in ResultRow.names()})
    verdicts = (_verdict(row, kind) for kind in (DIAGNOSIS, TREATMENT))
    return ScoredConsultation(
        number=number,
        cell=cell_of(row),
        patient=row["patient"],
        language=Language(row["language"]),
        specialty=row["specialty"],
        state=CellState(row["state"]),
        ending=Ending(result.ending),
        failure=result.failed,
        diagnosis=result.diagnosis,
        treatment=result.treatment,
        turns=result.turns,
        repeats=result.repeats,
        replies=result.replies,
        calls=result.calls,
        tokens_in=result.tokens_in,
        tokens_out=result.tokens_out,
        cost=result.cost,
        seconds=result.seconds,
        tokens_paid=row["tokens_paid"],
        cost_paid=row["cost_paid"],
        at=row["at"],
        judge=readers.judge,
        verdicts={verdict.kind: verdict for verdict in verdicts if verdict is not None},
        measures=_measures(row["measures_version"], row["measures_body"]),
        explanation=readers.explanations.get(number),
        patient_ruler=readers.patient_ruler,
        reading=readers.readings.get(number),
        pair=readers.pairs.get(row["record"]),
    )


def _verdict(row: Row, kind: str) -> StoredVerdict | None:
    """Return the verdict on one part of the conclusion, if there is one."""
    verdict, rung, because, rank, tokens = (
        row[f"{kind}_{name}"] for name in ("verdict", "rung", "because", "rank", "tokens")
    )
    if verdict is None:
        return None
    if not all(isinstance(text, str) for text in (verdict, rung, because)):
        raise ValueError("a verdict that is no text")
    return StoredVerdict(kind, verdict, rung, because, rank, tokens)


def is_measured(run: RunFile, name: str) -> bool:
    """Whether any consultation has a number of that name."""
    rows = run.ask(
        "SELECT 1 FROM measures WHERE json_extract(body, '$.' || ?) IS NOT NULL LIMIT 1", (name,)
    )
    return bool(rows)


def _measures(version: str | None, text: str | None) -> StoredMeasures:
    """Read stored measures; empty if nothing was measured."""
    if version is None or text is None:
        return StoredMeasures()
    body: dict[str, Any] = json.loads(text)
    stage = body.get("stage")
    return StoredMeasures(
        version=version,
        numbers={name: value for name, value in body.items() if _is_number(value)},
        makers=Makers.read(body),
        stage=Stage(stage) if stage else None,
        unpriced=tuple(body.get("unpriced", ())),
    )


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, int | float)
