"""What belongs to a turn and was not said aloud: the reports that came with it, and what the doctor
thought of."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from osler.memory import Memory, MemorySettings, Query, Turn, memory_factory
from osler.memory.core.fact import FactStatus
from osler.memory.tim.memory import TimMemory
from osler.prompts import Prompt
from osler.records import Language

TURNS = {
    Language.EN: (
        Turn(
            number=1,
            question="Has he had an X-ray of the chest?",
            reply="Yes, this morning.",
            results="Chest X-ray: dense consolidation in the right lower lobe.\nCRP: 184 mg/L",
            differential=("Pneumonia", "Lung cancer"),
        ),
        Turn(
            number=2,
            question="Does he smoke?",
            reply="Yes, he smokes.",
            differential=("Lung abscess",),
        ),
        Turn(
            number=3,
            question="Does he cough?",
            reply="Yes, he coughs.",
            differential=("Lung abscess",),
        ),
    ),
    Language.ZH: (
        Turn(
            number=1,
            question="他做过胸片吗？",
            reply="做过，今天早上做的。",
            results="胸片：右下肺大片实变影。\nCRP：184 mg/L",
            differential=("肺炎", "肺癌"),
        ),
        Turn(number=2, question="他抽烟吗？", reply="他抽烟。", differential=("肺脓肿",)),
        Turn(number=3, question="他咳嗽吗？", reply="他咳嗽。", differential=("肺脓肿",)),
    ),
}
MARKED = {
    Language.EN: (
        "Doctor thought of: Pneumonia; Lung cancer",
        "Report: Chest X-ray: dense consolidation in the right lower lobe.",
        "Report: CRP: 184 mg/L",
    ),
    Language.ZH: ("医生考虑：肺炎；肺癌", "报告：胸片：右下肺大片实变影。", "报告：CRP：184 mg/L"),
}
OWN = {
    Language.EN: "Doctor's earlier differential (thoughts, no findings): {}",
    Language.ZH: "医生之前的鉴别诊断（是想法，不是发现）：{}",
}
SHADOW = {Language.EN: "consolidation", Language.ZH: "实变"}


async def told(name: str, language: Language, most: int = 3, **settings: Any) -> Memory:
    memory = memory_factory(name)(MemorySettings(language=language, **settings))
    for turn in TURNS[language][:most]:
        await memory.remember(turn)
    return memory


@pytest.mark.parametrize("language", Language)
async def test_raw_tells_both_in_marked_lines(language: Language) -> None:
    memory = await told("raw", language)
    lines = (await memory.recall(Query(""))).text.splitlines()
    assert all(line in lines for line in MARKED[language])
    plain = await told("raw", language, most=0)
    await plain.remember(Turn(number=1, question="?", reply="!"))
    assert len((await plain.recall(Query(""))).text.splitlines()) == 3


@pytest.mark.parametrize("language", Language)
async def test_rules_think_about_reports_and_keep_the_doctors_newest_thought(
    language: Language,
) -> None:
    memory = await told("tim", language)
    assert isinstance(memory, TimMemory)
    text = (await memory.recall(Query(""))).text
    assert SHADOW[language] in text and "184" in text
    first, last = (
        ("Pneumonia; Lung cancer", "Lung abscess")
        if language is Language.EN
        else ("肺炎；肺癌", "肺脓肿")
    )
    assert OWN[language].format(last) in text.splitlines() and first not in text
    own = [one for one in memory.ledger if one.is_doctors]
    assert [(one.object, one.status, one.inferred, one.turns) for one in own] == [
        (first, FactStatus.SUPERSEDED, True, (1,)),
        (last, FactStatus.ACTIVE, True, (2, 3)),
    ]


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("budget", [10, 60, 100])
async def test_what_the_doctor_thought_keeps_to_the_budget(language: Language, budget: int) -> None:
    from osler.memory.base import tokens

    recall = await (await told("tim", language, budget=budget)).recall(Query(""))
    assert tokens(recall.text) <= budget


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("mode", ["one", "paper"])
async def test_a_model_that_thinks_is_shown_both_and_told_which_is_which(
    language: Language, mode: str
) -> None:
    asked: list[str] = []

    async def think(template: Prompt, text: str, schema: type[BaseModel] | None, most: int) -> str:
        asked.append(text)
        return json.dumps({"thoughts": [], "forget": [], "merge": []})

    await told(f"tim,mode={mode}", language, most=1, thinker=think)
    [text] = asked
    turn = TURNS[language][0]
    assert all(line in text for line in turn.results.splitlines())
    assert all(illness in text for illness in turn.differential)
    assert (
        "not what the doctor thought of" if language is Language.EN else "医生考虑的疾病不用写"
    ) in text


@pytest.mark.parametrize("language", Language)
async def test_no_memory_brings_nothing_back(language: Language) -> None:
    assert (await (await told("none", language)).recall(Query(""))).text == ""


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("name", ["raw", "tim"])
async def test_a_snapshot_keeps_both(name: str, language: Language) -> None:
    memory = await told(name, language, most=2)
    again = memory_factory(name)(MemorySettings(language=language))
    again.state = json.loads(json.dumps(memory.state))
    assert await again.recall(Query("?")) == await memory.recall(Query("?"))
    for one in (memory, again):
        await one.remember(TURNS[language][2])
    assert (
        await again.recall(Query("?")) == await memory.recall(Query("?"))
        and again.state == memory.state
    )
