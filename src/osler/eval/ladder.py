"""The ladder: judges an answer by rules, from the surest step to the least sure."""

from __future__ import annotations

from collections.abc import Sequence

from osler.eval.match import names_diagnosis, names_treatment
from osler.eval.verdict import Judgement, Verdict
from osler.records.language import Language
from osler.records.schema import Diagnosis, Treatment

LADDER = "ladder/1"


def judge_diagnosis(answer: str, truth: Diagnosis, language: Language) -> Judgement:
    """Whether the answer is the diagnosis."""
    if not answer.strip():
        return Judgement(Verdict.NONE, "none", "no diagnosis was given")
    if names_diagnosis(answer, truth, language):
        return Judgement(Verdict.CORRECT, "name", f"names {truth.name}")
    return Judgement(Verdict.WRONG, "name", f"does not name {truth.name}")


def judge_differential(answers: Sequence[str], truth: Diagnosis, language: Language) -> int | None:
    """The place of the first correct answer, the main one being the first; None when none is."""
    for rank, answer in enumerate(answers, start=1):
        if judge_diagnosis(answer, truth, language).verdict is Verdict.CORRECT:
            return rank
    return None


def judge_treatment(answer: str, truth: Treatment, language: Language) -> Judgement:
    """Whether the answer holds what should be done, and nothing that must not be."""
    if not answer.strip():
        return Judgement(Verdict.NONE, "none", "no treatment was given")
    if names_treatment(answer, truth, language):
        return Judgement(Verdict.CORRECT, "name", f"names {truth.name}")
    return Judgement(Verdict.WRONG, "name", f"does not name {truth.name}")
