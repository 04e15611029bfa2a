"""The `Judge` interface, judging one answer, and loading a judge of your own."""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from osler.errors import UserError
from osler.eval.exact_diagnosis import judge_diagnosis
from osler.eval.exact_treatment import judge_treatment
from osler.eval.reader.exact import exact_opinion
from osler.eval.verdict import Opinion as Opinion
from osler.models.spec import parse_spec
from osler.plugins import load_plugin, plugin_names
from osler.records.schema import Diagnosis, PatientRecord, Treatment

GROUP = "osler.judges"
Kind = Literal["diagnosis", "treatment"]


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


def truth_of(kind: Kind, record: PatientRecord) -> Diagnosis | Treatment:
    """The record's true diagnosis or treatment.

    A record without a treatment has nothing to judge one by.
    """
    truth = record.diagnosis if kind == "diagnosis" else record.treatment
    if truth is None:
        raise ValueError(f"the record {record.id} has no treatment")
    return truth


async def verdict_on(
    kind: Kind, answer: str, record: PatientRecord, judge: Judge | None = None
) -> Opinion:
    """Judge one answer: by the judge (also a `Panel`) unless it is exactly a name.

    Without a judge the rest is undecided.
    """
    truth = truth_of(kind, record)
    if judge is not None:
        return exact_opinion(truth, answer) or await judge.judge(kind, answer, record)
    if isinstance(truth, Diagnosis):
        return judge_diagnosis(answer, truth)
    return judge_treatment(answer, truth)


def outside_judge(spec: str) -> Judge | None:
    """Load the judge registered under that name, or the class `package.module:Class`.

    None if it is a model.

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
        raise UserError(
            f"the judge {spec!r} has no name", "give it a name under which its verdicts are stored"
        )
    return judge
