"""Which questions ask for a whole category of the record, in many wordings of both languages."""

from __future__ import annotations

import pytest

from osler.language import Language, Speaker
from osler.language.lexicon.categories import categories_asked
from tests.agents.category_questions import ONE_THING, wordings

EN, ZH = Language.EN, Language.ZH
TUNING = [
    (language, category, question)
    for language, listed in wordings("tuning").items()
    for category, questions in listed.items()
    for question in questions
]


@pytest.mark.parametrize(
    ("language", "category", "question"), [row for row in TUNING if row[1] != ONE_THING]
)
def test_a_question_for_a_category_is_read_as_one(
    language: Language, category: str, question: str
) -> None:
    speakers = [Speaker.PATIENT, Speaker.WIFE, Speaker.MOTHER]
    if category != "family_history":  # a son's parents are the patient and somebody else
        speakers.append(Speaker.SON)
    for speaker in speakers:
        assert categories_asked(question, language, speaker) == {category}, speaker


@pytest.mark.parametrize("language", Language)
def test_wordings_that_nothing_was_made_with_are_read_as_well(language: Language) -> None:
    listed = wordings("held_out")[language]
    asked = [
        (category, text)
        for category, texts in listed.items()
        if category != ONE_THING
        for text in texts
    ]
    read = [category in categories_asked(question, language) for category, question in asked]
    assert len(asked) >= 120
    assert sum(read) / len(read) >= 0.95


@pytest.mark.parametrize(
    ("language", "part"), [(one, part) for one in Language for part in ("tuning", "held_out")]
)
def test_a_question_for_one_thing_asks_for_no_category(language: Language, part: str) -> None:
    """A record has one entry for all allergies, one for all operations and so on: one of these may
    well ask for it."""
    may_be = {"allergy", "surgical_history", "family_history", "menstrual_history"}
    may_be |= {"birth_history", "marital_childbearing"}
    for question in wordings(part)[language][ONE_THING]:
        assert categories_asked(question, language) <= may_be, question


@pytest.mark.parametrize(
    ("language", "speaker", "question", "categories"),
    [
        (EN, Speaker.PATIENT, "Does your husband take any medicines?", set()),
        (EN, Speaker.WIFE, "Does your husband take any medicines?", {"medication_history"}),
        (EN, Speaker.PATIENT, "Does your father have any illnesses?", {"family_history"}),
        (ZH, Speaker.PATIENT, "您爱人平时吃什么药？", set()),
        (ZH, Speaker.SON, "您母亲平时吃什么药？", {"medication_history"}),
        (ZH, Speaker.PATIENT, "您父亲有什么病吗？", {"family_history"}),
    ],
)
def test_a_question_about_a_relative_asks_for_the_family_history(
    language: Language, speaker: Speaker, question: str, categories: set[str]
) -> None:
    assert categories_asked(question, language, speaker) == categories


@pytest.mark.parametrize(
    ("language", "question", "categories"),
    [
        (EN, "Any medical problems, such as diabetes or asthma?", {"medical_history"}),
        (EN, "Do you have diabetes or any other illnesses?", {"medical_history"}),
        (EN, "Do you take anything apart from the warfarin?", {"medication_history"}),
        (EN, "Is the pain better with rest or with tablets?", set()),
        (EN, "Does he take drugs such as cocaine?", set()),
        (EN, "Tell me about your illness.", set()),
        (ZH, "有没有慢性病，比如高血压？", {"medical_history"}),
        (ZH, "有没有高血压、糖尿病等慢性病？", {"medical_history"}),
        (ZH, "除了华法林还吃什么药？", {"medication_history"}),
        (ZH, "吃了药以后好点没有？", set()),
        (ZH, "这个病多久了？", set()),
    ],
)
def test_examples_and_exceptions_do_not_narrow_a_question(
    language: Language, question: str, categories: set[str]
) -> None:
    assert categories_asked(question, language) == categories
