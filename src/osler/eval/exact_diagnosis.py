"""Judge a diagnosis without a reader.

Only what is exactly a name of the truth, or what the rules doctor means.

No other name is called wrong. "Stroke" for a cerebral infarction, or "pneumonia" for legionnaires'
disease, has another code in another chapter of ICD-10, and is less precise, not wrong: that takes a
reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from osler.agents.rules.knowledge import knowledge
from osler.eval.reader.exact import RUNG, exact_opinion
from osler.eval.verdict import Opinion, Verdict
from osler.records.schema import Diagnosis

UNREAD = Opinion(
    Verdict.UNDECIDED, "not exactly a name that the record lists, and nobody has read it", rung=RUNG
)


def judge_diagnosis(answer: str, truth: Diagnosis, codes: Sequence[str] = ()) -> Opinion:
    """Judge an answer by its names and codes alone.

    Args:
        answer: The diagnosis as the doctor gave it.
        truth: The record's diagnosis.
        codes: The ICD-10 codes that the rules doctor means by it; none for a model's answer.
    """
    if not answer.strip():
        return Opinion(Verdict.NONE, "no diagnosis was given", rung=RUNG)
    return exact_opinion(truth, answer) or _judge_codes(codes, truth) or UNREAD


def rank_of_truth(
    answers: Sequence[str], codes: Sequence[Sequence[str]], truth: Diagnosis
) -> int | None:
    """The rank of the first right diagnosis, the doctor's own being 1; 0 if none is right.

    None where nobody has read them: only the rules doctor's are known without a reader.
    """
    if len(codes) != len(answers):
        return None
    for rank, (answer, own_codes) in enumerate(zip(answers, codes, strict=True), start=1):
        verdict = judge_diagnosis(answer, truth, own_codes).verdict
        if verdict is Verdict.CORRECT:
            return rank
        if verdict is Verdict.UNDECIDED:
            return None
    return 0


def _judge_codes(codes: Sequence[str], truth: Diagnosis) -> Opinion | None:
    """Compare what the rules doctor means with the truth.

    It is None if its illnesses cannot be compared with it.
    """
    if not codes:
        return None
    told = f"{', '.join(codes)}, and the truth is {truth.icd10 or 'without a code'}"
    if truth.icd10 in codes:
        return Opinion(Verdict.CORRECT, f"the same code: {told}", rung=RUNG)
    if _takes_in(codes, truth):
        return Opinion(Verdict.PARTIAL, f"less precise: {told}", rung=RUNG)
    if _is_known(truth):
        return Opinion(Verdict.WRONG, f"another illness: {told}", rung=RUNG)
    return None


def _takes_in(codes: Sequence[str], truth: Diagnosis) -> bool:
    """Whether one of the codes is that of the truth, or a shorter one that takes it in."""
    return truth.icd10 is not None and truth.icd10.startswith(tuple(codes))


@lru_cache(maxsize=4096)
def _is_known(truth: Diagnosis) -> bool:
    """Whether the truth is one of the illnesses of the rules doctor, which are all different."""
    return any(
        _takes_in(condition.icd10, truth)
        or any(exact_opinion(truth, name) for name in condition.name.values())
        for condition in knowledge().conditions.values()
    )
