"""What needs no reader of a plan that rules made.

Its steps are compared, each by all its names, with the record's treatment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from osler.eval.reader.exact import RUNG, bare
from osler.eval.verdict import Opinion, Verdict
from osler.records.schema import Named, Treatment


def judge_steps(
    steps: Sequence[Sequence[str]],
    truth: Treatment,
    in_part: Sequence[str] = (),
    *,
    is_other_illness: bool,
) -> Opinion:
    """Judge a plan by the names of its steps, which are compared exactly.

    Args:
        steps: What the plan consists of, each step by all its names.
        truth: The record's treatment.
        in_part: Names of what the steps give only in part.
        is_other_illness: Whether the plan is for an illness that the patient surely does not have.
    """
    names: set[str] = set()
    for step in steps:
        names.update(map(bare, step))
    unsafe = [
        f"gives {line.name}, which is unsafe: {line.because}"
        for line in truth.unsafe
        if _is_named(line, names)
    ]
    if unsafe:
        return _opinion(Verdict.UNSAFE, "; ".join(unsafe))
    whole = [name for name in (*truth.names, *truth.alternatives) if bare(name) in names]
    if whole:
        return _opinion(Verdict.CORRECT, f"gives {whole[0]}")
    parts = [part for part in truth.parts if _is_named(part, names)]
    if parts and len(parts) == len(truth.parts):
        return _opinion(Verdict.CORRECT, f"gives {_listed(parts)}")
    if parts:
        missing = [part for part in truth.parts if part not in parts]
        return _opinion(Verdict.PARTIAL, f"gives {_listed(parts)}, but not {_listed(missing)}")
    in_part_names = set(map(bare, in_part))
    for line in (truth, *truth.parts):
        for name in line.names:
            if bare(name) in in_part_names:
                return _opinion(Verdict.PARTIAL, f"gives {name} only in part")
    if is_other_illness:
        return _opinion(Verdict.WRONG, f"treats another illness, and gives nothing of {truth.name}")
    return _opinion(Verdict.UNDECIDED, "nobody has read it")


def _is_named(line: Named, names: set[str]) -> bool:
    """Check whether a step has a name of this line of the record."""
    return any(bare(name) in names for name in line.names)


def _listed(parts: Iterable[Named]) -> str:
    return "; ".join(part.name for part in parts)


def _opinion(verdict: Verdict, because: str) -> Opinion:
    return Opinion(verdict, because, rung=RUNG)
