"""A reply rests on what was given, and a question on what the doctor's memory shows."""

from __future__ import annotations

import pytest

from osler.agents.guards import check_reply, fabrications
from osler.agents.participant import Selection
from osler.agents.rules.voice import voice
from osler.records import Language, RecordPool
from osler.records.schema import Category, Entry, Part, Status
from osler.simulator.build import case_of

POOL = RecordPool.open()


def told(record_id: str, question: str, *names: str) -> Selection:
    record = POOL.get(record_id)
    return Selection(case=case_of(record), question=question, entries=tuple(record.entry(name) for name in names))


def reasons(reply: str, chosen: Selection, record_id: str) -> str:
    return " ".join(check_reply(reply, chosen, POOL.get(record_id).diagnosis))


@pytest.mark.parametrize(
    ("record_id", "names", "question", "reply", "reason"),
    [
        ("croup-en", ["Drug allergy"], "Are you allergic to any medicine?", "Yes, he reacts to penicillin.", "penicil"),
        ("croup-en", ["Drug allergy"], "Is he allergic to any medicine?", "He is allergic to a medicine.", "opposite"),
        ("croup-en", ["Drug allergy"], "Is he allergic?", "Yes, he is allergic. No, no known allergy.", "opposite"),
        ("gout-zh", ["关节病家族史"], "接触过什么？", "是的，我接触过化学药品和清洁剂，我父亲关节肿过。", "化学"),
        ("croup-zh", ["哮喘及既往发作"], "以前得过什么病？", "他以前得过哮喘，既往发作过。", "相反"),
        ("croup-zh", ["药物过敏"], "对什么药物过敏？", "我最近吃药，没有过敏。", "不是患者本人"),
        ("croup-zh", ["药物过敏"], "做过手术吗？", "我还没有做过手术，没有药物过敏。", "不是患者本人"),
        ("stemi-zh", ["胸痛"], "什么时候开始的？", "我2小时前开始胸痛，压榨样疼痛。", "不是患者本人"),
        ("heart-failure-zh", ["活动后气促"], "气短吗？", "她最近没有气短。", "相反"),
        ("heart-failure-zh", ["吸烟"], "抽烟吗？", "吸烟：没有。从不吸烟。", "平常说话"),
        ("pulmonary-embolism-en", ["Smoking and work"], "Do you smoke?", "Yes, I smoke. I never smoked.", "opposite"),
        ("pulmonary-embolism-zh", ["吸烟及职业"], "你有吸烟史吗？", "是的，我有吸烟史。", "相反"),
        ("heart-failure-zh", ["吸烟"], "抽烟吗？", "不吸烟，不吸烟，不吸烟，不吸烟，不吸烟。", "只说一遍"),
    ],
)
def test_what_was_not_given_cannot_be_said(
    record_id: str, names: list[str], question: str, reply: str, reason: str
) -> None:
    assert reason in reasons(reply, told(record_id, question, *names), record_id)


@pytest.mark.parametrize(
    ("record_id", "names", "question", "reply"),
    [
        ("croup-en", ["Drug allergy"], "Is he allergic?", "No, he isn't allergic to any medicine that I know of."),
        ("croup-zh", ["哮喘及既往发作"], "以前得过什么病？", "没有，他没有哮喘，以前也没有这样发作过。"),
        ("heart-failure-zh", ["吸烟"], "抽烟吗？", "没有，她从不吸烟。"),
        ("pulmonary-embolism-zh", ["踝部骨折"], "以前得过什么病？", "右踝骨折过，是闭合性的，石膏打了6周，3天前拆的。"),
        ("stemi-zh", ["D-二聚体"], "抽血化验怎么样？", "抽血化验说D-二聚体0.31，低于0.50。"),
        ("gerd-zh", ["胃镜"], "胃镜怎么样？", "食管下段有2处黏膜破损，最长8毫米，洛杉矶分级B级，没有溃疡。"),
    ],
)
def test_what_was_given_may_be_said_in_other_words(record_id: str, names: list[str], question: str, reply: str) -> None:
    assert reasons(reply, told(record_id, question, *names), record_id) == ""


