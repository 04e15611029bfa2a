"""Judges: what is asked of one, and opening one that was written outside of Osler."""

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


def outside_judge(spec: str) -> Judge | None:
    """The judge that a package registers under that name, or the class `package.module:Class`; None: it is a model.

    Raises:
        UserError: It cannot be loaded or made, or is no judge.
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
