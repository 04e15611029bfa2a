"""A conclusion is one request, which asks for the reasoning first and states its length."""

from __future__ import annotations

import re

import pytest

from osler.agents.doctors.plain import ConclusionForm
from osler.prompts import prompt
from osler.records import Language
from osler.runs.events import Ending
from osler.settings.names import PLAIN
from tests.agents.test_doctors import BLADDER, DONE, END, ask, held

FIELDS = ("reasoning", "differential", "diagnosis", "treatment")


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("name", ["doctor_conclude", "doctor_repair_conclusion"])
def test_the_prompt_asks_for_the_reasoning_first_and_states_lengths(
    language: Language, name: str
) -> None:
    text = prompt(name, language).text
    form = text[text.index("{{") : text.index("}}")]
    assert tuple(re.findall(r'"(\w+)":', form)) == FIELDS == tuple(ConclusionForm.model_fields)
    lengths = {Language.EN: r"at most (\d+)", Language.ZH: r"最多(\d+)字"}[language]
    assert len(re.findall(lengths, text)) == 2


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("memory", ["raw", "tim"])
async def test_a_doctor_that_is_ready_is_asked_once_for_its_conclusion(
    language: Language, memory: str
) -> None:
    script = [ask({Language.EN: "Any pain?", Language.ZH: "疼吗？"}[language]), DONE, END]
    done = await held(script, BLADDER[language], strategy=PLAIN, memory=memory)
    assert done.ending is Ending.CONCLUDED and len(done.client.prompts) == len(script)
    first = prompt("doctor_conclude", language).text.partition("\n")[0]
    assert [first in text for text in done.client.prompts] == [False, False, True]
