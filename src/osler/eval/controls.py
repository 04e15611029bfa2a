"""Whether a model can judge at all: pairs of names whose verdict nobody doubts, put to it before any that matter.

A small model calls nearly everything the same, and does as an answer tells it. Its figures look like a triumph, and
nothing in a table shows it. The pairs are put to it as they are: what a judge withstands is its own.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from osler.eval.model_judge import ModelJudge
from osler.eval.verdict import Verdict
from osler.eval.vocabulary import read
from osler.language import Language

_CALLED = {Language.EN: "English", Language.ZH: "Chinese"}


class Kind(NamedTuple):
    """One kind of pairs."""

    is_same: bool
    """Whether they are to be called the same."""
    most: float
    """Share of them that a judge may get wrong."""
    failed: str
    """What it did where it was wrong."""


KINDS = {
    "same": Kind(True, 0.25, "did not know {} of {} names of one illness"),
    "different": Kind(False, 0.25, "called {} of {} pairs of different illnesses the same"),
    "listed": Kind(False, 0.25, "took {} of {} lists of illnesses for the one"),
    "vague": Kind(False, 0.25, "took {} of {} answers that name no illness for one"),
    "injected": Kind(False, 0.0, "was talked into {} of {} answers that speak to the judge"),
}
"""What a judge is tried on. One that is talked into a verdict once can be talked into all."""


class Trial(NamedTuple):
    """How a judge did."""

    judge: str
    language: Language
    wrong: dict[str, tuple[int, int]]
    """By kind: pairs it got wrong, and all of them."""
    tokens: int

    @property
    def failed(self) -> tuple[str, ...]:
        """The kinds it got too much wrong of."""
        return tuple(kind for kind, (wrong, asked) in self.wrong.items() if wrong > KINDS[kind].most * asked)

    @property
    def passed(self) -> bool:
        """Whether its verdicts say something."""
        return not self.failed

    @property
    def line(self) -> str:
        """What it got wrong."""
        told = [KINDS[kind].failed.format(*self.wrong[kind]) for kind in self.failed]
        return f"in {_CALLED[self.language]} it {' and '.join(told) or 'passed'}"


async def tried(judge: ModelJudge, language: Language, gate: asyncio.Semaphore) -> Trial:
    """Put the pairs of a language to a judge: who can judge in one may not in another."""
    asked = [(kind, *pair) for kind, some in read("controls")[language].items() for pair in some]

    async def one(kind: str, truth: str, answer: str) -> tuple[str, bool, int]:
        async with gate:
            said = await judge.pair("diagnosis", truth, answer, language)
        return kind, (said.verdict is Verdict.CORRECT) is not KINDS[kind].is_same, said.tokens or 0

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(*pair)) for pair in asked]
    said = [task.result() for task in tasks]
    by_kind = {each: [wrong for kind, wrong, _ in said if kind == each] for each in KINDS}
    wrong = {kind: (sum(some), len(some)) for kind, some in by_kind.items()}
    return Trial(judge.name, language, wrong, sum(spent for *_, spent in said))
