from __future__ import annotations

import asyncio
from typing import cast

import pytest

from osler.eval.controls import KINDS, controls_of, tried
from osler.eval.judge import Opinion
from osler.eval.reader.exact import exact_opinion
from osler.eval.reader.model_judge import ModelJudge
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.records.schema import Diagnosis


class WhoKnows:
    """A judge that knows which names of the controls are of one illness."""

    name = "who knows"

    async def pair(self, truth: Diagnosis, answer: str, language: Language) -> Opinion:
        """As the controls expect."""
        is_same = (truth.name, answer) in controls_of(language)["same"]
        return Opinion(Verdict.CORRECT if is_same else Verdict.WRONG, "", 3)


@pytest.mark.parametrize("language", Language)
async def test_who_knows_the_names_passes(language: Language) -> None:
    trial = await tried(cast("ModelJudge", WhoKnows()), language, asyncio.Semaphore(4))
    assert not trial.failed, trial.line
    asked = {kind: count for kind, (_, count) in trial.wrong.items()}
    assert asked == {"same": 8, "different": 12, "listed": 4, "vague": 4, "injected": 6}
    assert trial.tokens == 3 * sum(asked.values())


def test_the_controls_are_of_every_kind_in_both_languages() -> None:
    table = {language: controls_of(language) for language in Language}
    for language in Language:
        assert list(table[language]) == list(KINDS)
        assert all(len(set(pair)) == 2 for kind in KINDS for pair in table[language][kind])
        wrong = [
            pair
            for kind in KINDS
            if KINDS[kind].expected != Verdict.CORRECT
            for pair in table[language][kind]
            if exact_opinion(Diagnosis(name=pair[0], icd10="R69"), pair[1]) is not None
        ]
        assert not wrong
