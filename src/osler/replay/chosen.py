"""Which consultations of a run are meant."""

from __future__ import annotations

from osler.errors import UserError
from osler.runs.plan import Selector
from osler.runs.store import RunFile
from osler.runs.transcript import Transcript


def the_one(run: RunFile, wanted: Selector) -> tuple[int, Transcript]:
    """The one consultation that is meant, with its number.

    Raises:
        UserError: None is, or several are.
    """
    transcript = run.find(wanted)
    [number] = every(run, Selector.just(transcript.header.cell))
    return number, transcript


def every(run: RunFile, wanted: Selector) -> list[int]:
    """The numbers of all that have ended and are meant.

    Raises:
        UserError: None is.
    """
    numbers = [number for number, _ in run.cells(wanted, ended=True)]
    if not numbers:
        what = f"of {wanted.case!r}" if wanted.case is not None else "of that kind"
        raise UserError(
            f"{run.path} has no consultation {what} that has ended",
            "check the case, --memory, --strategy, --backbone and --trial",
        )
    return numbers
