"""What a doctor concludes from: a memory's facts, or a talk as it went."""

from __future__ import annotations

import pytest

from osler.agents.case_notes import noted
from osler.agents.doctor import ModelDoctor
from osler.agents.participant import Briefing, Conclusion
from osler.events import Journal
from osler.records import Language, RecordPool
from osler.simulator.build import case_of
from tests.agents.scripted import scripted

RECORD = {language: RecordPool.open().get(f"gout-{language.value}") for language in Language}
FACTS = {
    Language.EN: "Fact #1: patient says pain in my knee [start makes better worse] (turn 1)\n"
    "Fact #2: MRI spine shows a syrinx (turn 2)\nFact #3: patient does not know family illnesses (turn 3)\n"
    "Also asked: allergies",
    Language.ZH: "事实#1：患者 说 右膝剧痛［开始加重减轻］（第1轮）\n事实#2：血尿酸 为 586（第2轮）\n"
    "事实#3：患者 不知道 家里人得过什么病（第3轮）\n还问过：过敏",
}
NOTES = {
    Language.EN: "- pain in the knee\n- MRI spine shows a syrinx\n- It throbs.",
    Language.ZH: "- 右膝剧痛\n- 血尿酸为586\n- 夜里疼。",
}
REPLY = {Language.EN: "It throbs.", Language.ZH: "夜里疼。"}
UNKNOWN = {Language.EN: "I can't tell you anything about that.", Language.ZH: "这个我不太清楚。"}
TALK = {
    Language.EN: "Turn 1\nDoctor: Does it hurt?\nPatient: Yes.",
    Language.ZH: "第1轮\n医生：疼吗？\n患者：疼。",
}


def briefing(language: Language, recall: str, reply: str) -> Briefing:
    return Briefing(case=case_of(RECORD[language]), turn=9, turns_left=0, recall=recall, reply=reply)


@pytest.mark.parametrize("language", Language)
def test_facts_are_told_bare_and_what_is_not_known_is_left_out(language: Language) -> None:
    assert noted(briefing(language, FACTS[language], REPLY[language])) == NOTES[language]
    alone = noted(briefing(language, FACTS[language], UNKNOWN[language]))
    assert alone == NOTES[language].rpartition("\n")[0]


@pytest.mark.parametrize("language", Language)
def test_a_talk_and_an_empty_memory_are_no_notes(language: Language) -> None:
    for recall in ("", TALK[language], f"{FACTS[language]}\n{TALK[language]}"):
        assert noted(briefing(language, recall, REPLY[language])) == ""


@pytest.mark.parametrize("listed", ["Denied: fever; chest pain", "Normal: pulse 72; chest X-ray"])
def test_what_a_short_memory_denies_or_calls_normal_stands_in_the_notes(listed: str) -> None:
    short = f"#1: cough for 4 days [cough]\n{listed}"
    assert noted(briefing(Language.EN, short, "")) == f"- cough for 4 days\n- {listed}"


@pytest.mark.parametrize(
    ("language", "fact", "note"),
    [
        (Language.EN, "creatinine is 142, 1 hour ago", "creatinine is 142"),
        (Language.EN, "X-ray shows a fracture, this morning", "X-ray shows a fracture"),
        (Language.EN, "X-ray shows a fracture, 2 weeks ago", "X-ray shows a fracture, 2 weeks ago"),
        (Language.EN, "patient vomited twice, 3 hours ago", "patient vomited twice, 3 hours ago"),
        (Language.EN, "complaint was sudden, 3 hours ago", "complaint was sudden, 3 hours ago"),
        (Language.EN, "pain was sudden, 3 hours ago", "pain was sudden, 3 hours ago"),
        (Language.EN, "complete blood count is normal, today", "complete blood count is normal"),
        (Language.ZH, "肌酐 为 142，今天早上", "肌酐为142"),
        (Language.ZH, "疼痛 是 突然来的，3小时前", "疼痛是突然来的，3小时前"),
        (Language.ZH, "胸片 显示 骨折，2周前", "胸片显示骨折，2周前"),
        (Language.ZH, "症状 是 突然疼起来，3小时前", "症状是突然疼起来，3小时前"),
    ],
)
def test_of_a_result_as_new_as_the_visit_the_time_is_left_out(language: Language, fact: str, note: str) -> None:
    line = f"Fact #1: {fact} (turn 1)" if language is Language.EN else f"事实#1：{fact}（第1轮）"
    assert noted(briefing(language, line, "")) == f"- {note}"


PLAN = '{"treatment": "rest", "reasoning": "it fits"}'
TELLING = "The crystals are telling."


async def prompts_of(language: Language, recall: str) -> list[str]:
    """What the model is asked for until it has concluded: what is telling, the illnesses, the treatment."""
    backbone, client = scripted([TELLING, "Gout\nPseudogout", PLAN])
    doctor = ModelDoctor(case_of(RECORD[language]), backbone, Journal())
    concluded = await doctor.respond(briefing(language, recall, REPLY[language]))
    assert isinstance(concluded, Conclusion) and concluded.diagnosis == "Gout"
    assert len(client.prompts) == 3
    assert TELLING in client.prompts[1] and TELLING not in client.prompts[2]
    return client.prompts


@pytest.mark.parametrize("language", Language)
async def test_facts_are_the_case_in_every_step_of_a_conclusion(language: Language) -> None:
    asked = await prompts_of(language, FACTS[language])
    assert all(NOTES[language] in text and FACTS[language] not in text for text in asked)


@pytest.mark.parametrize("language", Language)
async def test_a_talk_is_the_case_as_it_went_up_to_the_last_reply(language: Language) -> None:
    asked = await prompts_of(language, TALK[language])
    assert all(TALK[language] in text and REPLY[language] in text for text in asked)
