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
from osler.memory.tim.consistency import LEAST_DELTA, MOST, MOST_DELTA, Conflict, adaptive_delta, conflicts
from osler.memory.tim.perturb import perturb
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


async def check(draft: str, kept: Sequence[Thought], language: Language = EN) -> list[Conflict]:
    embedder = HashEmbedder()
    await embedder.embed([thought.triple for thought in kept])
    before = embedder.snapshot()
    found = await conflicts(draft, kept, embedder, language)
    assert embedder.snapshot() == before
    return found


async def measure(pairs: Sequence[Pair], language: Language) -> tuple[float, float]:
    """Precision and recall; a conflict with any thought but the pair's own is a false one."""
    found = right = 0
    for pair in pairs:
        kept = thoughts([*KNOWN[language], pair.fact])
        told = await check(pair.draft, kept, language)
        found += len(told)
        right += sum(pair.against and conflict.thought is kept[-1] for conflict in told)
    return right / found, right / sum(pair.against for pair in pairs)


@pytest.mark.parametrize("language", [EN, ZH])
@pytest.mark.parametrize("half", [0, 1])
async def test_conflicts_are_found_and_agreement_is_left_alone(language: Language, half: int) -> None:
    precision, recall = await measure(PAIRS[language][half::2], language)
    assert precision >= 0.95
    assert recall >= 0.85


@pytest.mark.parametrize(
    ("fact", "draft", "perturbed"),
    [
        (
            ("patient", "is allergic to", "penicillin"),
            "You have no allergy to penicillin.",
            "patient is not allergic to penicillin",
        ),
        (
            ("patient", "is allergic to", "penicillin"),
            "Treatment: start penicillin V 500 mg.",
            "patient is not allergic to penicillin",
        ),
        (("patient", "does not have", "fever"), "How high is the fever?", "patient has fever"),
        (("pain", "is in", "left knee"), "Your right knee needs an X-ray.", "pain is in right knee"),
        (("left ear", "is", "blocked"), "Your right ear is blocked.", "right ear is blocked"),
        (("患者", "没有", "发热"), "发烧几天了，什么时候开始发烧的？", "患者有发热"),
        (("疼痛", "位于", "左膝"), "您的右膝要拍片。", "疼痛位于右膝"),
    ],
)
async def test_a_conflict_names_what_the_draft_would_have_believed(fact: Triple, draft: str, perturbed: str) -> None:
    language = ZH if draft[0] > "z" else EN
    kept = thoughts([*KNOWN[language], fact])
    (conflict,) = await check(draft, kept, language)
    assert (conflict.thought, conflict.perturbed) == (kept[-1], perturbed)
    assert conflict.sentence in draft
    assert 0 < conflict.score <= 1


async def test_a_flag_denies_as_words_do() -> None:
    flagged = [Thought(id=1, turn=1, subject="patient", relation="has", object="fever", negated=True)]
    assert await check("Since you have a fever, I will take blood.", flagged)
    assert not await check("You have no fever.", flagged)
    assert perturb(flagged[0], EN)[0] == "patient has fever"


async def test_a_fact_that_another_fact_bears_out_is_no_conflict() -> None:
    both = thoughts([("pain", "is in", "left knee"), ("pain", "is in", "right knee")])
    assert not await check("The pain in your right knee is new.", both)
    assert await check("The pain in your right knee is new.", both[:1])


@pytest.mark.parametrize("more", [{"status": Status.SUPERSEDED}, {"status": Status.FORGOTTEN}, {"certainty": 0.0}])
async def test_what_is_no_longer_held_or_not_known_cannot_be_contradicted(more: dict[str, object]) -> None:
    assert not await check(
        "Since you have a fever, I will take blood.", thoughts([("patient", "does not have", "fever")], **more)
    )


async def test_the_most_certain_come_first_and_only_so_many() -> None:
    kept = thoughts([("patient", "does not have", name) for name in ("fever", "cough", "rash", "nausea", "headache")])
    found = await check(
        "You have a fever. You have a cough. You have a rash. You have nausea. You have a headache.", kept
    )
    assert len(found) == MOST
    assert [conflict.score for conflict in found] == sorted((conflict.score for conflict in found), reverse=True)
    assert found == await check(
        "You have a fever. You have a cough. You have a rash. You have nausea. You have a headache.", kept
    )


@pytest.mark.parametrize("language", [EN, ZH])
async def test_nothing_kept_or_nothing_said(language: Language) -> None:
    assert not await check("You have no allergy to penicillin. 您没有发热。", [], language)
    assert not await check("", thoughts(KNOWN[language]), language)


@pytest.mark.parametrize("language", [EN, ZH])
def test_perturbed_thoughts_differ_from_the_thought(language: Language) -> None:
    for thought in thoughts([*KNOWN[language], *(pair.fact for pair in PAIRS[language])]):
        told = thought.triple if language is EN else thought.triple.replace(" ", "")
        assert told.strip() not in perturb(thought, language)


@given(st.integers(0, 12), st.integers(0, 2**32 - 1))
def test_delta_stays_within_its_bounds(count: int, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(count, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert LEAST_DELTA <= adaptive_delta(rows) <= MOST_DELTA


def test_delta_is_higher_where_everything_is_alike() -> None:
    rng = np.random.default_rng(3)
    apart = rng.normal(size=(20, 256)).astype(np.float32)
    alike = apart + 2 * rng.normal(size=256).astype(np.float32)
    near, far = (adaptive_delta(rows / np.linalg.norm(rows, axis=1, keepdims=True)) for rows in (alike, apart))
    assert near > far + 0.3


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=60), st.text(max_size=12), st.text(max_size=12), st.text(max_size=20), st.sampled_from([EN, ZH])
)
async def test_no_text_breaks_it(draft: str, subject: str, relation: str, thing: str, language: Language) -> None:
    thought = Thought(id=1, turn=1, subject=subject, relation=relation, object=thing)
    for conflict in await check(draft, [thought], language):
        assert conflict.sentence in draft


@pytest.mark.parametrize("language", [EN, ZH])
async def test_the_time_grows_no_faster_than_the_thoughts(language: Language) -> None:
    facts = list(dict.fromkeys([*KNOWN[language], *(pair.fact for pair in PAIRS[language])]))
    kept = thoughts([*facts, *((fact[0], fact[1], f"{fact[2]} {number}") for number, fact in enumerate(facts))][:54])
    kept += thoughts([("patient", "has", f"finding{number}") for number in range(6)])
    embedder = HashEmbedder()
    await embedder.embed([thought.triple for thought in kept])

    async def seconds(some: list[Thought]) -> float:
        taken = []
        for _ in range(9):
            start = time.process_time()
            await conflicts(PAIRS[language][10].draft, some, embedder, language)
            taken.append(time.process_time() - start)
        return min(taken)

    assert await seconds(kept * 4) < 8 * await seconds(kept)
