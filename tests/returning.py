"""A small patient who has been here before, in both languages."""

from __future__ import annotations

from typing import Any

from osler.language import Language
from osler.records import PatientRecord
from tests.conftest import small_record

VISITS: dict[Language, list[dict[str, Any]]] = {
    Language.EN: [
        {
            "date": "2021-03-09",
            "exchanges": [
                {
                    "question": "What brings you here?",
                    "reply": "My ear hurts since Sunday.",
                    "results": "Ear: red drum",
                },
                {
                    "question": "Do you take any medicine?",
                    "reply": "Yes, I take amlodipine 5 mg every morning.",
                },
            ],
            "treatment": "Ear drops for a week.",
            "outcome": "The pain went away.",
        },
        {
            "date": "2023-11-20",
            "speaker": "daughter",
            "exchanges": [
                {
                    "question": "How can I help?",
                    "reply": "My mother has a cough and lost her voice.",
                },
                {
                    "question": "Is she allergic to anything?",
                    "reply": "She had a severe reaction to penicillin in 2019.",
                },
                {
                    "question": "And her tablets?",
                    "reply": "She takes amlodipine 10 mg now, they doubled it.",
                },
            ],
        },
    ],
    Language.ZH: [
        {
            "date": "2021-03-09",
            "exchanges": [
                {
                    "question": "哪里不舒服？",
                    "reply": "星期天起耳朵疼。",
                    "results": "耳镜：鼓膜充血",
                },
                {"question": "平时吃什么药？", "reply": "吃氨氯地平，每天早上5毫克。"},
            ],
            "treatment": "滴耳液一周。",
            "outcome": "疼痛消失。",
        },
        {
            "date": "2023-11-20",
            "speaker": "daughter",
            "exchanges": [
                {"question": "今天怎么了？", "reply": "我妈咳嗽，嗓子也哑了。"},
                {"question": "她对什么过敏吗？", "reply": "她2019年用青霉素有过严重反应。"},
                {"question": "药还在吃吗？", "reply": "现在吃氨氯地平10毫克，加了一倍。"},
            ],
        },
    ],
}
KEY_FACTS: dict[Language, list[dict[str, Any]]] = {
    Language.EN: [
        {
            "question": "Is the patient allergic to penicillin?",
            "answer": "Yes, a severe reaction in 2019.",
            "visit": 2,
            "exchanges": [2],
        },
        {
            "question": "Which dose of amlodipine does the patient take?",
            "answer": "10 mg.",
            "visit": 2,
            "exchanges": [3],
            "outdated": ["5 mg"],
        },
    ],
    Language.ZH: [
        {
            "question": "患者对青霉素过敏吗？",
            "answer": "是，2019年有严重反应。",
            "visit": 2,
            "exchanges": [2],
        },
        {
            "question": "患者吃多大剂量的氨氯地平？",
            "answer": "10毫克。",
            "visit": 2,
            "exchanges": [3],
            "outdated": ["5毫克"],
        },
    ],
}
_FIELDS: dict[Language, dict[str, Any]] = {
    Language.EN: {
        "complaint": "My throat is so sore that I cannot swallow.",
        "diagnosis": {"name": "Tonsillitis", "icd10": "J03.9"},
        "treatment": {
            "name": "Azithromycin",
            "unsafe": [
                {"name": "Penicillin", "because": "Anaphylaxis.", "entry": "Penicillin allergy"}
            ],
        },
        "entries": [
            {"category": "symptom", "name": "Sore throat", "report": "Sore throat for 3 days."},
            {
                "category": "symptom",
                "name": "Fever",
                "report": "Fever of 38.9 °C.",
                "said": "I have a fever.",
            },
            {
                "category": "allergy",
                "name": "Penicillin allergy",
                "report": "Anaphylaxis after penicillin in 2019.",
            },
            {
                "category": "examination",
                "name": "Neck ultrasound",
                "report": "Thyroid nodule of 8 mm.",
            },
        ],
        "earlier": ["Penicillin allergy", "Neck ultrasound"],
    },
    Language.ZH: {
        "complaint": "我喉咙疼得咽不下东西。",
        "diagnosis": {"name": "扁桃体炎", "icd10": "J03.9"},
        "treatment": {
            "name": "阿奇霉素",
            "unsafe": [{"name": "青霉素", "because": "曾发生过敏性休克。", "entry": "青霉素过敏"}],
        },
        "entries": [
            {"category": "symptom", "name": "咽痛", "report": "咽痛3天。"},
            {"category": "symptom", "name": "发热", "report": "发热38.9 °C。", "said": "我发烧。"},
            {"category": "allergy", "name": "青霉素过敏", "report": "2019年用青霉素后过敏性休克。"},
            {"category": "examination", "name": "颈部超声", "report": "甲状腺结节8 mm。"},
        ],
        "earlier": ["青霉素过敏", "颈部超声"],
    },
}


def returning(language: Language, **changes: Any) -> PatientRecord:
    """The patient's record, with some fields changed; None removes one."""
    fields = {
        "id": f"throat-{language}",
        "patient": "throat",
        "language": language,
        "age": 58,
        "exam_order": None,
        "date": "2025-06-12",
        "visits": VISITS[language],
        "key_facts": KEY_FACTS[language],
        **_FIELDS[language],
        **changes,
    }
    return PatientRecord.model_validate(small_record(**fields))