@pytest.mark.parametrize(
    ("record_id", "name", "wrong", "right"),
    [
        (
            "rheumatoid-arthritis-en",
            "Effect of movement and rest",
            "It gets better after rest, and it is worse with gentle use of my hands.",
            "After rest it is worse. It eases when I use my hands gently.",
        ),
        (
            "bladder-stone-en",
            "Pain on urination",
            "It hurts at the end of a pee, and it gets worse on lying down.",
            "It hurts at the end of a pee, worse with walking, better lying down.",
        ),
        ("rheumatoid-arthritis-zh", "活动与休息的影响", "休息后好一些，一活动就加重。", "休息后更疼，活动活动就减轻。"),
        ("acute-pancreatitis-zh", "前倾位缓解", "他平卧会缓解，弯腰坐着更疼。", "他弯腰坐着好一点，平卧更疼。"),
    ],
)
def test_what_helps_and_what_makes_it_worse_are_not_exchanged(
    record_id: str, name: str, wrong: str, right: str
) -> None:
    english = record_id.endswith("-en")
    chosen = told(record_id, "What makes it better or worse?" if english else "什么情况下加重或减轻？", name)
    opposite = "the opposite" if english else "相反"
    assert opposite in reasons(wrong, chosen, record_id)
    assert opposite not in reasons(right, chosen, record_id)


@pytest.mark.parametrize(
    ("record_id", "names", "wrong", "right"),
    [
        (
            "stemi-en",
            ["Heart rate"],
            "My heart rate was 92 beats per minute.",
            "His heart rate was 92 beats per minute.",
        ),
        ("stemi-en", ["Heart rate"], "I am him. It was 92 beats per minute.", "It was 92 beats per minute."),
        ("stemi-zh", ["心率"], "我的心率是92次。", "他的心率是92次。"),
        ("stemi-zh", ["起病情况"], "我从2小时前开始，10分钟里越来越重。", "他2小时前开始，10分钟里越来越重。"),
    ],
)
def test_a_relative_has_nothing_of_the_patients(record_id: str, names: list[str], wrong: str, right: str) -> None:
    english = record_id.endswith("-en")
    chosen = told(record_id, "How is it?" if english else "怎么样？", *names)
    not_you = "you are not the patient" if english else "你不是患者本人"
    assert not_you in reasons(wrong, chosen, record_id)
    assert not_you not in reasons(right, chosen, record_id)


def test_a_mother_has_what_is_hers() -> None:
    chosen = told("croup-en", "How is he?", "General appearance")
    for said in ("He sat on my lap all night.", "My milk is enough for him.", "My pregnancy was normal."):
        assert "you are not the patient" not in reasons(said, chosen, "croup-en")


def test_an_illness_in_the_family_has_an_owner() -> None:
    record = POOL.get("croup-en")
    family = next(e for e in record.entries if e.category is Category.FAMILY_HISTORY and e.status is Status.PRESENT)
    chosen = Selection(case=case_of(record), question="Which illnesses run in your family?", entries=(family,))
    assert "which relative" in reasons("He has hay fever.", chosen, "croup-en")
    assert reasons("His father has hay fever.", chosen, "croup-en") == ""
    assert "you are not the patient" in reasons("My father has hay fever.", chosen, "croup-en")


@pytest.mark.parametrize(
    ("language", "wrong", "right"),
    [
        ("en", "My mother has hypertension, and I have hypertension.", "My mother has hypertension, I have none."),
        ("zh", "我母亲患高血压，我得过高血压。", "我母亲患高血压，我自己没有高血压。"),
    ],
)
def test_a_relative_s_illness_is_not_claimed_as_one_s_own(language: str, wrong: str, right: str) -> None:
    record_id = f"pyelonephritis-{language}"
    chosen = told(
        record_id, "Which illnesses run in your family?", "家族史" if language == "zh" else "Family illnesses"
    )
    assert "a relative has that" in reasons(wrong, chosen, record_id) or "家人得的" in reasons(wrong, chosen, record_id)
    assert "a relative has that" not in reasons(right, chosen, record_id)
    assert "家人得的" not in reasons(right, chosen, record_id)


@pytest.mark.parametrize(
    ("record_id", "name", "wrong", "right"),
    [
        (
            "lung-cancer-en",
            "Chest auscultation",
            "I did a physical examination, and I found reduced breath sounds at the left base.",
            "They found reduced breath sounds at the left base.",
        ),
        ("lung-cancer-zh", "肺部听诊", "我给他做了听诊，左下肺呼吸音减低。", "左下肺呼吸音减低。"),
        ("lung-cancer-zh", "肺部听诊", "我听诊了左下肺，呼吸音减低。", "左下肺呼吸音减低。"),
    ],
)
def test_who_speaks_for_a_patient_has_not_examined_them(record_id: str, name: str, wrong: str, right: str) -> None:
    record = POOL.get(record_id)
    chosen = told(record_id, "What did the physical examination show?", name)
    talks_as_doctor = set(check_reply(wrong, chosen, record.diagnosis)) - set(
        check_reply(right, chosen, record.diagnosis)
    )
    assert any("doctor" in reason or "医生" in reason for reason in talks_as_doctor)


