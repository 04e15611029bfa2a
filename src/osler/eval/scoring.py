"""Score a finished consultation by what is exact, right away or later: a reader judges the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from osler.eval.exact_diagnosis import judge_diagnosis, rank_of_truth
from osler.eval.exact_treatment import judge_treatment
from osler.eval.measures import VERSION, measure, measured_in
from osler.eval.verdict import Opinion, Verdict
from osler.records.schema import PatientRecord
from osler.runs.events import Concluded, Ending
from osler.runs.store import RunWriter, StoredScore, StoredVerdict
from osler.runs.transcript import Transcript

EXACT = "exact/1"
"""The judge that decides what is exactly equal, and leaves the rest undecided; raised when a
verdict can change."""


def score(
    transcript: Transcript, record: PatientRecord, test_prices: Mapping[str, float] | None = None
) -> StoredScore:
    """Judge one consultation by what is exact and count how it went; what failed is not judged."""
    verdicts = tuple(exact_verdicts(transcript, record)) if transcript.ending.is_answer else ()
    measures = asdict(measure(transcript, record, test_prices))
    measures |= measured_in(transcript, record)
    return StoredScore(EXACT, verdicts, VERSION, measures)


def exact_verdicts(transcript: Transcript, record: PatientRecord) -> list[StoredVerdict]:
    """Judge diagnosis and treatment by what is exact.

    A record without a treatment is not judged for one.
    """
    conclusion = transcript.conclusion
    if conclusion is None or transcript.ending is Ending.UNPARSED:
        unread = Opinion(
            Verdict.UNPARSED, "the doctor's conclusion could not be read", rung="unparsed"
        )
        kinds = ("diagnosis", "treatment") if record.treatment is not None else ("diagnosis",)
        return [_stored(kind, unread) for kind in kinds]
    return _verdicts_on(conclusion, record)


def _verdicts_on(conclusion: Concluded, record: PatientRecord) -> list[StoredVerdict]:
    own_codes = conclusion.codes[0] if conclusion.codes else ()
    diagnosis = judge_diagnosis(conclusion.diagnosis, record.diagnosis, own_codes)
    rank = rank_of_truth(
        (conclusion.diagnosis, *conclusion.differential), conclusion.codes, record.diagnosis
    )
    verdicts = [_stored("diagnosis", diagnosis, rank)]
    if record.treatment is not None:
        treatment = judge_treatment(
            conclusion.treatment,
            record.treatment,
            conclusion.steps,
            conclusion.in_part,
            is_other_illness=diagnosis.verdict is Verdict.WRONG,
        )
        verdicts.append(_stored("treatment", treatment))
    return verdicts


def score_missing(store: RunWriter) -> int:
    """Score what was stored without a score, as after a fault while scoring.

    Return how many there were.
    """
    missing = store.unscored(EXACT)
    for number in missing:
        transcript = store.transcript(number)
        assert transcript is not None
        store.store_score(number, score(transcript, store.record(transcript.header.case)))
    return len(missing)


def _stored(kind: str, opinion: Opinion, rank: int | None = None) -> StoredVerdict:
    return StoredVerdict(kind, opinion.verdict.value, opinion.rung, opinion.because, rank)
