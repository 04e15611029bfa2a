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
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from osler.errors import StorageError, UserError
from osler.private import private_file
from osler.records.schema import PatientRecord
from osler.runs.plan import LARGEST_PLAN, Cell, Column, Plan
from osler.runs.result_row import ResultRow
from osler.runs.store import search_index
from osler.runs.store.check import damaged_transcripts
from osler.runs.store.connection import checksum, connect, damaged, warn_of_a_missing_log
from osler.runs.store.lock import Busy, FileLock
from osler.runs.store.reader import CellState, Fork, RunFile, StoredVerdict, check_format, run_path
from osler.runs.store.tables import CELL, FORMAT, MARK, TABLES, cell_values
from osler.runs.transcript import Transcript

if TYPE_CHECKING:
    from osler.models.completion import Completion

_MARKS = ", ".join("?" for _ in ResultRow.names())
_CELL, _PLACES = ", ".join(CELL), ", ".join("?" for _ in CELL)


@dataclass(frozen=True)
class Planned:
    """The consultations of a plan: those still to be held, by number, and how many have ended before."""

    todo: list[int]
    there: int


@dataclass(frozen=True)
class StoredScore:
    """What a judge said of a consultation, and how it was measured."""

    judge: str
    verdicts: tuple[StoredVerdict, ...]
    """None for a consultation without an answer."""
    version: str
    """Of the measures."""
    measures: dict[str, Any]


AnswerRow = tuple[int, str, str, int, float]
"""The cell, the key of the request, the answer, its tokens and what it cost, as far as that is known."""


def answer_row(number: int, key: str, answer: Completion) -> AnswerRow:
    """An answer as it is stored."""
    tokens = (answer.tokens_in or 0) + (answer.tokens_out or 0)
    return number, key, answer.model_dump_json(), tokens, answer.cost or 0.0


