"""Writing a run: one process at a time, and every step whole or not at all."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout

from osler.errors import UserError
from osler.records.schema import PatientRecord
from osler.simulator.figures import Figures
from osler.simulator.plan import LARGEST_PLAN, Cell, Plan
from osler.simulator.store import said
from osler.simulator.store.reader import CellState, Fork, RunFile, check_format, run_path
from osler.simulator.store.tables import FORKS, FORMAT, MARK, TABLES, connect
from osler.simulator.transcript import Transcript

_MARKS = ", ".join("?" for _ in Figures.names())


class StoreError(UserError):
    """The run file cannot be written any more: the disk is full, gone or read-only."""


@dataclass(frozen=True)
class Planned:
    """The consultations of a plan: those still to be held, by number, and how many have ended before."""

    todo: list[int]
    there: int


@dataclass(frozen=True)
class Spoken:
    """What a judge said of one part of an ending."""

    kind: str
    """`diagnosis` or `treatment`."""
    verdict: str
    rung: str
    """The step of its reasoning that decided."""
    because: str
    rank: int | None = None
    """Of the first right diagnosis in the list of those that the doctor named, its own first."""
    tokens: int | None = None


class RunWriter(RunFile):
    """A run, open for writing. A second one for the same file is refused while this is open."""

    def __init__(self, path: Path, file: sqlite3.Connection, lock: FileLock) -> None:
        """Take an open file and its lock; use `create`."""
        super().__init__(path, file)
        self._lock = lock
        self._session = 0
        self._began = time.monotonic()

    @classmethod
    def create(cls, name: str | Path, about: dict[str, Any]) -> Self:
        """Start a run, or go on with one that was made with the same settings.

        Args:
            name: The run.
            about: What decides its results: settings and versions.

        Raises:
            UserError: The file cannot be written, is in use, or was made with other settings.
        """
        path = run_path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = _locked(path)
            try:
                return cls(path, _opened(path, about), lock)
            except BaseException:
                lock.release()
                raise
        except (OSError, sqlite3.OperationalError) as error:
            raise _cannot_write(path, error) from None
        except sqlite3.DatabaseError as error:
            raise UserError(f"{path} is not a run ({error})", "give another --out") from None

    def close(self) -> None:
        """Close the file as one piece, and let others write."""
        with suppress(sqlite3.Error):
            if self._session:
                self._tick("ended = ?", _now())
        with suppress(sqlite3.Error):
            self._file.execute("PRAGMA journal_mode=DELETE")  # one plain file again, unless somebody is reading it
        super().close()
        self._lock.release()

    @contextmanager
    def _whole(self) -> Iterator[sqlite3.Connection]:
        """All of a step, or nothing of it."""
        try:
            self._file.execute("BEGIN IMMEDIATE")
            try:
                yield self._file
                self._file.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._file.execute("ROLLBACK")
                raise
        except sqlite3.OperationalError as error:
            raise _cannot_write(self.path, error) from None

    def extend(self, plan: Plan) -> Planned:
        """Add the plan's consultations that the run does not have yet.

        Raises:
            UserError: A record has changed since the run began, or the plan is too large.
        """
        todo: list[int] = []
        known = 0
        with self._whole() as file:
            for count, record in enumerate(plan.records, 1):
                if count * plan.each > LARGEST_PLAN:
                    raise plan.too_large(count)
                self._add_record(file, record)
                for cell in plan.cells(record):
                    name = (cell.case, cell.backbone, cell.memory, cell.trial)
                    new = "INSERT OR IGNORE INTO cells (record, backbone, memory, trial) VALUES (?, ?, ?, ?)"
                    file.execute(new, name)
                    number, state = file.execute(
                        "SELECT number, state FROM cells WHERE (record, backbone, memory, trial) = (?, ?, ?, ?)", name
                    ).fetchone()
                    if state == CellState.TODO:
                        todo.append(number)
                    else:
                        known += 1
        return Planned(todo, known)

    def next_trial(self, case: str, backbone: str, memory: str) -> int:
        """The number after the last trial of this kind."""
        (last,) = self._file.execute(
            "SELECT coalesce(max(trial), 0) FROM cells WHERE (record, backbone, memory) = (?, ?, ?)",
            (case, backbone, memory),
        ).fetchone()
        return int(last) + 1

    def add_fork(self, record: PatientRecord, cell: Cell, fork: Fork) -> int:
        """Add one consultation to the run together with where it comes from; its number."""
        with self._whole() as file:
            self._add_record(file, record)
            file.execute(
                "INSERT INTO cells (record, backbone, memory, trial) VALUES (?, ?, ?, ?)",
                (cell.case, cell.backbone, cell.memory, cell.trial),
            )
            (number,) = file.execute("SELECT last_insert_rowid()").fetchone()
            parent = fork.parent
            row = (number, fork.run, parent.case, parent.backbone, parent.memory, parent.trial, fork.turn)
            file.execute("INSERT INTO forks VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return int(number)

    def _add_record(self, file: sqlite3.Connection, record: PatientRecord) -> None:
        body = record.model_dump_json(exclude_none=True).encode()
        digest = hashlib.sha256(body).hexdigest()
        known = file.execute("SELECT hash FROM records WHERE id = ?", (record.id,)).fetchone()
        if known is None:
            row = (record.id, record.patient, record.language.value, record.specialty, digest, zlib.compress(body))
            file.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)", row)
        elif known[0] != digest:
            raise UserError(
                f"the record {record.id!r} is not what it was when the run {self.path} began",
                "give another --out, or the records as they were",
            )

    def begin(self, detail: dict[str, Any]) -> None:
        """Note that the run is started, or taken up again, and what a kill has left half done."""
        with self._whole() as file:
            file.execute(
                "INSERT INTO sessions (began, detail) VALUES (?, ?)", (_now(), json.dumps(detail, ensure_ascii=False))
            )
            (self._session,) = file.execute("SELECT max(id) FROM sessions").fetchone()
            paid = "(SELECT coalesce(sum(attempts.calls), 0) FROM attempts WHERE attempts.cell = cells.number)"
            left = file.execute(f"SELECT number FROM cells WHERE state = 'todo' AND calls > {paid}").fetchall()  # noqa: S608
            for (number,) in left:
                self._attempt(file, number, "interrupted", "the process ended")
        self._began = time.monotonic()

    def kept(self, number: int) -> tuple[tuple[str, str], ...]:
        """What models already said in a consultation that has not ended."""
        return tuple(self._file.execute("SELECT key, body FROM answers WHERE cell = ? ORDER BY id", (number,)))

    def keep(self, answers: Iterable[tuple[int, str, str, int, float]]) -> None:
        """Keep answers as (cell, key, body, tokens, cost)."""
        with self._whole() as file:
            for number, key, body, tokens, cost in answers:
                file.execute("INSERT INTO answers (cell, key, body) VALUES (?, ?, ?)", (number, key, body))
                file.execute(
                    "UPDATE cells SET calls = calls + 1, tokens = tokens + ?, cost = cost + ? WHERE number = ?",
                    (tokens, cost, number),
                )

    def finish(self, number: int, transcript: Transcript) -> Figures:
        """Keep a consultation that has ended: its transcript, its figures, the attempt. A cell ends once."""
        figures = Figures.of(transcript)
        body = zlib.compress(transcript.model_dump_json(exclude_none=True).encode("utf-8", "surrogatepass"))
        state = CellState.DONE if transcript.ending.is_answer else CellState.FAILED
        with self._whole() as file:
            changed = file.execute(
                "UPDATE cells SET state = ? WHERE number = ? AND state = 'todo'", (state.value, number)
            ).rowcount
            if not changed:
                raise AssertionError(f"cell {number} has ended before")
            values = [getattr(figures, name) for name in Figures.names()]
            file.execute(f"INSERT INTO results VALUES (?, {_MARKS}, ?)", (number, *values, _now()))  # noqa: S608
            file.execute("INSERT INTO transcripts VALUES (?, ?)", (number, body))
            said.keep(file, number, transcript)
            if state is CellState.DONE:
                file.execute("DELETE FROM answers WHERE cell = ?", (number,))
            self._attempt(file, number, transcript.ending.value, figures.message)
            self._count_time(file)
        return figures

    def judged(self, number: int, judge: str, verdicts: Iterable[Spoken]) -> None:
        """Keep what a judge said of a consultation; its earlier word is replaced."""
        with self._whole() as file:
            for one in verdicts:
                row = (number, one.kind, judge, one.verdict, one.rung, one.because, one.rank, one.tokens, _now())
                file.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def measured(self, number: int, version: str, measures: dict[str, Any]) -> None:
        """Keep how doctor and patient worked in a consultation."""
        with self._whole() as file:
            body = json.dumps(measures, ensure_ascii=False)
            file.execute("INSERT OR REPLACE INTO measures VALUES (?, ?, ?)", (number, version, body))

    def interrupted(self, number: int, reason: str) -> None:
        """Note an attempt that was stopped before its end; the consultation is still to be done."""
        with self._whole() as file:
            self._attempt(file, number, "interrupted", reason)
            self._count_time(file)

    def retry(self) -> Planned:
        """Put failures back on the list, with the answers they had, and all that was not held yet.

        Forks are left as they are: their first turns were another consultation's, and only forking again makes them.
        """
        failed = "state = 'failed' AND number NOT IN (SELECT cell FROM forks)"
        with self._whole() as file:
            for table in ("results", "transcripts", "verdicts", "measures"):
                file.execute(f"DELETE FROM {table} WHERE cell IN (SELECT number FROM cells WHERE {failed})")  # noqa: S608
            file.execute(f"DELETE FROM said WHERE rowid IN (SELECT number FROM cells WHERE {failed})")  # noqa: S608
            file.execute(f"UPDATE cells SET state = 'todo' WHERE {failed}")  # noqa: S608
            todo = [
                number for (number,) in file.execute("SELECT number FROM cells WHERE state = 'todo' ORDER BY number")
            ]
        return Planned(todo, self.standing().done)

    def stopped(self, reason: str) -> None:
        """Note why this session ends before the plan does."""
        self._tick("stopped_by = ?", reason)

    def _attempt(self, file: sqlite3.Connection, number: int, ending: str, message: str | None) -> None:
        file.execute(
            "INSERT INTO attempts (cell, session, ending, message, calls, tokens, cost, at)"
            " SELECT number, ?, ?, ?, calls - (SELECT coalesce(sum(calls), 0) FROM attempts WHERE cell = number),"
            " tokens - (SELECT CAST(total(tokens) AS INTEGER) FROM attempts WHERE cell = number),"
            " cost - (SELECT coalesce(sum(cost), 0) FROM attempts WHERE cell = number), ? FROM cells WHERE number = ?",
            (self._session, ending, message, _now(), number),
        )

    def _count_time(self, file: sqlite3.Connection) -> None:
        spent = time.monotonic() - self._began
        file.execute("UPDATE sessions SET seconds = ? WHERE id = ?", (spent, self._session))

    def _tick(self, change: str, value: str) -> None:
        with self._whole() as file:
            file.execute(f"UPDATE sessions SET {change} WHERE id = ?", (value, self._session))  # noqa: S608
            self._count_time(file)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _locked(path: Path) -> FileLock:
    name = f"{path}.lock"
    with Path(name).open("a"):  # a folder that cannot be written to must not look like a run that is in use
        lock = FileLock(name, blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise UserError(
            f"another process is writing to the run {path}", "wait for it to end, or give another --out"
        ) from None
    return lock


def _opened(path: Path, about: dict[str, Any]) -> sqlite3.Connection:
    new = not path.exists() or path.stat().st_size == 0
    if path.is_dir():
        raise UserError(f"{path} is a folder", "give another --out")
    if new:
        _make(path, about)
    else:
        check_format(connect(path, writing=False), path)
    file = connect(path, writing=True)
    try:
        if not new:
            _same(path, dict(file.execute("SELECT name, value FROM about")), about)
            file.execute(FORKS)
            said.fill(file)
    except BaseException:
        file.close()
        raise
    return file


def _make(path: Path, about: dict[str, Any]) -> None:
    """An empty run, whole or not at all: who looks meanwhile finds none, and not half of one."""
    made = path.with_name(f"{path.name}.new")
    made.unlink(missing_ok=True)
    try:
        with closing(connect(made, writing=True)) as file:
            file.execute("PRAGMA journal_mode=DELETE")
            file.execute("BEGIN IMMEDIATE")
            file.execute(f"PRAGMA application_id={MARK}")
            for table in (*TABLES, said.TABLE):
                file.execute(table)
            told = [(name, json.dumps(value, ensure_ascii=False)) for name, value in about.items()]
            file.executemany("INSERT INTO about VALUES (?, ?)", told)
            file.execute(f"PRAGMA user_version={FORMAT}")
            file.execute("COMMIT")
        made.replace(path)
    except BaseException:
        with suppress(OSError):
            made.unlink(missing_ok=True)
        raise


def _same(path: Path, before: dict[str, str], now: dict[str, Any]) -> None:
    """Refuse to mix results that were made in different ways, and say what differs."""
    old = _flat({name: json.loads(value) for name, value in before.items()})
    new = _flat(now)
    changed = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
    if changed:
        told = ", ".join(f"{key}: {old.get(key)!r} → {new.get(key)!r}" for key in changed)
        raise UserError(
            f"the run {path} was made with other settings ({told})", "give another --out, or the same settings"
        )


def _flat(data: dict[str, Any], above: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in data.items():
        flat |= _flat(value, f"{above}{name}.") if isinstance(value, dict) else {f"{above}{name}": value}
    return flat


def _cannot_write(path: Path, error: Exception) -> StoreError:
    reason = getattr(error, "strerror", None) or str(error)
    return StoreError(
        f"the run {path} cannot be written ({reason})",
        "make room or give another --out; what was saved stays, and the same command goes on",
    )
