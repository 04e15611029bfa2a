"""Records that were told as a story: their statements have no names."""

from __future__ import annotations

import json

import pytest

from osler.agents.ram import RecordIndex
from osler.records import Language, RecordPool

STORY_ZH = {
    "age_value": 61,
    "age_unit": "岁",
    "gender": "男",
    "chief_complaint": "咳嗽、气短2周。",
    "present_illness_history": "患者2周前淋雨后出现咳嗽，咳少量黄色黏痰，不易咳出，活动后气短明显，夜间可平卧，无胸痛、咯血。"
    "社区查胸部CT示：右肺下叶片状影。自行服用“阿莫西林胶囊”3天，效果欠佳。病程中精神一般，饮食、睡眠较差，大小便正常，体重下降约2kg。",
    "past_medical_history": "否认高血压、糖尿病。",
    "personal_history": "吸烟30余年，每天1包，偶尔饮酒。",
    "reproductive_history": "已婚，育有1子2女，均体健。",
}


STORY_EN = {
    "Demographics": "61-year-old male",
    "History": "The patient got wet in the rain two weeks ago and has been coughing up a little yellow phlegm since then. He gets "
    "short of breath on the stairs but can lie flat at night. He sleeps badly, eats little and has lost two kilograms.",
    "Symptoms": {"Primary_Symptom": "Cough", "Secondary_Symptoms": ["Shortness of breath on exertion"]},
    "Past_Medical_History": "No history of hypertension or diabetes. He has taken ramipril 5 mg daily for a weak heart since 2019.",
    "Social_History": "Smokes a pack a day, drinks wine occasionally. Works as a roofer.",
    "Review_of_Systems": "Denies chest pain or coughing up blood.",
}


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> dict[Language, RecordIndex]:
    """Records of which nobody named the entries: each is a statement of a text."""
    folder = tmp_path_factory.mktemp("stories")
    chinese = {"caseId": "1", "caseTitle": "案例1：肺炎", "patientProfile": STORY_ZH}
    english = {
        "OSCE_Examination": {
            "Objective_for_Doctor": "Assess the patient with a cough.",
            "Patient_Actor": STORY_EN,
            "Physical_Examination_Findings": {"Vital_Signs": {"Temperature": "38.1°C"}},
            "Test_Results": {},
            "Correct_Diagnosis": "Pneumonia",
        }
    }
    (folder / "zh.json").write_text(json.dumps(chinese, ensure_ascii=False), encoding="utf-8")
    (folder / "en.jsonl").write_text(json.dumps(english) + "\n", encoding="utf-8")
    opened = [record for name in ("zh.json", "en.jsonl") for record in RecordPool.open(folder / name)]
    return {record.language: RecordIndex(record) for record in opened}


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
