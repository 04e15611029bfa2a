"""Thoughts without a model, on exchanges that no rule was written for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.language import Language, Speaker
from osler.memory import Turn
from osler.memory.core.fact import PATIENT, Fact, FactKind
from osler.memory.core.rules_facts import rules_facts
from tests.memory.held_out_exchanges import CHINESE, ENGLISH, HeldOut

EN, ZH = Language.EN, Language.ZH
LEAST = 0.8
"""Share of the facts of the held-out exchanges that has to be found."""


def think(
    question: str, reply: str, language: Language, speaker: Speaker = Speaker.PATIENT
) -> list[Fact]:
    return rules_facts(Turn(number=1, question=question, reply=reply), language, speaker)


def is_found(fact: str, drafts: list[Fact]) -> bool:
    """Whether a draft says a fact, of the right person and with the right polarity."""
    whose, _, said = fact.rpartition(":")
    denied = said.startswith("-")
    words = said[1:].split("|")
    return any(
        (draft.subject == whose if whose else draft.subject in PATIENT)
        and draft.denied == denied
        and any(
            word in f"{draft.asked} {draft.relation} {draft.object} {draft.reported}".lower()
            for word in words
        )
        for draft in drafts
    )


@pytest.mark.parametrize(("language", "exchanges"), [(EN, ENGLISH), (ZH, CHINESE)])
def test_most_facts_of_unseen_exchanges_are_found(
    language: Language, exchanges: tuple[HeldOut, ...]
) -> None:
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
    reports = rules_facts(turn, EN)[-2:]
    assert [(one.relation, one.object) for one in reports] == [
        ("Chest X-ray:", "dense consolidation in the right lower lobe"),
        ("CRP:", "184 mg/L"),
    ]


@pytest.mark.parametrize(
    ("language", "question", "reply", "kind"),
    [
        (EN, "Which medicines do you take?", "Warfarin 3 mg.", FactKind.MEDICINE),
        (EN, "Are you allergic to anything?", "Penicillin gave me a rash.", FactKind.ALLERGY),
        (EN, "Are you pregnant?", "Yes.", FactKind.PREGNANCY),
        (EN, "Where does it hurt?", "In my knee.", FactKind.OTHER),
        (ZH, "在吃什么药？", "华法林3毫克。", FactKind.MEDICINE),
        (ZH, "对什么药过敏？", "青霉素。", FactKind.ALLERGY),
        (ZH, "怀孕了吗？", "是的。", FactKind.PREGNANCY),
        (ZH, "哪里疼？", "膝盖。", FactKind.OTHER),
    ],
)
def test_what_a_treatment_hangs_on_is_marked(
    language: Language, question: str, reply: str, kind: FactKind
) -> None:
    assert {draft.kind for draft in think(question, reply, language)} == {kind}


@pytest.mark.parametrize(
    ("language", "question", "reply"),
    [(EN, "Do you know your weight?", "I don't know."), (ZH, "您知道体重吗？", "不知道。")],
)
def test_that_something_is_not_known_is_no_thought(
    language: Language, question: str, reply: str
) -> None:
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
    assert {draft.object for draft in think(question, reply, language) if draft.denied} == denied


@pytest.mark.parametrize(
    ("language", "question", "reply", "words"),
    [
        (
            EN,
            "How do you feel?",
            "There is a feeling that my legs will not carry me.",
            "will not carry me",
        ),
        (
            EN,
            "Have you had your tablets?",
            "All of them except for the water tablet.",
            "except for the water tablet",
        ),
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
    assert any(words in draft.object for draft in drafts) and not any(
        draft.denied for draft in drafts
    )


@pytest.mark.parametrize(
    ("language", "question", "reply"),
    [
        (EN, "Do you still take the old tablet?", "No, I take a new one. Ten milligrams at night."),
        (ZH, "还在吃原来的药吗？", "没有，换了新的。晚上吃10毫克。"),
    ],
)
def test_a_dose_after_a_no_is_not_that_of_the_thing_asked_about(
    language: Language, question: str, reply: str
) -> None:
    dose = [
        draft
        for draft in think(question, reply, language)
        if "illigrams" in draft.object or "毫克" in draft.object
    ]
    assert dose and all("old" not in draft.triple and "原来" not in draft.triple for draft in dose)


@pytest.mark.parametrize(
    ("language", "question", "reply"),
    [
        (EN, "Have you had any falls?", "You know how it is. Sorry, doctor."),
        (ZH, "摔过吗？", "谁知道呢，不好意思。"),
    ],
)
def test_asides_are_no_thoughts(language: Language, question: str, reply: str) -> None:
    assert think(question, reply, language) == []


RELATIVES = {EN: ["father", "mother", "brother", "aunt"], ZH: ["父亲", "母亲", "哥哥", "姑姑"]}
ILLNESSES = {EN: ["diabetes", "a stroke", "gout", "asthma"], ZH: ["糖尿病", "脑梗", "痛风", "哮喘"]}
OWN = {EN: "I have {illness}.", ZH: "我有{illness}。"}
THEIRS = {
    EN: [
        "My {who} had {illness}.",
        "My {who} never had {illness}.",
        "It was my {who} who had {illness}.",
    ],
    ZH: ["我{who}得过{illness}。", "我{who}没有{illness}。", "得{illness}的是我{who}。"],
}


@settings(max_examples=40, deadline=None)
@given(data=st.data(), language=st.sampled_from(Language))
def test_a_relatives_illness_is_never_the_patients(data: st.DataObject, language: Language) -> None:
    who, illness = (
        data.draw(st.sampled_from(RELATIVES[language])),
        data.draw(st.sampled_from(ILLNESSES[language])),
    )
    asked = "Any illnesses in the family?" if language is EN else "家里人有什么病？"
    reply = data.draw(st.sampled_from(THEIRS[language])).format(who=who, illness=illness)
    subjects = {draft.subject for draft in think(asked, reply, language)}
    assert who in subjects and PATIENT.isdisjoint(subjects)


@pytest.mark.parametrize("language", Language)
def test_two_who_talk_by_name_keep_what_is_theirs(language: Language) -> None:
    names = ("Melanie", "Caroline") if language is EN else ("小林", "阿梅")
    question, reply = (
        (
            "I moved house. What about you?",
            "I went to a book club yesterday. My mother has gout. You look tired.",
        )
        if language is EN
        else ("我搬家了。你呢？", "我昨天去了读书会。我妈妈有痛风。你看起来很累。")
    )
    turn = Turn(number=1, question=question, reply=reply, asked_by=names[0], said_by=names[1])
    said = {draft.object: draft.subject for draft in rules_facts(turn, language)}
    whose = [next(who for text, who in said.items() if word in text) for word in WORDS[language]]
    kin = f"{names[1]}'s mother" if language is EN else f"{names[1]}的妈妈"
    assert whose == [names[0], names[1], kin, names[0]]


WORDS = {EN: ["house", "book club", "gout", "tired"], ZH: ["搬家", "读书会", "痛风", "累"]}


@pytest.mark.parametrize(
    ("language", "speaker", "reply", "whose"),
    [
        (EN, Speaker.PATIENT, "My father had a stroke.", "father"),
        (EN, Speaker.PATIENT, "My father's brother had a stroke.", "father's brother"),
        (EN, Speaker.DAUGHTER, "My father had a stroke.", "patient"),
        (EN, Speaker.DAUGHTER, "My aunt had a stroke.", "aunt"),
        (ZH, Speaker.PATIENT, "我父亲中过风。", "父亲"),
        (ZH, Speaker.DAUGHTER, "我父亲中过风。", "患者"),
        (ZH, Speaker.DAUGHTER, "我姑姑中过风。", "姑姑"),
    ],
)
def test_whose_it_is_hangs_on_who_speaks(
    language: Language, speaker: Speaker, reply: str, whose: str
) -> None:
    question = "Anything else?" if language is EN else "还有别的吗？"
    assert {draft.subject for draft in think(question, reply, language, speaker)} == {whose}
