"""What is asked of a judge, whether a model, a set of rules or code from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from osler.eval.verdict import Verdict
from osler.records.schema import PatientRecord

Kind = Literal["diagnosis", "treatment"]


@dataclass(frozen=True)
class Opinion:
    """What a judge says of one answer."""

    verdict: Verdict
    because: str = ""
    """One short sentence for a reader."""
    tokens: int | None = None
    """What it cost; None: unknown, or no model was asked."""


@runtime_checkable
class Judge(Protocol):
    """Compares a doctor's answer with the truth of the record."""

    @property
    def name(self) -> str:
        """As its verdicts are stored; it changes when its verdicts could."""
        ...

    async def judge(self, kind: Kind, answer: str, record: PatientRecord) -> Opinion:
        """How a diagnosis or a treatment stands to the record's."""
        ...
