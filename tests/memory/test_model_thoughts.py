"""With a model, Think-in-Memory keeps the model's own thoughts: unchanged, all of them, and nothing
beside them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from osler.language import Speaker
from osler.memory import Change, MemorySettings, Turn, memory_factory
from osler.memory.base import Query, tokens
from osler.memory.core.fact import FactKind, FactStatus
from osler.memory.tim.memory import TimMemory
from osler.prompts import Prompt
from osler.records import Language

EN, ZH = Language.EN, Language.ZH
BOTH = pytest.mark.parametrize("language", [EN, ZH])
Row = dict[str, Any]


class Script:
    """A model that answers as it was told to, and keeps what it was asked."""

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.names: list[str] = []
        self.texts: list[str] = []
        self.most: list[int] = []

    async def __call__(
        self, template: Prompt, text: str, schema: type[BaseModel] | None, most: int
    ) -> str | None:
        self.names.append(template.name.partition("/")[2])
        self.texts.append(text)
        self.most.append(most)
        return self.answers.pop(0)


def answer(
    thoughts: Sequence[object] = (), forget: Sequence[object] = (), merge: Sequence[object] = ()
) -> str:
    return json.dumps({"thoughts": thoughts, "forget": forget, "merge": merge}, ensure_ascii=False)


def row(subject: str, relation: str, object_: str, **more: object) -> Row:
    return {
        "subject": subject,
        "relation": relation,
        "object": object_,
        "negated": False,
        "when": "",
        **more,
    }


def tim(
    thinker: Script,
    language: Language = EN,
    *,
    spec: str = "tim",
    budget: int = 2000,
    speaker: str = "patient",
) -> TimMemory:
    made = MemorySettings(
        language=language, budget=budget, seed=7, thinker=thinker, speaker=Speaker(speaker)
    )
    memory = memory_factory(spec)(made)
    assert isinstance(memory, TimMemory)
    return memory


async def told(memory: TimMemory, *exchanges: tuple[str, str]) -> list[Change]:
    return [
        await memory.remember(Turn(number=number, question=question, reply=reply))
        for number, (question, reply) in enumerate(exchanges, 1)
    ]


HARD = {
    EN: (
        "Any tests, and what medicines?",
        "They took blood cultures before the antibiotics, nothing grew. No cough. My mother has diabetes.",
        [
            row("blood cultures taken before antibiotics", "grew", "nothing", negated=False),
            row("patient", "does not have", "a cough", negated=True),
            row("patient's mother", "has", "diabetes"),
            row(
                "sterile cultures before antibiotics",
                "make less likely",
                "bacteraemia",
                basis="inferred",
            ),
        ],
    ),
    ZH: (
        "怎么起病的？吃什么药？",
        "没什么明显诱因就吐了1次。药物过敏没有。我妈有糖尿病。",
        [
            row("患者", "无明显诱因出现", "呕吐1次"),
            row("患者", "否认", "药物过敏", negated=True, kind="allergy"),
            row("患者的母亲", "患有", "糖尿病"),
            row("突发呕吐而无诱因", "提示排查", "颅内压增高", basis="inferred"),
        ],
    ),
}


@BOTH
async def test_thoughts_arrive_unchanged_in_the_ledger_and_in_recall(language: Language) -> None:
    question, reply, rows = HARD[language]
    memory = tim(Script(answer(rows)), language)
    [change] = await told(memory, (question, reply))
    assert [thought.triple for thought in memory.ledger] == [
        f"{one['subject']} {one['relation']} {one['object']}" for one in rows
    ]
    assert [(one.denied, one.inferred) for one in memory.ledger] == [
        (one["negated"], one.get("basis") == "inferred") for one in rows
    ]
    assert all(one.is_by_model for one in memory.ledger)
    assert (change.requests, change.proposed, change.refused, len(change.inserted)) == (1, 4, (), 4)
    text = (await memory.recall(Query(reply))).text
    lines = [line for line in text.splitlines() if line.startswith(("Fact #", "事实#"))]
    assert all(thought.triple in text for thought in memory.ledger) and len(lines) == 4


@BOTH
async def test_rules_add_nothing_to_what_a_model_leaves_out(language: Language) -> None:
    question, reply, _ = HARD[language]
    memory = tim(Script(answer(), answer()), language)
    changes = await told(memory, (question, reply), (question, reply))
    assert memory.ledger == () and all(
        change.requests == 1 and not change.refused for change in changes
    )


@BOTH
async def test_a_denial_and_an_inference_are_told_as_such(language: Language) -> None:
    bare = (
        row("patient", "has", "fever", negated=True)
        if language is EN
        else row("患者", "有", "发热", negated=True)
    )
    guess = (
        row("cough and weight loss", "suggest", "tuberculosis", basis="inferred")
        if language is EN
        else row("咳嗽伴消瘦", "提示", "肺结核", basis="inferred")
    )
    memory = tim(Script(answer([bare, guess])), language)
    await told(memory, ("?", "-"))
    recall = await memory.recall(Query(""))
    negative, inferred = (
        (" (negative)", " (inferred)") if language is EN else ("（阴性）", "（推断）")
    )
    triples = [thought.triple for thought in memory.ledger]
    told_lines = [triples[0] + negative, triples[1] + inferred]
    assert all(
        text in line for text, line in zip(told_lines, recall.text.splitlines()[:2], strict=True)
    )
    assert [fact.denied for fact in recall.facts] == [True, False]
    assert all(fact.object in recall.text for fact in recall.facts)


@BOTH
async def test_the_model_sees_the_exchange_who_answers_and_numbered_facts(
    language: Language,
) -> None:
    _, _, rows = HARD[language]
    script = Script(answer(rows), answer())
    memory = tim(script, language, speaker="mother")
    question, reply = ("Does it itch?", "A bit.") if language is EN else ("痒吗？", "有点。")
    await told(memory, ("?", "-"), (question, reply))
    asked = script.texts[1]
    assert (
        question in asked and reply in asked and ("mother" if language is EN else "母亲") in asked
    )
    assert all(f"#{thought.id} {thought.triple}" in asked for thought in memory.ledger)
    assert '"id": 5' in asked and script.most[1] >= 1000
    if language is ZH:
        assert f"#2 {memory.ledger[1].triple} [allergy]" in asked


async def test_the_nearest_thoughts_are_laid_before_it_and_in_the_papers_way_the_group_alone() -> (
    None
):
    itch = row("patient", "has had itchy blisters in the armpit for", "five weeks")
    seen = {}
    for spec in ("tim,groups=64", "tim,mode=paper,groups=64"):
        script = Script(
            answer([itch]), answer([row("patient", "has", "blisters")]), *[answer()] * 2
        )
        memory = tim(script, spec=spec)
        changes = await told(
            memory, ("What brings you?", "Something itches."), ("Any blisters, armpit?", "Yes.")
        )
        assert changes[0].group != changes[1].group
        seen[spec] = any("five weeks" in text for text in script.texts[1:])
    assert list(seen.values()) == [True, False]


@BOTH
async def test_what_is_asked_for_is_told_before_other_things_of_the_same_turn(
    language: Language,
) -> None:
    trifles = [row("patient", "grows in the garden", f"flower {part}") for part in range(12)]
    first, second = (
        row("patient", "gets zortifen", "from her aunt"),
        row("patient", "keeps zortifen", "in a drawer"),
    )
    others = [answer([row("patient", "likes", f"thing {part}")]) for part in range(10)]
    memory = tim(Script(*others, answer([*trifles, first]), answer([second])), language, budget=60)
    await told(
        memory,
        *((f"Word {part}?", f"Thing {part}.") for part in range(10)),
        ("Zortifen?", "Zortifen, and zortifen with flowers."),
        ("Where?", "The zortifen? There, with all of the other things and so many more words."),
    )
    text = (await memory.recall(Query("zortifen"))).text
    assert "aunt" in text and "drawer" in text


@BOTH
async def test_it_is_shown_what_a_treatment_depends_on_and_what_was_said_lately(
    language: Language,
) -> None:
    """What it does not see it cannot correct, and many other facts share more words with the
    exchange."""
    allergy = row("patient", "swelled up from", "zortifen", kind="allergy")
    others = [answer([row("patient", "talked of", f"garden {part}", id=2)]) for part in range(40)]
    lately = answer([row("patient", "named", "quince")])
    script = Script(answer([allergy]), *others, lately, *[answer()] * 2)
    memory = tim(script, language, spec="tim,groups=64")
    talk = [("Garden?", f"Garden {part}.") for part in range(40)]
    await told(
        memory,
        ("What happened?", "Zortifen."),
        *talk,
        ("Fruit?", "Quince."),
        ("Garden?", "Garden, garden."),
    )
    assert "zortifen" in script.texts[-1] and "quince" in script.texts[-1]


FIRST = {
    EN: [row("patient", "smokes", "20 a day"), row("patient", "has smoked for", "30 years")],
    ZH: [row("患者", "吸烟", "每天20支"), row("患者", "吸烟已有", "30年")],
}
WHOLE = {
    EN: row("patient", "has smoked", "20 a day for 30 years", ids=[1, 2], why="one habit"),
    ZH: row("患者", "吸烟", "每天20支，已30年", ids=[1, 2], why="同一习惯"),
}


@BOTH
async def test_what_it_merges_and_forgets_is_done_and_stays_in_the_ledger(
    language: Language,
) -> None:
    stopped = (
        row("patient", "stopped smoking", "", id=4)
        if language is EN
        else row("患者", "已戒烟", "", id=4)
    )
    script = Script(
        answer(FIRST[language]),
        answer(merge=[WHOLE[language]]),
        answer([stopped], [{"id": "#3", "by": 4, "why": "x"}]),
    )
    memory = tim(script, language)
    changes = await told(memory, ("?", "a"), ("?", "b"), ("?", "c"))
    assert [one.status for one in memory.ledger] == [
        FactStatus.MERGED,
        FactStatus.MERGED,
        FactStatus.SUPERSEDED,
        FactStatus.ACTIVE,
    ]
    merged = memory.ledger[2]
    assert (
        merged.object == WHOLE[language]["object"]
        and merged.parts == (1, 2)
        and merged.turns == (1,)
    )
    assert [one.by for one in memory.ledger] == [3, 3, 4, None]
    assert len(changes[1].merged) == 2 and len(changes[2].superseded) == 1
    recall = await memory.recall(Query(""))
    assert [(fact.relation, fact.object) for fact in recall.facts] == [
        (memory.ledger[3].relation, memory.ledger[3].object)
    ]


async def test_new_thoughts_can_be_named_too_whatever_the_model_calls_them() -> None:
    rows = [
        row("a", "is", "one", id=7),
        {"subject": "", "relation": "", "object": "", "id": 8},
        row("b", "is", "two"),
    ]
    merged = row("both", "are", "three", ids=[7, 3], why="")
    memory = tim(Script(answer(rows, forget=[{"id": 8, "by": 0, "why": ""}], merge=[merged])))
    [change] = await told(memory, ("?", "-"))
    # The first is called 7, the empty one 8, and the third, which has no number, is counted.
    assert [one.triple for one in memory.ledger] == ["a is one", "b is two", "both are three"]
    assert memory.ledger[2].parts == (1, 2) and change.proposed == 5
    assert change.refused == ("the thought is empty", "there is no thought #8")


ALLERGY = {
    EN: row("patient", "is allergic to", "penicillin", kind="allergy"),
    ZH: row("患者", "对……过敏", "青霉素", kind="allergy"),
}
NEWER = {
    EN: row("patient", "had a rash from", "amoxicillin, not penicillin itself", kind="allergy"),
    ZH: row("患者", "出过皮疹是因为", "阿莫西林，而非青霉素", kind="allergy"),
}


@BOTH
async def test_an_allergy_is_not_dropped_without_a_newer_thought_that_says_so(
    language: Language,
) -> None:
    other = row("patient", "is", "fine") if language is EN else row("患者", "情况", "良好")
    forgets = [
        {"id": 2, "by": 0, "why": "old"},
        {"id": 2, "by": 1, "why": "old"},
        {"id": 2, "by": 3, "why": "old"},
    ]
    merge = [{**other, "ids": [2, 4], "why": "short"}]
    script = Script(
        answer([other, ALLERGY[language]]), answer([other]), answer([other], forgets, merge)
    )
    memory = tim(script, language)
    changes = await told(memory, ("?", "a"), ("?", "b"), ("?", "c"))
    assert len(changes[2].refused) == 4 and all(
        "#2 (allergy)" in line for line in changes[2].refused
    )
    assert not (changes[2].forgotten or changes[2].merged or changes[2].superseded)
    assert memory.ledger[1].triple in (await memory.recall(Query(""))).text


@BOTH
async def test_what_has_merely_ended_gives_way_to_a_new_thought_of_any_kind(
    language: Language,
) -> None:
    feeds, ended = {
        EN: (
            row("patient", "breast-feeds", "her daughter", kind="pregnancy"),
            row("patient", "feeds", "no longer"),
        ),
        ZH: (row("患者", "正在哺乳", "女儿", kind="pregnancy"), row("患者", "哺乳", "已经结束")),
    }[language]
    script = Script(answer([feeds]), answer([ended], [{"id": 1, "by": 2, "why": "ended"}]))
    memory = tim(script, language)
    changes = await told(memory, ("?", "a"), ("?", "b"))
    assert not changes[1].refused and memory.ledger[0].by == 2
    text = (await memory.recall(Query(""))).text
    assert feeds["object"] not in text and ended["object"] in text


@BOTH
async def test_no_number_of_reckless_turns_drops_an_allergy(language: Language) -> None:
    everything = [{"id": number, "by": 0, "why": "bored"} for number in range(1, 30)]
    wild = answer(
        [row("patient", "is", "fine")], everything, [row("patient", "is", "well", ids=[1, 2])]
    )
    memory = tim(Script(answer([ALLERGY[language]]), *[wild] * 20), language)
    changes = await told(memory, *[("?", "-")] * 21)
    assert (
        memory.ledger[0].status is FactStatus.ACTIVE
        and memory.ledger[0].triple in (await memory.recall(Query(""))).text
    )
    assert all(change.forgotten for change in changes[1:])


@BOTH
async def test_an_allergy_is_superseded_by_a_newer_one_and_both_stay_in_the_ledger(
    language: Language,
) -> None:
    script = Script(
        answer([ALLERGY[language]]),
        answer([NEWER[language]], [{"id": 1, "by": 2, "why": "corrected"}]),
    )
    memory = tim(script, language)
    changes = await told(memory, ("?", "a"), ("?", "b"))
    old, new = memory.ledger
    assert (old.status, old.by, old.because) == (
        FactStatus.SUPERSEDED,
        2,
        "corrected",
    ) and new.kind is FactKind.ALLERGY
    assert len(changes[1].superseded) == 1 and not changes[1].refused
    text = (await memory.recall(Query(""))).text
    assert new.triple in text and old.triple not in text


@BOTH
async def test_two_medicines_can_be_merged_into_one_thought_of_their_kind(
    language: Language,
) -> None:
    dose = "3 mg at night" if language is EN else "每晚3毫克"
    rows = [
        row("patient", "takes", "warfarin", kind="medicine"),
        row("warfarin", "is taken as", dose, kind="medicine"),
    ]
    whole = row("patient", "takes", f"warfarin {dose}", kind="medicine", ids=[1, 2], why="one drug")
    memory = tim(Script(answer(rows), answer(merge=[whole])), language)
    await told(memory, ("?", "a"), ("?", "b"))
    assert [one.status for one in memory.ledger] == [
        FactStatus.MERGED,
        FactStatus.MERGED,
        FactStatus.ACTIVE,
    ]
    assert f"warfarin {dose}" in (await memory.recall(Query(""))).text


async def test_only_the_form_of_a_thought_is_refused_and_each_refusal_is_counted() -> None:
    rows = [
        row("patient", "", ""),
        row("...", "...", "..."),
        row("patient", "says", "x" * 401),
        row("patient", "says", "x" * 380),
        "patient has a cough",
        *(row("patient", "has finding", str(number)) for number in range(40)),
    ]
    forgets: list[Row] = [{"id": 99, "by": 0, "why": "?"}, {"id": "all", "why": "?"}]
    [change] = await told(
        tim(Script(answer(rows, forgets, [row("a", "b", "c", ids=[1])]))), ("?", "-")
    )
    assert len(change.inserted) == 30 and change.proposed == 48
    assert len(change.refused) == 4 + 11 + 3
    assert sum("more than 30" in line for line in change.refused) == 11
    assert any("too long (414 characters)" in line for line in change.refused)
    assert "there is no thought #99" in change.refused and "no number: all" in change.refused


@BOTH
@pytest.mark.parametrize("unread", [None, "", "sorry, I cannot", '{"thoughts": "many"}', "[1, 2]"])
async def test_an_unreadable_answer_is_asked_for_once_more(
    language: Language, unread: str | None
) -> None:
    script = Script(unread, answer([ALLERGY[language]]))
    memory = tim(script, language)
    [change] = await told(memory, ("?", "-"))
    assert script.names == ["tim_think", "tim_repair" if unread else "tim_think"]
    assert script.texts[0] in script.texts[1] and (unread or "") in script.texts[1]
    assert len(memory.ledger) == 1 and change.requests == 2 and not change.refused


@BOTH
async def test_a_turn_whose_answer_cannot_be_read_is_kept_word_for_word(language: Language) -> None:
    question, reply, rows = HARD[language]
    memory = tim(Script("blah blah", "blah blah", answer(rows[:1]), "blah", None), language)
    changes = await told(
        memory, (question, reply), ("?", "-"), ("Anything else?", "I faint when I stand up.")
    )
    assert memory.ledger and all(thought.turn == 2 for thought in memory.ledger)
    for change in (changes[0], changes[2]):
        assert change.refused == ("the answer could not be read",)
        assert (change.proposed, change.requests, change.inserted) == (1, 2, ())
    recall = await memory.recall(Query(""))
    assert reply in recall.text and "I faint when I stand up." in recall.text
    other = tim(Script(), language)
    other.state = json.loads(json.dumps(memory.state))
    assert await other.recall(Query("")) == recall


async def test_where_nothing_could_be_read_the_bank_is_recalled() -> None:
    memory = tim(Script(*["blah blah"] * 4))
    await told(
        memory, ("Do you cough?", "Yes, for three weeks."), ("Any fever?", "38.5 °C on Monday.")
    )
    assert memory.ledger == ()
    recall = await memory.recall(Query("fever"))
    assert [turn.number for turn in recall.exchanges] == [
        1,
        2,
    ] and "38.5 °C on Monday." in recall.text


async def test_an_answer_that_was_cut_off_counts_as_far_as_it_goes() -> None:
    whole = answer([row("patient", "has", "fever"), row("patient", "has", "cough")])
    memory = tim(Script(whole[: whole.index("cough")]))
    [change] = await told(memory, ("?", "-"))
    assert [one.triple for one in memory.ledger] == ["patient has fever"] and change.requests == 1


@BOTH
async def test_the_papers_way_generates_then_forgets_then_merges_within_the_group(
    language: Language,
) -> None:
    generated = json.dumps({"thoughts": [*FIRST[language], ALLERGY[language]]}, ensure_ascii=False)
    forgets = json.dumps({"forget": [{"id": 3, "by": 0, "why": "?"}]})
    script = Script(
        generated, forgets, json.dumps({"merge": [WHOLE[language]]}, ensure_ascii=False), "A note."
    )
    memory = tim(script, language, spec="tim,mode=paper")
    [change] = await told(memory, ("?", "-"))
    assert script.names == ["tim_generate", "tim_forget", "tim_merge"]
    # The organizer sees the new thoughts by their numbers; the generator sees none.
    assert "#" not in script.texts[0].replace("#1", "")
    assert all(f"#{one.id} {one.triple}" in script.texts[1] for one in memory.ledger[:3])
    assert [one.status for one in memory.ledger] == [
        FactStatus.MERGED,
        FactStatus.MERGED,
        FactStatus.ACTIVE,
        FactStatus.ACTIVE,
    ]
    assert change.requests == 3 and change.proposed == 5 and len(change.refused) == 1
    recall = await memory.recall(Query(memory.ledger[3].object))
    assert (
        script.names[-1] == "tim_integrate"
        and recall.text.startswith("A note.")
        and recall.requests == 1
    )


async def test_what_was_forgotten_is_not_laid_before_the_merger() -> None:
    rows = [row("a", "is", "one"), row("b", "is", "two"), row("c", "is", "three")]
    script = Script(answer(rows), answer(forget=[{"id": 2, "by": 0, "why": "wrong"}]), answer())
    await told(tim(script, spec="tim,mode=paper"), ("?", "-"))
    assert "#2 b" in script.texts[1] and "#2 b" not in script.texts[2] and "#3 c" in script.texts[2]


async def test_the_papers_way_asks_nothing_of_one_thought_and_can_do_without_the_integrating_agent() -> (
    None
):
    script = Script(answer([row("patient", "has", "a cough")]))
    memory = tim(script, spec="tim,mode=paper,integrate=false")
    await told(memory, ("Do you cough?", "Yes."))
    assert script.names == ["tim_generate"]
    assert (await memory.recall(Query("cough"))).requests == 0


async def test_the_papers_way_brings_at_most_five_thoughts() -> None:
    rows = [
        row("patient", "has", what)
        for what in ("rash", "cough", "gout", "fever", "thirst", "cramps", "hiccups")
    ]
    memory = tim(Script(answer(rows), answer(), answer(), None), spec="tim,mode=paper,probes=8")
    await told(memory, ("Which findings has the patient?", "Seven."))
    recall = await memory.recall(Query("patient has rash"))
    assert len(recall.facts) == 5 and recall.facts[0].object == "rash"


async def test_without_a_model_or_with_mode_rules_the_rules_think() -> None:
    exchange = ("Are you allergic to anything?", "Yes, penicillin gives me a rash.")
    script = Script()
    with_model, without = (
        tim(script, spec="tim,mode=rules"),
        memory_factory("tim")(MemorySettings(seed=7)),
    )
    assert isinstance(without, TimMemory)
    for memory in (with_model, without):
        [change] = await told(memory, exchange)
        assert memory.ledger and not any(one.is_by_model for one in memory.ledger)
        assert (change.requests, change.proposed) == (0, 0)
    assert with_model.ledger == without.ledger and script.names == []


@BOTH
@settings(max_examples=40, deadline=None)
@given(
    parts=st.lists(
        st.sampled_from(["shows no growth", "已停药", "it's", "the CT says", "normal", "38.2 °C"]),
        min_size=1,
    ),
    budget=st.integers(40, 120),
)
def test_a_small_budget_leaves_thoughts_out_whole_and_protected_ones_last(
    language: Language, parts: list[str], budget: int
) -> None:
    rows = [row("patient", "has", part, negated=index % 2 == 1) for index, part in enumerate(parts)]
    rows.insert(len(rows) // 2, row("patient", "is allergic to", "latex", kind="allergy"))
    memory = tim(Script(answer(rows)), language, budget=budget)
    asyncio.run(told(memory, ("Do you cough?", "-")))
    recall = asyncio.run(memory.recall(Query("cough")))
    assert tokens(recall.text) <= budget
    facts = [line for line in recall.text.splitlines() if line.startswith(("Fact", "事实"))]
    assert len(facts) == len(recall.facts)
    assert all(fact.object in line for fact, line in zip(recall.facts, facts, strict=True))
    told_all = len(facts) == len(rows)
    assert told_all == (not recall.dropped)
    assert "latex" in recall.text


async def test_the_output_limit_is_a_setting() -> None:
    script = Script(answer())
    await told(tim(script, spec="tim,tokens=4000"), ("?", "-"))
    assert script.most == [4000]


async def test_turns_that_come_at_once_are_thought_about_one_after_the_other() -> None:
    class Slow(Script):
        async def __call__(self, *args: Any) -> str | None:
            await asyncio.sleep(0)
            return await super().__call__(*args)

    replies = [
        answer([row("turn", "is", str(n))], [{"id": n - 1, "by": n, "why": "newer"}])
        for n in range(1, 5)
    ]
    memory = tim(Slow(*replies))
    turns = [Turn(number=n, question="?", reply=str(n)) for n in range(1, 5)]
    await asyncio.gather(*map(memory.remember, turns))
    assert [one.by for one in memory.ledger] == [2, 3, 4, None]


@BOTH
async def test_the_facts_laid_before_the_model_tell_when_they_were_so(language: Language) -> None:
    when = "three nights ago" if language is EN else "三天前"
    model = Script(answer([row("x", "began", "y", when=when)]), answer())
    await told(tim(model, language), ("?", "y"), ("?", "y"))
    assert when not in model.texts[0] and when in model.texts[1]


@BOTH
async def test_a_day_is_told_once(language: Language) -> None:
    """A time that is only the day of the visit is not repeated beside it; any other is."""
    rows = [
        row("patient", "has", "a cough", when="2024-03-01"),
        row("patient", "had", "measles", when="1990"),
        row("patient", "has", "a rash", when="2024-05-02"),
    ]
    memory = tim(Script(answer(rows[:2]), answer(rows[2:])), language)
    for number, day in enumerate(("2024-03-01", "2024-05-02"), 1):
        await memory.remember(
            Turn(number=number, question="?", reply=day, at=datetime.fromisoformat(day))
        )
    lines = (await memory.recall(Query("?"))).text.splitlines()
    cough, measles, rash = (next(line for line in lines if one["object"] in line) for one in rows)
    assert (
        cough.count("2024-03-01") == 1 and measles.count("1990") == measles.count("2024-03-01") == 1
    )
    assert "2024" not in rash, "today is told as the turn"


@BOTH
async def test_the_model_is_told_what_was_known_before_and_the_date(language: Language) -> None:
    script = Script(answer(), answer())
    about = "52 years, female" if language is EN else "52岁，女"
    memory = memory_factory("tim")(MemorySettings(language=language, thinker=script, about=about))
    for number, day in ((0, "2020-01-02"), (1, "2024-03-09")):
        at = datetime.fromisoformat(f"{day}T09:00")
        await memory.remember(Turn(number=number, question="?", reply="-", at=at))
    earlier, now = script.texts
    assert "2020-01-02" in earlier and about not in earlier, (
        "at an earlier visit nobody knew of this one"
    )
    assert about in now and "2024-03-09" in now


@BOTH
@pytest.mark.parametrize("spec", ["tim", "tim,mode=paper"])
async def test_of_two_people_who_talk_the_model_learns_the_names_and_no_patient(
    language: Language, spec: str
) -> None:
    script = Script(answer())
    turn = Turn(number=1, question="Hi!", reply="I paint.", asked_by="Melanie", said_by="Caroline")
    await tim(script, language, spec=spec).remember(turn)
    assert "Melanie: Hi!" in script.texts[0] or "Melanie：Hi!" in script.texts[0]
    assert '"Melanie", "Caroline"' in script.texts[0] or "“Melanie”、“Caroline”" in script.texts[0]


@BOTH
@pytest.mark.parametrize("spec", ["tim", "tim,mode=paper,integrate=false"])
async def test_only_the_newest_thoughts_of_the_doctor_are_kept(
    language: Language, spec: str
) -> None:
    memory = tim(Script(*[answer()] * 3), language, spec=spec)
    for number, illness in enumerate(["gout", "sepsis", "lupus"], 1):
        await memory.remember(Turn(number=number, question="?", reply="-", differential=(illness,)))
    assert [one.status for one in memory.ledger] == [FactStatus.SUPERSEDED] * 2 + [
        FactStatus.ACTIVE
    ]
    assert memory.ledger[-1].is_doctors and memory.ledger[-1].object == "lupus"


async def test_a_condition_that_decides_what_is_safe_is_protected() -> None:
    condition = row("patient", "has", "kidney failure", kind="condition")
    memory = tim(Script(answer([condition]), answer(forget=[{"id": 1, "by": 0, "why": "old"}])))
    changes = await told(memory, ("?", "a"), ("?", "b"))
    assert memory.ledger[0].kind is FactKind.CONDITION and len(changes[1].refused) == 1
