"""Check a run file: what in it is damaged, part by part."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from osler.errors import UserError
from osler.runs.store.connection import DamagedRunError
from osler.runs.store.reader import RunFile
from osler.runs.transcript_rows import ResultRow

_MOST_FAULTS = 10
"""Faults of the tables that are named: one damaged page has many."""


@dataclass(frozen=True)
class Damage:
    """Something in a run that is not as it was written."""

    part: str
    """`tables`, `settings`, `record`, `transcript`, `result` or `score`."""
    what: str


def find_damage(run: RunFile) -> Iterator[Damage]:
    """Find everything that is damaged; what cannot be reached any more is not checked further."""
    for part, check in _CHECKS.items():
        try:
            yield from (Damage(part, what) for what in check(run))
        except UserError as error:
            yield Damage(part, error.message)


def damaged_transcripts(run: RunFile) -> dict[int, str]:
    """Return the consultations whose transcript cannot be read, by number, and why."""
    found: dict[int, str] = {}
    for (number,) in run.ask("SELECT number FROM cells WHERE state != 'todo' ORDER BY number"):
        try:
            if run.transcript(number) is None:
                found[number] = f"the transcript of {run.name_of(number)} is missing"
        except UserError as error:
            found[number] = error.message
    return found


def _tables(run: RunFile) -> list[str]:
    lines = [line for (line,) in run.ask(f"PRAGMA integrity_check({_MOST_FAULTS})")]
    return [] if lines == ["ok"] else lines


def _settings(run: RunFile) -> list[str]:
    _ = run.settings
    return []


def _records(run: RunFile) -> Iterator[str]:
    for row in run.ask("SELECT id, hash, body FROM records ORDER BY id"):
        try:
            sound = hashlib.sha256(zlib.decompress(row["body"])).hexdigest() == row["hash"]
        except (TypeError, zlib.error):
            sound = False
        if not sound:
            yield f"{row['id']} is not as it was written"


def _results(run: RunFile) -> Iterator[str]:
    for row in run.ask("SELECT number, results.* FROM cells LEFT JOIN results ON cell = number WHERE state != 'todo'"):
        if row["cell"] is None:
            yield f"the result of {run.name_of(row['number'])} is missing"
            continue
        with suppress(DamagedRunError):  # reported as a transcript
            if transcript := run.transcript(row["cell"]):
                figures = ResultRow.of(transcript)
                if differing := [name for name in ResultRow.names() if row[name] != getattr(figures, name)]:
                    yield f"{run.name_of(row['cell'])} does not fit its transcript ({', '.join(differing)})"


def _scores(run: RunFile) -> Iterator[str]:
    wrong = "SELECT cell FROM measures WHERE NOT json_valid(body) UNION SELECT cell FROM verdicts"
    for (number,) in run.ask(f"{wrong} WHERE typeof(verdict) != 'text'"):
        yield f"the score of {run.name_of(number)} cannot be read"


_CHECKS: dict[str, Callable[[RunFile], Iterable[str]]] = {
    "tables": _tables,
    "settings": _settings,
    "record": _records,
    "transcript": lambda run: damaged_transcripts(run).values(),
    "result": _results,
    "score": _scores,
}
