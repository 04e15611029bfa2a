"""Whether a model can judge at all: pairs of names whose verdict nobody doubts, put to it before any that matter.

A small model calls nearly everything the same. Its figures look like a triumph, and nothing in a table shows it.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from osler.eval.lexicon import read
from osler.eval.model_judge import ModelJudge
from osler.eval.verdict import Verdict
from osler.ranking import reaches
from osler.records.language import Language

_MOST = 0.25
"""Share of the pairs of one kind that a judge may get wrong."""

_CALLED = {Language.EN: "English", Language.ZH: "Chinese"}


class Trial(NamedTuple):
    """How a judge did."""

    judge: str
    language: Language
    same: int
    """Pairs that mean one illness."""
    missed: int
    """Those of them that it did not call the same."""
    different: int
    """Pairs that mean two."""
    mistaken: int
    """Those of them that it called the same."""
    tokens: int

    @property
    def passed(self) -> bool:
        """Whether its verdicts say something."""
        return reaches(_MOST * self.same, self.missed) and reaches(_MOST * self.different, self.mistaken)

    @property
    def line(self) -> str:
        """What it got wrong."""
        return (
            f"in {_CALLED[self.language]} it called {self.mistaken} of {self.different} pairs of different illnesses "
            f"the same, and did not know {self.missed} of {self.same} that are"
        )


async def tried(judge: ModelJudge, language: Language, gate: asyncio.Semaphore) -> Trial:
    """Put the pairs of a language to a judge: who can judge in one may not in another."""
    asked = [(kind, *pair) for kind, some in read("controls")[language].items() for pair in some]

    async def one(kind: str, truth: str, answer: str) -> tuple[str, bool, int]:
        async with gate:
            said = await judge.pair("diagnosis", truth, answer, language)
        return kind, said.verdict is Verdict.CORRECT, said.tokens or 0

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(*pair)) for pair in asked]
    said = [task.result() for task in tasks]
    same, different = ([correct for kind, correct, _ in said if kind == which] for which in ("same", "different"))
    tokens = sum(spent for *_, spent in said)
    return Trial(judge.name, language, len(same), same.count(False), len(different), sum(different), tokens)
