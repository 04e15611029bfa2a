"""What is read without a model, against labels: exchanges it was tuned on, and others nobody tuned
on."""

from __future__ import annotations

import pytest

from osler.language import Language, Speaker
from osler.language.answers import read_answer
from osler.language.reader import read
from tests.language.labelled import figures

EN, ZH = Language.EN, Language.ZH
HELD_OUT = {
    EN: {"what": 0.88, "denied": 0.94, "whose": 0.88, "when": 0.81, "value": 0.75},
    ZH: {"what": 0.82, "denied": 0.90, "whose": 0.66, "when": 0.70, "value": 0.75},
}
"""Shares that the reader had right when they were counted, less one or two labels."""


@pytest.mark.parametrize("language", Language)
def test_exchanges_nobody_tuned_on_are_read_as_labelled(language: Language) -> None:
    total, right, failures = figures("held_out", language)
    shares = {kind: right[kind] / total[kind] for kind in HELD_OUT[language]}
    assert all(shares[kind] >= least for kind, least in HELD_OUT[language].items()), (
        shares,
        failures,
    )
    assert total["extra"] <= total["what"] // 4, "hardly anything is read that nobody said"


@pytest.mark.parametrize("language", Language)
def test_exchanges_it_was_tuned_on_stay_read(language: Language) -> None:
    total, right, failures = figures("tuning", language)
    for kind in ("what", "denied", "whose", "when", "value"):
        assert right[kind] >= total[kind] - 2, failures


@pytest.mark.parametrize(
    ("text", "language"),
    [("She’s tired, but has no fever.", EN), ("体温正常，但咳嗽、咳痰，无发热。", ZH)],
)
def test_clauses_are_pieces_of_the_text_as_it_was_written(text: str, language: Language) -> None:
    (sentence,) = read(text, language).sentences
    assert sentence.text == text and len(sentence.clauses) > 1
    place = 0
    for clause in sentence.clauses:
        place = text.index(clause.text, place) + len(clause.text)


@pytest.mark.parametrize(
    ("question", "reply", "language"),
    [("Any fever, cough or rash?", "Yes.", EN), ("有没有发烧、咳嗽？", "有。", ZH)],
)
def test_a_yes_to_several_things_affirms_none_of_them_and_a_no_denies_all(
    question: str, reply: str, language: Language
) -> None:
    assert read_answer(question, reply, language) == ()
    denied = read_answer(question, "No." if language is EN else "没有。", language)
    assert len(denied) > 1 and all(mention.denied for mention in denied)


@pytest.mark.parametrize(
    ("text", "language", "name"), [("My son has a cough.", EN, "son"), ("我儿子咳嗽。", ZH, "儿子")]
)
def test_who_speaks_decides_who_a_son_is(text: str, language: Language, name: str) -> None:
    (own,) = read(text, language).mentions
    (patient,) = read(text, language, Speaker.MOTHER).mentions
    assert (own.whose, patient.whose) == (name, "") and own.what == patient.what


@pytest.mark.parametrize(
    ("text", "language"), [("Is it serious? I have a cough.", EN), ("严重吗？我咳嗽。", ZH)]
)
def test_what_a_patient_asks_is_told_apart_from_what_they_say(
    text: str, language: Language
) -> None:
    assert [sentence.is_question for sentence in read(text, language).sentences] == [True, False]
    (said,) = read_answer("How are you?" if language is EN else "您怎么样？", text, language)
    assert said.what in ("cough", "咳嗽")
