"""Thoughts without a model, on exchanges that no rule was written for."""

from __future__ import annotations

import pytest

from osler.language import Language, Speaker
from osler.memory import MemorySettings, Turn, memory_factory
from osler.memory.tim.rules_thoughts import rules_thoughts
from osler.memory.tim.thought import PATIENT, Draft, ThoughtKind
from tests.memory.held_out_exchanges import CHINESE, ENGLISH, HeldOut

EN, ZH = Language.EN, Language.ZH
LEAST = 0.8
"""Share of the facts of the held-out exchanges that has to be found."""


def think(question: str, reply: str, language: Language, speaker: Speaker = Speaker.PATIENT) -> list[Draft]:
    return rules_thoughts(Turn(number=1, question=question, reply=reply), language, speaker)


def is_found(fact: str, drafts: list[Draft]) -> bool:
    """Whether a draft says a fact, of the right person and with the right polarity."""
    whose, _, said = fact.rpartition(":")
    denied = said.startswith("-")
    words = said[1:].split("|")
    return any(
        (draft.subject == whose if whose else draft.subject in PATIENT)
        and draft.negated == denied
        and any(word in f"{draft.asked} {draft.relation} {draft.object} {draft.reported}".lower() for word in words)
        for draft in drafts
    )


@pytest.mark.parametrize(("language", "exchanges"), [(EN, ENGLISH), (ZH, CHINESE)])
def test_most_facts_of_unseen_exchanges_are_found(language: Language, exchanges: tuple[HeldOut, ...]) -> None:
    found, missed = 0, []
    for exchange in exchanges:
        drafts = think(exchange.question, exchange.reply, language)
        for fact in exchange.facts:
            if is_found(fact, drafts):
                found += 1
            else:
                missed.append((fact, exchange.reply, [draft.triple for draft in drafts]))
    assert found >= LEAST * (found + len(missed)), missed


def test_each_line_of_a_report_is_a_thought_in_its_own_words() -> None:
    results = "Chest X-ray: dense consolidation in the right lower lobe.\nCRP: 184 mg/L"
    turn = Turn(number=1, question="Has he had an X-ray?", reply="Yes.", results=results)
    reports = rules_thoughts(turn, EN)[-2:]
    assert [(one.relation, one.object) for one in reports] == [
        ("Chest X-ray:", "dense consolidation in the right lower lobe"),
        ("CRP:", "184 mg/L"),
    ]


@pytest.mark.parametrize(
    ("language", "question", "reply", "kind"),
    [
        (EN, "Which medicines do you take?", "Warfarin 3 mg.", ThoughtKind.MEDICINE),
        (EN, "Are you allergic to anything?", "Penicillin gave me a rash.", ThoughtKind.ALLERGY),
        (EN, "Are you pregnant?", "Yes.", ThoughtKind.PREGNANCY),
        (EN, "Where does it hurt?", "In my knee.", ThoughtKind.OTHER),
        (ZH, "在吃什么药？", "华法林3毫克。", ThoughtKind.MEDICINE),
        (ZH, "对什么药过敏？", "青霉素。", ThoughtKind.ALLERGY),
        (ZH, "怀孕了吗？", "是的。", ThoughtKind.PREGNANCY),
        (ZH, "哪里疼？", "膝盖。", ThoughtKind.OTHER),
    ],
)
def test_what_a_treatment_hangs_on_is_marked(language: Language, question: str, reply: str, kind: ThoughtKind) -> None:
    assert {draft.kind for draft in think(question, reply, language)} == {kind}


@pytest.mark.parametrize(
    ("language", "question", "reply"),
    [(EN, "Do you know your weight?", "I don't know."), (ZH, "您知道体重吗？", "不知道。")],
)
def test_that_something_is_not_known_is_no_thought(language: Language, question: str, reply: str) -> None:
    assert think(question, reply, language) == []


def test_a_very_long_reply_is_read_in_one_go() -> None:
    reply = "I have a cough and a rash. " * 400
    assert 0 < len(think("What troubles you?", reply, EN)) <= 30


@pytest.mark.parametrize(
    ("language", "question", "reply", "denied"),
    [
        (EN, "No cough, no wheeze?", "No.", {"cough", "wheeze"}),
        (ZH, "咳没咳？", "没有。", {"咳"}),
        (ZH, "没有咳嗽吧？", "没有。", {"咳嗽"}),
    ],
)
def test_a_no_to_a_negated_question_denies_the_thing_itself(
    language: Language, question: str, reply: str, denied: set[str]
) -> None:
    assert {draft.object for draft in think(question, reply, language) if draft.negated} == denied


@pytest.mark.parametrize(
    ("language", "question", "reply", "words"),
    [
        (EN, "How do you feel?", "There is a feeling that my legs will not carry me.", "will not carry me"),
        (EN, "Have you had your tablets?", "All of them except for the water tablet.", "except for the water tablet"),
        (EN, "Was the smear positive?", "It came back negative.", "came back negative"),
        (EN, "Any pain?", "My knee aches for no reason.", "aches for no reason"),
        (EN, "How is the wound?", "It never properly closed.", "never properly closed"),
        (ZH, "伤口怎么样？", "一直没长好。", "没长好"),
        (ZH, "头疼吗？", "躺下就不那么疼。", "躺下就不那么疼"),
        (ZH, "经常感冒吗？", "很少感冒。", "很少感冒"),
    ],
)
def test_what_only_looks_like_a_denial_is_kept_as_it_was_said(
    language: Language, question: str, reply: str, words: str
) -> None:
    drafts = think(question, reply, language)
    assert any(words in draft.object for draft in drafts) and not any(draft.negated for draft in drafts)


@pytest.mark.parametrize(
    ("language", "question", "reply"),
    [
        (EN, "Do you still take the old tablet?", "No, I take a new one. Ten milligrams at night."),
        (ZH, "还在吃原来的药吗？", "没有，换了新的。晚上吃10毫克。"),
    ],
)
def test_a_dose_after_a_no_is_not_that_of_the_thing_asked_about(language: Language, question: str, reply: str) -> None:
    dose = [
        draft for draft in think(question, reply, language) if "illigrams" in draft.object or "毫克" in draft.object
    ]
    assert dose and all("old" not in draft.triple and "原来" not in draft.triple for draft in dose)


@pytest.mark.parametrize(
    ("language", "question", "reply", "side"),
    [
        (EN, "Which shoulder is it?", "The left one. No, sorry, the right one.", "right"),
        (ZH, "哪个肩膀？", "左边。哦不对，是右边。", "右"),
    ],
)
async def test_a_correction_leaves_only_what_it_says(language: Language, question: str, reply: str, side: str) -> None:
    memory = memory_factory("tim")(MemorySettings(language=language))
    await memory.remember(Turn(number=1, question=question, reply=reply))
    (fact,) = (await memory.recall("")).facts
    assert side in fact.object and not fact.denied


@pytest.mark.parametrize(
    ("language", "question", "reply"),
    [
        (EN, "Have you had any falls?", "You know how it is. Sorry, doctor."),
        (ZH, "摔过吗？", "谁知道呢，不好意思。"),
    ],
)
def test_asides_are_no_thoughts(language: Language, question: str, reply: str) -> None:
    assert think(question, reply, language) == []
