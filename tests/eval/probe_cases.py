"""A small case in both languages and a consultation about it, for the tests of probes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from osler.eval.probes.figures import ProbedConsultation, ProbeFigures, probe_figures
from osler.eval.probes.gold import MemoryProbe, probes_of
from osler.eval.probes.run import Examiner, examine
from osler.language import Language
from osler.memory.base import Change, Recall
from osler.records import PatientRecord
from osler.runs.events import (
    Answered,
    Concluded,
    Ending,
    Event,
    Found,
    Maker,
    Recalled,
    Remembered,
    Retrieved,
    Role,
)
from osler.runs.events import Asked as AskedEvent
from osler.runs.transcript import Header, Transcript
from osler.settings.run_settings import RunSettings
from tests.conftest import small_record

EN, ZH = Language.EN, Language.ZH
Exchange = tuple[str, str, tuple[str, ...]]
ENGLISH = PatientRecord.model_validate(
    small_record(
        id="chest-en",
        treatment=None,
        exam_order=None,
        complaint="I feel unwell.",
        entries=[
            {
                "category": "symptom",
                "name": "Cough",
                "report": "Dry cough for 12 days.",
                "said": "A cough.",
            },
            {
                "category": "symptom",
                "name": "Fever",
                "status": "absent",
                "report": "No fever, no chills.",
            },
            {
                "category": "test",
                "name": "Complete blood count",
                "report": "White cells 14.6, haemoglobin 131 g/L.",
            },
            {
                "category": "examination",
                "name": "Chest X-ray",
                "report": "Shadow in the left upper lobe.",
                "when": "2 days ago",
            },
            {
                "category": "examination",
                "name": "Bronchoscopy",
                "status": "not_done",
                "report": "Not done.",
            },
            {"category": "social_history", "name": "Alcohol", "report": "2 beers a week."},
        ],
    )
)
CHINESE = PatientRecord.model_validate(
    small_record(
        id="chest-zh",
        language="zh",
        treatment=None,
        exam_order=None,
        complaint="我不舒服。",
        diagnosis={"name": "肺炎", "icd10": "J18.9"},
        entries=[
            {"category": "symptom", "name": "咳嗽", "report": "干咳12天。"},
            {
                "category": "symptom",
                "name": "发热",
                "status": "absent",
                "report": "无发热，无寒战。",
            },
            {"category": "test", "name": "血常规", "report": "白细胞14.6，血红蛋白131 g/L。"},
            {
                "category": "examination",
                "name": "胸部X线",
                "report": "左上肺阴影。",
                "when": "2天前",
            },
            {
                "category": "examination",
                "name": "支气管镜",
                "status": "not_done",
                "report": "未做。",
            },
            {"category": "social_history", "name": "饮酒", "report": "每周2瓶啤酒。"},
        ],
    )
)
SAID: dict[Language, list[Exchange]] = {
    EN: [
        ("Do you cough?", "Yes, I have had a dry cough for 12 days.", ("Cough",)),
        ("Have you had a fever?", "No, I have not had a fever, no chills.", ("Fever",)),
        (
            "What did the blood count show?",
            "White cells 14.6 it says. The rest I forgot.",
            ("Complete blood count",),
        ),
        (
            "What did the chest X-ray show?",
            "They saw a shadow in the left upper lobe, 2 days ago.",
            ("Chest X-ray",),
        ),
        ("Was there a bronchoscopy?", "No, that has not been done.", ("Bronchoscopy",)),
    ],
    ZH: [
        ("有没有咳嗽？", "有，干咳12天了。", ("咳嗽",)),
        ("有没有发热？", "没有发热，没有寒战。", ("发热",)),
        ("血常规结果怎么样？", "白细胞14.6，别的忘了。", ("血常规",)),
        ("胸部X线显示什么？", "2天前拍的，说是左上肺有阴影。", ("胸部X线",)),
        ("做过支气管镜吗？", "没有做过支气管镜。", ("支气管镜",)),
    ],
}
RECORDS = {EN: ENGLISH, ZH: CHINESE}
both = pytest.mark.parametrize("language", [EN, ZH])


def consultation(
    language: Language, memory: str = "raw", extra: tuple[Event, ...] = ()
) -> Transcript:
    """A consultation in which the patient says what SAID has."""
    record, events = RECORDS[language], list[Event](extra)
    for turn, (question, reply, names) in enumerate(SAID[language], 1):
        at: dict[str, Any] = {"turn": turn}
        found = tuple(Found(name=name, score=1.0) for name in names)
        events += [
            AskedEvent(role=Role.DOCTOR, question=question, **at),
            Retrieved(role=Role.RAM, entries=found, **at),
            Answered(role=Role.PATIENT, reply=reply, disclosed=names, maker=Maker.RULES, **at),
            Remembered(role=Role.MEMORY, of=turn, change=Change(), **at),
            Recalled(role=Role.MEMORY, query=reply, recall=Recall(), **at),
        ]
    events.append(
        Concluded(turn=len(SAID[language]), role=Role.DOCTOR, diagnosis="x", treatment="y")
    )
    header = Header(
        case=record.id,
        patient=record.patient,
        language=language,
        backbone="rules",
        memory=memory,
        seed=0,
        turn_limit=9,
        version="0",
        prompts={},
    )
    return Transcript(header=header, ending=Ending.CONCLUDED, events=tuple(events))


def probe_for(kind: str, language: Language) -> MemoryProbe:
    """The first probe of a kind."""
    return next(
        probe
        for probe in probes_of(consultation(language), RECORDS[language])
        if probe.kind == kind
    )


def says(says: str, agrees: str, words: str) -> str:
    """A reader's form."""
    return json.dumps({"words": words, "says": says, "agrees": agrees}, ensure_ascii=False)


def always(answer: str) -> Callable[[str], str]:
    """A script that says one thing."""
    return lambda _: answer


async def examined(
    language: Language, memory: str, examiner: Examiner | None = None
) -> ProbedConsultation:
    """What becomes of all probes of the consultation."""
    return await examine(consultation(language, memory), RECORDS[language], RunSettings(), examiner)


async def row(language: Language, memory: str) -> ProbeFigures:
    """The same as one row of figures, without a model."""
    [found] = probe_figures([await examined(language, memory)], [1, 3])
    return found
