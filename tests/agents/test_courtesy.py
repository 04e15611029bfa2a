"""What is said around a question and not asked."""

from __future__ import annotations

import pytest

from osler.language.lexicon.courtesy import to_the_point
from osler.records import Language
from tests.agents.ram_index import found


@pytest.mark.parametrize(
    ("question", "language", "asked"),
    [
        ("Sorry, this is a bit personal: is anything sore?", Language.EN, "is anything sore?"),
        ("Good morning, sir. Now then, how is the leg?", Language.EN, "how is the leg?"),
        ("I need to hear about that heart attack of hers.", Language.EN, "Tell me about that heart attack of hers."),
        ("那个，不好意思啊，我想问一下宝宝肚子的超声看到什么了？", Language.ZH, "宝宝肚子的超声看到什么了？"),
        ("阿姨您别急，慢慢说，这右眼是什么时候开始疼的？", Language.ZH, "这右眼是什么时候开始疼的？"),
    ],
)
def test_excuses_and_greetings_are_taken_off_a_question(question: str, language: Language, asked: str) -> None:
    assert to_the_point(question, language) == asked


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Good morning, please sit down.", Language.EN),
        ("Sorry, I have to take this call.", Language.EN),
        ("Hello.", Language.EN),
        ("您好，请坐。", Language.ZH),
        ("好的，谢谢您，我们先去抽血。", Language.ZH),
    ],
)
def test_talk_that_asks_nothing_stays_as_it_is(said: str, language: Language) -> None:
    assert to_the_point(said, language) == said


@pytest.mark.parametrize(
    ("record", "question", "entry"),
    [
        (
            "heart-failure-en",
            "I need to hear about that heart attack of hers, and about the stent as well.",
            "Previous heart attack",
        ),
        ("pulmonary-embolism-zh", "哎呀，您这右边小腿肿了几天啦？碰着疼不疼呀？", "下肢肿胀"),
        ("intussusception-zh", "那个，不好意思啊，我想问一下宝宝肚子的超声看到什么了？", "腹部超声"),
    ],
)
def test_a_polite_question_finds_what_a_plain_one_does(record: str, question: str, entry: str) -> None:
    assert entry in found(record, question)
