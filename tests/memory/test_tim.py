"""Think-in-Memory through its public face: what it keeps, what it lets go, and what it never
does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from osler.errors import UserError
from osler.memory import MemorySettings, Turn, memory_factory
from osler.memory.base import Purpose, Query, Thinker
from osler.memory.core.fact import FactStatus
from osler.memory.tim.memory import TimMemory
from osler.prompts import Prompt
from osler.records import Language


def tim(
    language: Language = Language.EN, budget: int = 2000, thinker: object = None, **options: str
) -> TimMemory:
    made = memory_factory(",".join(["tim", *(f"{key}={value}" for key, value in options.items())]))(
        MemorySettings(language=language, budget=budget, seed=7, thinker=thinker)
    )
    assert isinstance(made, TimMemory)
    return made


async def told(memory: TimMemory, *exchanges: tuple[str, str]) -> None:
    start = max((thought.turn for thought in memory.ledger), default=0)
    for number, (question, reply) in enumerate(exchanges, start + 1):
        await memory.remember(Turn(number=number, question=question, reply=reply))


def quoted(reply: str) -> dict[str, list[dict[str, object]]]:
    """A model's answer after a turn: the reply is one thought."""
    return {
        "thoughts": [{"subject": "patient", "relation": "", "object": reply}],
        "forget": [],
        "merge": [],
    }


def scripted(answers: Sequence[object]) -> Thinker:
    """A memory's model that gives these answers, one after each turn."""
    left = iter(answers)

    async def think(template: Prompt, text: str, schema: type[BaseModel] | None, most: int) -> str:
        return json.dumps(next(left), ensure_ascii=False)

    return think


COUGH = ("Do you have a cough?", "Yes, for three weeks.")
FEVER = ("Have you had a fever?", "No.")
ALLERGY = ("Are you allergic to anything?", "Yes, penicillin gives me a rash.")


async def test_an_empty_memory_recalls_nothing() -> None:
    assert (await tim().recall(Query("fever"))).text == ""


async def test_what_was_said_comes_back_as_facts_with_their_turns() -> None:
    memory = tim()
    await told(memory, COUGH, FEVER, ALLERGY)
    text = (await memory.recall(Query("Any fever?"))).text
    *facts, denied = text.partition("\nTurn 1\n")[0].splitlines()
    assert all(line.startswith("Fact #") and "(turn " in line for line in facts)
    assert "three weeks" in text and "penicillin" in text and denied == "Denied: fever"


async def test_chinese_facts_are_chinese() -> None:
    memory = tim(Language.ZH)
    await told(
        memory,
        ("您咳嗽吗？", "咳了三个星期。"),
        ("发烧吗？", "没有。"),
        ("对什么过敏吗？", "青霉素过敏。"),
    )
    text = (await memory.recall(Query("过敏"))).text
    assert text.splitlines()[0].startswith("事实#") and "三个星期" in text and "青霉素" in text


async def test_what_was_asked_is_told_as_it_is_written() -> None:
    memory = tim(Language.ZH, 20)  # too little for the whole exchange
    await told(memory, ("您是否有膝关节疼痛或者肿胀？", "就是上下楼的时候难受。"))
    text = (await memory.recall(Query("膝关节"))).text
    assert "膝关节疼痛" in text and "痛痛" not in text and "是否" not in text


async def test_facts_are_typed_in_the_order_of_the_text() -> None:
    memory = tim()
    await told(
        memory, COUGH, FEVER, ("What did the scan show?", "A shadow on the right lung."), ALLERGY
    )
    recall = await memory.recall(Query("Which medicine may she have?"))
    places = [recall.text.index(fact.object.partition(",")[0]) for fact in recall.facts]
    assert places == sorted(places) and "penicillin" in recall.facts[0].object
    fever = next(fact for fact in recall.facts if "fever" in fact.object)
    assert (fever.subject, fever.relation, fever.denied, fever.turn) == ("patient", "has", True, 2)
    assert {turn.number for turn in recall.exchanges} == {1, 2, 3, 4}


@pytest.mark.parametrize(
    ("language", "question", "reply", "relative"),
    [
        (Language.EN, "Is anyone in your family ill?", "My father had a stroke.", "father"),
        (Language.ZH, "家里人有什么病吗？", "我爸爸中过风。", "爸爸"),
    ],
)
async def test_whose_it_is_is_never_lost(
    language: Language, question: str, reply: str, relative: str
) -> None:
    memory = tim(language, budget=25)
    await told(memory, (question, reply))
    recall = await memory.recall(Query(question))
    assert {fact.subject for fact in recall.facts} == {relative} and relative in recall.text


