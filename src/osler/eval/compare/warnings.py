"""What a reader of a comparison has to know before the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from osler.eval.compare.columns import ColumnFigures
from osler.eval.compare.pairs import first_few, records_of
from osler.eval.runs import Run
from osler.runs.lessons import STAGE
from osler.runs.run_servers import server_warnings
from osler.settings.stored import differing_settings

_MOST_COLUMNS = 4
"""Columns that a warning names."""


def warnings_of(runs: Sequence[Run], columns: Sequence[ColumnFigures]) -> Iterator[str]:
    """Yield all warnings: about settings, versions, judges, patients and what is left out."""
    yield from _differing_settings(runs)
    yield from _differing_versions(runs)
    judges = {run.judge() for run in runs}
    if len(judges) > 1:
        names = ", ".join(sorted(judges))
        yield f"the runs were judged by different judges ({names}); `osler score` judges again"
    yield from server_warnings(run.file for run in runs)
    yield from _differing_records(runs)
    # Columns of cases that are held again have only the first of them: that is no fault.
    first_time = [column for column in columns if not column.column.variant(STAGE)]
    yield from _differing_patients(first_time)
    yield from _failures_and_unjudged(columns)
    for run in runs:
        left = run.file.status().todo
        if left:
            yield f"{run.path}: {left} consultation(s) of its plan are still to be held"


def _differing_settings(runs: Sequence[Run]) -> Iterator[str]:
    for label, values in differing_settings([run.about["settings"] for run in runs]):
        yield f"NOT COMPARABLE: the {label} differs between runs ({' / '.join(values)})"


def _differing_versions(runs: Sequence[Run]) -> Iterator[str]:
    """Warn if runs were made with different versions of Osler or of a prompt."""
    # A damaged run may have lost its version: it may then be any.
    versions = {run.about.get("version") for run in runs}
    prompts = _differing_hashes(run.file.prompts() for run in runs)
    if len(versions) > 1 or prompts:
        yield "the runs were made with different versions of Osler or its prompts"


def _differing_hashes(hashes_by_run: Iterable[Mapping[str, str]]) -> set[str]:
    """Return the names that have different hashes in two runs, wherever these two stand."""
    first_hash: dict[str, str] = {}
    differing: set[str] = set()
    for hashes in hashes_by_run:
        for name, digest in hashes.items():
            first_hash.setdefault(name, digest)
            if digest != first_hash[name]:
                differing.add(name)
    return differing


def _differing_records(runs: Sequence[Run]) -> Iterator[str]:
    """Warn of records whose content differs under the same name: they are not the same patient."""
    changed = _differing_hashes(run.file.record_hashes() for run in runs)
    if changed:
        yield (
            f"NOT COMPARABLE: {len(changed)} record(s) of the same name differ between runs"
            f" ({first_few(changed)})"
        )


def _differing_patients(columns: Sequence[ColumnFigures]) -> Iterator[str]:
    """Warn if the columns of a table are not about the same patients, or the same records."""
    by_records: dict[frozenset[str], ColumnFigures] = {}
    for column in columns:
        by_records.setdefault(records_of(column), column)
    if len(by_records) < 2:
        return
    different = list(by_records.values())
    patients = [frozenset(trial.patient for trial in column.trials) for column in different]
    what = "different patients"
    members = patients
    # With the same patients, records differ in language: count records then, not patients.
    if len(set(patients)) == 1:
        what = "the same patients, but not the same records of them"
        members = list(by_records)
    counts = []
    for column, of_column in zip(different, members, strict=True):
        counts.append(f"{column.name} {len(of_column)}")
    if len(counts) > _MOST_COLUMNS:
        counts[_MOST_COLUMNS:] = ["…"]
    shared = len(frozenset.intersection(*members))
    yield (
        f"the columns hold {what} ({', '.join(counts)}; in all of them {shared});"
        " only the paired differences compare like with like"
    )


def _failures_and_unjudged(columns: Sequence[ColumnFigures]) -> Iterator[str]:
    """Say what failed or was not judged, and whether scores leave it out.

    Consultations that failed or have no verdict are left out. Those in which only a call of the
    memory's model failed ended with an answer: they are scored all the same.
    """
    for column in columns:
        if column.failed == column.consultations:
            yield f"{column.name}: every consultation failed; it has no score"
        elif column.failed:
            yield (
                f"{column.name}: {column.failed} of {column.consultations} failed and are left out"
                " of its scores"
            )
    unjudged = _counts(columns, lambda column: column.unjudged)
    if unjudged:
        yield f"no verdict yet, and left out of the scores: {unjudged}; `osler score` judges them"
    failures = _counts(columns, lambda column: column.memory_failures)
    if failures:
        yield (
            "a call of the memory's model failed in consultations that are in the scores:"
            f" {failures}"
        )


def _counts(columns: Iterable[ColumnFigures], count: Callable[[ColumnFigures], int | None]) -> str:
    """Name the columns that have any, with how many of their answers."""
    counts = [(column, count(column)) for column in columns]
    return ", ".join(
        f"{column.name} {number} of {column.answered}" for column, number in counts if number
    )
