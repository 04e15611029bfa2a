"""Replies longer than any patient gives: read to their end, and in a time that grows with their length."""

import time

import pytest

from osler.language import Language
from osler.memory.base import Turn
from osler.memory.tim.extract import think


@pytest.mark.parametrize(
    ("language", "said", "last"),
    [
        (Language.EN, "My left knee hurts. ", "I take warfarin 5 mg."),
        (Language.ZH, "我左膝盖疼。", "我吃华法林5毫克。"),
    ],
)
def test_a_long_monologue_is_read_to_its_end(language: Language, said: str, last: str) -> None:
    question = "Tell me about it." if language is Language.EN else "您说说看。"

    thoughts = think(Turn(number=1, question=question, reply=said * 400 + last), language)

    assert thoughts[-1].object.endswith(("warfarin 5 mg", "华法林5毫克"))


def test_a_reply_of_commas_does_not_hold_a_consultation_up() -> None:
    short, long = ("a, " * count for count in (600, 6000))
    began = time.perf_counter()
    think(Turn(number=1, question="What did the physical examination show?", reply=short), Language.EN)
    once = time.perf_counter() - began
    think(Turn(number=1, question="What did the physical examination show?", reply=long), Language.EN)

    assert time.perf_counter() - began - once < 40 * max(once, 0.01)