async def test_with_k_the_best_come_back_and_the_rest_do_not() -> None:
    memory = tim(k="1")
    await told(memory, COUGH, ALLERGY, ("Do you smoke?", "Twenty cigarettes a day."))
    recall = await memory.recall(Query("Which drug is she allergic to, penicillin?"))
    assert len(recall.facts) == 1 and "penicillin" in recall.text


async def test_a_small_budget_keeps_what_treatment_hangs_on() -> None:
    memory = tim(budget=25)
    await told(
        memory,
        ALLERGY,
        *[(f"Does your {part} hurt?", "Yes, a little.") for part in ("head", "back", "knee")],
    )
    recall = await memory.recall(Query("Does anything else hurt?"))
    assert "[allergy]" in recall.text and "penicillin" in recall.text and recall.dropped


async def test_what_is_said_again_answers_both_questions() -> None:
    memory = tim()
    reply = "It comes on when climbing the stairs."
    await told(
        memory,
        ("Have you any pain?", reply),
        ("Do you cough?", "Yes."),
        ("Still the pain?", reply.lower()),
    )
    [fact] = [thought for thought in memory.ledger if "stairs" in thought.object]
    assert fact.turns == (1, 3)
    recall = await memory.recall(Query("stairs"))
    assert "(turn 1, 3)" in recall.text
    assert {one.turn for one in recall.facts if "stairs" in one.object} == {1, 3}
    again = tim()
    again.state = memory.state
    assert await again.recall(Query("stairs")) == recall


async def test_more_detail_leaves_what_was_said_before() -> None:
    memory = tim()
    await told(
        memory,
        ("What troubles you?", "I have a cough."),
        ("What else?", "I have a dry cough at night."),
    )
    assert [(one.status, one.turns) for one in memory.ledger] == [
        (FactStatus.ACTIVE, (1,)),
        (FactStatus.ACTIVE, (2,)),
    ]


async def test_what_is_known_is_only_said_again() -> None:
    memory = tim()
    await told(
        memory,
        ("What troubles you?", "I have a dry cough."),
        ("What else?", "As I said, I have a dry cough."),
    )
    [thought] = memory.ledger
    assert thought.turns == (1, 2)


DENIED_LATER = {
    Language.EN: (
        ("Are you breastfeeding?", "Yes."),
        ("And now, are you breastfeeding?", "No."),
        "Denied: breastfeeding",
    ),
    Language.ZH: (("您怀孕了吗？", "是的。"), ("您现在怀孕了吗？", "没有。"), "否认：怀孕"),
}


@pytest.mark.parametrize("language", list(Language))
async def test_what_is_denied_later_in_the_same_words_is_replaced(language: Language) -> None:
    affirmed, denied, line = DENIED_LATER[language]
    memory = tim(language)
    await told(memory, affirmed, denied)
    old, new = memory.ledger
    assert (old.status, old.by, new.status) == (
        FactStatus.SUPERSEDED,
        new.id,
        FactStatus.ACTIVE,
    )
    assert old.because and line in (await memory.recall(Query(""))).text
    await told(memory, affirmed)
    assert [one.status for one in memory.ledger[1:]] == [
        FactStatus.SUPERSEDED,
        FactStatus.ACTIVE,
    ]
    assert not memory.ledger[2].denied


async def test_counts_of_two_specimens_do_not_replace_each_other() -> None:
    memory = tim()
    await told(
        memory,
        ("What did the urine test show?", "White cells 3."),
        ("What did the blood count show?", "White cells 12.3."),
    )
    text = (await memory.recall(Query("white cells"))).text
    assert "White cells 3." in text and "White cells 12.3" in text


async def test_a_question_that_left_no_thought_is_named() -> None:
    memory = tim()
    await told(
        memory,
        ("Do you have a fever?", "Yes."),
        ("Do you have a cough?", "Well, doctor."),
        ("A rash?", "Yes."),
    )
    silent = {1, 2, 3} - {turn for thought in memory.ledger for turn in thought.turns}
    assert silent == {2}
    text = (await memory.recall(Query("rash"))).text
    assert "Doctor: Do you have a cough?" in text
    few = tim(budget=34)
    few.state = memory.state
    lines = (await few.recall(Query("rash"))).text.splitlines()
    assert (
        "Also asked: Do you have a cough?" in lines and "Doctor: Do you have a cough?" not in lines
    )


