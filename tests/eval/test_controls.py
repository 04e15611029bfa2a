from __future__ import annotations

import asyncio
from typing import cast

import pytest

from osler.eval.controls import KINDS, tried
from osler.eval.judge import Opinion
from osler.eval.ladder import judge_diagnosis
from osler.eval.reader.model_judge import ModelJudge
from osler.eval.verdict import Verdict
from osler.eval.vocabulary import read
from osler.language import Language
from osler.records.schema import Diagnosis


class Ladder:
    """The rules in a model's chair."""

    name = "rules"

    async def pair(self, truth: Diagnosis, answer: str, language: Language) -> Opinion:
        """As the ladder judges."""
        return Opinion(judge_diagnosis(answer, truth).verdict, "", 3)


@pytest.mark.parametrize("language", Language)
async def test_who_knows_the_names_passes(language: Language) -> None:
    trial = await tried(cast("ModelJudge", Ladder()), language, asyncio.Semaphore(4))
    assert not trial.failed, trial.line
    asked = {kind: count for kind, (_, count) in trial.wrong.items()}
    assert asked == {"same": 8, "different": 12, "listed": 4, "vague": 4, "injected": 6}
    assert trial.tokens == 3 * sum(asked.values())


def test_the_controls_are_of_every_kind_in_both_languages() -> None:
    table = read("controls")
    for language in Language:
        assert list(table[language]) == list(KINDS)
        assert all(len(set(pair)) == 2 for kind in KINDS for pair in table[language][kind])
        wrong = [
            pair
            for kind in KINDS
            if KINDS[kind].expected != Verdict.CORRECT
            for pair in table[language][kind]
            if judge_diagnosis(pair[1], Diagnosis(name=pair[0], icd10="R69")).verdict is Verdict.CORRECT
        ]
        assert not wrong
