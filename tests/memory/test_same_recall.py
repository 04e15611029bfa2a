"""A memory that was saved and read again recalls the same text and facts as the one that was never
saved."""

from __future__ import annotations

import json
import random

import pytest

from osler.language import Language
from osler.memory import MemorySettings
from osler.memory.base import Query, Recall, Turn
from osler.memory.tim.memory import TimMemory

THINGS = {
    Language.EN: (
        "metformin",
        "penicillin",
        "warfarin",
        "latex",
        "ramipril",
        "ibuprofen",
        "codeine",
        "aspirin",
    ),
    Language.ZH: (
        "二甲双胍",
        "青霉素",
        "华法林",
        "乳胶",
        "雷米普利",
        "布洛芬",
        "可待因",
        "阿司匹林",
    ),
}
SAID = {
    Language.EN: (
        ("Do you take {}?", "Yes, {} every morning since {} years."),
        ("Still on {}?", "I stopped {} {} weeks ago."),
        ("Any allergy to {}?", "{} gave me a rash {} times."),
        ("Does {} run in the family?", "My mother took {} for {} years."),
        ("Is it {}?", "No, I never had {}, not in {} years."),
    ),
    Language.ZH: (
        ("您吃{}吗？", "吃，{}每天早上吃，{}年了。"),
        ("还在吃{}吗？", "{}停了{}个星期了。"),
        ("对{}过敏吗？", "用{}起过{}次皮疹。"),
        ("家里人用{}吗？", "我母亲用{}用了{}年。"),
        ("是{}吗？", "不是，没用过{}，{}年都没有。"),
    ),
}


def dialogue(language: Language, seed: int, length: int) -> list[Turn]:
    draws = random.Random(seed)
    turns = []
    for number in range(1, length + 1):
        thing, (question, reply) = draws.choice(THINGS[language]), draws.choice(SAID[language])
        reply = reply.format(thing, draws.randint(2, 9))
        turns.append(Turn(number=number, question=question.format(thing), reply=reply))
    return turns


async def recalls(memory: TimMemory, language: Language) -> list[Recall]:
    queries = [
        *THINGS[language],
        "zebra",
        "",
        *(question.format("") for question, _ in SAID[language]),
    ]
    return [await memory.recall(Query(query)) for query in queries]


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize(("seed", "budget"), [(0, 60), (1, 200), (2, 2000)])
async def test_a_memory_that_was_read_again_recalls_the_same(
    language: Language, seed: int, budget: int
) -> None:
    settings = MemorySettings(language=language, budget=budget)
    written, followed, restored, rebuilt = (TimMemory(settings) for _ in range(4))
    for turn in dialogue(language, seed, 40):
        await written.remember(turn)
        followed.apply(json.loads(json.dumps(written.delta())))
    restored.state = json.loads(json.dumps(written.state))
    rebuilt.apply(json.loads(json.dumps(written.delta(everything=True))))
    expected = await recalls(written, language)
    for other in (followed, restored, rebuilt):
        assert await recalls(other, language) == expected