CORRECTED = {
    Language.EN: [
        (
            ("Which knee hurts?", "The left knee hurts."),
            ("The left knee?", "Sorry, I meant the right knee."),
        ),
        (
            ("Which medicines?", "I take ramipril, 5 mg."),
            ("And now?", "I'm on 10 mg of ramipril now."),
        ),
        (("Do you smoke?", "Ten a day."), ("And now?", "I quit smoking in March.")),
        (("Your potassium?", "It was 3.1."), ("Your potassium?", "It was 4.2.")),
    ],
    Language.ZH: [
        (("哪边膝盖疼？", "左膝盖疼。"), ("左膝盖？", "我说错了，是右膝盖疼。")),
        (("吃什么药？", "我吃氨氯地平，5毫克。"), ("现在呢？", "氨氯地平加到10毫克了。")),
        (("抽烟吗？", "一天十支。"), ("现在呢？", "三月份把烟戒了。")),
        (("血钾多少？", "3.1。"), ("血钾多少？", "4.2。")),
    ],
}


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [(language, *exchanges) for language, listed in CORRECTED.items() for exchanges in listed],
)
async def test_rules_leave_what_was_corrected_beside_what_is_new_with_its_time(
    language: Language, before: tuple[str, str], after: tuple[str, str]
) -> None:
    memory = tim(language)
    visits = {-1: ("2024-01-05", before), 0: ("2024-06-05", after)}
    for number, (day, (question, reply)) in visits.items():
        await memory.remember(
            Turn(number=number, question=question, reply=reply, at=datetime.fromisoformat(day))
        )
    assert {one.turn for one in memory.ledger} == {-1, 0}
    assert all(one.status is FactStatus.ACTIVE for one in memory.ledger)
    recall = await memory.recall(Query(""))
    assert {fact.turn: str(fact.at)[:10] for fact in recall.facts} == {
        -1: "2024-01-05",
        0: "2024-06-05",
    }
    for day, (_, reply) in visits.values():
        assert day in recall.text and reply.rstrip(".。")[-4:] in recall.text


async def test_several_symptoms_do_not_replace_each_other() -> None:
    memory = tim()
    await told(
        memory,
        ("What troubles you?", "I have a fever."),
        ("What else?", "I have a cough."),
        ("And?", "A rash."),
    )
    text = (await memory.recall(Query("symptoms"))).text
    assert all(word in text for word in ("fever", "cough", "rash"))


async def test_the_value_of_a_urine_test_is_kept() -> None:
    memory = tim()
    await told(
        memory, ("What did the urine analysis show?", "White blood cells 3623.20/µl, that is high.")
    )
    assert "3623.20/µl" in (await memory.recall(Query("urine"))).text
    assert "high" in (await memory.recall(Query("urine"))).text


async def test_an_unknown_option_is_one_line_with_the_remedy() -> None:
    with pytest.raises(UserError, match="mode") as raised:
        tim(mode="magic")
    assert "its options are mode, k" in raised.value.remedy


WORDS = st.sampled_from(
    [
        COUGH,
        FEVER,
        ALLERGY,
        ("Which medicines do you take?", "I take warfarin 3 mg."),
        ("Are you pregnant?", "Yes, 12 weeks."),
        ("Any fever?", "Yes, 38.5 °C since Monday."),
        ("Do you smoke?", "No, I stopped."),
        ("Which knee?", "No, the right knee."),
        ("Does it hurt?", "Maybe a little."),
        ("What is your blood pressure?", "150/90 mmHg."),
        ("And your weight?", "I don't know."),
    ]
)


