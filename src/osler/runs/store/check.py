"""Checking a run file: what in it is damaged, part by part."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from osler.errors import UserError
from osler.runs.result_row import ResultRow
from osler.runs.store.reader import RunFile

_MOST_FAULTS = 10
"""Faults of the tables that are named: one damaged page has many."""


@dataclass(frozen=True)
class Fault:
    """Something in a run that is not as it was written."""

    part: str
    """`tables`, `settings`, `record`, `transcript` or `result`."""
    what: str


def faults(run: RunFile) -> Iterator[Fault]:
    """Everything that is damaged; what cannot be reached any more is not looked at further."""
    for look in (_tables, _settings, _records, _transcripts):
        try:
            yield from look(run)
        except UserError as error:
            yield Fault("tables", error.message)


def damaged_transcripts(run: RunFile) -> dict[int, str]:
    """The consultations whose transcript cannot be read, by number, and why."""
    found: dict[int, str] = {}
    for row in run.ask("SELECT number FROM cells WHERE state != 'todo' ORDER BY number"):
        try:
            transcript = run.transcript(row["number"])
        except UserError as error:
            found[row["number"]] = error.message
        else:
            if transcript is None:
                found[row["number"]] = f"the transcript of {run.name_of(row['number'])} is missing"
    return found


def _tables(run: RunFile) -> Iterator[Fault]:
    for (line,) in run.ask(f"PRAGMA integrity_check({_MOST_FAULTS})"):
        if line != "ok":
            yield Fault("tables", line)


def _settings(run: RunFile) -> Iterator[Fault]:
    try:
        _ = run.settings
    except UserError as error:
        yield Fault("settings", error.message)


def _records(run: RunFile) -> Iterator[Fault]:
    for row in run.ask("SELECT id, hash, body FROM records ORDER BY id"):
        try:
            sound = hashlib.sha256(zlib.decompress(row["body"])).hexdigest() == row["hash"]
        except (TypeError, zlib.error):
            sound = False
        if not sound:
            yield Fault("record", f"{row['id']} is not as it was written")


def _transcripts(run: RunFile) -> Iterator[Fault]:
    unreadable = damaged_transcripts(run)
    for what in unreadable.values():
        yield Fault("transcript", what)
    for row in run.ask("SELECT results.* FROM cells LEFT JOIN results ON cell = number WHERE state != 'todo'"):
        number = row["cell"]
        transcript = run.transcript(number) if number is not None and number not in unreadable else None
        if transcript is not None:
            figures = ResultRow.of(transcript)
            differing = [name for name in ResultRow.names() if row[name] != getattr(figures, name)]
            if differing:
                yield Fault("result", f"{run.name_of(number)} does not fit its transcript ({', '.join(differing)})")
