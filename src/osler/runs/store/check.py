"""Checking a run file: what in it is damaged, part by part."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from osler.errors import UserError
from osler.runs.store.reader import RunFile
from osler.runs.transcript_rows import ResultRow

_MOST_FAULTS = 10
"""Faults of the tables that are named: one damaged page has many."""


@dataclass(frozen=True)
class Damage:
    """Something in a run that is not as it was written."""

    part: str
    """`tables`, `settings`, `record`, `transcript` or `result`."""
    what: str


def find_damage(run: RunFile) -> Iterator[Damage]:
    """Everything that is damaged; what cannot be reached any more is not looked at further."""
    for check in (_tables, _settings, _records, _transcripts):
        try:
            yield from check(run)
        except UserError as error:
            yield Damage("settings" if check is _settings else "tables", error.message)


def damaged_transcripts(run: RunFile) -> dict[int, str]:
    """The consultations whose transcript cannot be read, by number, and why."""
    found: dict[int, str] = {}
    for (number,) in run.ask("SELECT number FROM cells WHERE state != 'todo' ORDER BY number"):
        try:
            if run.transcript(number) is None:
                found[number] = f"the transcript of {run.name_of(number)} is missing"
        except UserError as error:
            found[number] = error.message
    return found


def _tables(run: RunFile) -> Iterator[Damage]:
    for (line,) in run.ask(f"PRAGMA integrity_check({_MOST_FAULTS})"):
        if line != "ok":
            yield Damage("tables", line)


def _settings(run: RunFile) -> Iterator[Damage]:
    _ = run.settings
    yield from ()


def _records(run: RunFile) -> Iterator[Damage]:
    for row in run.ask("SELECT id, hash, body FROM records ORDER BY id"):
        try:
            sound = hashlib.sha256(zlib.decompress(row["body"])).hexdigest() == row["hash"]
        except (TypeError, zlib.error):
            sound = False
        if not sound:
            yield Damage("record", f"{row['id']} is not as it was written")


def _transcripts(run: RunFile) -> Iterator[Damage]:
    unreadable = damaged_transcripts(run)
    for what in unreadable.values():
        yield Damage("transcript", what)
    for row in run.ask("SELECT results.* FROM cells JOIN results ON cell = number WHERE state != 'todo'"):
        transcript = run.transcript(row["cell"]) if row["cell"] not in unreadable else None
        if transcript is not None:
            figures = ResultRow.of(transcript)
            differing = [name for name in ResultRow.names() if row[name] != getattr(figures, name)]
            if differing:
                name = run.name_of(row["cell"])
                yield Damage("result", f"{name} does not fit its transcript ({', '.join(differing)})")
