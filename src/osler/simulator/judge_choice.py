"""Who judges a run.

The judges that are named, those that it was judged by before, or the patient's model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from osler.errors import UserError
from osler.eval.panel import PERSON
from osler.models import parse_spec
from osler.runs.store import RunFile
from osler.settings.names import WITHOUT_MODEL

NOBODY = "none"
"""Named as the judge, it leaves open what is not exact."""


class ChosenJudges(NamedTuple):
    """Judges of a run, by their specs."""

    specs: tuple[str, ...]
    is_named: bool
    """Whether somebody asked for them. Others may turn out not to be able to judge, and the run
    goes on without."""


def named_judges(judges: Sequence[str]) -> tuple[str, ...]:
    """The judges that are to be opened.

    Raises:
        UserError: `none` is named beside others.
    """
    if NOBODY in judges and len(judges) > 1:
        raise UserError(
            "--judge none leaves answers open, and other judges are named",
            "give none alone, or not at all",
        )
    return tuple(judge for judge in judges if judge != NOBODY)


def chosen_judges(run: RunFile, named: Sequence[str], patient: str) -> ChosenJudges:
    """Choose who judges a run.

    The patient's model is the same for all doctors of a run. One that runs in this process is not
    asked unless it is named: its examination would take longer than the run.
    """
    if named:
        return ChosenJudges(named_judges(named), is_named=True)
    before = run.own_judge()
    if before is not None and not before.startswith(PERSON):
        return ChosenJudges(
            tuple(name.split("#")[0] for name in before.split(" & ")), is_named=False
        )
    if patient in WITHOUT_MODEL or parse_spec(patient).kind == "local":
        return ChosenJudges((), is_named=False)
    return ChosenJudges((patient,), is_named=False)