class RunWriter(RunFile):
    """A run, open for writing. A second one for the same file is refused while this is open."""

    def __init__(self, path: Path, file: sqlite3.Connection, lock: FileLock) -> None:
        """Take an open file and its lock; use `create`."""
        super().__init__(path, file)
        self._lock = lock
        self._made: tuple[Path, ...] = ()
        """The file and the folders that were not there before, from the inside out."""
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
        if path.is_dir():
            raise UserError(f"{path} is a folder", "give another --out")
        folders: tuple[Path, ...] = ()
        try:
            folders = tuple(takewhile(lambda folder: not folder.exists(), path.parents))
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = _locked(path)
            try:
                new = not path.exists()
                run = cls(path, _opened(path, about), lock)
            except BaseException:
                lock.release()
                raise
            run._made, folders = (path, *folders) if new else (), ()
            return run
        except (OSError, sqlite3.OperationalError) as error:
            raise _cannot_write(path, error) from None
        finally:
            _remove(folders)

    def __exit__(self, *raised: object) -> None:
        """Close it. A run that was made here, and in which nothing was held before an error came, is removed."""
        unused = self._made if raised[0] is not None and self._is_unused() else ()
        self._close(unused)

    def close(self) -> None:
        """Close the file as one piece, and let others write."""
        self._close()

    def _close(self, remove: tuple[Path, ...] = ()) -> None:
        with suppress(sqlite3.Error, UserError):
            if self._session:
                self._tick("ended = ?", _now())
        with suppress(sqlite3.Error, UserError):
            self._file.execute("PRAGMA journal_mode=DELETE")  # one plain file again, unless somebody is reading it
        super().close()
        _remove(remove[:1])
        self._lock.release()
        _remove(remove[1:])

    def _is_unused(self) -> bool:
        with suppress(sqlite3.Error, UserError):
            used = (
                "SELECT 1 FROM attempts UNION SELECT 1 FROM answers UNION SELECT 1 FROM sessions WHERE stopped_by > ''"
            )
            return self._file.execute(used).fetchone() is None
        return False

    @contextmanager
    def _whole(self) -> Iterator[sqlite3.Connection]:
        """All of a step, or nothing of it."""
        try:
            self._file.execute("BEGIN IMMEDIATE")
            try:
                yield self._file
                self._file.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error, UserError):
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
                    name = cell_values(cell)
                    file.execute(f"INSERT OR IGNORE INTO cells ({_CELL}) VALUES ({_PLACES})", name)  # noqa: S608
                    number, state = file.execute(
                        f"SELECT number, state FROM cells WHERE ({_CELL}) = ({_PLACES})",  # noqa: S608
                        name,
                    ).fetchone()
                    if state == CellState.TODO:
                        todo.append(number)
                    else:
                        known += 1
        return Planned(todo, known)

    def next_trial(self, case: str, column: Column) -> int:
        """The number after the last trial of this kind."""
        *kind, _ = cell_values(Cell(case, column, 0))
        (last,) = self._file.execute(
            "SELECT coalesce(max(trial), 0) FROM cells"
            " WHERE (record, backbone, strategy, memory, variants) = (?, ?, ?, ?, ?)",
            kind,
        ).fetchone()
        return int(last) + 1

    def add_fork(self, record: PatientRecord, cell: Cell, fork: Fork) -> int:
        """Add one consultation to the run together with where it comes from; its number."""
        with self._whole() as file:
            self._add_record(file, record)
            file.execute(f"INSERT INTO cells ({_CELL}) VALUES ({_PLACES})", cell_values(cell))  # noqa: S608
            (number,) = file.execute("SELECT last_insert_rowid()").fetchone()
            row = (number, fork.run, *cell_values(fork.parent), fork.turn)
            file.execute(f"INSERT INTO forks VALUES (?, ?, {_PLACES}, ?)", row)  # noqa: S608
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

    def keep(self, answers: Iterable[AnswerRow]) -> None:
        """Keep answers."""
        with self._whole() as file:
            for number, key, body, tokens, cost in answers:
                file.execute("INSERT INTO answers (cell, key, body) VALUES (?, ?, ?)", (number, key, body))
                file.execute(
                    "UPDATE cells SET calls = calls + 1, tokens = tokens + ?, cost = cost + ? WHERE number = ?",
                    (tokens, cost, number),
                )

    def finish(self, number: int, transcript: Transcript, scored: StoredScore | None = None) -> ResultRow:
        """Keep a consultation that has ended, all of it or nothing: transcript, figures, score, attempt.

        A cell ends once. One that is kept without a score is scored when the run is resumed.
        """
        figures = ResultRow.of(transcript)
        body = zlib.compress(transcript.model_dump_json(exclude_none=True).encode("utf-8", "surrogatepass"))
        state = CellState.DONE if transcript.ending.is_answer else CellState.FAILED
        with self._whole() as file:
            changed = file.execute(
                "UPDATE cells SET state = ? WHERE number = ? AND state = 'todo'", (state.value, number)
            ).rowcount
            if not changed:
                raise AssertionError(f"cell {number} has ended before")
            values = [getattr(figures, name) for name in ResultRow.names()]
            file.execute(f"INSERT INTO results VALUES (?, {_MARKS}, ?)", (number, *values, _now()))  # noqa: S608
            file.execute("INSERT INTO transcripts VALUES (?, ?, ?)", (number, body, checksum(body)))
            search_index.keep(file, number, transcript)
            if state is CellState.DONE:
                file.execute("DELETE FROM answers WHERE cell = ?", (number,))
            self._attempt(file, number, transcript.ending.value, figures.message)
            self._count_time(file)
            if scored is not None:
                self._write_score(file, number, scored)
        return figures

    def judged(self, number: int, judge: str, verdicts: Iterable[StoredVerdict]) -> None:
        """Keep what a judge said of a consultation; its earlier word is replaced."""
        with self._whole() as file:
            self._write_verdicts(file, number, judge, verdicts)

    def patient_judged(self, number: int, judge: str, body: dict[str, Any], tokens: int, cost: float | None) -> None:
        """Keep what a model said of a consultation's replies; its earlier word is replaced, nobody else's."""
        row = (number, judge, json.dumps(body, ensure_ascii=False), tokens, cost, _now())
        with self._whole() as file:
            file.execute("INSERT OR REPLACE INTO patient_verdicts VALUES (?, ?, ?, ?, ?, ?)", row)

    def patient_judge_tried(self, judge: str, trial: dict[str, Any]) -> None:
        """Keep how a judge of replies did on the controls."""
        with self._whole() as file:
            file.execute("INSERT OR REPLACE INTO patient_judges VALUES (?, ?)", (judge, json.dumps(trial)))

    def scored(self, number: int, scored: StoredScore) -> None:
        """Keep the score of a consultation that ended before; its earlier one is replaced."""
        with self._whole() as file:
            self._write_score(file, number, scored)

    def _write_score(self, file: sqlite3.Connection, number: int, scored: StoredScore) -> None:
        self._write_verdicts(file, number, scored.judge, scored.verdicts)
        body = json.dumps(scored.measures, ensure_ascii=False)
        file.execute("INSERT OR REPLACE INTO measures VALUES (?, ?, ?)", (number, scored.version, body))

    def _write_verdicts(
        self, file: sqlite3.Connection, number: int, judge: str, verdicts: Iterable[StoredVerdict]
    ) -> None:
        for one in verdicts:
            row = (number, one.kind, judge, one.verdict, one.rung, one.because, one.rank, one.tokens, _now())
            file.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def interrupted(self, number: int, reason: str) -> None:
        """Note an attempt that was stopped before its end; the consultation is still to be done."""
        with self._whole() as file:
            self._attempt(file, number, "interrupted", reason)
            self._count_time(file)

    def retry(self) -> Planned:
        """Put failures and damaged consultations back on the list, with the answers they had, and all not held yet.

        Forks are left as they are: their first turns were another consultation's, and only forking again makes them.
        """
        failed = "state = 'failed' AND number NOT IN (SELECT cell FROM forks)"
        unreadable = damaged_transcripts(self)
        with self._whole() as file:
            file.executemany("UPDATE cells SET state = 'failed' WHERE number = ?", [(number,) for number in unreadable])
            for table in ("results", "transcripts", "verdicts", "measures", "patient_verdicts"):
                file.execute(f"DELETE FROM {table} WHERE cell IN (SELECT number FROM cells WHERE {failed})")  # noqa: S608
            file.execute(f"DELETE FROM said WHERE rowid IN (SELECT number FROM cells WHERE {failed})")  # noqa: S608
            file.execute(f"UPDATE cells SET state = 'todo' WHERE {failed}")  # noqa: S608
            todo = [
                number for (number,) in file.execute("SELECT number FROM cells WHERE state = 'todo' ORDER BY number")
            ]
        return Planned(todo, self.status().done)

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
    try:
        return FileLock.take(path.with_name(f"{path.name}.lock"))
    except Busy:
        raise UserError(
            f"another process is writing to the run {path}", "wait for it to end, or give another --out"
        ) from None


