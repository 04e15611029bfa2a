"""Self-Controlled Memory: the newest turns are always recalled, the archive only if the controller
wants it."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.errors import UserError
from osler.language import Language, Speaker
from osler.language.lexicon.drugs import drugs_in
from osler.language.numerals import values
from osler.memory import MemorySettings, Recall, Turn, memory_factory
from osler.memory.base import Purpose, Query, tokens
from osler.memory.embedders.hash import HashEmbedder
from osler.memory.scm import ScmMemory
from osler.prompts import phrases
from tests.memory.scripted_thinker import ScriptedThinker
from tests.returning import returning

EN, ZH = Language.EN, Language.ZH
BOTH = pytest.mark.parametrize("language", [EN, ZH])
START = datetime.fromisoformat("2026-01-05T09:00")
LONG = {
    EN: (
        "Have you ever had a bad reaction to a medicine, and what exactly happened to you on that day?",
        "Yes, penicillin in 2019, and it was a terrible day, for my sister was getting married and I had to leave. "
        "I had hives all over, my throat swelled, and the ambulance gave me adrenaline.",
    ),
    ZH: (
        "您以前用什么药有过不好的反应吗，那天到底是怎么回事，能仔细跟我说说吗？",
        "有，2019年打青霉素，那天可糟了，我妹妹结婚，我只好先走。浑身起风团，嗓子也肿了，救护车上打了肾上腺素才好。",
    ),
}
TABLETS = {
    EN: ("Which tablets do you take?", "Amlodipine 10 mg every morning."),
    ZH: ("平时吃什么药？", "氨氯地平，每天早上10毫克。"),
}
TALK = {EN: ("How is the garden?", "The roses are out."), ZH: ("花园怎么样？", "玫瑰开了。")}
QUERY = {EN: "Is penicillin safe for you?", ZH: "青霉素您能用吗？"}
THANKS = {EN: "Goodbye!", ZH: "再见！"}
WORD = {EN: "penicillin", ZH: "青霉素"}
SHORT = {EN: "Penicillin: hives in 2019.", ZH: "2019年青霉素过敏。"}
TOLD_AT_LENGTH = {EN: "my throat swelled", ZH: "嗓子也肿了"}


async def scm(language: Language, spec: str = "scm", **changes: Any) -> ScmMemory:
    """Four turns: the first is long, the last two are the flash memory."""
    memory = memory_factory(spec)(MemorySettings(language=language, **changes))
    assert isinstance(memory, ScmMemory)
    for number, said in enumerate((LONG, TABLETS, TALK, TALK), 1):
        question, reply = said[language]
        await memory.remember(
            Turn(number=number, question=question, reply=reply, at=START + timedelta(days=number))
        )
    return memory


def thinker(language: Language, **answers: Any) -> ScriptedThinker:
    usual = {
        "scm_turn": {"summary": SHORT[language]},
        "scm_needed": {"needed": True},
        "scm_full": {"full": []},
    }
    return ScriptedThinker(**{**usual, **answers})


async def recalled(memory: ScmMemory, query: str) -> tuple[Recall, int]:
    """What is recalled, and how often the archive was searched."""
    with patch.object(
        HashEmbedder, "embed_query", autospec=True, side_effect=HashEmbedder.embed_query
    ) as search:
        return await memory.recall(Query(query)), search.call_count


@settings(max_examples=25, deadline=None)
@given(
    query=st.text(min_size=1, max_size=60) | st.sampled_from([*QUERY.values(), LONG[EN][1]]),
    said=st.sampled_from([False, "no", "No", "false", "否"]),
    language=st.sampled_from([EN, ZH]),
)
def test_a_no_of_the_controller_costs_no_recall(
    query: str, said: object, language: Language
) -> None:
    async def check() -> None:
        model = thinker(language, scm_needed={"needed": said})
        memory = await scm(language, thinker=model)
        before = len(model.asked)
        recall, searches = await recalled(memory, query)
        if not memory.bm25.terms(query):  # it always gets history
            assert searches == 1 and "scm_needed" not in model.names()
            return
        assert searches == 0 and model.names()[before:] == ["scm_needed"] and recall.requests == 1
        assert [turn.number for turn in recall.exchanges] == [3, 4] and recall.dropped == (1, 2)
        assert WORD[language] not in recall.text.lower() and not recall.facts

    asyncio.run(check())


@BOTH
async def test_without_a_model_history_is_needed_where_words_are_shared(language: Language) -> None:
    memory = await scm(language)
    recall, searches = await recalled(memory, THANKS[language])
    assert (
        searches == 0
        and [turn.number for turn in recall.exchanges] == [3, 4]
        and not recall.requests
    )
    for query in (QUERY[language], ""):
        recall, searches = await recalled(memory, query)
        assert searches == 1 and WORD[language] in recall.text.lower()
    strict = await scm(language, "scm,level=1000")
    assert (await recalled(strict, QUERY[language]))[1] == 0


@BOTH
async def test_the_flash_memory_is_always_there(language: Language) -> None:
    for flash in (1, 3):
        memory = await scm(language, f"scm,flash={flash}")
        recall = await memory.recall(Query(THANKS[language]))
        assert [turn.number for turn in recall.exchanges] == [1, 2, 3, 4][-flash:]
    alone = memory_factory("scm")(MemorySettings(language=language, thinker=thinker(language)))
    await alone.remember(Turn(number=1, question=TALK[language][0], reply=TALK[language][1]))
    recall = await alone.recall(Query(QUERY[language]))
    assert TALK[language][1] in recall.text and recall.requests == 0, (
        "without an archive nobody is asked"
    )


@BOTH
async def test_the_model_says_whether_a_summary_is_enough(language: Language) -> None:
    model = thinker(language)
    memory = await scm(language, thinker=model)
    assert model.names() == ["scm_turn"], "only the long turn is summarised"
    short = await memory.recall(Query(QUERY[language]))
    assert (
        SHORT[language] in short.text
        and TOLD_AT_LENGTH[language] not in short.text
        and short.requests == 2
    )
    assert (
        1 in short.dropped
        and short.exchanges[0].reply == ""
        and short.facts[0].object == SHORT[language]
    )
    assert TABLETS[language][1] in short.text, "a short turn is its own summary"
    assert (
        SHORT[language] in model.asked[-1][1] and TOLD_AT_LENGTH[language] not in model.asked[-1][1]
    )
    for wanted in ([1], ["1"], [1, 7]):
        model.answers["scm_full"] = {"full": wanted}
        full = await memory.recall(Query(QUERY[language]))
        assert TOLD_AT_LENGTH[language] in full.text and SHORT[language] not in full.text
        assert full.requests == 2 and 1 not in full.dropped
    small = await scm(language, thinker=model, budget=60)
    recall = await small.recall(Query(QUERY[language]))
    assert SHORT[language] in recall.text and tokens(recall.text) <= 60, (
        "in short where the whole does not fit"
    )


@BOTH
async def test_the_controller_is_told_who_said_what(language: Language) -> None:
    model = thinker(language)
    memory = await scm(language, thinker=model, speaker=Speaker.MOTHER)
    asked, replied = TABLETS[language]
    exchange = Turn(number=9, question=asked, reply=replied)
    await memory.recall(Query(f"{asked}\n{replied}", exchange))
    who = phrases("exchange", language)
    said = "\n".join(
        who["reply"].format(speaker=who[speaker], reply=text)
        for speaker, text in zip(("doctor", "mother"), TABLETS[language], strict=True)
    )
    prompts = dict(model.asked)
    assert f"\n{said}\n" in prompts["scm_needed"] and f"\n{said}\n" in prompts["scm_full"]
    await memory.recall(Query(QUERY[language]))
    assert f"\n{QUERY[language]}\n" in dict(model.asked)["scm_needed"]


@BOTH
async def test_a_failed_call_recalls_everything_in_full(language: Language) -> None:
    for failing, requests in (("scm_needed", 2), ("scm_full", 3)):
        for answer in (None, "what?"):
            memory = await scm(language, thinker=thinker(language, **{failing: answer}))
            recall = await memory.recall(Query(QUERY[language]))
            assert TOLD_AT_LENGTH[language] in recall.text and recall.requests == requests


@BOTH
async def test_a_failed_summary_is_counted_and_the_turn_stands_for_itself(
    language: Language,
) -> None:
    model = thinker(language, scm_turn=None)
    memory = memory_factory("scm")(MemorySettings(language=language, thinker=model))
    changes = []
    for number, said in enumerate((LONG, TALK, TALK), 1):
        changes.append(
            await memory.remember(
                Turn(number=number, question=said[language][0], reply=said[language][1])
            )
        )
    assert [len(change.refused) for change in changes] == [1, 0, 0] and changes[0].requests == 2
    recall = await memory.recall(Query(QUERY[language]))
    assert TOLD_AT_LENGTH[language] in recall.text and recall.requests == 1, (
        "no summary, so nothing more to decide"
    )


@BOTH
async def test_a_conclusion_always_gets_history(language: Language) -> None:
    memory = await scm(language, thinker=thinker(language, scm_needed={"needed": False}))
    assert WORD[language] not in (await memory.recall(Query(THANKS[language]))).text.lower()
    assert isinstance(memory, ScmMemory)
    recall = await memory.recall(Query(THANKS[language], purpose=Purpose.CONCLUSION))
    assert SHORT[language] in recall.text and recall.requests == 1


@BOTH
async def test_a_summary_by_rules_has_every_number_and_drug(language: Language) -> None:
    memory = memory_factory("scm")(MemorySettings(language=language, budget=10_000))
    said = [exchange for visit in returning(language).visits for exchange in visit.exchanges]
    turns = [
        Turn(number=n, question=one.question, reply=one.reply, results=one.results)
        for n, one in enumerate(said)
    ]
    turns.append(Turn(number=len(turns), question=LONG[language][0], reply=LONG[language][1]))
    for turn in turns:
        await memory.remember(turn)
    for short in memory.state.get("own", {"short": []})["short"]:
        turn = turns[short["turns"][0]]
        told = f"{turn.reply} {turn.results}"
        assert values(told) <= values(short["text"]) and set(drugs_in(told)) <= set(
            drugs_in(short["text"])
        )
        assert tokens(short["text"]) < tokens(f"{turn.question} {told}")


@BOTH
async def test_summaries_are_saved_one_by_one_and_go_with_their_turns(language: Language) -> None:
    model = thinker(language)
    written = memory_factory("scm")(MemorySettings(language=language, thinker=model))
    followed = memory_factory("scm")(MemorySettings(language=language, thinker=model))
    assert isinstance(written, ScmMemory) and isinstance(followed, ScmMemory)
    sizes = []
    for number in range(1, 41):
        said = (LONG, TALK)[number % 2][language]
        await written.remember(Turn(number=number, question=said[0], reply=said[1]))
        delta = json.loads(json.dumps(written.delta()))
        sizes.append(len(json.dumps(delta)))
        followed.apply(delta)
        assert followed.state == written.state
        assert await followed.recall(Query(QUERY[language])) == await written.recall(
            Query(QUERY[language])
        )
    assert sum(sizes[-10:]) < 1.2 * sum(sizes[:10])
    long = [number for number in range(1, 41) if number % 2 == 0]
    assert SHORT[language] in json.dumps(written.state, ensure_ascii=False)
    await written.erase([f"turn:{number}" for number in long])
    restored = memory_factory("scm")(MemorySettings(language=language, thinker=model))
    restored.state = json.loads(json.dumps(written.state))
    for memory in (written, restored):
        state = json.dumps(memory.state, ensure_ascii=False)
        assert SHORT[language] not in state and WORD[language] not in state.lower()


@pytest.mark.parametrize("spec", ["scm,flash=0", "scm,level=x", "scm,k=3"])
def test_wrong_options_of_scm_are_told(spec: str) -> None:
    with pytest.raises(UserError, match="scm cannot be made"):
        memory_factory(spec)(MemorySettings())
