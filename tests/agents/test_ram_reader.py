"""What a question is heard to mean, by words that no example has."""

from __future__ import annotations

import numpy as np
import pytest

from osler.agents.ram import read_intent
from osler.agents.ram.meaning import meant, places
from osler.agents.ram.nearness import direction
from osler.agents.ram.plausible import implausible
from osler.agents.ram.reader import reader
from osler.language.lexicon import related
from osler.records import Language, RecordPool


def test_intent_takes_a_question_apart() -> None:
    asks = read_intent("Any fever, and do you smoke?", Language.EN).asks
    assert len(asks) == 3
    assert "fever" in asks[1].concepts and "smoking" in asks[2].concepts
    assert "family_history" in read_intent("家里人有没有得过什么病？", Language.ZH).asks[0].categories


@pytest.mark.parametrize(
    ("one", "like", "unlike", "language"),
    [
        ("winded", "breathless", "bottle", Language.EN),
        ("noggin", "skull", "knee", Language.EN),
        ("喷嚏", "流鼻涕", "马桶", Language.ZH),
        ("防疫针", "疫苗", "探头", Language.ZH),
    ],
)
def test_words_that_mean_alike_lie_near_each_other(one: str, like: str, unlike: str, language: Language) -> None:
    here, near, far = (direction(word, language) for word in (one, like, unlike))
    assert here @ near > 0.5 > here @ far


@pytest.mark.parametrize(
    ("question", "concept", "language"),
    [
        ("Do you get winded going up the stairs?", "exertional-dyspnoea", Language.EN),
        ("Has anyone taken pictures of the inside of your skull?", "head-ct", Language.EN),
        ("您平时抽烟吗？", "smoking", Language.ZH),
    ],
)
def test_a_question_is_heard_by_what_its_words_mean(question: str, concept: str, language: Language) -> None:
    heard = meant([question], language)[0]
    assert max(heard, key=lambda name: heard[name]) == concept


def test_reading_texts_together_is_reading_each_alone() -> None:
    texts = ["Fever", "Does your tummy hurt after meals?", "", "!?"]
    together = reader(Language.EN).scores(texts)
    alone = np.concatenate([reader(Language.EN).scores([text]) for text in texts])
    assert np.allclose(together, alone, atol=1e-4)


@pytest.mark.parametrize("language", Language)
def test_every_thing_that_is_spoken_of_by_its_name_can_be_heard(language: Language) -> None:
    spoken_of = {*related(), *(name for record in RecordPool.open() for name in implausible(record))}
    assert spoken_of <= places(language).keys()
