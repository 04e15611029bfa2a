"""Score a finished consultation with the rule-based ladder, right away or later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from osler.eval.ladder import LADDER, judge_diagnosis, judge_differential, judge_treatment
from osler.eval.measures import VERSION, measure
from osler.eval.verdict import Opinion, Verdict
from osler.records.schema import PatientRecord
from osler.runs.events import Ending
from osler.runs.store import RunWriter, StoredScore, StoredVerdict
from osler.runs.transcript import Transcript


def score(transcript: Transcript, record: PatientRecord, test_prices: Mapping[str, float] | None = None) -> StoredScore:
    """Judge one consultation by the rules and count how it went; what failed is not judged."""
    verdicts = tuple(spoken(transcript, record)) if transcript.ending.is_answer else ()
    return StoredScore(LADDER, verdicts, VERSION, asdict(measure(transcript, record, test_prices)))


def spoken(transcript: Transcript, record: PatientRecord) -> list[StoredVerdict]:
    """Return the ladder's verdicts on diagnosis and treatment; a record without a treatment is not judged for one."""
    conclusion = transcript.conclusion
    if conclusion is None or transcript.ending is Ending.UNPARSED:
        unread = Opinion(Verdict.UNPARSED, rung="unparsed", because="the doctor's conclusion could not be read")
        kinds = ("diagnosis", "treatment") if record.treatment is not None else ("diagnosis",)
        return [_spoken(kind, unread) for kind in kinds]
    own = judge_diagnosis(conclusion.diagnosis, record.diagnosis)
    rank: int | None = 1
    if own.verdict is not Verdict.CORRECT:
        among = judge_differential(conclusion.differential, record.diagnosis)
        rank = None if among is None else among + 1
    said = [_spoken("diagnosis", own, rank)]
    if record.treatment is not None:
        said.append(_spoken("treatment", judge_treatment(conclusion.treatment, record.treatment)))
    return said


def score_missing(store: RunWriter) -> int:
    """Score what was stored without a score, as after a fault while scoring; return how many there were."""
    missing = store.unscored(LADDER)
    for number in missing:
        transcript = store.transcript(number)
        assert transcript is not None
        store.scored(number, score(transcript, store.record(transcript.header.case)))
    return len(missing)


def _spoken(kind: str, judgement: Opinion, rank: int | None = None) -> StoredVerdict:
    return StoredVerdict(kind, judgement.verdict.value, judgement.rung, judgement.because, rank)
