"""How a model did on controls whose verdict nobody doubts, before it judges anything that matters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from osler.errors import UserError
from osler.language import Language

_CALLED = {Language.EN: "English", Language.ZH: "Chinese"}


class ControlKind(NamedTuple):
    """One kind of controls."""

    expected: str
    """What a good judge says of them."""
    most: float
    """Share of them that a judge may get wrong."""
    failed: str
    """What it did where it was wrong."""


@dataclass(frozen=True)
class JudgeTrial:
    """How a judge did in one language."""

    judge: str
    language: Language
    kinds: Mapping[str, ControlKind]
    wrong: dict[str, tuple[int, int]]
    """By kind: controls it got wrong, and all of them."""
    tokens: int

    @property
    def failed(self) -> tuple[str, ...]:
        """The kinds it got too much wrong of."""
        return tuple(kind for kind, (wrong, asked) in self.wrong.items() if wrong > self.kinds[kind].most * asked)

    @property
    def line(self) -> str:
        """What it got wrong."""
        told = [self.kinds[kind].failed.format(*self.wrong[kind]) for kind in self.failed]
        return f"in {_CALLED[self.language]} it {' and '.join(told) or 'passed'}"

    def require_passed(self, what: str) -> None:
        """Refuse a judge whose verdicts say nothing.

        Raises:
            UserError: It got too much wrong.
        """
        if self.failed:
            remedy = "name a larger model, or add --any-judge to have its verdicts all the same"
            raise UserError(f"{self.judge} cannot judge{what}: {self.line}", remedy)


def wrong_by_kind(kinds: Iterable[str], said: Iterable[tuple[str, bool]]) -> dict[str, tuple[int, int]]:
    """Count controls, each given by its kind and whether it was judged wrongly."""
    told = list(said)
    by_kind = {each: [wrong for kind, wrong in told if kind == each] for each in kinds}
    return {kind: (sum(some), len(some)) for kind, some in by_kind.items()}
