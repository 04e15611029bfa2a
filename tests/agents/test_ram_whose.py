"""Questions about somebody else, and talk that only looks like a question."""

from __future__ import annotations

import pytest

from osler.agents.ram import read_intent
from osler.agents.ram.whose import of_another
from osler.language import Speaker
from osler.language.lexicon import answered_by
from osler.language.relatives import third_party
from osler.records import Language
from tests.agents.ram_index import found


@pytest.mark.parametrize(
    ("speaker", "question", "language"),
    [
        (Speaker.PATIENT, "Does your husband smoke?", Language.EN),
        (Speaker.PATIENT, "Does your husband have spots like these?", Language.EN),
        (Speaker.PATIENT, "What is your father's blood pressure like?", Language.EN),
        (Speaker.DAUGHTER, "Do her brothers and sisters have high blood pressure?", Language.EN),
        (Speaker.MOTHER, "Is his brother covered in itchy spots?", Language.EN),
        (Speaker.PATIENT, "您老公抽烟吗？", Language.ZH),
        (Speaker.MOTHER, "孩子爸爸对什么药过敏吗？", Language.ZH),
        (Speaker.WIFE, "您自己有高血压吗？", Language.ZH),
    ],
)
def test_somebody_else_is_asked_about(speaker: Speaker, question: str, language: Language) -> None:
    assert of_another(question, (), speaker, language)


@pytest.mark.parametrize(
    ("speaker", "question", "language"),
    [
        (Speaker.WIFE, "Does your husband smoke?", Language.EN),
        (Speaker.PATIENT, "Has your husband noticed that you snore?", Language.EN),
        (Speaker.PATIENT, "Has your husband remarked that you look yellow?", Language.EN),
        (Speaker.PATIENT, "您爱人有没有提醒过您脸色发黄？", Language.ZH),
        (Speaker.PATIENT, "Do you smoke?", Language.EN),
        (Speaker.SON, "Is your mum on any tablets?", Language.EN),
        (Speaker.CAREGIVER, "Does his wife smoke?", Language.EN),
        (Speaker.WIFE, "您老公抽烟吗？", Language.ZH),
        (Speaker.PATIENT, "您爱人说您晚上打呼噜吗？", Language.ZH),
        (Speaker.MOTHER, "孩子发烧吗？", Language.ZH),
    ],
)
def test_the_patient_is_asked_about(speaker: Speaker, question: str, language: Language) -> None:
    assert not of_another(question, (), speaker, language)


@pytest.mark.parametrize(
    ("record", "question", "own"),
    [
        ("bladder-cancer-en", "Do her brothers and sisters have high blood pressure?", "Hypertension"),
        ("bladder-cancer-en", "Does she have high blood pressure?", None),
        ("bladder-cancer-zh", "她儿子有高血压吗？", "高血压"),
        ("bladder-cancer-zh", "她有高血压吗？", None),
    ],
)
def test_what_another_has_is_not_answered_with_what_the_patient_has(
    record: str, question: str, own: str | None
) -> None:
    assert own not in found(record, question) if own else found(record, question) & {"Hypertension", "高血压"}


def test_of_two_persons_each_is_answered() -> None:
    got = found("acute-cholecystitis-en", "Have you had any operations, and did your father have diabetes?")
    assert {"Previous operations", "Family history"} <= got


def test_a_word_that_holds_a_relative_s_name_names_nobody() -> None:
    whole, parts = "Does your mother smoke, and are you pregnant?", ("Does your mother smoke", "are you pregnant")
    assert not of_another(whole, parts, Speaker.PATIENT, Language.EN)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I'll put a drop into each eye now, all right?", Language.EN),
        ("You should take the tablets for two weeks. Does that make sense?", Language.EN),
        ("这药得吃满两个礼拜，中间不能断，记得住吧？", Language.ZH),
        ("我先给她推一针利尿的，您去备个便盆，好吗？", Language.ZH),
    ],
)
def test_who_announces_or_advises_asks_for_nothing(text: str, language: Language) -> None:
    intent = read_intent(text, language)
    assert intent.is_talk and not intent.is_asking
    assert found(f"heart-failure-{language.value}", text) == set()


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Is your hearing all right?", Language.EN),
        ("The scan of your womb, was that all right?", Language.EN),
        ("Tell me about the last attack, would you?", Language.EN),
        ("Let me take your temperature, all right?", Language.EN),
        ("And your sugar, is that all right?", Language.EN),
        ("您的血糖，没问题吧？", Language.ZH),
        ("我先给您量个体温，好吗？", Language.ZH),
        ("孩子晚上睡得好吗？", Language.ZH),
        ("眼底每年都查吗，视网膜好不好？", Language.ZH),
    ],
)
def test_a_question_that_ends_like_talk_asks(question: str, language: Language) -> None:
    assert not read_intent(question, language).is_talk


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (
            "pneumonia-en",
            "I'd like to keep him on the ward for a few nights to be on the safe side. Do you think he'd agree to that?",
        ),
        ("major-depression-zh", "我建议她先住院观察几天，您看她本人同意这么安排吗？"),
    ],
)
def test_who_is_heard_to_plan_asks_for_nothing_without_a_tag(record: str, said: str) -> None:
    assert found(record, said) == set()


def test_near_things_answer_for_each_other_only_where_they_do() -> None:
    assert "implants-metal" in answered_by("operations")
    assert "siblings-number" not in answered_by("family-illnesses")
    assert "mri" in answered_by("brain-mri") and "brain-mri" not in answered_by("mri")
    assert "alcohol" not in answered_by("smoking") and "smoking" not in answered_by("alcohol")


@pytest.mark.parametrize(
    ("speaker", "question", "language", "named"),
    [
        (Speaker.PATIENT, "Is your best mate a smoker?", Language.EN, True),
        (Speaker.PATIENT, "A colleague of yours was put on warfarin, was she?", Language.EN, True),
        (Speaker.PATIENT, "Did one of my colleagues tap on your back?", Language.EN, False),
        (Speaker.WIFE, "Does your husband smoke?", Language.EN, False),
        (Speaker.MOTHER, "Have you given her anything for it, mum?", Language.EN, False),
        (Speaker.MOTHER, "Has your neighbour's little one had asthma?", Language.EN, True),
        (Speaker.PATIENT, "您老伴耳朵背不背？", Language.ZH, True),
        (Speaker.SON, "老太太平时是自己住吗？", Language.ZH, False),
        (Speaker.MOTHER, "妈妈，肝功能抽了没？", Language.ZH, False),
    ],
)
def test_who_is_neither_the_patient_nor_the_speaker(
    speaker: Speaker, question: str, language: Language, named: bool
) -> None:
    assert bool(third_party(speaker, language).search(question)) is named
