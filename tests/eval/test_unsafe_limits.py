"""An unsafe treatment is unsafe as the record limits it: what a right plan gives later or once is not."""

from __future__ import annotations

import pytest

from osler.eval.ladder.treatment import judge_treatment
from osler.eval.verdict import Verdict
from osler.records import RecordPool

SAFE = [
    ("deep-vein-thrombosis-en", "Retrievable IVC filter now; start apixaban once the bleed is stable"),
    ("deep-vein-thrombosis-zh", "先置入下腔静脉滤器，脑出血稳定后再用利伐沙班"),
    ("subarachnoid-haemorrhage-en", "PCC and vitamin K, coiling with heparin flushes, nimodipine"),
    ("subarachnoid-haemorrhage-zh", "凝血酶原复合物，弹簧圈栓塞术中肝素冲管，尼莫地平"),
    ("bppv-en", "Epley manoeuvre, and one tablet of meclizine for nausea"),
    ("bppv-zh", "Epley手法复位，恶心时临时服一片茶苯海明"),
    ("graves-disease-en", "Propylthiouracil now, change to methimazole in the second trimester"),
    ("graves-disease-zh", "丙硫氧嘧啶，孕中期后改用甲巯咪唑"),
    ("bladder-cancer-en", "TURBT, then radical cystectomy if the muscle is invaded"),
    ("heart-failure-en", "IV furosemide, stop ibuprofen, diclofenac gel on the knee"),
    ("hyperosmolar-state-en", "Slow saline, low-dose insulin; restart furosemide once rehydrated"),
    ("pneumonia-en", "Clarithromycin, pausing simvastatin meanwhile"),
]
HARMFUL = [
    ("deep-vein-thrombosis-en", "Full-dose low molecular weight heparin now"),
    ("deep-vein-thrombosis-zh", "立即用治疗剂量低分子肝素"),
    ("subarachnoid-haemorrhage-zh", "继续使用华法林"),
    ("bppv-en", "Regular meclizine three times a day"),
    ("bppv-zh", "长期服用茶苯海明"),
    ("graves-disease-en", "Methimazole straight away"),
    ("graves-disease-zh", "现在用甲巯咪唑"),
    ("cellulitis-en", "Rivaroxaban 15 mg twice daily"),
    ("peptic-ulcer-en", "Ibuprofen for the pain"),
]


def verdict(case: str, plan: str) -> Verdict:
    treatment = RecordPool.open().get(case).treatment
    assert treatment is not None
    return judge_treatment(plan, treatment).verdict


@pytest.mark.parametrize(("case", "plan"), SAFE)
def test_another_time_or_way_is_not_unsafe(case: str, plan: str) -> None:
    assert verdict(case, plan) is not Verdict.UNSAFE


@pytest.mark.parametrize(("case", "plan"), HARMFUL)
def test_the_limited_treatment_is_unsafe(case: str, plan: str) -> None:
    assert verdict(case, plan) is Verdict.UNSAFE
