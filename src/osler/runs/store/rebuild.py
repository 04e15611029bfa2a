"""Write what can be read of a damaged run into a new file.

What follows from transcripts is made from them again.
"""

# ruff: noqa: S608 -- statements are made of our own words; values of others are bound

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from osler.errors import UserError
from osler.records.schema import PatientRecord
from osler.runs.plan import Cell
from osler.runs.store import CellState, search_index
from osler.runs.store.connection import checksum
from osler.runs.store.create import create_run_file
from osler.runs.store.row_checksums import (
    CHECKED,
    RowPlace,
    is_sound_answer,
    row_checksum,
    write_checksums,
)
from osler.runs.store.salvage import DamagedFile, Row, SalvagedTable
from osler.runs.store.tables import CELL, cell_of, cell_values
from osler.runs.transcript import Transcript
from osler.runs.transcript_rows import ResultRow
from osler.settings.run_settings import RunSettings

_OF_ANSWERS = ("verdicts", "measures", "patient_verdicts")
"""Tables with rows about a consultation's transcript: without it, they go as well."""


@dataclass
class Rebuilt:
    """What became of a damaged run."""

    results: int = 0
    """Consultations whose figures were counted again from their transcripts."""
    rejudged: set[int] = field(default_factory=set)
    """Consultations that the rules have to judge and measure again."""
    plan_rows: int = 0
    """Consultations whose row of the plan was made again from their transcript."""
    removed: dict[str, list[RowPlace]] = field(default_factory=dict)
    """Rows that only a model or a person can make again, or nobody, by their table."""
    again: list[Cell] = field(default_factory=list)
    """Consultations that were damaged and have to be held again."""
    forks: list[Cell] = field(default_factory=list)
    """Forks that were damaged, and were removed: only forking again makes them."""
    unchecked_settings: list[str] = field(default_factory=list)
    """Settings that were kept though their checksums are lost."""
    records: list[str] = field(default_factory=list)
    """Records that were lost, and with them the consultations with these patients."""


def rebuild(path: Path, target: Path, judge: str) -> Rebuilt:
    """Write everything sound of a run into a new file.

    `judge` is who can judge again without a model.

    Raises:
        UserError: What all the rest depends on is lost, such as the settings.
    """
    try:
        source = DamagedFile(path)
    except sqlite3.DatabaseError as error:
        raise _cannot_be_repaired(path, error) from None
    with closing(source):
        for table in ("about", "records", "cells", "transcripts"):
            if not source.has(table):
                raise _cannot_be_repaired(path, f"its table {table} cannot be found")
        settings = source.salvaged("about")
        rows = settings.sound + settings.unchecked
        about = {str(row["name"]): _parsed(row["value"]) for row in rows}
        if not _are_settings(about.get("settings")):
            raise _cannot_be_repaired(path, "its settings are lost")
        create_run_file(target, about)
        with closing(sqlite3.connect(target, isolation_level="IMMEDIATE")) as file, file:
            write_checksums(file)
            return _Rebuild(source, file, judge, settings).run()


def _cannot_be_repaired(path: Path, why: object) -> UserError:
    return UserError(
        f"the run {path} cannot be repaired ({why})",
        "restore a copy, or hold it again: `osler simulate` with another --out",
    )


