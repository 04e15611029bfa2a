"""Whether a drafted reply is held against what the doctor already knows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.memory.embedders import HashEmbedder
from osler.memory.tim.consistency import MOST, adaptive_delta, conflicts, perturb
from osler.memory.tim.thought import Status, Thought
from osler.records.language import Language

EN, ZH = Language.EN, Language.ZH
Triple = tuple[str, str, str]


class Pair(NamedTuple):
    """A fact, a draft, and whether the draft speaks against the fact."""

    fact: Triple
    draft: str
    against: bool


KNOWN = {
    EN: (
        ("patient", "has", "blurred vision"),
        ("patient", "works as", "a bus driver"),
        ("patient", "does not have", "ringing in the ears"),
        ("sleep", "is", "disturbed by itching"),
        ("haemoglobin", "is", "13.1 g/dl"),
        ("patient", "had", "appendix removed in 1998"),
        ("appetite", "is", "good"),
    ),
    ZH: (
        ("患者", "有", "视物模糊"),
        ("患者", "职业为", "公交司机"),
        ("患者", "没有", "耳鸣"),
        ("睡眠", "为", "因瘙痒而差"),
        ("血红蛋白", "为", "131 g/L"),
        ("患者", "做过", "阑尾手术"),
        ("食欲", "为", "好"),
    ),
}
"""What else is known in every pair; no draft speaks of it."""

# Even places were looked at while the check was written; the odd ones only to measure it.
PAIRS = {
    EN: (
        Pair(
            ("patient", "is allergic to", "penicillin"),
            "You have no allergy to penicillin, so I will give you amoxicillin.",
            True,
        ),
        Pair(
            ("patient", "is allergic to", "aspirin"),
            "Since you are not allergic to aspirin, we can start it today.",
            True,
        ),
        Pair(
            ("patient", "does not have", "fever"),
            "Since you have a fever, I think of an infection. When did you last pass urine?",
            True,
        ),
        Pair(
            ("patient", "does not have", "fever or chills"),
            "The fever and the back pain point to pyelonephritis.",
            True,
        ),
        Pair(("pain", "is in", "left knee"), "I would like an X-ray of your right knee.", True),
        Pair(
            ("pain", "is located", "in my right shoulder"),
            "The pain in your left shoulder comes from the rotator cuff.",
            True,
        ),
        Pair(("patient", "smokes", "ten cigarettes a day"), "As you do not smoke, lung cancer is unlikely.", True),
        Pair(("patient", "does not smoke", ""), "Your smoking explains the cough.", True),
        Pair(
            ("patient", "takes", "warfarin 5 mg daily"),
            "You are not taking warfarin, so the bleeding needs another explanation.",
            True,
        ),
        Pair(("patient", "takes", "metformin"), "Diagnosis: gastritis. The patient takes no medication.", True),
        Pair(("temperature", "is", "38.9 °C"), "Your temperature of 36.6 °C argues against pneumonia.", True),
        Pair(
            ("cough", "lasts", "three weeks"), "You have had this cough for two days, so it is most likely viral.", True
        ),
        Pair(("patient", "is", "pregnant"), "You are not pregnant, so I can prescribe doxycycline.", True),
        Pair(
            ("pain", "does not spread to", "arm"), "Because the pain spreads to your arm, I fear a heart attack.", True
        ),
        Pair(("urine culture", "is", "negative"), "The urine culture was positive, which confirms cystitis.", True),
        Pair(("patient", "has", "fever"), "How high is the fever?", False),
        Pair(("patient", "has", "fever"), "You have a fever, so I would like to take some blood.", False),
        Pair(
            ("patient", "does not have", "fever"), "You have had no fever, which speaks against pyelonephritis.", False
        ),
        Pair(
            ("patient", "is allergic to", "penicillin"),
            "Because you are allergic to penicillin I will not give amoxicillin.",
            False,
        ),
        Pair(("patient", "does not have", "chest pain"), "Do you have chest pain when you climb stairs?", False),
        Pair(("pain", "is in", "left knee"), "Has your left knee been swollen?", False),
        Pair(("pain", "is in", "left knee"), "Does your right knee hurt as well?", False),
        Pair(("mother", "has", "diabetes"), "You do not have diabetes yourself.", False),
        Pair(("patient", "does not have", "diabetes"), "Your mother has diabetes, so your own risk is higher.", False),
        Pair(("patient", "takes", "warfarin 5 mg daily"), "Stop warfarin and do not take ibuprofen.", False),
        Pair(
            ("temperature", "is", "38.9 °C"), "Your temperature was 38.9 °C; come back if it rises above 40 °C.", False
        ),
        Pair(
            ("patient", "has", "cough"),
            "Diagnosis: renal stone. Treatment: fluids and pain relief, and a stone analysis.",
            False,
        ),
        Pair(("patient", "has", "headache"), "You have no chest pain. Do you feel dizzy?", False),
        Pair(("patient", "does not smoke", ""), "Good that you do not smoke. Do you drink alcohol?", False),
        Pair(
            ("patient", "does not have", "fever"),
            "Come back at once if you develop a fever or if the pain gets worse.",
            False,
        ),
    ),
    ZH: (
        Pair(("患者", "过敏", "青霉素"), "您对青霉素不过敏，我给您开阿莫西林。", True),
        Pair(("患者", "过敏", "头孢"), "既然没有头孢过敏，今天就可以输液。", True),
        Pair(("患者", "没有", "发热"), "既然您发热了，我考虑是感染。", True),
        Pair(("患者", "没有", "发热"), "患者有发烧和腰痛，诊断为肾盂肾炎。", True),
        Pair(("疼痛", "位于", "左膝"), "我想给您的右膝拍个片子。", True),
        Pair(("疼痛", "位于", "右侧肩膀"), "您左肩膀的疼痛来自肩袖损伤。", True),
        Pair(("患者", "抽", "烟，一天一包"), "您不抽烟，所以肺癌可能性小。", True),
        Pair(("患者", "不抽", "烟"), "咳嗽和您吸烟有关。", True),
        Pair(("患者", "服用", "华法林"), "您没有服用华法林，出血要另找原因。", True),
        Pair(("患者", "服用", "二甲双胍"), "诊断：胃炎。患者目前没有服用任何药物。", True),
        Pair(("体温", "为", "38.9 °C"), "您的体温是36.6 °C，不支持肺炎。", True),
        Pair(("咳嗽", "持续", "三个星期"), "您咳嗽才两天，多半是病毒感染。", True),
        Pair(("患者", "怀孕", ""), "您没有怀孕，可以用多西环素。", True),
        Pair(("疼痛", "不放射到", "左臂"), "疼痛放射到左臂，我担心是心梗。", True),
        Pair(("尿培养", "为", "阴性"), "尿培养阳性，确诊膀胱炎。", True),
        Pair(("患者", "有", "发热"), "发热最高到多少度？", False),
        Pair(("患者", "有", "发热"), "您有发热，我想先抽个血。", False),
        Pair(("患者", "没有", "发热"), "您没有发烧，不太像肾盂肾炎。", False),
        Pair(("患者", "过敏", "青霉素"), "您对青霉素过敏，所以我不开阿莫西林。", False),
        Pair(("患者", "没有", "胸痛"), "爬楼梯的时候胸痛吗？", False),
        Pair(("疼痛", "位于", "左膝"), "左膝肿过吗？", False),
        Pair(("疼痛", "位于", "左膝"), "右膝也疼吗？", False),
        Pair(("妈妈", "有", "糖尿病"), "您自己没有糖尿病。", False),
        Pair(("患者", "没有", "糖尿病"), "您母亲有糖尿病，您的风险会高一些。", False),
        Pair(("患者", "服用", "华法林"), "先停用华法林，不要吃布洛芬。", False),
        Pair(("体温", "为", "38.9 °C"), "您体温38.9 °C，如果超过40 °C请马上来。", False),
        Pair(("患者", "有", "咳嗽"), "诊断：肾结石。治疗：多饮水，止痛，做结石分析。", False),
        Pair(("患者", "有", "头痛"), "您没有胸痛。会头晕吗？", False),
        Pair(("患者", "不抽", "烟"), "您不抽烟很好。喝酒吗？", False),
        Pair(("患者", "没有", "发热"), "如果出现发热或者疼痛加重，请马上回来。", False),
    ),
}


def thoughts(triples: Sequence[Triple], **more: object) -> list[Thought]:
    return [
        Thought.model_validate(
            {"id": number, "turn": number, "subject": s, "relation": r, "object": o, "negated": denies(r), **more}
        )
        for number, (s, r, o) in enumerate(triples, 1)
    ]


def denies(relation: str) -> bool:
    return " not " in f" {relation} " or relation[0] in "没不无未否"
