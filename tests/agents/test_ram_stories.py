"""Records that were told as a story: their statements have no names."""

from __future__ import annotations

import json

import pytest

from osler.agents.ram import RecordIndex
from osler.records import Category, Language, PatientRecord, RecordPool, Status

STATEMENTS_ZH = {
    Category.SYMPTOM: (
        "患者2周前淋雨后出现咳嗽。",
        "咳少量黄色黏痰，不易咳出。",
        "活动后气短明显。",
        "夜间可平卧。",
        "无胸痛。",
        "病程中精神一般，饮食、睡眠较差。",
        "大小便正常，体重下降约2kg。",
    ),
    Category.EXAMINATION: ("社区查胸部CT示：右肺下叶片状影。",),
    Category.MEDICATION_HISTORY: ("自行服用“阿莫西林胶囊”3天，效果欠佳。",),
    Category.MEDICAL_HISTORY: ("否认高血压、糖尿病。",),
    Category.SOCIAL_HISTORY: ("吸烟30余年，每天1包，偶尔饮酒。",),
    Category.MARITAL_CHILDBEARING: ("已婚，育有1子2女，均体健。",),
}
"""What a record says whose entries nobody named: each is called by its own beginning."""
DENIED_ZH = ("无胸痛。", "否认高血压、糖尿病。")


STORY_EN = {
    "Demographics": "61-year-old male",
    "History": "The patient got wet in the rain two weeks ago and has been coughing up a little yellow phlegm since then. He gets "
    "short of breath on the stairs but can lie flat at night. He sleeps badly, eats little and has lost two kilograms.",
    "Symptoms": {
        "Primary_Symptom": "Cough",
        "Secondary_Symptoms": ["Shortness of breath on exertion"],
    },
    "Past_Medical_History": "No history of hypertension or diabetes. He has taken ramipril 5 mg daily for a weak heart since 2019.",
    "Social_History": "Smokes a pack a day, drinks wine occasionally. Works as a roofer.",
    "Review_of_Systems": "Denies chest pain or coughing up blood.",
}


def chinese() -> PatientRecord:
    entries = [
        {
            "category": category,
            "name": text[:16].rstrip("。"),
            "status": Status.ABSENT if text in DENIED_ZH else Status.PRESENT,
            "report": text,
        }
        for category, texts in STATEMENTS_ZH.items()
        for text in texts
    ]
    return PatientRecord.model_validate(
        {
            "id": "story",
            "language": "zh",
            "age": 61,
            "sex": "male",
            "complaint": "咳嗽、气短2周。",
            "diagnosis": {"name": "肺炎"},
            "entries": entries,
        }
    )


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> dict[Language, RecordIndex]:
    """Records of which nobody named the entries: each is a statement of a text."""
    path = tmp_path_factory.mktemp("stories") / "en.jsonl"
    english = {
        "OSCE_Examination": {
            "Objective_for_Doctor": "Assess the patient with a cough.",
            "Patient_Actor": STORY_EN,
            "Physical_Examination_Findings": {"Vital_Signs": {"Temperature": "38.1°C"}},
            "Test_Results": {},
            "Correct_Diagnosis": "Pneumonia",
        }
    }
    path.write_text(json.dumps(english) + "\n", encoding="utf-8")
    return {record.language: RecordIndex(record) for record in (chinese(), *RecordPool.open(path))}


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("最近睡眠怎么样？", "睡眠较差"),
        ("您抽烟吗？", "吸烟30余年"),
        ("您有几个孩子？", "1子2女"),
        ("体重有什么变化吗？", "2kg"),
        ("有没有胸痛？", "胸痛"),
        ("做了什么检查吗？", "右肺下叶片状影"),
        ("用过什么药吗？", "阿莫西林"),
        ("耳朵疼不疼？", ""),
        ("做过胃镜吗？", ""),
        ("How do you sleep?", "sleeps badly"),
        ("Do you bring up any phlegm?", "yellow phlegm"),
        ("Do you drink alcohol?", "wine"),
        ("Do you have any chest pain?", "chest pain"),
        ("Which medicines do you take regularly?", "ramipril"),
        ("Does your ear hurt?", ""),
        ("Have you had a colonoscopy?", ""),
    ],
)
def test_a_statement_of_a_story_is_found_by_what_it_tells(
    stories: dict[Language, RecordIndex], question: str, told: str
) -> None:
    matches = stories[Language.EN if question.isascii() else Language.ZH].search(question)
    assert any(told in match.entry.report for match in matches) if told else not matches
