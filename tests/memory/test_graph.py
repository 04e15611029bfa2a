"""The memory `graph`: entities, two hops, and the time for which a fact holds."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

import pytest
from pydantic import BaseModel

from osler.language import Language
from osler.memory import MemorySettings, Purpose, Query, Turn, memory_factory
from osler.memory.graph.entities import entities
from osler.memory.graph.memory import GraphMemory
from osler.prompts import Prompt

START = datetime.fromisoformat("2026-01-05T09:00")
by_language = pytest.mark.parametrize("language", list(Language))


def graph(
    language: Language, budget: int = 2000, thinker: object = None, **options: str
) -> GraphMemory:
    spec = ",".join(["graph", *(f"{key}={value}" for key, value in options.items())])
    made = memory_factory(spec)(MemorySettings(language=language, budget=budget, thinker=thinker))
    assert isinstance(made, GraphMemory)
    return made


def noted(said: Sequence[tuple[str, str]]) -> Callable[..., Awaitable[str]]:
    """A model that notes each reply; the one to the second question takes the place of the one to
    the first."""
    answers: list[dict[str, list[dict[str, object]]]] = [
        {
            "thoughts": [{"subject": "patient", "relation": "", "object": reply}],
            "forget": [],
            "merge": [],
        }
        for _, reply in said
    ]
    answers[1]["forget"] = [{"id": 1, "by": 2, "why": "changed"}]
    by_reply = {reply: answer for (_, reply), answer in zip(said, answers, strict=True)}

    async def think(template: Prompt, text: str, schema: type[BaseModel] | None, most: int) -> str:
        exchange = max(by_reply, key=text.rfind)
        return json.dumps(by_reply[exchange], ensure_ascii=False)

    return think


async def told(memory: GraphMemory, *said: tuple[str, str], first: int = 1) -> None:
    for number, (question, reply) in enumerate(said, first):
        at = START + timedelta(days=number)
        await memory.remember(Turn(number=number, question=question, reply=reply, at=at))


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        (Language.EN, "my mum", "your mother"),
        (Language.EN, "high blood pressure", "hypertension"),
        (Language.EN, "Coumadin", "warfarin"),
        (Language.EN, "tummy", "abdomen"),
        (Language.ZH, "我妈", "您母亲"),
        (Language.ZH, "血压高", "高血压"),
        (Language.ZH, "芬必得", "布洛芬"),
        (Language.ZH, "我姐", "您姐姐"),
    ],
)
def test_names_of_one_thing_are_one_entity(language: Language, one: str, other: str) -> None:
    assert entities(one, language) & entities(other, language)


def test_a_brother_is_not_a_sister() -> None:
    assert not entities("brother", Language.EN) & entities("sister", Language.EN)
    assert not entities("哥哥", Language.ZH) & entities("姐姐", Language.ZH)


CHAIN = {
    Language.EN: (
        ("Tell me about your family.", "My brother works at Halden."),
        ("Any trouble there?", "Halden had a fire."),
        ("What do you do on Sundays?", "I play chess."),
        ("What did they burn?", "Halden burned with asbestos."),
    ),
    Language.ZH: (
        ("说说您的家人。", "我弟弟在海登厂上班。"),
        ("那里出过事吗？", "海登厂着过火。"),
        ("星期天做什么？", "我下象棋。"),
        ("烧了什么？", "海登厂烧的是石棉。"),
    ),
}


@by_language
async def test_a_second_hop_joins_what_was_said_in_two_turns(language: Language) -> None:
    memory = graph(language)
    await told(memory, *CHAIN[language])
    question = {Language.EN: "How is your brother?", Language.ZH: "您弟弟怎么样？"}[language]
    found = [memory.turns_of(key) for key, _ in await memory.search(question)]
    assert found[0] == (1,) and found.index((3,)) == 3


CHANGED = {
    Language.EN: (
        ("Which dose of warfarin?", "Warfarin 3 mg."),
        ("And now?", "I was changed to warfarin 5 mg."),
    ),
    Language.ZH: (("华法林吃多少？", "华法林3毫克。"), ("现在呢？", "华法林改成5毫克了。")),
}
NOW = {Language.EN: "How much warfarin does she take?", Language.ZH: "她吃多少华法林？"}
BEFORE = {
    Language.EN: "How much warfarin did she take before?",
    Language.ZH: "她以前吃多少华法林？",
}
OLD = {Language.EN: "3 mg", Language.ZH: "3毫克"}
NEW = {Language.EN: "5 mg", Language.ZH: "5毫克"}


@by_language
async def test_a_replaced_edge_is_told_only_if_the_past_is_asked_for(language: Language) -> None:
    model = noted(CHANGED[language])
    memory, shown = graph(language, thinker=model), graph(language, thinker=model, history="true")
    await told(memory, *CHANGED[language])
    await told(shown, *CHANGED[language])
    now = await memory.recall(Query(NOW[language]))
    assert NEW[language] in now.text and OLD[language] not in now.text
    for recall in (
        await memory.recall(Query(BEFORE[language])),
        await shown.recall(Query(NOW[language])),
    ):
        current, past = recall.text.splitlines()[0], recall.text.splitlines()[-1]
        assert NEW[language] in current and OLD[language] in past and OLD[language] not in current
        assert all(OLD[language] not in fact.object for fact in recall.facts)


@by_language
async def test_the_past_reads_the_same_when_it_is_asked_for_again(language: Language) -> None:
    memory = graph(language, thinker=noted(CHANGED[language]), history="true")
    for number, (question, reply) in enumerate(CHANGED[language], 1):
        await memory.remember(Turn(number=number, question=question, reply=reply, at=START))
    query = Query(NOW[language])
    assert (await memory.recall(query)).text == (await memory.recall(query)).text


@by_language
async def test_a_guess_that_was_replaced_is_no_history(language: Language) -> None:
    def thinker_of(inferred: bool) -> object:
        rows = [("3 mg", inferred), ("5 mg", False)]
        answers = iter(
            {
                "thoughts": [
                    {
                        "subject": "patient",
                        "relation": "takes",
                        "object": f"warfarin {dose}",
                        "basis": "inferred" if guessed else "stated",
                    }
                ],
                "forget": [{"id": 1, "by": 2, "why": "changed"}] if dose == "5 mg" else [],
                "merge": [],
            }
            for dose, guessed in rows
        )

        async def think(
            template: Prompt, text: str, schema: type[BaseModel] | None, most: int
        ) -> str:
            return json.dumps(next(answers))

        return think

    for inferred in (False, True):
        memory = graph(language, thinker=thinker_of(inferred))
        await told(memory, *CHANGED[language])
        recall = await memory.recall(
            Query({Language.EN: "warfarin before?", Language.ZH: "以前的warfarin？"}[language])
        )
        assert "5 mg" in recall.text and ("3 mg" in recall.text) == (not inferred)


@by_language
async def test_edges_know_from_when_to_when_they_hold(language: Language) -> None:
    memory = graph(language, thinker=noted(CHANGED[language]))
    await told(memory, *CHANGED[language])
    old, new = memory.edges
    assert (old.is_current, new.is_current) == (False, True)
    assert old.valid_from == START + timedelta(days=1)
    assert (old.superseded_in, old.superseded_at, old.by) == (
        2,
        START + timedelta(days=2),
        new.number,
    )
    assert (
        new.valid_from == START + timedelta(days=2) and new.superseded_at is None and new.by is None
    )


@by_language
async def test_the_graph_follows_what_is_saved_and_erased(language: Language) -> None:
    model = noted([*CHANGED[language], *CHAIN[language]])
    memory, other, third = (graph(language, thinker=model) for _ in range(3))
    await told(memory, *CHANGED[language])
    await memory.recall(Query(NOW[language]))
    other.state = json.loads(json.dumps(memory.state))
    third.apply(json.loads(json.dumps(memory.delta(everything=True))))
    await told(memory, *CHAIN[language], first=3)
    await told(other, *CHAIN[language], first=3)
    third.apply(json.loads(json.dumps(memory.delta())))
    for query in (NOW[language], BEFORE[language], CHAIN[language][0][1]):
        assert (
            (await memory.recall(Query(query)))
            == (await other.recall(Query(query)))
            == (await third.recall(Query(query)))
        )
    [key, *_] = [key for key, _ in await memory.search(NOW[language])]
    await memory.erase([key])
    recall = await memory.recall(Query(BEFORE[language]))
    assert NEW[language] not in recall.text and OLD[language] not in recall.text


@by_language
async def test_without_a_known_entity_the_nearest_thoughts_are_recalled(language: Language) -> None:
    memory = graph(language, k="2")
    await told(memory, *CHAIN[language])
    recall = await memory.recall(Query({Language.EN: "zzz", Language.ZH: "呜呜"}[language]))
    assert len(recall.facts) <= 2
    full = graph(language)
    await told(full, *CHAIN[language])
    assert len((await full.recall(Query("zzz"))).facts) == 4


THOUGHTS = {
    Language.EN: [("patient", "takes", "warfarin"), ("mother", "lives in", "Lisbon")],
    Language.ZH: [("患者", "服用", "华法林"), ("母亲", "住在", "里斯本")],
}


@by_language
async def test_a_models_thoughts_are_edges_and_unread_turns_are_kept_whole(
    language: Language,
) -> None:
    rows = [
        {"subject": subject, "relation": relation, "object": thing, "sentence": thing}
        for subject, relation, thing in THOUGHTS[language]
    ]
    answers = [json.dumps({"thoughts": rows}, ensure_ascii=False), "no json", "no json either"]

    async def model(
        prompt: Prompt, text: str, schema: type[BaseModel] | None, most: int
    ) -> str | None:
        return answers.pop(0)

    memory = graph(language, thinker=model)
    await told(memory, ("?", "..."), CHAIN[language][2])
    assert [(edge.subject, edge.relation, edge.object) for edge in memory.edges] == THOUGHTS[
        language
    ]
    recall = await memory.recall(Query({Language.EN: "your mum", Language.ZH: "您妈妈"}[language]))
    assert THOUGHTS[language][1][2] in recall.text.splitlines()[0]
    assert CHAIN[language][2][1] in recall.text


@by_language
async def test_with_room_a_conclusion_is_told_everything(language: Language) -> None:
    memory = graph(language)
    await told(memory, *CHAIN[language])
    question = {Language.EN: "How is your brother?", Language.ZH: "您弟弟怎么样？"}[language]
    text = (await memory.recall(Query(question, purpose=Purpose.CONCLUSION))).text
    assert all(edge.object in text for edge in memory.edges)


@by_language
async def test_before_a_conclusion_what_a_treatment_depends_on_is_told_first(
    language: Language,
) -> None:
    """However little of it bears on the last exchange, and without the past."""
    facts = [
        ("allergy", "zortifen"),
        ("medicine", "melunol"),
        ("pregnancy", "week 9"),
        ("condition", "ulcer"),
    ]
    names = iter([*facts, *(("other", f"garden {part}") for part in range(20))])

    async def think(template: Prompt, text: str, schema: type[BaseModel] | None, most: int) -> str:
        kind, thing = next(names)
        row = {"subject": "patient", "relation": "told of", "object": thing, "kind": kind, "id": 1}
        return json.dumps({"thoughts": [row]})

    memory = graph(language, budget=150, thinker=think)
    await told(memory, *((f"{part}?", f"garden {part}") for part in range(24)))
    concluded, asked = (
        await memory.recall(Query("garden 19", purpose=Purpose.CONCLUSION)),
        await memory.recall(Query("garden 19")),
    )
    assert all(thing in concluded.text for _, thing in facts), concluded.text
    assert concluded.text.index("zortifen") < concluded.text.index("garden")
    assert asked.text.index("garden") < asked.text.index("zortifen")
