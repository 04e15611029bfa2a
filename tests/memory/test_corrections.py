"""Without a model: a correction retires what it corrects, and what merely adds to it leaves it true."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.language import Language, Speaker
from osler.memory import MemorySettings, Turn, memory_factory
from osler.memory.tim.memory import TimMemory
from osler.memory.tim.thought import PATIENT, Thought, ThoughtStatus

EN, ZH = Language.EN, Language.ZH
DRUGS = {EN: ["amlodipine", "ramipril", "warfarin", "metformin"], ZH: ["氨氯地平", "华法林", "二甲双胍", "阿托伐他汀"]}
TOLD = {EN: "I take {drug}, {dose} mg.", ZH: "我吃{drug}，{dose}毫克。"}
CHANGED = {
    EN: [
        "Sorry, I meant {dose} mg of {drug}.",
        "I'm on {dose} mg of {drug} now.",
        "It isn't {old} mg of {drug}, it's {dose} mg.",
        "The {drug} is {dose} mg.",
    ],
    ZH: [
        "说错了，{drug}是{dose}毫克。",
        "{drug}加到{dose}毫克了。",
        "{drug}不是{old}毫克，是{dose}毫克。",
        "{drug}现在吃{dose}毫克。",
    ],
}
QUESTION = {EN: "Which medicines do you take?", ZH: "在吃什么药？"}


async def remembered(language: Language, *exchanges: tuple[str, str], speaker: Speaker = Speaker.PATIENT) -> TimMemory:
    memory = memory_factory("tim")(MemorySettings(language=language, speaker=speaker))
    assert isinstance(memory, TimMemory)
    for number, (question, reply) in enumerate(exchanges, 1):
        await memory.remember(Turn(number=number, question=question, reply=reply))
    return memory


def active(memory: TimMemory) -> list[Thought]:
    return [one for one in memory.ledger if one.status is ThoughtStatus.ACTIVE]


@settings(max_examples=40, deadline=None)
@given(data=st.data(), language=st.sampled_from(Language))
def test_a_correction_never_leaves_two_doses_of_one_drug(data: st.DataObject, language: Language) -> None:
    drug = data.draw(st.sampled_from(DRUGS[language]))
    old, new = data.draw(st.lists(st.sampled_from([2.5, 5, 10, 20, 40]), min_size=2, max_size=2, unique=True))
    told = TOLD[language].format(drug=drug, dose=old)
    changed = data.draw(st.sampled_from(CHANGED[language])).format(drug=drug, dose=new, old=old)
    question = QUESTION[language]
    memory = asyncio.run(remembered(language, (question, told), (question, changed)))
    first = [one for one in memory.ledger if one.turn == 1]
    assert first and all(one.status is ThoughtStatus.SUPERSEDED and one.because for one in first)
    assert any(str(new) in one.object for one in active(memory))


@settings(max_examples=25, deadline=None)
@given(data=st.data(), language=st.sampled_from(Language))
def test_a_second_drug_leaves_the_first(data: st.DataObject, language: Language) -> None:
    one, other = data.draw(st.lists(st.sampled_from(DRUGS[language]), min_size=2, max_size=2, unique=True))
    replies = [TOLD[language].format(drug=drug, dose=dose) for drug, dose in ((one, 5), (other, 10))]
    memory = asyncio.run(remembered(language, *((QUESTION[language], reply) for reply in replies)))
    assert all(any(drug in thought.object for thought in active(memory)) for drug in (one, other))


RELATIVES = {EN: ["father", "mother", "brother", "aunt"], ZH: ["父亲", "母亲", "哥哥", "姑姑"]}
ILLNESSES = {EN: ["diabetes", "a stroke", "gout", "asthma"], ZH: ["糖尿病", "脑梗", "痛风", "哮喘"]}
OWN = {EN: "I have {illness}.", ZH: "我有{illness}。"}
THEIRS = {
    EN: ["My {who} had {illness}.", "My {who} never had {illness}.", "It was my {who} who had {illness}."],
    ZH: ["我{who}得过{illness}。", "我{who}没有{illness}。", "得{illness}的是我{who}。"],
}


@settings(max_examples=40, deadline=None)
@given(data=st.data(), language=st.sampled_from(Language))
def test_a_relatives_illness_is_never_the_patients(data: st.DataObject, language: Language) -> None:
    who, illness = data.draw(st.sampled_from(RELATIVES[language])), data.draw(st.sampled_from(ILLNESSES[language]))
    asked = "Any illnesses in the family?" if language is EN else "家里人有什么病？"
    own = OWN[language].format(illness=illness)
    theirs = data.draw(st.sampled_from(THEIRS[language])).format(who=who, illness=illness)
    memory = asyncio.run(remembered(language, (asked, own), (asked, theirs)))
    mine = [one for one in active(memory) if one.subject in PATIENT]
    assert mine and all(one.turns == (1,) for one in mine)
    assert any(one.subject == who for one in active(memory))


@pytest.mark.parametrize(
    ("language", "before", "after", "gone"),
    [
        (
            EN,
            ("Do you smoke?", "Yes, ten a day."),
            ("How is the chest?", "Easier. I quit smoking in March."),
            "ten a day",
        ),
        (EN, ("What is wrong?", "Asthma, they said."), ("And?", "It isn't asthma, it's the heart."), "Asthma"),
        (EN, ("Which knee?", "The left knee locks."), ("So?", "I got that wrong, the right knee locks."), "left knee"),
        (EN, ("Do you drink?", "A bottle a week."), ("Still drinking?", "I gave it up."), "A bottle"),
        (EN, ("Your potassium?", "It was 3.1."), ("Any tests?", "The potassium was 4.2."), "3.1"),
        (ZH, ("抽烟吗？", "抽，一天十支。"), ("胸口怎么样？", "好多了，三月份把烟戒了。"), "十支"),
        (ZH, ("什么病？", "说是哮喘。"), ("后来呢？", "不是哮喘，是心脏的问题。"), "说是哮喘"),
        (ZH, ("哪边膝盖？", "左膝盖疼。"), ("那边？", "我说错了，是右膝盖疼。"), "左膝盖"),
        (
            EN,
            ("Any allergies?", "Penicillin."),
            ("Still?", "I'm not allergic to penicillin, the clinic says."),
            "Penicillin",
        ),
        (EN, ("Which hip?", "The right hip."), ("The right hip, then?", "It's the left hip that aches."), "right hip"),
        (EN, ("Who had gout?", "My uncle had gout."), ("Your uncle?", "My mistake, my brother had gout."), "had gout"),
        (ZH, ("血钾多少？", "3.1。"), ("复查了吗？", "血钾4.2。"), "3.1"),
        (ZH, ("吃什么安眠药？", "艾司唑仑。"), ("睡得好吗？", "换成右佐匹克隆了。"), "艾司唑仑"),
    ],
)
async def test_what_no_longer_holds_is_retired_with_its_reason(
    language: Language, before: tuple[str, str], after: tuple[str, str], gone: str
) -> None:
    memory = await remembered(language, before, after)
    assert not any(gone in one.object and one.turn == 1 for one in active(memory))
    retired = [one for one in memory.ledger if gone in one.object and one.turn == 1]
    assert retired and all(one.status is ThoughtStatus.SUPERSEDED and one.by and one.because for one in retired)


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        (EN, ("Any pain?", "Chest pain on the stairs."), ("Any pain in the joints?", "No.")),
        (EN, ("Blood pressure?", "150 over 90 on Monday."), ("And today?", "Today it was 135 over 85.")),
        (EN, ("Family?", "My father had a stroke at 50."), ("Anyone else?", "My brother had a stroke at 45.")),
        (EN, ("Bones broken?", "My wrist, in 2009."), ("Others?", "I broke my collarbone in 2018.")),
        (ZH, ("哪儿疼？", "爬楼胸口疼。"), ("关节疼吗？", "不疼。")),
        (ZH, ("血压多少？", "周一150/90。"), ("今天呢？", "今天135/85。")),
        (EN, ("Any medicines?", "Aspirin, 100 mg."), ("Allergies?", "I never had a reaction to aspirin.")),
        (EN, ("Any diabetes?", "I have diabetes."), ("And your mother?", "My mother never had diabetes.")),
        (EN, ("What hurts?", "The left knee."), ("Where else?", "The right knee hurts too.")),
        (EN, ("What do you take?", "Ramipril, 5 mg."), ("And now?", "They put me on warfarin, 3 mg, too.")),
        (EN, ("Any pain?", "A headache since Monday."), ("How are you?", "Actually the train was late, sorry.")),
        (ZH, ("家里人呢？", "我父亲五十岁中风。"), ("还有谁？", "我哥哥四十五岁中风。")),
        (ZH, ("有糖尿病吗？", "我有糖尿病。"), ("您母亲呢？", "她没有糖尿病。")),
        (ZH, ("哪儿疼？", "左膝盖疼。"), ("还有呢？", "右膝盖也疼。")),
    ],
)
async def test_what_adds_to_it_leaves_it_true(
    language: Language, before: tuple[str, str], after: tuple[str, str]
) -> None:
    memory = await remembered(language, before, after)
    assert all(one.status is ThoughtStatus.ACTIVE for one in memory.ledger)


@pytest.mark.parametrize("language", Language)
async def test_two_who_talk_by_name_keep_what_is_theirs(language: Language) -> None:
    names = ("Melanie", "Caroline") if language is EN else ("小林", "阿梅")
    question, reply = (
        ("I moved house. What about you?", "I went to a book club yesterday. My mother has gout. You look tired.")
        if language is EN
        else ("我搬家了。你呢？", "我昨天去了读书会。我妈妈有痛风。你看起来很累。")
    )
    memory = await remembered(language)
    await memory.remember(Turn(number=1, question=question, reply=reply, asked_by=names[0], said_by=names[1]))
    said = {one.object: one.subject for one in memory.ledger}
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
async def test_whose_it_is_hangs_on_who_speaks(language: Language, speaker: Speaker, reply: str, whose: str) -> None:
    question = "Anything else?" if language is EN else "还有别的吗？"
    memory = await remembered(language, (question, reply), speaker=speaker)
    assert {one.subject for one in memory.ledger} == {whose}


@pytest.mark.parametrize(
    ("language", "corrections"),
    [
        (
            EN,
            [
                ("When was the bridge of Halden built?", "I told you wrong before: in June 1968."),
                ("How long is the tunnel at Morvik?", "I told you wrong before: 4 miles and 35 yards."),
                ("When did the library of Tamsin open?", "I told you wrong before: in October 1983."),
            ],
        ),
        (
            ZH,
            [
                ("青石桥的建成日期是什么？", "这一点以前说得不对，更正一下：是1968年07月21日。"),
                ("北山隧道的全长时长是什么？", "这一点以前说得不对，更正一下：是45分35秒。"),
                ("南湖图书馆的开放时间是什么？", "这一点以前说得不对，更正一下：是1983年10月10日。"),
            ],
        ),
    ],
)
async def test_corrections_of_other_questions_do_not_retire_one_another(
    language: Language, corrections: list[tuple[str, str]]
) -> None:
    memory = await remembered(language, *corrections)
    assert {one.turn for one in active(memory)} == {1, 2, 3}
