"""Which records of a run are twins of each other, and what differs between them."""

from __future__ import annotations

from contextlib import suppress

from osler.errors import StorageError
from osler.records.schema import PatientRecord
from osler.records.twins import differing_parts
from osler.runs.scored import TwinPair
from osler.runs.store.reader import RunFile

# A twin is the same patient in the same language: only records that share both are read.
_SHARING = """
SELECT id FROM records JOIN (
    SELECT patient AS p, language AS l FROM records GROUP BY patient, language HAVING count(*) > 1
) ON patient = p AND language = l
WHERE ?1 IS NULL OR patient = (
    SELECT patient FROM records JOIN cells ON cells.record = records.id WHERE cells.number = ?1
)
"""


def twin_pairs(run: RunFile, number: int | None = None) -> dict[str, TwinPair]:
    """Return the pair of every record whose other half is in the run as well, by the record's id.

    Args:
        run: The open run.
        number: Only the pair of this consultation's record.
    """
    records: dict[str, PatientRecord] = {}
    for (case,) in run.ask(_SHARING, (number,)):
        with suppress(StorageError):  # a damaged record has no pair; `osler runs check` names it
            records[case] = run.record(case)
    pairs: dict[str, TwinPair] = {}
    for record in records.values():
        base = records.get(record.twin_of or "")
        if base is not None:
            pair = TwinPair(base.id, record.id, differing_parts(base, record))
            pairs |= {base.id: pair, record.id: pair}
    return pairs