def _remove(paths: Iterable[Path]) -> None:
    """Remove a file, and folders that are empty."""
    for path in paths:
        with suppress(OSError):
            path.rmdir() if path.is_dir() else path.unlink()


def _opened(path: Path, about: dict[str, Any]) -> sqlite3.Connection:
    new = not path.exists() or path.stat().st_size == 0
    if new:
        _make(path, about)
    else:
        _check(path, about)
    return connect(path, writing=True)


def _check(path: Path, about: dict[str, Any]) -> None:
    """Refuse what is no run, was made with other settings, or is damaged: it would count wrongly."""
    with closing(connect(path, writing=False)) as file:
        check_format(file, path)
        _same(path, dict(file.execute("SELECT name, value FROM about")), about)
        warn_of_a_missing_log(path, file)
        (first,) = file.execute("PRAGMA integrity_check(1)").fetchone()
    if first != "ok":
        raise damaged(path, first)


def _make(path: Path, about: dict[str, Any]) -> None:
    """An empty run, whole or not at all: who looks meanwhile finds none, and not half of one."""
    made = path.with_name(f"{path.name}.new")
    made.unlink(missing_ok=True)
    try:
        private_file(made)  # SQLite gives its log the same rights
        with closing(connect(made, writing=True)) as file:
            file.execute("PRAGMA journal_mode=DELETE")
            file.execute("BEGIN IMMEDIATE")
            file.execute(f"PRAGMA application_id={MARK}")
            for table in (*TABLES, search_index.TABLE):
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
    try:
        old = _flat({name: json.loads(value) for name, value in before.items()})
    except ValueError:
        raise damaged(path, "its settings cannot be read") from None
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


def _cannot_write(path: Path, error: Exception) -> StorageError:
    reason = getattr(error, "strerror", None) or str(error)
    return StorageError(
        f"the run {path} cannot be written ({reason})",
        "free disk space or give another --out; what was saved is kept: re-run the same command to resume",
    )
