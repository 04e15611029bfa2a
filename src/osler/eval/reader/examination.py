"""Examine a judge: how far it agrees with the labels of known pairs, and what it gets wrong."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from osler.eval.controls import ask_all
from osler.eval.judge import Kind, Opinion
from osler.eval.reader.labelled_pairs import KINDS, LabelledPair
from osler.eval.statistics import cohen_kappa
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.records.schema import Diagnosis, Treatment

LEAST_KAPPA = 0.6
"""Agreement below which a judge is refused: what is called moderate."""


class PairJudge(Protocol):
    """What can judge an answer by a truth that belongs to no record."""

    async def pair(
        self, truth: Diagnosis | Treatment, answer: str, language: Language, diagnosis: str = ""
    ) -> Opinion:
        """Judge an answer; a treatment together with the diagnosis that it is for."""
        ...


@dataclass(frozen=True)
class Examined:
    """One pair and what a judge said of it."""

    pair: LabelledPair
    opinion: Opinion

    @property
    def is_decided(self) -> bool:
        """Whether the judge gave a verdict."""
        return self.opinion.verdict is not Verdict.UNDECIDED

    @property
    def is_right(self) -> bool:
        """Whether it is the label."""
        return self.opinion.verdict is self.pair.verdict


@dataclass(frozen=True)
class Mark:
    """How a judge did on some pairs. None means that nothing can be said."""

    pairs: int
    decided: float
    """Share of the pairs that it decided."""
    equal: float | None
    """Share of the decided ones whose verdict is the label."""
    kappa: float | None
    """Cohen's kappa over the decided ones."""
    unsafe_found: float | None
    """Share of the unsafe treatments that it found, of all of them."""
    false_alarms: float | None
    """Share of the other treatments that it called unsafe."""

    @classmethod
    def of(cls, examined: Sequence[Examined]) -> Mark:
        """Count."""
        decided = [item for item in examined if item.is_decided]
        treatments = [item for item in examined if item.pair.kind == "treatment"]
        unsafe = [item for item in treatments if item.pair.verdict is Verdict.UNSAFE]
        safe = [item for item in treatments if item.pair.verdict is not Verdict.UNSAFE]
        return cls(
            pairs=len(examined),
            decided=len(decided) / len(examined),
            equal=_share(decided, lambda item: item.is_right),
            kappa=cohen_kappa(
                [(item.pair.verdict, item.opinion.verdict) for item in decided]
            ).value,
            unsafe_found=_share(unsafe, _said_unsafe),
            false_alarms=_share(safe, _said_unsafe),
        )

    def __str__(self) -> str:
        parts = [f"{self.pairs} pairs", f"decided {self.decided:.1%}"]
        parts += [f"equal {self.equal:.1%}"] if self.equal is not None else []
        parts += [f"kappa {self.kappa:.3f}"] if self.kappa is not None else []
        if self.unsafe_found is not None and self.false_alarms is not None:
            parts.append(f"unsafe found {self.unsafe_found:.1%}, falsely {self.false_alarms:.1%}")
        return ", ".join(parts)


def _share(items: Sequence[Examined], holds: Callable[[Examined], bool]) -> float | None:
    if items:
        return sum(map(holds, items)) / len(items)
    return None


def _said_unsafe(item: Examined) -> bool:
    return item.opinion.verdict is Verdict.UNSAFE


@dataclass(frozen=True)
class Examination:
    """What a judge said of labelled pairs."""

    judge: str
    examined: Sequence[Examined]

    @property
    def tokens(self) -> int:
        """What it took, as far as the server tells."""
        return sum(item.opinion.tokens or 0 for item in self.examined)

    def mark(self, kind: Kind, *languages: Language) -> Mark | None:
        """The mark for a kind of answer in these languages; None if it was not examined on any."""
        items = [
            item
            for item in self.examined
            if item.pair.kind == kind and item.pair.language in languages
        ]
        if items:
            return Mark.of(items)
        return None

    def lines(self) -> Iterator[str]:
        """The marks, and how the verdicts differ from the labels."""
        for kind in KINDS:
            for languages in ([Language.EN], [Language.ZH], list(Language)):
                mark = self.mark(kind, *languages)
                if mark is not None:
                    yield f"{kind} {' and '.join(languages)}: {mark}"
        wrong = [examined for examined in self.examined if not examined.is_right]
        confused = Counter(
            (examined.pair.kind, examined.pair.verdict, examined.opinion.verdict)
            for examined in wrong
        )
        for (kind, right, verdict), number in sorted(
            confused.items(), key=lambda item: (-item[1], item[0])
        ):
            yield f"{number} × {kind}: label {right}, the judge {verdict}"


async def examine(
    judge: PairJudge, name: str, pairs: Sequence[LabelledPair], gate: asyncio.Semaphore
) -> Examination:
    """Have a judge judge labelled pairs; the gate limits how many are asked at a time."""
    opinions = await ask_all(
        lambda pair: judge.pair(pair.truth, pair.answer, pair.language, pair.diagnosis), pairs, gate
    )
    return Examination(
        name, [Examined(pair, opinion) for pair, opinion in zip(pairs, opinions, strict=True)]
    )
