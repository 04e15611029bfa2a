"""Turns of a consultation, and what a memory may and must make of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from osler.memory import MemorySettings, Turn, memory_factory
from osler.memory.tim.memory import TimMemory
from osler.memory.tim.thought import Status, Thought
from osler.records import Language

Said = tuple[str, bool]
"""Words of a thought, and whether it denies them."""


class Exchange(NamedTuple):
    """A turn, what must be kept of it and what may never be said of it."""

    question: str
    reply: str
    kept: Sequence[Said] = ()
    never: Sequence[Said] = ()


def language_of(text: str) -> Language:
    return Language.ZH if any("\u4e00" <= char <= "\u9fff" for char in text) else Language.EN


async def remembered(*exchanges: Exchange) -> list[Thought]:
    """What a memory without a model holds after these turns."""
    language = language_of(exchanges[0].question + exchanges[0].reply)
    memory = memory_factory("tim")(MemorySettings(language=language, seed=7))
    assert isinstance(memory, TimMemory)
    for number, exchange in enumerate(exchanges, 1):
        await memory.remember(Turn(number=number, question=exchange.question, reply=exchange.reply))
    return [thought for thought in memory.ledger if thought.status is Status.ACTIVE]


def check(thoughts: list[Thought], exchange: Exchange) -> None:
    told = [(thought.triple.lower(), thought.negated) for thought in thoughts if thought.certainty > 0]
    shown = [thought.triple for thought in thoughts]
    for words, negated in exchange.kept:
        assert any(words in triple and negated == denied for triple, denied in told), (words, negated, shown)
    for words, negated in exchange.never:
        assert not any(words in triple and negated == denied for triple, denied in told), (words, negated, shown)


START = "When did this start, and what makes it better or worse?"
OTHERS = "Do you have any other symptoms besides the knee pain, such as swelling, redness, or a fever?"
LIFE = "Do you smoke or drink alcohol, and what is your work and lifestyle?"
EXAM = "What did the physical examination show?"
IMAGING = "What did the imaging, such as X-ray, ultrasound or CT, show?"
START_ZH = "什么时候开始的，什么情况会加重或减轻？"
OTHERS_ZH = "除了膝盖疼，还有没有别的症状，比如肿胀、发红或发热？"
LIFE_ZH = "抽烟喝酒吗？做什么工作？"
EXAM_ZH = "体格检查有什么发现？"