class _Rebuild:
    """One rebuilding, table after table."""

    def __init__(
        self, source: DamagedFile, file: sqlite3.Connection, judge: str, settings: SalvagedTable
    ) -> None:
        self._source = source
        self._file = file
        self._judge = judge
        self._result = Rebuilt()
        self._forks: set[int] = set()
        self._cells: dict[int, str] = {}
        """The consultations that the new file has, with their states."""
        self._held: set[int] = set()
        """Those of them whose transcript is sound."""
        unchecked = [CHECKED["about"].place_of(row) for row in settings.unchecked]
        self._result.unchecked_settings = sorted(place.key for place in unchecked)
        self._note_lost("about", [place for place in settings.lost if place not in unchecked])

    def run(self) -> Rebuilt:
        """All tables, in the order in which they build on each other."""
        self._forks = {row["cell"] for row in self._source.rows("forks")}
        self._copy_records()
        self._copy_plan()
        self._copy_transcripts()
        self._put_back_what_is_lost()
        self._copy_results()
        for table in ("prompts", "sessions", "patient_judges"):
            self._copy(table)
        for table in ("attempts", "forks", "explanations", "explain_answers"):
            self._copy(table, self._cells)
        for table in _OF_ANSWERS:
            self._copy(table, self._held)
        self._copy_answers()
        self._drop_half_judged()
        return self._result

    def _copy_records(self) -> None:
        """Copy the records whose content is as it was; the other columns follow from it."""
        every = {place.key for place in self._source.salvaged("records").lost}
        kept = set()
        for row in self._source.rows("records"):
            every.add(str(row["id"]))
            record = _record(row)
            if record is not None:
                about = {
                    "patient": record.patient,
                    "language": record.language.value,
                    "specialty": record.specialty,
                }
                self._insert("records", [{**row, "id": record.id, **about}])
                kept.add(record.id)
        self._result.records = sorted(every - kept)

    def _copy_plan(self) -> None:
        known = {name for (name,) in self._file.execute("SELECT id FROM records")}
        rows = [row for row in self._source.salvaged("cells").sound if row["record"] in known]
        self._insert("cells", rows)
        self._cells = {row["number"]: row["state"] for row in rows}

    def _copy_transcripts(self) -> None:
        """Copy sound transcripts, and make their results and what searches find from them."""
        known = {name for (name,) in self._file.execute("SELECT id FROM records")}
        for row in self._source.rows("transcripts"):
            number = row["cell"]
            transcript = _transcript(row)
            if (
                transcript is None
                or transcript.header.case not in known
                or not isinstance(number, int)
            ):
                continue
            figures = ResultRow.of(transcript)
            if number not in self._cells and not self._plan_again(number, transcript, figures):
                continue
            if self._cell(number) != transcript.header.cell:
                continue
            self._held.add(number)
            self._insert("transcripts", [row])
            self._insert("results", [{"cell": number, **figures.model_dump(), "at": _now()}])
            search_index.keep(self._file, number, transcript)

    def _plan_again(self, number: int, transcript: Transcript, figures: ResultRow) -> bool:
        """Make the plan's row of a consultation again.

        Not that of a fork, which is nothing without its origin.
        """
        state = CellState.DONE if transcript.ending.is_answer else CellState.FAILED
        row: Row = {
            "number": number,
            **dict(zip(CELL, cell_values(transcript.header.cell), strict=True)),
        }
        tokens = (figures.tokens_in or 0) + (figures.tokens_out or 0)
        row |= {
            "state": state.value,
            "calls": figures.calls,
            "tokens": tokens,
            "cost": figures.cost or 0.0,
        }
        if number in self._forks or not self._insert("cells", [row]):
            return False
        self._cells[number] = state.value
        self._result.plan_rows += 1
        return True

    def _cell(self, number: int) -> Cell | None:
        row = self._file.execute(
            f"SELECT {', '.join(CELL)} FROM cells WHERE number = ?", (number,)
        ).fetchone()
        with suppress(TypeError, ValueError):
            return cell_of(dict(zip(CELL, row, strict=True)))
        return None

    def _put_back_what_is_lost(self) -> None:
        """Consultations without a transcript are to be held again; forks cannot be."""
        for number, state in list(self._cells.items()):
            if state == CellState.TODO or number in self._held:
                continue
            cell = self._cell(number)
            if number in self._forks:
                del self._cells[number]
                self._file.execute("DELETE FROM cells WHERE number = ?", (number,))
            else:
                self._cells[number] = CellState.TODO
                self._file.execute("UPDATE cells SET state = 'todo' WHERE number = ?", (number,))
            if cell is not None:
                (self._result.forks if number in self._forks else self._result.again).append(cell)

    def _copy_results(self) -> None:
        """Keep the results that are sound, with the time they were written at."""
        sound = [row for row in self._source.salvaged("results").sound if row["cell"] in self._held]
        self._insert("results", sound, "REPLACE")
        self._result.results = len(self._held) - len(sound)

    def _copy(self, name: str, among: Iterable[int] | None = None) -> None:
        """Copy the sound rows of a table, or those of some consultations; note what is lost."""
        table = self._source.salvaged(name)
        if among is not None:
            wanted = set(among)
            table.sound = [row for row in table.sound if row["cell"] in wanted]
            table.lost = [place for place in table.lost if place.cell in wanted]
        readable = [row for row in table.sound if _is_readable(name, row)]
        table.lost += [
            CHECKED[name].place_of(row) for row in table.sound if not _is_readable(name, row)
        ]
        self._insert(name, readable)
        self._note_lost(name, table.lost)

    def _note_lost(self, name: str, lost: list[RowPlace]) -> None:
        for place in lost:
            if name == "measures" or (
                name == "verdicts" and place.key.split(" ", 1)[1:] == [self._judge]
            ):
                self._result.rejudged.add(place.cell)
            else:
                self._result.removed.setdefault(name, []).append(place)

    def _copy_answers(self) -> None:
        """Copy the kept answers of consultations that have not ended.

        Those that are lost are asked for again.
        """
        for row in self._source.rows("answers"):
            state = self._cells.get(row["cell"], CellState.DONE)
            if state != CellState.DONE and is_sound_answer(row):
                self._insert(
                    "answers",
                    [{**row, "checksum": row_checksum(row["cell"], row["key"], row["body"])}],
                )

    def _drop_half_judged(self) -> None:
        """Remove scores of which a part is lost, so that all of them is made again."""
        for number in self._result.rejudged:
            self._file.execute(
                "DELETE FROM verdicts WHERE cell = ? AND judge = ?", (number, self._judge)
            )
            self._file.execute("DELETE FROM measures WHERE cell = ?", (number,))

    def _insert(self, table: str, rows: list[Row], conflict: str = "IGNORE") -> int:
        """Insert rows by the names of their columns; how many were."""
        before = self._file.total_changes
        for row in rows:
            marks = ", ".join(f":{name}" for name in row)
            self._file.execute(
                f"INSERT OR {conflict} INTO {table} ({', '.join(row)}) VALUES ({marks})", row
            )
        return self._file.total_changes - before


def _record(row: Row) -> PatientRecord | None:
    """The record of a row, if its content is as it was written."""
    with suppress(TypeError, ValueError, zlib.error):
        content = zlib.decompress(row["body"])
        if hashlib.sha256(content).hexdigest() == row["hash"]:
            return PatientRecord.model_validate_json(content)
    return None


def _are_settings(data: Any) -> bool:
    with suppress(LookupError, TypeError, AttributeError, ValueError):
        return bool(RunSettings.from_json(data))
    return False


def _transcript(row: Row) -> Transcript | None:
    with suppress(TypeError, ValueError, zlib.error):
        if checksum(row["body"]) == row["checksum"]:
            return Transcript.model_validate_json(zlib.decompress(row["body"]))
    return None


def _is_readable(table: str, row: Row) -> bool:
    """Check a row that may have no checksum: text is text, and JSON can be read."""
    if table == "verdicts":
        return all(isinstance(row[name], str) for name in ("judge", "verdict", "rung", "because"))
    return "body" not in row or _parsed(row["body"]) is not None


def _parsed(text: Any) -> Any:
    with suppress(TypeError, ValueError):
        return json.loads(text)
    return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
