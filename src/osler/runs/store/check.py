"""Check a run file: what in it is damaged, part by part."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from osler.errors import UserError
from osler.runs.store.connection import DamagedRunError, damaged
from osler.runs.store.reader import RunFile
from osler.runs.store.row_checksums import CHECKED, RowPlace, is_sound_answer
from osler.runs.store.verification import told
from osler.runs.transcript_rows import ResultRow

_MOST_FAULTS = 10
"""Faults of the tables that are named: one damaged page has many."""


@dataclass(frozen=True)
class Damage:
    """Something in a run that is not as it was written."""

    part: str
    """`tables`, `settings`, `record`, `transcript`, `result`, `score`, `search`, `row` or
    `answer`."""
    what: str


def require_sound(run: RunFile) -> None:
    """Refuse a run whose tables are damaged. Transcripts are not read: that takes long.

    Raises:
        DamagedRunError: Something is not as it was written.
    """
    for what in (*_tables(run), *_row_counts(run)):
        raise damaged(run.path, what)


def _row_counts(run: RunFile) -> list[str]:
    """Say which rows are not as they were written, table by table."""
    wrong = {name: run.wrong_rows(name) for name in CHECKED}
    if any(wrong.values()):
        return [told(wrong)]
    return []


def find_damage(run: RunFile) -> Iterator[Damage]:
    """Find everything that is damaged; what cannot be reached any more is not checked further.

    The run must have been opened without being verified, so that damaged rows are still there.
    """
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
    if lines == ["ok"]:
        return []
    return lines


def _rows(run: RunFile) -> Iterator[str]:
    for name in CHECKED:
        wrong = run.wrong_rows(name)
        for places, what in (
            (wrong.changed, "is not as it was written"),
            (wrong.missing, "is missing"),
        ):
            yield from (f"the {row_title(run, name, place)} {what}" for place in places)


def row_title(run: RunFile, table: str, place: RowPlace) -> str:
    """A row as messages name it.

    What it is, of which judge or setting, and of which consultation.
    """
    words = [CHECKED[table].title, place.key, f"of {run.name_of(place.cell)}" if place.cell else ""]
    return " ".join(filter(None, words))


def _answers(run: RunFile) -> Iterator[str]:
    for row in run.ask("SELECT * FROM answers ORDER BY id"):
        if not is_sound_answer(dict(row)):
            yield f"a kept answer of {run.name_of(row['cell'])} is not as it was written"


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
    for row in run.ask(
        "SELECT number, results.* FROM cells LEFT JOIN results ON cell = number WHERE state !="
        " 'todo'"
    ):
        if row["cell"] is None:
            yield f"the result of {run.name_of(row['number'])} is missing"
            continue
        with suppress(DamagedRunError):  # reported as a transcript
            transcript = run.transcript(row["cell"])
            if transcript:
                figures = ResultRow.of(transcript)
                differing = [
                    name for name in ResultRow.names() if row[name] != getattr(figures, name)
                ]
                if differing:
                    yield (
                        f"{run.name_of(row['cell'])} does not fit its transcript"
                        f" ({', '.join(differing)})"
                    )


def _scores(run: RunFile) -> Iterator[str]:
    wrong = "SELECT cell FROM measures WHERE NOT json_valid(body) UNION SELECT cell FROM verdicts"
    for (number,) in run.ask(f"{wrong} WHERE typeof(verdict) != 'text'"):
        yield f"the score of {run.name_of(number)} cannot be read"


def _search(run: RunFile) -> Iterator[str]:
    lost = (
        "SELECT number FROM cells WHERE state != 'todo' AND number NOT IN (SELECT rowid FROM said)"
    )
    for (number,) in run.ask(lost):
        yield f"{run.name_of(number)} cannot be found by a search"


_CHECKS: dict[str, Callable[[RunFile], Iterable[str]]] = {
    "tables": _tables,
    "row": _rows,
    "answer": _answers,
    "settings": _settings,
    "record": _records,
    "transcript": lambda run: damaged_transcripts(run).values(),
    "result": _results,
    "score": _scores,
    "search": _search,
}
