"""The memory `perlt`: two stores, a classifier of questions, and one ranking."""

from __future__ import annotations

import json
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from osler.errors import UserError
from osler.language import Language
from osler.memory import MemorySettings, Turn, memory_factory
from osler.memory.base import Query, Thinker, tokens
from osler.memory.perlt.memory import MemoryClass, PerltMemory, reranked
from osler.memory.perlt.question_class import semantic_probability
from osler.prompts import Prompt

SAID = {
    Language.EN: [
        ("Any allergies?", "I am allergic to penicillin."),
        ("Does your father have any illness?", "My father has diabetes."),
        ("Do you smoke?", "Yes, I smoke ten cigarettes a day."),
        ("What happened last week?", "I slipped on the stairs last Monday and hit my knee."),
        ("Do you have a cough?", "Yes, for three weeks."),
    ],
    Language.ZH: [
        ("您对什么过敏吗？", "我对青霉素过敏。"),
        ("您父亲有什么病吗？", "我父亲有糖尿病。"),
        ("您抽烟吗？", "抽，每天十支烟。"),
        ("上周发生了什么？", "上周一我在楼梯上滑倒，撞了膝盖。"),
        ("您咳嗽吗？", "咳了三个星期。"),
    ],
}
by_language = pytest.mark.parametrize("language", list(Language))


class Model:
    """Gives a probability, or whatever it is told to say; every other request fails."""

    def __init__(self, *says: str | None) -> None:
        self.says, self.asked = list(says), list[str]()

    async def __call__(
        self, prompt: Prompt, text: str, schema: type[BaseModel] | None, most: int
    ) -> str | None:
        if not prompt.name.endswith(("perlt_classify", "tim_repair")):
            return None
        self.asked.append(text)
        return self.says.pop(0)


def perlt(
    language: Language, budget: int = 2000, thinker: Thinker | None = None, **options: str
) -> PerltMemory:
    spec = ",".join(["perlt", *(f"{key}={value}" for key, value in options.items())])
    made = memory_factory(spec)(MemorySettings(language=language, budget=budget, thinker=thinker))
    assert isinstance(made, PerltMemory)
    return made


async def filled(memory: PerltMemory, language: Language) -> PerltMemory:
    for number, (question, reply) in enumerate(SAID[language], 1):
        await memory.remember(Turn(number=number, question=question, reply=reply))
    return memory


scores = st.lists(st.floats(min_value=0, max_value=60), max_size=8).map(
    lambda row: sorted(row, reverse=True)
)


@given(mine=scores, other=scores, is_semantic=st.booleans())
def test_at_certainty_the_ranking_is_the_order_within_one_store(
    mine: list[float], other: list[float], is_semantic: bool
) -> None:
    sure, second = (MemoryClass.SEMANTIC, MemoryClass.EPISODIC)[:: 1 if is_semantic else -1]
    stores = {sure: list(enumerate(mine)), second: list(enumerate(other))}
    items = reranked(stores, {sure: 1.0, second: 0.0})
    assert [item.number for item in items[: len(mine)]] == list(range(len(mine)))
    assert {item.store for item in items[: len(mine)]} <= {sure}
    assert [item.number for item in items[len(mine) :]] == list(range(len(other)))


def test_the_score_is_half_the_class_and_half_the_fit() -> None:
    [item] = reranked({MemoryClass.SEMANTIC: [(7, 0.0)]}, {MemoryClass.SEMANTIC: 0.8})
    assert item.score == pytest.approx(0.5 * 0.8 + 0.5 * 0.5)
    [item] = reranked(
        {MemoryClass.SEMANTIC: [(7, 0.0)]}, {MemoryClass.SEMANTIC: 0.8}, alpha=0.25, beta=1.0
    )
    assert item.score == pytest.approx(0.25 * 0.8 + 0.5)


@pytest.mark.parametrize(
    ("language", "semantic", "episodic"),
    [
        (Language.EN, "What is he allergic to?", "When did she last see the dentist?"),
        (Language.ZH, "他对什么过敏？", "她上次看牙是什么时候？"),
    ],
)
def test_the_shipped_classifier_tells_who_from_what_happened(
    language: Language, semantic: str, episodic: str
) -> None:
    assert semantic_probability(semantic, language) > 0.6
    assert semantic_probability(episodic, language) < 0.4


