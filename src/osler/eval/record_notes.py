"""What a reader should look at again in a record: what is no error, and may still give a wrong figure."""

from __future__ import annotations

from collections.abc import Iterator

from osler.eval.vocabulary import cue
from osler.records.schema import PatientRecord, Treatment
from osler.records.visit_notes import visit_notes


def record_notes(record: PatientRecord) -> Iterator[str]:
    """Yield the notes on a record's unsafe treatments and on its earlier visits, a line each."""
    if record.treatment is not None:
        yield from _unsafe_notes(record.treatment)
    yield from visit_notes(record)


def _unsafe_notes(treatment: Treatment) -> Iterator[str]:
    """Yield the aliases that leave out what makes an unsafe treatment unsafe: now, regular, alone.

    Such an alias makes unsafe what a right plan may give later, once or beside something else.
    """
    limits = cue("unsafe_cues", "limits")
    for item in treatment.unsafe:
        limit = limits.search(item.name)
        for alias in item.aliases:
            if limit is not None and limits.search(alias) is None:
                yield (
                    f"treatment.unsafe: the alias {alias!r} of {item.name!r} leaves out {limit[0]!r}, so a plan that"
                    " gives it otherwise counts as unsafe, too; say it in the alias, or remove the alias"
                )
