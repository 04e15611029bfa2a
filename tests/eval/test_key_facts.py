"""Key facts of earlier visits: what is recalled has to name what the fact is about; an answer has its question."""

from __future__ import annotations

from pathlib import Path

import pytest

import osler
from osler.eval.probes.key_facts import FactState
from osler.eval.probes.run import examine
from osler.language import Language
from osler.runs.plan import Settings
from tests.agents.scripted import scripted
from tests.returning import returning

FACT = {
    Language.EN: ("Who takes bisoprolol?", "Her husband.", ["husband"], "bisoprolol", "Not known."),
    Language.ZH: ("谁在吃比索洛尔？", "她的丈夫。", ["丈夫"], "比索洛尔", "不知道。"),
}


@pytest.mark.parametrize("language", list(Language))
async def test_an_answer_need_not_repeat_the_question_and_a_recall_has_to(language: Language, tmp_path: Path) -> None:
    question, short, who, drug, unknown = FACT[language]
    exchange = {"question": "?", "reply": short}
    record = returning(
        language,
        visits=[{"date": "2021-03-09", "exchanges": [exchange]}],
        key_facts=[{"question": question, "answer": short, "visit": 1, "accept": [who, [drug]]}],
    )
    run = await osler.asimulate(
        pool=[record], out=tmp_path / "run.osler", visits=True, memories=["raw"], turns=2, budget=2000, quiet=True
    )
    (transcript,) = run.transcripts()

    async def states(answer: str | None) -> set[FactState]:
        backbone = scripted(lambda _: answer or "")[0] if answer is not None else None
        found = await examine(transcript, record, Settings(turns=2, budget=2000), backbone)
        assert found.key_facts
        return {one.state for one in found.key_facts}

    assert await states(None) == {FactState.MISSING}, "somebody's husband was recalled, and nothing of the drug"
    assert await states(short) == {FactState.RIGHT}
    assert await states(unknown) == {FactState.MISSING}
