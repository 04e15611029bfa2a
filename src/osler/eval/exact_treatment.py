"""Judge a treatment without a reader.

Only a name that the record lists, or the steps of a plan of the rules doctor.
"""

from __future__ import annotations

from collections.abc import Sequence

from osler.eval.exact_diagnosis import UNREAD
from osler.eval.exact_plan import judge_steps
from osler.eval.reader.exact import RUNG, exact_opinion
from osler.eval.verdict import Opinion, Verdict
from osler.records.schema import Treatment


def judge_treatment(
    answer: str,
    truth: Treatment,
    steps: Sequence[Sequence[str]] = (),
    in_part: Sequence[str] = (),
    *,
    is_other_illness: bool = False,
) -> Opinion:
    """Judge an answer by its names alone.

    Args:
        answer: The treatment as the doctor gave it.
        truth: The record's treatment.
        steps: What the plan consists of, each step by all its names, where a doctor without a model
            made it.
        in_part: Names of what the steps give only in part.
        is_other_illness: Whether the doctor's diagnosis is surely another illness.
    """
    if not answer.strip():
        return Opinion(Verdict.NONE, "no treatment was given", rung=RUNG)
    opinion = exact_opinion(truth, answer)
    if opinion is None and steps:
        opinion = judge_steps(steps, truth, in_part, is_other_illness=is_other_illness)
    return opinion or UNREAD
