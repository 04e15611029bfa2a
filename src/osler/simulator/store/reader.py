"""Reading a run."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from osler.errors import UserError
from osler.records.schema import PatientRecord
from osler.simulator.plan import Cell, Settings
from osler.simulator.store import said
from osler.simulator.store.tables import FORMAT, MARK, connect
from osler.simulator.transcript import Transcript

FOLDER = Path("runs")
SUFFIX = ".osler"
_FORKS = ".forks"


class CellState(StrEnum):
    """Where a consultation of the plan stands."""

    TODO = "todo"
    DONE = "done"
    FAILED = "failed"


def run_path(name: str | Path) -> Path:
    """The file of a run: a path, or a name that stands for `runs/NAME.osler`."""
    path = Path(name)
    if path.suffix == SUFFIX or path.exists():
        return path
    return path.with_name(path.name + SUFFIX) if len(path.parts) > 1 else FOLDER / f"{path}{SUFFIX}"


def forks_path(run: Path) -> Path:
    """The run of all forks of a run, beside it; forks of forks stay among themselves."""
    return run if run.stem.endswith(_FORKS) else run.with_name(f"{run.stem}{_FORKS}{SUFFIX}")


@dataclass(frozen=True)
class Standing:
    """How far a run is."""

    todo: int
    done: int
    failed: int
    attempts: int
    calls: int
    tokens: int
    cost: float
    seconds: float

    @property
    def total(self) -> int:
        """All consultations of the plan."""
        return self.todo + self.done + self.failed


@dataclass(frozen=True)
class Fork:
    """Where a consultation comes from that went on from the first turns of another one."""

    run: str
    """The name of the parent's run."""
    parent: Cell
    turn: int
    """The last turn that it shares with its parent."""


