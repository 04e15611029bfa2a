"""Whether an answer is right, yes or no, by the ladder."""

from __future__ import annotations

from osler.eval.ladder import judge_diagnosis, judge_treatment
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.records.schema import Diagnosis, Treatment


def names_diagnosis(answer: str, truth: Diagnosis, language: Language) -> bool:
    """Whether the answer is the diagnosis under one of its names."""
    return judge_diagnosis(answer, truth, language).verdict is Verdict.CORRECT


def names_treatment(answer: str, truth: Treatment, language: Language) -> bool:
    """Whether the answer holds every part of the treatment, or a whole one by any name, and nothing unsafe."""
    return judge_treatment(answer, truth, language).verdict is Verdict.CORRECT
