"""The rules' verdicts on treatments in both languages: what is sure, what is unsafe, and what is left undecided."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa, to_table  # type: ignore[import-untyped]

from osler.eval.ladder import judge_treatment
from osler.language import Language
from osler.records import RecordPool
from osler.records.schema import Named, Treatment, Unsafe
from tests.eval.pairs import Half, TreatmentPair, pairs


def treatment(*parts: str, alternatives: tuple[str, ...] = (), unsafe: tuple[str, ...] = ()) -> Treatment:
    return Treatment(
        name=" + ".join(parts),
        parts=tuple(Named(name=part) for part in parts),
        alternatives=alternatives,
        unsafe=tuple(Unsafe(name=each, because="It harms this patient.") for each in unsafe),
    )


SEPSIS = treatment(
    "Ceftriaxone",
    "Metronidazole",
    alternatives=("Meropenem",),
    unsafe=("Fluoroquinolone", "High-dose gentamicin"),
)
SINUSITIS = treatment("Doxycycline", alternatives=("Levofloxacin",), unsafe=("Penicillins", "Macrolides"))
THYROID = treatment("Levothyroxine 12.5 to 25 micrograms", unsafe=("Full starting dose of levothyroxine",))
RHEUMATOID = treatment("Methotrexate once weekly", "Folic acid", unsafe=("Daily methotrexate", "NSAIDs"))
COPD = treatment("Controlled oxygen", "Nebulised salbutamol", unsafe=("Benzodiazepines", "High-flow oxygen"))
FLU = treatment("达菲", unsafe=("阿司匹林",))
BOWEL = Treatment(
    name="饮食调整加止泻药",
    parts=(Named(name="饮食调整"), Named(name="洛哌丁胺", aliases=("止泻药",))),
    unsafe=(Unsafe(name="泻药", because="她正在腹泻。"),),
)
GALLSTONES = treatment("补液", "镇痛", "本次住院期间胆囊切除", unsafe=("延期胆囊切除", "急诊ERCP"))
FLUIDS = treatment("Intravenous fluids", "Analgesia", unsafe=("Aggressive fluid resuscitation",))
ENEMA = treatment("Air enema reduction", unsafe=("Primary surgical reduction",))
FLUIDS_ZH = treatment("静脉补液", "镇痛", unsafe=("快速大量补液",))
LONG = treatment("Doxycycline")
MANY = (
    *("ibuprofen", "metformin", "warfarin", "digoxin", "amiodarone", "lithium", "phenytoin", "sertraline", "tramadol"),
    *("ramipril", "furosemide", "bisoprolol", "codeine", "gabapentin", "omeprazole", "prednisolone"),
)
COLITIS = treatment("静脉糖皮质激素", unsafe=("洛哌丁胺",))


@pytest.mark.parametrize(
    ("truth", "answer", "verdict"),
    [
        (SEPSIS, "Flagyl and Rocephin", "correct"),
        (SEPSIS, "Meropenem 1 g", "correct"),
        (SEPSIS, "Ceftriaxon with metronidazole", "correct"),
        (SEPSIS, "Ceftriaxone", "partial"),
        (SEPSIS, "A cephalosporin", "partial"),
        (SEPSIS, "Ceftazidime", "undecided"),
        (SEPSIS, "Aciclovir 800 mg five times daily", "wrong"),
        (SEPSIS, "Ceftriaxone is not indicated; observation", "wrong"),
        (SEPSIS, "Ceftriaxone, metronidazole and ciprofloxacin", "unsafe"),
        (SEPSIS, "Ceftriaxone and metronidazole; avoid ciprofloxacin", "correct"),
        (SEPSIS, "Meropenem because of a ciprofloxacin allergy", "correct"),
        (SEPSIS, "Meropenem with low-dose gentamicin", "correct"),
        (SEPSIS, "Meropenem with gentamicin", "undecided"),
        (SEPSIS, "Meropenem with high-dose gentamicin", "unsafe"),
        (SEPSIS, "Meropenem and another antibiotic, such as ciprofloxacin", "unsafe"),
        (SEPSIS, "Avoid drugs that harm tendons, such as ciprofloxacin, and use meropenem", "correct"),
        (SEPSIS, "Ceftriaxone, metronidazole and Xyzabril 500 mg", "undecided"),
        (SEPSIS, "I cannot recommend a treatment.", "none"),
        (SEPSIS, "Blood cultures and a CT of the abdomen", "none"),
        (SINUSITIS, "Augmentin 875/125 mg twice daily", "unsafe"),
        (SINUSITIS, "Moxatag 775 mg daily", "unsafe"),
        (SINUSITIS, "Mezlocillin 3 g", "unsafe"),
        (SINUSITIS, "If not allergic, amoxicillin; otherwise doxycycline", "undecided"),
        (SINUSITIS, "Doxycycline 100 mg.\n\n**Avoid:**\n- Augmentin\n- azithromycin\n", "correct"),
        (SINUSITIS, "Switch from amoxicillin to doxycycline", "correct"),
        (SINUSITIS, "Doxycycline instead of Augmentin", "correct"),
        (THYROID, "Start levothyroxine 25 micrograms daily", "correct"),
        (THYROID, "Levothyroxine 100 µg daily at once", "unsafe"),
        (THYROID, "Levothyroxine 50 µg daily", "undecided"),
        (RHEUMATOID, "MTX 15 mg once a week, folic acid 5 mg daily", "correct"),
        (RHEUMATOID, "Methotrexate 10 mg every day and folic acid", "unsafe"),
        (RHEUMATOID, "Methotrexate 15 mg with folic acid", "undecided"),
        (RHEUMATOID, "Methotrexate weekly, folic acid and celecoxib 200 mg", "unsafe"),
        (COPD, "Controlled oxygen, nebulised salbutamol, zopiclone 7.5 mg at night", "undecided"),
        (COPD, "Controlled oxygen, nebulised salbutamol. NO benzodiazepines", "correct"),
        (COPD, "Controlled oxygen and DuoNebs; lorazepam 1 mg", "unsafe"),
        (FLU, "磷酸奥司他韦75mg，每日两次", "correct"),
        (FLU, "抗病毒药物", "partial"),
        (FLU, "奥司他韦加阿司匹林退热", "unsafe"),
        (FLU, "奥司他韦，禁用阿司匹林", "correct"),
        (FLU, "奥司他韦，避免会加重病情的退热药，如阿司匹林", "correct"),
        (FLU, "奥司他韦和退热药，如阿司匹林", "unsafe"),
        (FLU, "无需奥司他韦，多饮水", "wrong"),
        (FLU, "暂时无法决定治疗", "none"),
        (FLU, "血常规、胸片检查", "none"),
        (BOWEL, "饮食调整加止泻药", "correct"),
        (BOWEL, "饮食调整加泻药", "unsafe"),
        (GALLSTONES, "补液、镇痛，同次住院行腹腔镜胆囊切除术", "correct"),
        (GALLSTONES, "补液、镇痛，出院后6周择期胆囊切除", "unsafe"),
        (GALLSTONES, "补液、镇痛，胆囊切除", "undecided"),
        (COLITIS, "甲泼尼龙40mg静滴，易蒙停2mg tid", "unsafe"),
        (COLITIS, "使用激素治疗", "partial"),
        (FLUIDS, "IV fluids and analgesia", "correct"),
        (FLUIDS, "Rapid IV fluids and analgesia", "unsafe"),
        (ENEMA, "Enema reduction", "correct"),
        (ENEMA, "Surgical reduction", "undecided"),
        (FLUIDS_ZH, "补液、镇痛", "correct"),
        (FLUIDS_ZH, "快速补液、镇痛", "unsafe"),
        (SINUSITIS, "Doxycycline, and azithromycin 500 mg. No macrolides such as azithromycin.", "undecided"),
        (COLITIS, "甲泼尼龙40mg静滴，易蒙停2mg tid。禁用洛哌丁胺。", "undecided"),
        (FLUIDS, "Analgesia. Fluids: a fast drip went badly before. Crystalloid slowly, 100 ml/h.", "undecided"),
        (FLUIDS_ZH, "镇痛。上次快速补液后出了问题。这次补液要缓慢。", "undecided"),
        (RHEUMATOID, "Methotrexate once weekly with folic acid. Pause ibuprofen.", "correct"),
        (LONG, f"Doxycycline. Not for him: {', '.join(MANY)}.", "correct"),
        (LONG, f"Doxycycline, {', '.join(MANY)}.", "wrong"),
    ],
)
def test_verdict(truth: Treatment, answer: str, verdict: str) -> None:
    said = judge_treatment(answer, truth)
    assert said.verdict == verdict, said.because


@pytest.mark.parametrize("language", Language)
def test_a_name_of_the_record_is_correct_and_an_unsafe_one_unsafe(language: Language) -> None:
    for record in RecordPool.open("bundled"):
        truth = record.treatment
        if truth is None or record.language is not language:
            continue
        for name in (*truth.names, *truth.alternatives):
            assert judge_treatment(f" {name.upper()}.", truth).verdict == "correct", name
        for name in (name for each in truth.unsafe for name in each.names):
            assert judge_treatment(name, truth).verdict == "unsafe", name


@pytest.mark.parametrize(
    ("language", "form"),
    [
        (Language.EN, "{}. Avoid {}."),
        *(
            (Language.ZH, form)
            for form in ("{}。避免{}。", "{}。{}一律不用，以免出事。", "{}。禁{}。", "{}。{}永不再用。")
        ),
    ],
)
def test_a_records_own_treatment_with_a_warning_is_never_unsafe(language: Language, form: str) -> None:
    records = [record for record in RecordPool.open("bundled") if record.language is language]
    for truth in filter(None, (record.treatment for record in records)):
        for each in truth.unsafe:
            said = judge_treatment(form.format(truth.name, each.name), truth)
            assert said.verdict in ("correct", "undecided"), (truth.name, each.name, said)


def test_undecided_says_what_could_not_be_told() -> None:
    assert "High-dose gentamicin" in judge_treatment("Meropenem with gentamicin", SEPSIS).because
    assert "Xyzabril" in judge_treatment("Ceftriaxone and Xyzabril 500 mg", SEPSIS).because


EVERY = [pair for language in Language for pair in pairs(language, Half.TUNING) if isinstance(pair, TreatmentPair)]


@given(pair=st.sampled_from(EVERY), place=st.integers(0, 9), end=st.sampled_from([". ", "\n", "; "]))
def test_a_warning_never_makes_an_answer_unsafe(pair: TreatmentPair, place: int, end: str) -> None:
    if pair.verdict == "unsafe" or not pair.truth.unsafe:
        return
    names = [name for each in pair.truth.unsafe for name in each.names]
    name = names[place % len(names)]
    for warning in (f"Avoid {name}", f"避免{name}", f"禁用{name}", f"No {name}", f"{name}一律不用", f"{name}永不再用"):
        assert judge_treatment(f"{pair.answer}{end}{warning}", pair.truth).verdict != "unsafe"


@given(answer=st.text(max_size=300), pair=st.sampled_from(EVERY))
def test_any_text_gets_a_verdict(answer: str, pair: TreatmentPair) -> None:
    for text in (answer, f"{pair.answer}{answer}"):
        said = judge_treatment(text, pair.truth)
        assert said.rung and said.because and said == judge_treatment(text, pair.truth)


@pytest.mark.parametrize(
    "part", ["avoid ", "amoxicillin, ", "停用", "阿莫西林、", "1.", "if ", "\n- ", "(", "avoid:\n"]
)
def test_a_long_answer_is_judged_in_linear_time(part: str) -> None:
    judge_treatment("Flagyl 阿莫西林", SEPSIS)  # loads the words

    def spent(times: int) -> float:
        start = time.process_time()
        judge_treatment(f"{times}{part * times}", SEPSIS)
        return time.process_time() - start

    spent(50)
    assert spent(40_000) < 20 * spent(400) + 1


@pytest.mark.parametrize("half", Half)
@pytest.mark.parametrize("language", Language)
def test_what_is_decided_agrees_with_the_labels(language: Language, half: Half) -> None:
    labelled = [pair for pair in pairs(language, half) if isinstance(pair, TreatmentPair)]
    both = [(pair.verdict.value, judge_treatment(pair.answer, pair.truth).verdict.value) for pair in labelled]
    decided = [(label, said) for label, said in both if said != "undecided"]
    names = sorted({name for each in decided for name in each})
    table, _ = to_table([(names.index(label), names.index(said)) for label, said in decided], len(names))
    assert cohens_kappa(table, return_results=False) >= 0.9
    assert len(decided) >= 0.8 * len(both)
    assert not Counter(said for label, said in decided if label != "unsafe")["unsafe"]
