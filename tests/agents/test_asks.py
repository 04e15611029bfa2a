"""Questions taken apart into what they ask for."""

import pytest

from osler.agents.ram import read_intent
from osler.language import Language
from osler.language.lexicon.asides import asides
from osler.language.lexicon.asks import taken_apart
from osler.language.lexicon.kinds import of_a_kind

QUESTIONS = [
    (Language.EN, "Any fever, and do you smoke?", 3),
    (Language.EN, "When did it begin? Was it sudden, or did it build up; and does it spread as well as hurt?", 6),
    (Language.EN, "Do you smoke?", 1),
    (Language.EN, "Have you had a D-dimer test, and what did it show?", 1),
    (Language.EN, "And, or, so?", 1),
    (Language.ZH, "您抽烟或者喝酒吗？还有别的吗？", 3),
    (Language.ZH, "您抽烟吗？", 1),
    (Language.ZH, "做过胸片、心电图吗？结果怎么样？", 3),
]


@pytest.mark.parametrize(("language", "question", "count"), QUESTIONS)
def test_a_question_is_taken_apart_into_what_it_asks_for(language: Language, question: str, count: int) -> None:
    assert len(read_intent(question, language).asks) == count


@pytest.mark.parametrize(
    ("language", "question", "count"),
    [
        (Language.EN, "With a pulse like that, did they do an ECG?", 1),
        (Language.EN, "Thanks, your liver numbers are in front of me. Is there a clotting result?", 2),
        (Language.EN, "INR of 2.4, that is fine. Which blood thinner is it?", 2),
        (Language.EN, "Any fever, and do you smoke?", 0),
        (Language.EN, "When did it begin, and was it sudden?", 0),
        (Language.EN, "Does it come in waves, with cramps that build up?", 0),
        (Language.EN, "After the fall?", 0),
        (Language.ZH, "心率一百一十八，我看见了，那血压量出来多少？", 2),
        (Language.ZH, "血象我翻到了，不用念；肌酐那张给我报一下。", 2),
        (Language.ZH, "咳得厉害的时候，有没有吐？", 1),
        (Language.ZH, "您抽烟或者喝酒吗？还有别的吗？", 0),
    ],
)
def test_what_is_only_mentioned_is_told_from_what_is_asked(language: Language, question: str, count: int) -> None:
    assert asides(question, taken_apart(question, language)[0][1:], language) == count


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        (Language.EN, "Were your feet X-rayed?", "X-ray of the hands"),
        (Language.EN, "an MRI of the knee", "CT of the knee"),
        (Language.EN, "the PET-CT", "CT"),
        (Language.ZH, "双脚拍片了吗？", "双手X线"),
        (Language.ZH, "痰培养", "痰涂片"),
    ],
)
def test_a_thing_is_no_other_of_its_kind(language: Language, one: str, other: str) -> None:
    named, held = of_a_kind(one, language), of_a_kind(other, language)
    assert any(not named[kind] & held[kind] for kind in named.keys() & held.keys())


def test_a_thing_is_itself_by_any_name() -> None:
    assert of_a_kind("an ultrasound of the tummy", Language.EN) == of_a_kind("Abdominal sonogram", Language.EN)
    assert of_a_kind("肚子的彩超", Language.ZH) == of_a_kind("腹部B超", Language.ZH)
    assert of_a_kind("Do you smoke?", Language.EN) == of_a_kind("您抽烟吗？", Language.ZH) == {}
