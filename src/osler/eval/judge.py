"""The `Judge` interface, and loading a judge of your own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from osler.errors import UserError
from osler.eval.verdict import Verdict
from osler.models.spec import parse_spec
from osler.plugins import load_plugin, plugin_names
from osler.records.schema import PatientRecord

GROUP = "osler.judges"
Kind = Literal["diagnosis", "treatment"]


@dataclass(frozen=True)
class Opinion:
    """A judge's opinion on one answer."""

    verdict: Verdict
    because: str = ""
    """One short sentence for a reader."""
    tokens: int | None = None
    """Cost in USD, or None if it is unknown or no model was asked."""


@runtime_checkable
class Judge(Protocol):
    """Compares a doctor's answer with the record's true diagnosis or treatment."""

    @property
    def name(self) -> str:
        """The name its verdicts are stored under; it changes when its verdicts could."""
        ...

    async def judge(self, kind: Kind, answer: str, record: PatientRecord) -> Opinion:
        """Compare a diagnosis or a treatment with the record's."""
        ...


def outside_judge(spec: str) -> Judge | None:
    """Load the judge registered under that name, or the class `package.module:Class`; None if it is a model.

    Raises:
        UserError: It cannot be loaded or made, or is not a judge.
    """
    if spec not in plugin_names(GROUP) and (":" not in spec or parse_spec(spec).kind != "plugin"):
        return None
    made = load_plugin("judge", GROUP, spec, plugin_names(GROUP))
    if not callable(getattr(made, "judge", None)):
        return None  # a backbone by its path
    judge = made() if isinstance(made, type) else made
    if not isinstance(judge, Judge):
        raise UserError(f"the judge {spec!r} has no name", "give it a name under which its verdicts are stored")
    return judge
