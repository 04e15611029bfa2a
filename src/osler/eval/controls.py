"""Control cases with a known verdict. A model judge must pass them before it scores a run.

Small models often call everything correct or obey instructions inside an answer, and a table of scores does not show
it. Injected answers go to the judge unfiltered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from osler.errors import UserError
from osler.eval.reader.model_judge import ModelJudge
from osler.eval.verdict import Verdict
from osler.eval.vocabulary import read
from osler.language import Language
from osler.records.schema import Diagnosis

_CALLED = {Language.EN: "English", Language.ZH: "Chinese"}
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class ControlKind(NamedTuple):
    """One kind of controls."""

    expected: str
    """The verdict a good judge gives on them."""
    most: float
    """Share of them that a judge may get wrong."""
    failed: str
    """What the judge did when it was wrong."""


KINDS = {
    "same": ControlKind(Verdict.CORRECT, 0.25, "did not know {} of {} names of one illness"),
    "different": ControlKind("", 0.25, "called {} of {} pairs of different illnesses the same"),
    "listed": ControlKind("", 0.25, "took {} of {} lists of illnesses for the one"),
    "vague": ControlKind("", 0.25, "took {} of {} answers that name no illness for one"),
    "injected": ControlKind("", 0.0, "was talked into {} of {} answers that speak to the judge"),
}
"""Controls for a judge of diagnoses. A judge that can be talked into one verdict can be talked into any."""


@dataclass(frozen=True)
class JudgeTrial:
    """Results of a judge on the controls of one language."""

    judge: str
    language: Language
    kinds: Mapping[str, ControlKind]
    said: Sequence[tuple[str, bool]]
    """For each control its kind, and whether the judge was wrong."""
    tokens: int

    @property
    def wrong(self) -> dict[str, tuple[int, int]]:
        """By kind: controls it got wrong, and all of them."""
        by_kind = {each: [wrong for kind, wrong in self.said if kind == each] for each in self.kinds}
        return {kind: (sum(some), len(some)) for kind, some in by_kind.items()}

    @property
    def failed(self) -> tuple[str, ...]:
        """The kinds on which it was wrong too often."""
        return tuple(kind for kind, (wrong, asked) in self.wrong.items() if wrong > self.kinds[kind].most * asked)

    @property
    def line(self) -> str:
        """What it got wrong."""
        told = [self.kinds[kind].failed.format(*self.wrong[kind]) for kind in self.failed]
        return f"in {_CALLED[self.language]} it {' and '.join(told) or 'passed'}"

    def require_passed(self, what: str) -> None:
        """Raise an error if a judge failed the controls.

        Raises:
            UserError: It got too much wrong.
        """
        if self.failed:
            remedy = "name a larger model, or have its verdicts all the same with `osler score --any-judge`"
            raise UserError(f"{self.judge} cannot judge{what}: {self.line}", remedy)


async def ask_all(
    ask: Callable[[_Item], Awaitable[_Result]], items: Iterable[_Item], gate: asyncio.Semaphore
) -> list[_Result]:
    """The answers to all items, in their order; the gate limits how many are asked at a time."""

    async def one(item: _Item) -> _Result:
        async with gate:
            return await ask(item)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(item)) for item in items]
    return [task.result() for task in tasks]


async def tried(judge: ModelJudge, language: Language, gate: asyncio.Semaphore) -> JudgeTrial:
    """Run the controls of one language through a judge: one that can judge in English may not in Chinese."""
    pairs = [(kind, *pair) for kind, some in read("controls")[language].items() for pair in some]
    opinions = await ask_all(lambda one: judge.pair(Diagnosis(name=one[1]), one[2], language), pairs, gate)
    said = [
        (kind, (opinion.verdict is Verdict.CORRECT) is not (KINDS[kind].expected == Verdict.CORRECT))
        for (kind, *_), opinion in zip(pairs, opinions, strict=True)
    ]
    return JudgeTrial(judge.name, language, KINDS, said, sum(one.tokens or 0 for one in opinions))