class Reckless:
    """A model that proposes to forget and merge whatever it can name."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = list(numbers)

    async def __call__(
        self, template: Prompt, text: str, schema: type[BaseModel] | None, most: int
    ) -> str | None:
        ids = self.numbers or [1]
        thought = {"subject": "patient", "relation": "has", "object": "everything"}
        merged = {"ids": ids[:2], "subject": "patient", "relation": "is", "object": "fine"}
        forget = [{"id": number, "by": max(ids), "why": ""} for number in ids]
        return json.dumps({"thoughts": [thought], "forget": forget, "merge": [merged]})


@settings(max_examples=25, deadline=None)
@given(
    st.lists(WORDS, min_size=1, max_size=12),
    st.lists(st.integers(1, 30), max_size=6),
    st.sampled_from(["one", "rules", "paper"]),
)
def test_nothing_is_destroyed_and_only_what_holds_is_recalled(
    exchanges: list[tuple[str, str]], numbers: list[int], mode: str
) -> None:
    memory = tim(thinker=Reckless(numbers), mode=mode)
    asyncio.run(told(memory, *exchanges))
    ledger = memory.ledger
    assert [thought.id for thought in ledger] == list(range(1, len(ledger) + 1))
    for thought in ledger:
        assert 1 <= thought.turn <= len(exchanges)
        assert (thought.status is FactStatus.ACTIVE) == (not thought.because and thought.by is None)
        assert all(part < thought.id for part in thought.parts)
    recall = asyncio.run(memory.recall(Query("everything")))
    active = [thought for thought in ledger if thought.status is FactStatus.ACTIVE]
    for fact in recall.facts:
        # A recalled fact tells its time with its object.
        assert any(
            (thought.subject, thought.relation) == (fact.subject, fact.relation)
            and thought.object in fact.object
            and fact.turn in thought.turns
            for thought in active
        ), fact
    other = tim(thinker=Reckless(numbers), mode=mode)
    other.state = json.loads(json.dumps(memory.state))
    assert other.state == memory.state and other.ledger == ledger
    assert asyncio.run(other.recall(Query("everything"))) == recall


def test_what_treatment_hangs_on_survives_hundreds_of_turns() -> None:
    memory = tim(budget=100_000)
    asyncio.run(
        told(
            memory,
            ALLERGY,
            ("Which medicines do you take?", "I take warfarin 3 mg."),
            *[FEVER, COUGH] * 100,
        )
    )
    text = asyncio.run(memory.recall(Query("anything"))).text
    assert "penicillin" in text and "warfarin 3 mg" in text


# The same reply in every turn, after other words.
SAME = {
    Language.EN: (
        "I have a dry cough at night.",
        "I saw the {} cat. What troubles you?",
        ["grey", "striped", "spotted"],
    ),
    Language.ZH: ("我夜里干咳得厉害。", "我看见{}猫了。您哪里不舒服？", ["灰色", "条纹", "斑点"]),
}


@pytest.mark.parametrize("language", list(Language))
async def test_turns_in_which_the_same_was_said_are_ranked_one_by_one(language: Language) -> None:
    reply, question, cats = SAME[language]
    memory = tim(language)
    await told(memory, *((question.format(cat), reply) for cat in cats))
    assert memory.turns_of((await memory.search(reply))[0][0]) == (1, 2, 3)
    for number, cat in enumerate(cats, 1):
        ranked = await memory.search_turns(question.format(cat))
        assert ranked[0] == number and sorted(ranked) == [1, 2, 3]


CHANGED = {
    Language.EN: (
        ("Which dose of warfarin do you take?", "I take warfarin 3 mg."),
        ("And now?", "I was changed to warfarin 5 mg."),
        ("Do you sleep well?", "Like a log."),
    ),
    Language.ZH: (
        ("华法林吃多少？", "我吃华法林3毫克。"),
        ("现在呢？", "华法林改成5毫克了。"),
        ("睡得好吗？", "很好。"),
    ),
}


@pytest.mark.parametrize("language", list(Language))
async def test_a_turn_of_which_nothing_holds_is_neither_found_nor_told(language: Language) -> None:
    rows = [quoted(reply) for _, reply in CHANGED[language]]
    rows[1]["forget"] = [{"id": 1, "by": 2, "why": "changed"}]
    memory = tim(language, k="2", thinker=scripted(rows))
    await told(memory, *CHANGED[language])
    (question, old), (_, new), _ = CHANGED[language]
    ranked = await memory.search_turns(question)
    assert ranked[0] == 2 and 1 not in ranked
    whole = (
        await memory.recall(Query("zzyzx"))
    ).text  # no thought bears on it, so turns are told word for word
    assert new in whole and old not in whole


# Two facts of the first visit have ended at the second, which a model notes; then many other things
# are said.
ENDED = {
    Language.EN: (
        [
            ("Are you breastfeeding?", "Yes, I am breastfeeding."),
            ("Which medicines?", "I take warfarin 5 mg."),
        ],
        [
            ("Are you still breastfeeding?", "No, not any more."),
            ("Which medicines?", "I no longer take warfarin."),
        ],
        (
            "And your {}?",
            "My {} has been aching for {} weeks, mostly at night and after long walks.",
        ),
        [
            "knee",
            "shoulder",
            "elbow",
            "hip",
            "neck",
            "wrist",
            "ankle",
            "foot",
            "jaw",
            "thumb",
            "heel",
            "tooth",
        ],
        ("not any more", "no longer take warfarin", "am breastfeeding", "5 mg"),
    ),
    Language.ZH: (
        [("您在哺乳吗？", "是的，我正在哺乳。"), ("您吃什么药？", "我每天吃华法林5毫克。")],
        [("您还在哺乳吗？", "不哺乳了。"), ("您吃什么药？", "我不再吃华法林了。")],
        ("{}怎么样？", "我的{}疼了{}个星期，主要是夜里和走很长的路以后疼得最厉害。"),
        [
            "膝盖",
            "肩膀",
            "手肘",
            "髋部",
            "脖子",
            "手腕",
            "脚踝",
            "脚",
            "下巴",
            "拇指",
            "脚跟",
            "牙",
        ],
        ("不哺乳了", "不再吃华法林", "正在哺乳", "5毫克"),
    ),
}


@pytest.mark.parametrize("language", list(Language))
async def test_that_something_a_treatment_depends_on_has_ended_is_told_in_little_room(
    language: Language,
) -> None:
    first, second, (ask, answer), parts, (stopped, no_more, nursing, dose) = ENDED[language]
    third = [(ask.format(part), answer.format(part, weeks)) for weeks, part in enumerate(parts, 2)]
    rows = [quoted(reply) for _, reply in (*first, *second, *third)]
    for place, kind in enumerate(("pregnancy", "medicine")):
        rows[place]["thoughts"][0]["kind"] = kind
        rows[place + len(first)]["forget"] = [
            {"id": place + 1, "by": place + 1 + len(first), "why": "ended"}
        ]
    memory, number = tim(language, thinker=scripted(rows)), -len(rows)
    for month, visit in enumerate((first, second, third), 1):
        for question, reply in visit:
            number += 1
            at = datetime(2024, month, 1)  # noqa: DTZ001 -- turns have no time zone
            await memory.remember(Turn(number=number, question=question, reply=reply, at=at))
    saved = json.dumps(memory.state)
    for budget in range(60, 160, 10):
        small = tim(language, budget)
        small.state = json.loads(saved)
        for recall in (
            await small.recall(Query(third[0][0])),
            await small.recall(Query(third[0][0], purpose=Purpose.CONCLUSION)),
        ):
            assert stopped in recall.text and no_more in recall.text
            assert nursing not in recall.text and dose not in recall.text


NURSING = {
    Language.EN: (
        ("Are you breastfeeding?", "Yes, I am breastfeeding."),
        ("And now?", "Not breastfeeding."),
        "I am ",
    ),
    Language.ZH: (("您在哺乳吗？", "是的，我正在哺乳。"), ("现在呢？", "不哺乳了。"), "正在哺乳"),
}


@pytest.mark.parametrize("language", list(Language))
async def test_rules_never_tell_a_conclusion_of_a_pregnancy_without_its_later_denial(
    language: Language,
) -> None:
    (first, second, before), (_, _, (ask, answer), parts, _) = NURSING[language], ENDED[language]
    memory = tim(language)
    await told(
        memory, first, second, *((ask.format(part), answer.format(part, 3)) for part in parts)
    )
    denied = {Language.EN: "Denied: breastfeeding", Language.ZH: "否认：哺乳"}[language]
    saved, seen = json.dumps(memory.state), set[bool]()
    for budget in range(10, 120, 5):
        small = tim(language, budget)
        small.state = json.loads(saved)
        text = (await small.recall(Query(first[0], purpose=Purpose.CONCLUSION))).text
        assert denied in text or before not in text
        seen.add(denied in text)
    assert True in seen


async def test_an_empty_memory_from_which_something_is_to_be_erased_can_still_remember() -> None:
    memory = tim(mode="rules")
    assert await memory.erase([]) == []
    for key in ("thought:1", "turn:1"):
        with pytest.raises(KeyError):
            await memory.rewrite(key, "a cough")
        with pytest.raises(KeyError):
            await memory.erase([key])
    with pytest.raises(KeyError):
        memory.turns_of("thought:1")
    await told(memory, COUGH)
    assert [thought.object for thought in memory.ledger]
