"""Control cases with a known verdict. A model judge must pass them before it scores a run.

Small models often call everything correct or obey instructions inside an answer, and a table of
scores does not show it. Injected answers go to the judge unfiltered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple, TypeVar

import yaml

from osler.errors import UserError
from osler.eval.reader.model_judge import ModelJudge
from osler.eval.verdict import Verdict
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
"""Controls for a judge of diagnoses. A judge that can be talked into one verdict can be talked into
any."""


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
        by_kind = {
            each: [wrong for kind, wrong in self.said if kind == each] for each in self.kinds
        }
        return {kind: (sum(some), len(some)) for kind, some in by_kind.items()}

    @property
    def failed(self) -> tuple[str, ...]:
        """The kinds on which it was wrong too often."""
        return tuple(
            kind
            for kind, (wrong, asked) in self.wrong.items()
            if wrong > self.kinds[kind].most * asked
        )

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
            remedy = (
                "name a larger model; once the run is held, `osler score --any-judge` has its"
                " verdicts all the same"
            )
            raise UserError(f"{self.judge} cannot judge{what}: {self.line}", remedy)


def controls_of(language: Language) -> dict[str, list[tuple[str, str]]]:
    """The controls of a language by kind: a truth and an answer each."""
    return {
        kind: [(truth, answer) for truth, answer in pairs]
        for kind, pairs in _controls()[language].items()
    }


@cache
def _controls() -> dict[str, dict[str, list[list[str]]]]:
    """The file of controls: by language and kind."""
    text = files("osler.eval.reader").joinpath("controls.yaml").read_text(encoding="utf-8")
    controls: dict[str, dict[str, list[list[str]]]] = yaml.load(text, Loader=yaml.CSafeLoader)
    return controls


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
    """Run the controls of one language through a judge.

    One that can judge in English may not in Chinese.

    It ends after the first kind that is failed, so that a model that cannot judge costs little.
    """
    said: list[tuple[str, bool]] = []
    tokens = 0
    for kind, pairs in controls_of(language).items():
        opinions = await ask_all(
            lambda pair: judge.pair(Diagnosis(name=pair[0]), pair[1], language), pairs, gate
        )
        is_right = KINDS[kind].expected == Verdict.CORRECT
        said += [
            (kind, (opinion.verdict is Verdict.CORRECT) is not is_right) for opinion in opinions
        ]
        tokens += sum(opinion.tokens or 0 for opinion in opinions)
        trial = JudgeTrial(judge.name, language, KINDS, said, tokens)
        if trial.failed:
            return trial
    return JudgeTrial(judge.name, language, KINDS, said, tokens)
