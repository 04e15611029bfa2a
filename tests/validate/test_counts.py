"""What is counted without reading: lengths, listed words, the curve, the order of topics."""

from __future__ import annotations

import pytest
from scipy.stats import kendalltau  # type: ignore[import-untyped]

from osler.language import Language
from osler.records.schema import Category
from osler.validate.disclosure import DisclosureCurve, shares_told
from osler.validate.doctors import (
    DoctorColumn,
    DoctorConsultation,
    DoctorTurn,
    doctor_figures,
    order_agreement,
)
from osler.validate.listed_words import WordList, has_listed, length, listed
from osler.validate.replies import ReplyFigures


@pytest.mark.parametrize(
    ("text", "word_list", "language", "expected"),
    [
        ("Um, yes.", WordList.FILLERS, Language.EN, True),
        ("The umbrella.", WordList.FILLERS, Language.EN, False),
        ("I THINK so.", WordList.HEDGES, Language.EN, True),
        ("I thinks so.", WordList.HEDGES, Language.EN, False),
        ("I don’t know.", WordList.UNKNOWN, Language.EN, True),
        ("I know.", WordList.UNKNOWN, Language.EN, False),
        ("嗯，有。", WordList.FILLERS, Language.ZH, True),
        ("在酒吧上班。", WordList.FILLERS, Language.ZH, False),
        ("大概半年。", WordList.HEDGES, Language.ZH, True),
        ("半年。", WordList.HEDGES, Language.ZH, False),
        ("这个我记不清了。", WordList.UNKNOWN, Language.ZH, True),
        ("我知道。", WordList.UNKNOWN, Language.ZH, False),
    ],
)
def test_listed_words_are_found_as_whole_words(
    text: str, word_list: WordList, language: Language, expected: bool
) -> None:
    assert has_listed(text, word_list, language) is expected


def test_every_listed_phrase_is_found_by_itself() -> None:
    for language in Language:
        for word_list in WordList:
            phrases = listed(word_list, language)
            assert len(phrases) > 20
            for phrase in phrases:
                assert has_listed(phrase, word_list, language), phrase


def test_length_is_words_in_english_and_characters_in_chinese() -> None:
    assert length("Well, I don't know: 3.5 mg.", Language.EN) == 6
    assert length("大概半年，3天。", Language.ZH) == 6


def test_lengths_are_a_distribution_over_all_replies() -> None:
    figures = ReplyFigures.of({"a": ["one", "one two"], "b": ["one two three"]}, Language.EN)
    assert figures.n == 3 and figures.lengths == (1, 2, 3)
    assert figures.quantile(0.5) == 2 and figures.mean_length.value == 2
    assert figures.share_up_to(2) == pytest.approx(2 / 3)


def test_the_curve_counts_an_entry_once_and_stays_where_an_interview_ended() -> None:
    shares = shares_told([["a"], ["a", "b"], []], 4)
    assert shares == [0.25, 0.5, 0.5]
    curve = DisclosureCurve({"long": shares, "short": [1.0]})
    assert curve.at(1).value == 0.625 and curve.at(3).value == 0.75
    assert curve.at_end.value == 0.75 and curve.longest == 3


def test_order_agreement_is_kendalls_tau_b() -> None:
    topics = list(Category)[:6]
    own = dict(zip(topics, (0.1, 0.2, 0.2, 0.5, 0.4, 0.9), strict=True))
    reference = dict(zip(topics, (0.3, 0.1, 0.2, 0.6, 0.6, 0.7), strict=True))
    expected = kendalltau(list(own.values()), list(reference.values())).statistic
    assert order_agreement(own, reference) == pytest.approx(expected)
    assert order_agreement(own, own) == pytest.approx(1)
    assert order_agreement(own, {topic: -place for topic, place in own.items()}) == pytest.approx(
        -1
    )
    assert order_agreement(own, {topics[0]: 0.5}) is None


def test_doctors_are_held_beside_the_human_ones() -> None:
    order = (Category.SYMPTOM, Category.MEDICAL_HISTORY, Category.ALLERGY)

    def consultation(name: str, topics: tuple[Category, ...], text: str) -> DoctorConsultation:
        turns = tuple(DoctorTurn(text, (topic,)) for topic in topics)
        return DoctorConsultation(name, Language.EN, turns)

    human = DoctorColumn(
        "human", tuple(consultation(name, order, "And that?") for name in ("a", "b"))
    )
    other = DoctorColumn("x", (consultation("c", order[::-1], "This? And that? Tell me."),))
    first, second = doctor_figures([human, other], Language.EN)
    assert first.question_marks.value == 1 and second.question_marks.value == 2
    assert first.lengths == (2,) * 6 and second.quantile(0.5) == 5
    assert first.order.value == pytest.approx(1) and second.order.value == pytest.approx(-1)
    assert first.things.value is None, "nobody read the questions"
    assert second.places[Category.ALLERGY] == 0
    assert not doctor_figures([human, other], Language.ZH)
