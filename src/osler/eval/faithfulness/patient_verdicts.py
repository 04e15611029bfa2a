"""Whose word on a run's replies a table shows, and what is wrong with each reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from osler.errors import UserError
from osler.runs.reply_faults import READ_FAULTS, PatientReading, ReplyFaults
from osler.runs.store import RunFile
from osler.runs.store.patient_verdicts import (
    count_replies,
    exact_faults,
    patient_judges,
    patient_readings,
)


def ruler_of(files: Sequence[RunFile], named: str | None = None) -> str | None:
    """Choose whose word on replies a table shows.

    The model that is named, or the last one that read in all its runs.

    Raises:
        UserError: The judge that is named has read no replies of one of them.
    """
    if named is None:
        first, *others = (patient_judges(file) for file in files)
        common = [judge for judge in first if all(judge in judges for judges in others)]
        return common[-1] if common else None
    for file in files:
        judges = patient_judges(file)
        if named not in judges:
            raise UserError(
                f"{file.path} has no replies read by {named!r}; they were read by"
                f" {', '.join(judges) or 'nobody'}",
                f"`osler score {file.path} --patient-judge MODEL` has a share of them read",
            )
    return named


def ruler_notes(files: Sequence[RunFile], ruler: str | None) -> Iterator[str]:
    """Say who read the patient's replies, and how many of them."""
    if ruler is None:
        yield (
            "nobody has read the patient's replies: `osler score RUN --patient-judge SPEC` has a"
            " share of them read"
        )
        return
    read = unread = 0
    others: set[str] = set()
    for file in files:
        others.update(judge for judge in patient_judges(file) if judge != ruler)
        for reading in patient_readings(file, ruler).values():
            read += reading.read
            unread += len(reading.unread)
    replies = sum(map(count_replies, files))
    yield f"patient judged by {ruler}: {read:,} of {replies:,} replies read"
    if unread:
        yield f"{unread} drawn replies were not read: the answer of {ruler} could not be used"
    if others:
        names = ", ".join(sorted(others))
        yield f"replies were also read by {names}; --patient-judge NAME shows what they say"


def faults_in(file: RunFile, number: int, ruler: str | None = None) -> dict[int, ReplyFaults]:
    """Return the faulty replies of one consultation by turn: what is exact, and what a model says.

    The model is the one that is named, or the last one that read replies of the run.
    """
    faults = exact_faults(file, number)
    reading = reading_in(file, number, ruler or ruler_of([file]))
    for reply in reading.faulty if reading else ():
        exact = faults.get(reply.turn, ReplyFaults())
        read = {kind: getattr(reply.faults, kind) for kind in READ_FAULTS}
        faults[reply.turn] = replace(exact, **read)
    return faults


def reading_in(file: RunFile, number: int, judge: str | None) -> PatientReading | None:
    """Return what a model said of the replies of one consultation; None if it read none of them."""
    return patient_readings(file, judge, number).get(number) if judge is not None else None
