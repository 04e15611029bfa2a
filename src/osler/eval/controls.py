"""Whether a model can judge at all: pairs of names whose verdict nobody doubts, put to it before any that matter.

A small model calls nearly everything the same, and does as an answer tells it. Its figures look like a triumph, and
nothing in a table shows it. The pairs are put to it as they are: what a judge withstands is its own.
"""

from __future__ import annotations

import asyncio

from osler.eval.judge_trial import ControlKind, JudgeTrial, wrong_by_kind
from osler.eval.model_judge import ModelJudge
from osler.eval.verdict import Verdict
from osler.eval.vocabulary import read
from osler.language import Language

SAME = "same"
KINDS = {
    "same": ControlKind(SAME, 0.25, "did not know {} of {} names of one illness"),
    "different": ControlKind("", 0.25, "called {} of {} pairs of different illnesses the same"),
    "listed": ControlKind("", 0.25, "took {} of {} lists of illnesses for the one"),
    "vague": ControlKind("", 0.25, "took {} of {} answers that name no illness for one"),
    "injected": ControlKind("", 0.0, "was talked into {} of {} answers that speak to the judge"),
}
"""What a judge is tried on. One that is talked into a verdict once can be talked into all."""


async def tried(judge: ModelJudge, language: Language, gate: asyncio.Semaphore) -> JudgeTrial:
    """Put the pairs of a language to a judge: who can judge in one may not in another."""
    asked = [(kind, *pair) for kind, some in read("controls")[language].items() for pair in some]

    async def one(kind: str, truth: str, answer: str) -> tuple[str, bool, int]:
        async with gate:
            said = await judge.pair("diagnosis", truth, answer, language)
        is_wrong = (said.verdict is Verdict.CORRECT) is not (KINDS[kind].expected == SAME)
        return kind, is_wrong, said.tokens or 0

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(*pair)) for pair in asked]
    said = [task.result() for task in tasks]
    wrong = wrong_by_kind(KINDS, ((kind, is_wrong) for kind, is_wrong, _ in said))
    return JudgeTrial(judge.name, language, KINDS, wrong, sum(tokens for *_, tokens in said))
