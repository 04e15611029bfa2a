"""Failed consultations on the page: how many, why, and a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from osler.eval.compare import ColumnFigures
from osler.eval.report.snapshot import Snapshot
from osler.runs.scored import ScoredConsultation
from osler.tables.markup import Html, bounded, element, joined, table_element

_MOST_LISTED = 200
"""Failures on a page."""
_MOST_REASONS = 20
"""Rows of the table of reasons."""
_LONGEST_REASON = 300
"""Characters of a reason on the page."""


def failures_section(
    run: Snapshot,
    consultations: Sequence[ScoredConsultation],
    columns: Sequence[ColumnFigures],
    linked: Collection[int],
) -> Html:
    """The failures; those whose number is linked lead to their consultation on the page."""
    failed = [consultation for consultation in consultations if consultation.is_failed]
    if not failed:
        return element("p", "Nothing failed.")
    share = (
        f"{len(failed):,} of {len(consultations):,} consultation(s) failed. They are left out of"
        " every score above."
    )
    parts = [element("p", share), *_reasons(failed)]
    names = {column.column: bounded(column.name, 120) for column in columns}
    rows = [
        _failure(run, consultation, names[consultation.column], linked)
        for consultation in failed[:_MOST_LISTED]
    ]
    parts.append(table_element(["consultation", "column", "ending", "attempts", "reason"], rows))
    if len(failed) > _MOST_LISTED:
        note = (
            f"{len(failed) - _MOST_LISTED:,} further failure(s) are not listed; `osler runs"
            " failures` prints all."
        )
        parts.append(element("p", note, class_="note"))
    return joined(parts)


def _reasons(failed: Sequence[ScoredConsultation]) -> list[Html]:
    """How often each reason occurs, if any occurs more than once."""
    kinds = Counter(
        (_reason(consultation), consultation.ending.value) for consultation in failed
    ).most_common()
    if len(kinds) == len(failed):
        return []
    rows = [[reason, ending, f"{count:,}"] for (reason, ending), count in kinds[:_MOST_REASONS]]
    return [table_element(["reason", "ending", "consultations"], rows)]


def _failure(
    run: Snapshot, consultation: ScoredConsultation, column: str, linked: Collection[int]
) -> list[str | Html]:
    trial = f" {consultation.trial}" if consultation.trial > 1 else ""
    name: str | Html = bounded(f"{consultation.case}{trial}", 120)
    if consultation.number in linked:
        name = element("a", name, href=f"#c{consultation.number}")
    attempts = len(run.file.attempts(consultation.number))
    return [name, column, consultation.ending.value, f"{attempts:,}", _reason(consultation)]


def _reason(consultation: ScoredConsultation) -> str:
    failure = consultation.failure
    text = (failure.line or failure.kind) if failure else "no reason was kept"
    return bounded(text, _LONGEST_REASON)
