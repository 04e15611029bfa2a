"""Which consultations of a run are meant."""

from __future__ import annotations

from osler.errors import UserError
from osler.simulator.store import RunFile
from osler.simulator.transcript import Transcript


def the_one(
    run: RunFile, case: str, memory: str | None, backbone: str | None, trial: int | None
) -> tuple[int, Transcript]:
    """The one consultation that fits, with its number.

    Raises:
        UserError: None fits, or several do.
    """
    transcript = run.find(case, memory, backbone, trial)
    header = transcript.header
    [number] = every(run, header.case, header.memory, header.backbone, header.trial)
    return number, transcript


def every(run: RunFile, case: str | None, memory: str | None, backbone: str | None, trial: int | None) -> list[int]:
    """The numbers of all that have ended and fit what is given.

    Raises:
        UserError: None does.
    """
    wanted = {"memory": memory, "backbone": backbone, "trial": trial}
    columns = "cells.number AS number, patient, cells.record AS record, memory, backbone, trial"
    numbers = [
        row["number"]
        for row in run.rows(columns, where="cells.state != 'todo'")
        if case in (None, row["record"], row["patient"])
        and all(value is None or row[name] == value for name, value in wanted.items())
    ]
    if not numbers:
        what = f"of {case!r}" if case is not None else "of that kind"
        raise UserError(
            f"{run.path} has no consultation {what} that has ended", "check the case, --memory, --backbone and --trial"
        )
    return numbers
