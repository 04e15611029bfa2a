"""Recall goes by what a question wants to hear, and not by what it says to whoever remembers."""

from __future__ import annotations

import pytest

from osler.language import Language
from osler.memory import MemorySettings
from osler.memory.base import Turn
from osler.memory.tim.memory import TimMemory
from osler.memory.tim.reminder import without_reminder
from osler.memory.tim.wanted import wanted

EN, ZH = Language.EN, Language.ZH

TALKS = {
    EN: [
        ("Tell me about the pottery class.", "The pottery class is full of kind people and the kiln is new."),
        ("And the teacher of the pottery class?", "The teacher once made bowls in Lisbon."),
        ("What comes after the class?", "After it ends, which takes three hours, we all have soup."),
        ("What do you bring to the class?", "An apron and some clay for the pottery."),
    ],
    ZH: [
        ("说说陶艺课吧。", "陶艺课上的人都很和气，窑是新的。"),
        ("陶艺课的老师呢？", "老师以前在景德镇做过碗。"),
        ("下课以后干什么？", "一节要上三个小时，完了大家一起喝汤。"),
        ("上陶艺课要带什么？", "带围裙，还有做陶艺的泥。"),
    ],
}


async def remembered(talk: list[tuple[str, str]], language: Language) -> TimMemory:
    memory = TimMemory(MemorySettings(language=language, budget=10_000, options={"k": "10"}))
    for number, (asked, reply) in enumerate(talk, 1):
        await memory.remember(Turn(number=number, question=asked, reply=reply))
    return memory


@pytest.mark.parametrize(
    ("language", "question"),
    [(EN, "How long is the pottery class?"), (ZH, "陶艺课要上多久？")],
)
async def test_how_long_is_answered_by_a_length_of_time(language: Language, question: str) -> None:
    recall = await (await remembered(TALKS[language], language)).recall(question)
    assert max(recall.facts, key=lambda fact: fact.score).turn == 3


@pytest.mark.parametrize(
    ("language", "question", "told", "not_told"),
    [
        (EN, "How long have you had the cough?", "For about two weeks now.", "It is a dry cough, worse at night."),
        (EN, "How many days did it last?", "Half a day.", "It came and went."),
        (EN, "When did the fever start?", "It began 3 days ago.", "It began with shivering."),
        (EN, "When was the operation?", "In 2019, I think.", "It was on my knee."),
        (EN, "What time do you take it?", "At 8 am with breakfast.", "With a glass of water."),
        (EN, "How much did the tablets cost you?", "Some 40 euros.", "More than I thought."),
        (EN, "What is your phone number?", "It is 555 0142 77.", "I do not give it to anybody."),
        (EN, "How old is your mother?", "She is 71.", "She is getting on."),
        (ZH, "咳嗽多久了？", "差不多两周了。", "干咳，晚上厉害。"),
        (ZH, "疼了几天？", "半天吧。", "一阵一阵的。"),
        (ZH, "什么时候开始发烧的？", "3月2日开始的。", "先是打寒战。"),
        (ZH, "手术时间是哪天？", "去年冬天。", "做的是膝盖。"),
        (ZH, "您几点吃药？", "早上8点。", "饭后吃。"),
        (ZH, "这药多少钱？", "四十块。", "挺贵的。"),
        (ZH, "您的电话是什么？", "13800001234。", "我不告诉别人。"),
        (ZH, "您母亲多大年纪了？", "她71了。", "上岁数了。"),
    ],
)
def test_an_answer_of_the_kind_is_known_by_its_looks(
    language: Language, question: str, told: str, not_told: str
) -> None:
    looks_like = wanted(question, language)
    assert looks_like is not None
    assert looks_like.search(told) and not looks_like.search(not_told)


@pytest.mark.parametrize(
    ("language", "question"),
    [(EN, "Does it hurt when you breathe?"), (EN, "Where does it hurt?"), (ZH, "哪里疼？"), (ZH, "呼吸的时候疼吗？")],
)
def test_what_may_be_answered_by_anything_wants_no_kind(language: Language, question: str) -> None:
    assert wanted(question, language) is None


@pytest.mark.parametrize(
    ("language", "question", "asked"),
    [
        (EN, "Do you remember which soup I like?", "which soup I like?"),
        (EN, "According to our previous discussion, which soup is it?", "which soup is it?"),
        (EN, "As we discussed before, is the kiln new?", "is the kiln new?"),
        (EN, "I told you about my knee, which one was it?", "my knee, which one was it?"),
        (EN, "Which soups are mentioned in our conversation?", "Which soups ?"),
        (ZH, "你还记得我喜欢喝什么汤吗？", "我喜欢喝什么汤吗？"),
        (ZH, "根据我们的聊天内容，窑是新的吗？", "窑是新的吗？"),
        (ZH, "我曾经和你分享过一种汤，是什么汤？", "我一种汤，是什么汤？"),
    ],
)
def test_what_is_said_to_whoever_remembers_is_left_out(language: Language, question: str, asked: str) -> None:
    assert " ".join(without_reminder(question, language).split()) == asked


@pytest.mark.parametrize(("language", "question"), [(EN, "Do you remember?"), (ZH, "你还记得吗？"), (EN, ""), (ZH, "")])
def test_a_question_that_says_nothing_else_stays(language: Language, question: str) -> None:
    assert without_reminder(question, language) == question


@pytest.mark.parametrize(
    ("language", "question", "bare"),
    [
        (EN, "Do you remember what I bring to the class?", "What I bring to the class?"),
        (ZH, "根据我们的聊天内容，上陶艺课要带什么？", "上陶艺课要带什么？"),
    ],
)
async def test_what_is_said_to_whoever_remembers_changes_no_recall(
    language: Language, question: str, bare: str
) -> None:
    talk = [*TALKS[language], ("What else?", "I remember it all."), ("还有呢？", "我们的聊天内容我都记得。")]
    memory = await remembered(talk, language)
    assert await memory.recall(question) == await memory.recall(bare)
