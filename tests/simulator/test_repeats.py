"""What counts as a repeated question, in both languages."""

from __future__ import annotations

import pytest

from osler.records import Language
from osler.simulator.repeats import Repeats

EN, ZH = Language.EN, Language.ZH


def dialogue(language: Language, opening: str, *turns: tuple[str, tuple[str, ...], str]) -> Repeats:
    """A consultation so far: questions, the entries they brought and the replies."""
    so_far = Repeats(language, opening)
    for question, entries, reply in turns:
        so_far.saw(question, entries)
        so_far.heard(reply)
    return so_far


@pytest.mark.parametrize(
    ("language", "opening", "turn", "question"),
    [
        (EN, "I cough.", ("Do you have a fever?", ("Temperature",), "Yes, 38.5."), "Have you had a fever?"),
        (EN, "I cough.", ("Do you have a fever?", ("Temperature",), "Yes, 38.5."), "Did you have a high temperature?"),
        (EN, "I cough.", ("Which other symptoms came along with it?", ("Fever",), "A fever."), "Do you have a fever?"),
        (
            EN,
            "I cough.",
            ("Which illnesses have you had?", ("Asthma",), "Asthma."),
            "What illnesses did you have before?",
        ),
        (ZH, "我咳嗽。", ("您发烧吗？", ("体温",), "有，38.5度。"), "您有没有发热？"),
        (ZH, "我咳嗽。", ("还伴有哪些其他症状？", ("发热",), "还发烧。"), "您发烧吗？"),
        (ZH, "我咳嗽。", ("以前得过什么病？", ("哮喘",), "哮喘。"), "您以前得过什么病吗？"),
    ],
)
def test_what_was_asked_for_or_told_is_a_repeat(
    language: Language, opening: str, turn: tuple[str, tuple[str, ...], str], question: str
) -> None:
    assert dialogue(language, opening, turn).saw(question, turn[1])


@pytest.mark.parametrize(
    ("language", "turn", "question"),
    [
        (EN, ("Do you have a cough?", ("Cough",), "Yes, a dry one."), "When did the cough start?"),
        (EN, ("When did the cough start?", ("Cough",), "A week ago."), "What makes the cough worse?"),
        (EN, ("Do you have a cough?", ("Cough",), "Yes."), "Which other symptoms came along with it?"),
        (EN, ("Do you have a cough?", ("Cough",), "Yes."), "Do you have a cough or chest pain?"),
        (ZH, ("您咳嗽吗？", ("咳嗽",), "咳，干咳。"), "咳嗽是什么时候开始的？"),
        (ZH, ("咳嗽是什么时候开始的？", ("咳嗽",), "一周前。"), "什么情况下咳嗽会加重？"),
        (ZH, ("您咳嗽吗？", ("咳嗽",), "咳。"), "还伴有哪些其他症状？"),
        (ZH, ("您咳嗽吗？", ("咳嗽",), "咳。"), "您咳嗽或者胸痛吗？"),
    ],
)
def test_a_new_part_quality_or_thing_is_none_though_the_record_answers_with_the_same_entry(
    language: Language, turn: tuple[str, tuple[str, ...], str], question: str
) -> None:
    assert not dialogue(language, "", turn).saw(question, turn[1])


def test_new_entries_are_never_a_repeat_and_nothing_found_is_one_by_its_words_alone() -> None:
    so_far = dialogue(EN, "I cough.", ("Do you have a fever?", ("Temperature",), "No."))
    assert not so_far.saw("Is your temperature high, and do you sweat at night?", ("Temperature", "Night sweats"))
    assert not so_far.saw("Do you keep birds?", ())
    assert so_far.saw("Do you keep any birds?", ())