class RunFile:
    """A run, open for reading. Safe while another process writes to it."""

    def __init__(self, path: Path, file: sqlite3.Connection) -> None:
        """Take an open file; use `open`."""
        self.path, self._file = path, file
        self._record = lru_cache(maxsize=512)(self._read_record)

    @classmethod
    def open(cls, name: str | Path) -> Self:
        """Open an existing run.

        Raises:
            UserError: There is none, or the file is not a run of this version.
        """
        path = run_path(name)
        if not path.is_file():
            raise UserError(f"there is no run {path}", "`osler runs list` shows what there is")
        try:
            file = connect(path, writing=False)
            check_format(file, path)
        except sqlite3.DatabaseError as error:
            raise UserError(
                f"{path} cannot be read as a run ({error})", "give a file that `osler simulate` wrote"
            ) from None
        return cls(path, file)

    def __enter__(self) -> Self:
        """Use it in a with block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def about(self) -> dict[str, Any]:
        """Settings, versions, and whatever else the run was made with."""
        return {name: json.loads(value) for name, value in self._file.execute("SELECT name, value FROM about")}

    @property
    def settings(self) -> Settings:
        """What all its consultations share."""
        return Settings.from_json(self.about()["settings"])

    def standing(self) -> Standing:
        """How far it is."""
        states = dict(self._file.execute("SELECT state, count(*) FROM cells GROUP BY state"))
        calls, tokens, cost = self._file.execute(
            # Tokens by `total`, which does not overflow: older versions kept whatever a server claimed.
            "SELECT coalesce(sum(calls), 0), CAST(total(tokens) AS INTEGER), coalesce(sum(cost), 0.0) FROM cells"
        ).fetchone()
        (attempts,) = self._file.execute("SELECT count(*) FROM attempts").fetchone()
        (seconds,) = self._file.execute("SELECT coalesce(sum(seconds), 0.0) FROM sessions").fetchone()
        todo, done, failed = (states.get(state.value, 0) for state in CellState)
        return Standing(todo, done, failed, attempts, calls, tokens, cost, seconds)

    def rows(self, columns: str, where: str = "1", order: str = "cells.number") -> Iterator[sqlite3.Row]:
        """Columns of cells, records and results, as they are joined; for tables over the whole run."""
        cursor = self._file.cursor()
        cursor.row_factory = sqlite3.Row
        yield from cursor.execute(
            f"SELECT {columns} FROM cells JOIN records ON records.id = cells.record"  # noqa: S608 -- our own columns
            f" LEFT JOIN results ON results.cell = cells.number WHERE {where} ORDER BY {order}"
        )

    @property
    def is_searchable(self) -> bool:
        """Whether what was said can be searched; runs of older versions get the index when they are next written to."""
        return said.is_there(self._file)

    def ask(self, sql: str, values: dict[str, Any] | None = None) -> list[sqlite3.Row]:
        """The rows of any question to the tables; what a person wrote belongs into the values."""
        cursor = self._file.cursor()
        cursor.row_factory = sqlite3.Row
        return cursor.execute(sql, values or {}).fetchall()

    def record(self, case: str) -> PatientRecord:
        """A record as it was when the run began."""
        return self._record(case)

    def _read_record(self, case: str) -> PatientRecord:
        (body,) = self._file.execute("SELECT body FROM records WHERE id = ?", (case,)).fetchone()
        return PatientRecord.model_validate_json(zlib.decompress(body))

    def transcripts(self) -> Iterator[Transcript]:
        """All consultations that have ended, well or not, in the order of the plan."""
        for (body,) in self._file.execute(
            "SELECT body FROM transcripts JOIN cells ON number = cell ORDER BY record, backbone, memory, trial"
        ):
            yield Transcript.model_validate_json(zlib.decompress(body))

    def transcript(self, number: int) -> Transcript | None:
        """The consultation of one cell."""
        row = self._file.execute("SELECT body FROM transcripts WHERE cell = ?", (number,)).fetchone()
        return Transcript.model_validate_json(zlib.decompress(row[0])) if row else None

    def find(
        self, case: str, memory: str | None = None, backbone: str | None = None, trial: int | None = None
    ) -> Transcript:
        """The one consultation that fits.

        Raises:
            UserError: None fits, or several do.
        """
        fitting = self._file.execute(
            "SELECT number, record, backbone, memory, trial, state FROM cells JOIN records ON records.id = record"
            " WHERE ? IN (records.id, patient) AND (? IS NULL OR memory = ?) AND (? IS NULL OR backbone = ?)"
            " AND (? IS NULL OR trial = ?) ORDER BY number",
            (case, memory, memory, backbone, backbone, trial, trial),
        ).fetchall()
        if not fitting:
            raise UserError(f"the run has no such consultation of {case!r}", "check the case, --memory and --backbone")
        if len(fitting) > 1:
            told = "; ".join(" ".join(map(str, row[1:5])) for row in fitting[:6])
            raise UserError(
                f"{case!r} fits {len(fitting)} consultations ({told})", "add --memory, --backbone or --trial"
            )
        transcript = self.transcript(fitting[0][0])
        if transcript is None:
            raise UserError(f"the consultation of {case!r} has not been held yet", f"go on with the run {self.path}")
        return transcript

    def judges(self) -> dict[str, int]:
        """The judges whose verdicts are kept, in the order they came, and of how many consultations each spoke."""
        found = self._file.execute(
            "SELECT judge, count(DISTINCT cell) FROM verdicts GROUP BY judge ORDER BY min(at), judge"
        )
        return dict(found)

    def unjudged(self, judge: str) -> list[int]:
        """The consultations that ended with an answer and that this judge has not judged."""
        found = self._file.execute(
            "SELECT number FROM cells WHERE state = 'done' AND NOT EXISTS (SELECT 1 FROM verdicts WHERE cell = number"
            " AND judge = ?) ORDER BY number",
            (judge,),
        )
        return [number for (number,) in found]

    def scores(self, judge: str) -> Iterator[sqlite3.Row]:
        """One row per consultation that has ended: what it was, what came of it, and what this judge said."""
        cursor = self._file.cursor()
        cursor.row_factory = sqlite3.Row
        yield from cursor.execute(
            "SELECT cells.number, cells.record, patient, language, specialty, cells.backbone, cells.memory,"
            " cells.trial, cells.state, results.*, cells.tokens AS tokens_paid, cells.cost AS cost_paid,"
            " d.verdict AS diagnosis_verdict, d.rung AS diagnosis_rung, d.because AS diagnosis_because,"
            " d.rank AS diagnosis_rank, t.verdict AS treatment_verdict, t.rung AS treatment_rung,"
            " t.because AS treatment_because, measures.body AS measures"
            " FROM cells JOIN records ON records.id = cells.record JOIN results ON results.cell = cells.number"
            " LEFT JOIN verdicts d ON d.cell = cells.number AND d.kind = 'diagnosis' AND d.judge = ?1"
            " LEFT JOIN verdicts t ON t.cell = cells.number AND t.kind = 'treatment' AND t.judge = ?1"
            " LEFT JOIN measures ON measures.cell = cells.number ORDER BY cells.number",
            (judge,),
        )

    def cell(self, number: int) -> Cell:
        """What a cell of the plan stands for."""
        row = self._file.execute("SELECT record, backbone, memory, trial FROM cells WHERE number = ?", (number,))
        return Cell(*row.fetchone())

    def forks(self) -> dict[int, Fork]:
        """The consultations that are forks, by their cells, and what each was forked from."""
        if not self._file.execute("SELECT 1 FROM sqlite_master WHERE name = 'forks'").fetchone():
            return {}  # a run from before there were any
        found = self._file.execute(
            "SELECT cell, parent_run_name, turn, parent_case, parent_backbone, parent_memory, parent_trial FROM forks"
        )
        return {cell: Fork(run, Cell(*parent), turn) for cell, run, turn, *parent in found}

    def attempts(self, number: int) -> list[tuple[str, str | None, int]]:
        """How every try at a cell ended: the ending, the message, the tokens."""
        return self._file.execute(
            "SELECT ending, message, tokens FROM attempts WHERE cell = ? ORDER BY id", (number,)
        ).fetchall()


def check_format(file: sqlite3.Connection, path: Path) -> None:
    """Refuse what is no run, or one of another version."""
    (mark,), (version,) = (file.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version"))
    if mark != MARK:
        raise UserError(f"{path} is not a run", "give a file that `osler simulate` wrote")
    if version != FORMAT:
        raise UserError(f"{path} is a run of format {version}, not {FORMAT}", "use the version of Osler that wrote it")
