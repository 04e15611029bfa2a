"""Which record belongs to which interview: by names that are exactly equal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from osler.errors import UserError
from osler.records.schema import PatientRecord
from osler.validate.interviews import Interview


@dataclass(frozen=True)
class InterviewCase:
    """An interview and the record of the case that was acted."""

    interview: Interview
    record: PatientRecord


@dataclass(frozen=True)
class MatchedCases:
    """The interviews that have a record, and the ids of those that have none."""

    cases: list[InterviewCase]
    without_record: list[str]


def match_records(
    interviews: Sequence[Interview], records: Iterable[PatientRecord]
) -> MatchedCases:
    """Find each interview's record.

    A record belongs to an interview if its id, its patient or its source is the record that the
    interview names, or else the interview's id, and if both have one language. A source may be a
    path: then its file name without the suffix counts as well.

    Raises:
        UserError: No interview has a record, or one has several.
    """
    every_record = list(records)
    cases: list[InterviewCase] = []
    without_record: list[str] = []
    for interview in interviews:
        matching = [record for record in every_record if _belongs(record, interview)]
        if len(matching) > 1:
            ids = ", ".join(record.id for record in matching)
            raise UserError(
                f"the interview {interview.id!r} has several records: {ids}",
                'name its record in the interview with "record"',
            )
        if matching:
            cases.append(InterviewCase(interview, matching[0]))
        else:
            without_record.append(interview.id)
    if not cases:
        raise UserError(
            f"no record has the id of an interview, such as {interviews[0].id!r}",
            "give records with these ids by --pool; docs/validating.md says how to make them",
        )
    return MatchedCases(cases, without_record)


def _belongs(record: PatientRecord, interview: Interview) -> bool:
    if record.language is not interview.language:
        return False
    source = record.source or ""
    return interview.case in {record.id, record.patient, source, Path(source).stem}