@by_language
async def test_the_class_decides_which_store_comes_first(language: Language) -> None:
    query = {Language.EN: "penicillin, cough, three weeks", Language.ZH: "青霉素、咳嗽、三个星期"}[
        language
    ]
    for probability, turn in ((1.0, 1), (0.0, 5)):
        model = Model(json.dumps({"semantic": probability}))
        memory = await filled(
            perlt(language, thinker=model, classify="model", mode="rules"), language
        )
        [(key, _), *_] = await memory.search(query)
        assert memory.turns_of(key) == (turn,)
        assert query in model.asked[0]


@by_language
async def test_a_failed_answer_is_counted_and_the_shipped_classifier_used(
    language: Language,
) -> None:
    question = SAID[language][0][0]
    model = Model(None, "no idea", '{"semantic": 0.9}', '{"semantic": 7}')
    memory = await filled(perlt(language, thinker=model, classify="model", mode="rules"), language)
    shipped = await (await filled(perlt(language), language)).recall(Query(question))
    recall = await memory.recall(Query(question))
    assert memory.failed_classifications == 1 and recall.requests == 2
    assert recall.text == shipped.text
    assert (await memory.recall(Query("?"))).requests == 1 and memory.failed_classifications == 1
    assert (await memory.recall(Query("!"))).requests == 1 and memory.failed_classifications == 2


@by_language
@pytest.mark.parametrize("retriever", ["bm25", "dense"])
async def test_k_of_each_store_and_the_last_turn_are_recalled(
    language: Language, retriever: str
) -> None:
    memory = await filled(perlt(language, k="1", retriever=retriever), language)
    recall = await memory.recall(Query(SAID[language][1][0]))
    assert {turn.number for turn in recall.exchanges if turn.reply} == {2, 5}
    assert {fact.turn for fact in recall.facts} == {2, 5}
    assert SAID[language][4][1] in recall.text


@by_language
async def test_a_small_budget_is_kept_and_what_was_left_out_is_named(language: Language) -> None:
    memory = await filled(perlt(language, budget=50), language)
    recall = await memory.recall(Query(SAID[language][0][0]))
    assert tokens(recall.text) <= 50 and recall.dropped
    assert SAID[language][4][1] in recall.text
    assert {Language.EN: "penicillin", Language.ZH: "青霉素"}[language] in recall.text


@by_language
async def test_what_was_corrected_is_not_told_again(language: Language) -> None:
    first, second = {
        Language.EN: (
            ("Which dose of warfarin?", "Warfarin 3 mg."),
            ("And now?", "I was changed to warfarin 5 mg."),
        ),
        Language.ZH: (("华法林吃多少？", "华法林3毫克。"), ("现在呢？", "华法林改成5毫克了。")),
    }[language]
    said = [first, second, *SAID[language]]
    answers = iter(
        [{"thoughts": [{"subject": "", "relation": "", "object": reply}]} for _, reply in said]
    )

    async def think(template: Prompt, text: str, schema: type[BaseModel] | None, most: int) -> str:
        answer = next(answers)
        changed = (
            [{"id": 1, "by": 2, "why": "changed"}]
            if answer["thoughts"][0]["object"] == second[1]
            else []
        )
        return json.dumps({**answer, "forget": changed, "merge": []}, ensure_ascii=False)

    memory = perlt(language, thinker=think)
    for number, (question, reply) in enumerate(said, 1):
        await memory.remember(Turn(number=number, question=question, reply=reply))
    recall = await memory.recall(Query(first[0]))
    assert second[1] in recall.text and first[1] not in recall.text


@by_language
async def test_an_earlier_visit_has_no_last_turn_of_today(language: Language) -> None:
    memory = perlt(language, k="1")
    for number, (question, reply) in enumerate(SAID[language], -4):
        at = datetime.fromisoformat("2026-01-05T09:00")
        await memory.remember(Turn(number=number, question=question, reply=reply, at=at))
    recall = await memory.recall(Query(SAID[language][1][0]))
    assert {turn.number for turn in recall.exchanges if turn.reply} == {
        -3
    } and "2026-01-05" in recall.text


def test_a_wrong_option_is_named() -> None:
    with pytest.raises(UserError, match="perlt cannot be made with retriever='bm26'"):
        perlt(Language.EN, retriever="bm26")