def test_the_rules_never_invent_whatever_the_entry() -> None:
    """Their words are the record's own: a guard that refuses them would refuse the truth."""
    for record in POOL:
        case = case_of(record)
        for entry in record.entries:
            chosen = Selection(case=case, question=entry.name, entries=(entry,))
            assert fabrications(voice((entry,), entry.name, case), chosen) == (), (record.id, entry.name)


@pytest.mark.parametrize(
    ("record_id", "name", "alone"), [("gout-en", "Uric acid", "586. High."), ("gout-zh", "血尿酸", "586，高。")]
)
def test_of_several_results_each_has_its_name(record_id: str, name: str, alone: str) -> None:
    record = POOL.get(record_id)
    results = tuple(entry for entry in record.entries if entry.category is Category.TEST)
    assert voice((record.entry(name),), "?", case_of(record)).startswith(alone)
    together = voice(results, "?", case_of(record))
    assert f"{name}: {alone}" in together or f"{name}：{alone}" in together


def test_a_report_with_nothing_left_is_not_answered_with_yes() -> None:
    record = POOL.get("gout-en")
    scan = Entry(name="MRI", part=Part.DIAGNOSIS, category=Category.EXAMINATION, status=Status.PRESENT)
    assert "don't have the report" in voice((scan,), "What did the MRI show?", case_of(record))
    pain = Entry(name="Fatigue", part=Part.DIAGNOSIS, category=Category.SYMPTOM, status=Status.PRESENT)
    assert voice((pain,), "When did it start?", case_of(record)) == "Fatigue."
    assert voice((pain,), "Do you feel fatigue?", case_of(record)) == "Yes, fatigue."


@pytest.mark.parametrize(
    ("record_id", "question", "not_done"),
    [
        ("gout-en", "What was your ferritin level?", True),
        ("gout-en", "What is your current level of physical activity?", False),
        ("gout-en", "How are your stress levels?", False),
        ("gout-zh", "做过胃镜吗？", True),
        ("gout-zh", "平时戴眼镜吗？", False),
    ],
)
def test_only_what_is_examined_was_not_done(record_id: str, question: str, not_done: bool) -> None:
    said = voice((), question, case_of(POOL.get(record_id)))
    assert (said in {"That hasn't been done, as far as I know.", "这个没有查过。"}) is not_done


FACTS = {
    Language.EN: "Fact #1: inspection shows a lacy rash [physical examination show] (turn 2)\n"
    "Fact #2: temperature is 37.4 °C (turn 2)\nFact #3: blood pressure is 125/80 mmHg (turn 2)\n"
    "Fact #4: patient has double vision for a month [changes vision; other symptoms] (turn 1, 3)",
    Language.ZH: "事实#1：皮肤 有 花边样皮疹［体格检查发现］（第2轮）\n事实#2：体温 为 37.4度（第2轮）\n"
    "事实#4：体格检查 显示 挺齐的（第2轮）\n事实#3：患者 有 复视［视力变化］（第1轮）",
}
RECORD = {Language.EN: "gout-en", Language.ZH: "gout-zh"}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            {"name": "Gym", "report": "The patient reports exercising in the gym some hours ago when she felt a pain."},
            "I was exercising in the gym some hours ago when I felt a pain.",
        ),
        (
            {"name": "Radiation", "report": "She describes the pain as radiating down her leg."},
            "I describe the pain as radiating down my leg.",
        ),
        (
            {"name": "Non-smoker", "report": "Non-smoker.", "category": Category.SOCIAL_HISTORY},
            "Non-smoker.",
        ),
        (
            {"name": "No pain with stools", "report": "No pain with stools.", "status": Status.ABSENT},
            "No, no pain with stools.",
        ),
    ],
)
def test_an_imported_report_is_told_as_a_person_would(entry: dict[str, str], said: str) -> None:
    whole = Entry.model_validate(
        {"part": Part.DIAGNOSIS, "category": Category.SYMPTOM, "status": Status.PRESENT} | entry
    )
    assert voice((whole,), "Do you smoke?", case_of(POOL.get("migraine-en"))) == said
