"""The ladder's verdicts, rung by rung, in both languages, and its agreement with the labelled pairs."""

from __future__ import annotations

import time

import pytest
from statsmodels.stats.inter_rater import cohens_kappa, to_table  # type: ignore[import-untyped]

from osler.eval.ladder import judge_diagnosis, judge_differential, judge_treatment
from osler.eval.verdict import Judgement
from osler.language import Language
from osler.records.schema import Diagnosis
from tests.eval.pairs import DiagnosisPair, Half, Pair, pairs

APPENDICITIS = Diagnosis(name="Acute appendicitis", icd10="K35.8")
EMBOLISM = Diagnosis(name="Pulmonary embolism", icd10="I26.9")
HYPOTHYROID = Diagnosis(name="Hypothyroidism", icd10="E03.9")
ARTERITIS = Diagnosis(name="Giant cell arteritis", icd10="M31.6")
PANCREATITIS = Diagnosis(name="急性胰腺炎", icd10="K85.9")
ASTHMA = Diagnosis(name="支气管哮喘", icd10="J45.9")
CROUP = Diagnosis(name="Croup", aliases=("病毒性哮吼",), icd10="J05.0")
UNHEARD_OF = Diagnosis(name="Osler's imaginary fever", aliases=("Imaginary fever of Osler",))


@pytest.mark.parametrize(
    ("truth", "answer", "verdict", "rung"),
    [
        (APPENDICITIS, "appendicitis, ACUTE", "correct", "name"),
        (APPENDICITIS, "急性阑尾炎", "correct", "name"),
        (APPENDICITIS, "Acute apendicitis", "correct", "fuzzy"),
        (APPENDICITIS, "Appendicitis", "partial", "icd"),
        (APPENDICITIS, "Acute appendicitis or ovarian torsion", "partial", "choice"),
        (APPENDICITIS, "Gastroenteritis, acute appendicitis, renal colic, ectopic pregnancy", "wrong", "several"),
        (APPENDICITIS, "Abdominal pain, acute appendicitis to be ruled out", "wrong", "negated"),
        (APPENDICITIS, "Acute cholecystitis, not acute appendicitis", "wrong", "negated"),
        (APPENDICITIS, "Acute appendicitis; ectopic pregnancy has been excluded", "correct", "name"),
        (APPENDICITIS, "Acute appendicitis ten years ago", "wrong", "negated"),
        (APPENDICITIS, "   ", "none", "none"),
        (APPENDICITIS, "I do not know.", "none", "none"),
        (EMBOLISM, "PE", "correct", "name"),
        (EMBOLISM, "Acute pulmonary embolism, left lower lobe", "correct", "name"),
        (EMBOLISM, "Venous thromboembolism", "partial", "icd"),
        (EMBOLISM, "Pulmonary oedema", "wrong", "name"),
        (HYPOTHYROID, "Hyperthyroidism", "wrong", "name"),
        (HYPOTHYROID, "Hypothyriodism", "correct", "fuzzy"),
        (ARTERITIS, "Giant cell arthritis", "wrong", "name"),
        (ARTERITIS, "Takayasu arteritis", "partial", "icd"),
        (PANCREATITIS, "考虑急性胰腺炎可能性大", "correct", "name"),
        (PANCREATITIS, "急性胰腺炎可能性小", "wrong", "negated"),
        (PANCREATITIS, "急性胰線炎", "correct", "fuzzy"),
        (PANCREATITIS, "急性胰腺炎待排", "wrong", "negated"),
        (PANCREATITIS, "胰腺炎", "partial", "icd"),
        (PANCREATITIS, "慢性胰腺炎", "wrong", "name"),
        (PANCREATITIS, "急性胆囊炎", "wrong", "name"),
        (PANCREATITIS, "诊断尚不明确", "none", "none"),
        (ASTHMA, "支氣管哮喘", "correct", "name"),
        (ASTHMA, "过敏性哮喘", "partial", "icd"),
        (ASTHMA, "心源性哮喘", "wrong", "name"),
        (CROUP, "Acute laryngitis (viral croup, moderate)", "correct", "name"),
        (CROUP, "急性喉炎（病毒性哮吼，中度）", "correct", "name"),
        (CROUP, "Acute appendicitis (croup)", "wrong", "several"),
        (CROUP, "Acute laryngitis, croup", "wrong", "several"),
        (UNHEARD_OF, "imaginary fever, Osler", "correct", "name"),
        (UNHEARD_OF, "Fever", "wrong", "name"),
    ],
)
def test_diagnosis(truth: Diagnosis, answer: str, verdict: str, rung: str) -> None:
    said = judge_diagnosis(answer, truth)
    assert (said.verdict, said.rung) == (verdict, rung), said.because


def test_the_place_in_the_differential_counts_from_the_main_answer() -> None:
    named = ("Renal colic", "Appendicitis", "Acute appendicitis")
    assert judge_differential(named, APPENDICITIS) == 3
    assert judge_differential(named[::-1], APPENDICITIS) == 1
    assert judge_differential(named[:2], APPENDICITIS) is None


def _judged(pair: Pair) -> Judgement:
    if isinstance(pair, DiagnosisPair):
        return judge_diagnosis(pair.answer, pair.truth)
    return judge_treatment(pair.answer, pair.truth)


def _kappa(languages: tuple[Language, ...], half: Half) -> float:
    both = [(each.verdict.value, _judged(each)) for language in languages for each in pairs(language, half)]
    both = [(label, said) for label, said in both if said.verdict != "undecided"]
    names = sorted({label for label, _ in both} | {said.verdict.value for _, said in both})
    table, _ = to_table([(names.index(label), names.index(said.verdict.value)) for label, said in both], len(names))
    return float(cohens_kappa(table, return_results=False))


def test_the_ladder_agrees_with_the_labels_it_was_not_fitted_to() -> None:
    assert _kappa(tuple(Language), Half.HELD_OUT) >= 0.85
    assert min(_kappa((language,), Half.HELD_OUT) for language in Language) >= 0.8


def test_the_ladder_agrees_with_the_labels_it_was_fitted_to() -> None:
    assert _kappa(tuple(Language), Half.TUNING) >= 0.97


@pytest.mark.parametrize("odd", ["a " * 50_000, "not " * 5_000, "无法" * 5_000, "(" * 9_000, "，" * 9_000, "0" * 9_000])
def test_an_answer_without_end_is_judged_at_once(odd: str) -> None:
    judge_diagnosis("Appendicitis", APPENDICITIS)  # loads the words
    start = time.process_time()
    judge_diagnosis(odd, APPENDICITIS)
    assert time.process_time() - start < 2
