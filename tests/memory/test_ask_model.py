"""Asking a model for JSON: what is used of an answer, and what is asked for again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.language import Language
from osler.memory.core.ask_model import ModelJson, ask_json, loop_start
from osler.memory.core.short_form import SummaryAnswer
from osler.memory.tim.model_answer import Forgets
from tests.memory.scripted_thinker import ScriptedThinker

BOTH = pytest.mark.parametrize("language", list(Language))
SENTENCE = {Language.EN: "The patient has pain in the left knee. ", Language.ZH: "患者左膝疼痛。"}


async def asked(thinker: ScriptedThinker, language: Language) -> ModelJson:
    return await ask_json(
        thinker,
        "memorybank_visit",
        language,
        SummaryAnswer,
        300,
        of="of a talk",
        date="today",
        said="…",
    )


@BOTH
@pytest.mark.parametrize("ending", ["", '"}'], ids=["cut off", "closed"])
async def test_a_text_that_repeats_itself_is_asked_for_again_without_the_loop(
    language: Language, ending: str
) -> None:
    sentence = SENTENCE[language]
    thinker = ScriptedThinker(memorybank_visit='{"summary": "' + sentence * 9 + ending)
    assert await asked(thinker, language) == ModelJson(None, 2)
    (_, first), (name, repair) = thinker.asked
    assert name == "tim_repair" and repair.startswith(first) and repair.count(sentence.strip()) == 1
    thinker.answers["tim_repair"] = {"summary": sentence}
    assert (await asked(thinker, language)).data == {"summary": sentence}


@BOTH
async def test_a_text_that_was_cut_off_is_not_used_and_a_list_as_far_as_it_goes(
    language: Language,
) -> None:
    cut = ScriptedThinker(memorybank_visit='{"summary": "' + SENTENCE[language] + "[1] And")
    assert (await asked(cut, language)).data is None
    row = {"id": 1, "by": 2, "why": "-"}
    listed = ScriptedThinker(tim_forget='{"forget": [' + json.dumps(row) + ', {"id": 3, "b')
    answer = await ask_json(listed, "tim_forget", language, Forgets, 300, facts="…")
    assert answer.data is not None and answer.data["forget"][0] == row and answer.requests == 1
    unusable: list[object] = [{"forget": "none"}, {"forget": None}, {"thoughts": []}, "?"]
    for wrong in unusable:
        listed.answers["tim_forget"] = wrong
        assert await ask_json(listed, "tim_forget", language, Forgets, 300, facts="…") == ModelJson(
            None, 2
        )


@given(
    before=st.text(max_size=30),
    loop=st.text(min_size=6, max_size=40).map(lambda text: f"word {text.strip()}. "),
    times=st.integers(4, 9),
)
def test_a_loop_is_found_whatever_comes_before_it(before: str, loop: str, times: int) -> None:
    start = loop_start(f"{before} {loop * times}")
    assert start is not None and start <= len(before) + 1 + 2 * len(loop)


@pytest.mark.parametrize(
    "text",
    [
        "No fever. No cough. No fever at night.",
        "Amlodipine 5 mg, then 10 mg, then 5 mg again.",
        "没有发热，没有咳嗽，没有盗汗，没有乏力。",
        "1000000000000000000000000000000000",
        '{"id": 1, "negated": false, "when": ""}, {"id": 2, "negated": false, "when": ""}, {"id": 3, "negated": false}',
        f"a{' ' * 50}b{'-' * 50}",
    ],
)
def test_what_only_looks_alike_is_no_loop(text: str) -> None:
    assert loop_start(text) is None
