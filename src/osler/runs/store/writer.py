"""Write a run file: one writer at a time, every step atomic. Resuming starts in `create_or_resume`."""

# ruff: noqa: S608 -- statements are made of our own words; values of others are bound

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from osler.errors import StorageError, UserError, warn
from osler.models.completion import AnswerSource
from osler.private import private_file
from osler.records.schema import PatientRecord
from osler.runs.plan import COLUMN, LARGEST_PLAN, Cell, Column, Plan
from osler.runs.store import row_checksums, search_index
from osler.runs.store.check import damaged_transcripts, require_sound
from osler.runs.store.connection import (
    RunInUseError,
    checksum,
    connect_for_writing,
    database_errors_named,
    lock_for_writing,
    unlock,
)
from osler.runs.store.reader import CellState, Fork, RunFile, StoredVerdict
from osler.runs.store.row_checksums import is_sound_answer, row_checksum, write_checksums
from osler.runs.store.run_names import fresh_paths, run_name, run_path
from osler.runs.store.tables import CELL, FORMAT, MARK, PROMPTS, TABLES, cell_values
from osler.runs.transcript import Transcript
from osler.runs.transcript_rows import ResultRow

if TYPE_CHECKING:
    from osler.models.completion import Completion

_CELL = ", ".join(CELL)


@dataclass(frozen=True)
class Planned:
    """The consultations of a plan: those still to be run, by number, and how many have ended before."""

    todo: list[int]
    there: int


@dataclass(frozen=True)
class StoredScore:
    """A judge's verdicts on a consultation, and its measures."""

    judge: str
    verdicts: Sequence[StoredVerdict]
    """None for a consultation without an answer."""
    version: str = ""
    """Version of the measures."""
    measures: dict[str, Any] | None = None
    """None: only the verdicts are new."""


class AnswerRow(NamedTuple):
    """An answer as it is stored, with what was spent on it: nothing if another consultation had paid for it."""

    number: int
    """Number of the cell."""
    key: str
    """Key of the request."""
    body: str
    calls: int
    tokens: int
    cost: float | None
    """None if the price is not known."""


def answer_row(number: int, key: str, answer: Completion) -> AnswerRow:
    """An answer as it is stored."""
    body = answer.model_dump_json()
    if answer.source is AnswerSource.RUN:
        return AnswerRow(number, key, body, calls=0, tokens=0, cost=0.0)
    tokens = (answer.tokens_in or 0) + (answer.tokens_out or 0)
    return AnswerRow(number, key, body, calls=1, tokens=tokens, cost=answer.cost)


class RunWriter(RunFile):
    """A run, open for writing. A second one for the same file is refused while this is open."""

    def __init__(self, path: Path, file: sqlite3.Connection, lock: int, made: tuple[Path, ...]) -> None:
        """Take an open file, its lock and what was made for it; use `create_or_resume`."""
        super().__init__(path, file)
        self._lock: int | None = lock
        self._made, self._removed = made, made[:0]
        self._session, self._detail = 0, dict[str, Any]()
        self._began = time.monotonic()

    @classmethod
    def resume(cls, name: str | Path) -> Self:
        """Open an existing run, whatever its settings are.

        Raises:
            UserError: There is none, it cannot be written, or another process writes to it.
        """
        with RunFile.open(name) as known:
            about = known.about()
        return cls.create_or_resume(name, about, same_prompts=False)

    @classmethod
    def create(cls, about: dict[str, Any]) -> Self:
        """Start a run with a fresh name, which no other process gets. Raises what `create_or_resume` does."""
        for path in fresh_paths():
            with suppress(RunInUseError):  # another process takes this name just now
                return cls.create_or_resume(path, about, must_be_new=True)
        raise AssertionError("there is always a next number")

    @classmethod
    def create_or_resume(
        cls, name: str | Path, about: dict[str, Any], *, must_be_new: bool = False, same_prompts: bool = True
    ) -> Self:
        """Start a run, or resume one that was made with the same settings.

        Args:
            name: The run.
            about: What decides its results: settings and versions.
            must_be_new: Whether a run of that name that is there already counts as in use.
            same_prompts: Whether the prompts that its consultations used must not have changed.

        Raises:
            UserError: The file cannot be written, is in use, or was made with other settings.
        """
        path = run_path(name)
        if path.is_dir():
            raise UserError(f"{path} is a folder", "give another --out")
        try:
            with ExitStack() as undo:
                folders = tuple(takewhile(lambda folder: not folder.exists(), path.parents))
                undo.callback(_remove, folders)
                path.parent.mkdir(parents=True, exist_ok=True)
                lock = lock_for_writing(path)
                undo.callback(unlock, path, lock)
                made = () if path.exists() else (path, *folders)
                if must_be_new and not made:
                    raise RunInUseError(f"there is a run {path} already", "give another --out")
                if made or path.stat().st_size == 0:
                    create_run_file(path, about)
                else:
                    _check(path, about, same_prompts=same_prompts)
                run = cls(path, connect_for_writing(path), lock, made)
                undo.callback(run._file.close)
                run._file.execute(PROMPTS)  # a run of an earlier version has none
                run._write_checksums()
                undo.pop_all()
                return run
        except (OSError, sqlite3.OperationalError) as error:
            raise _cannot_write(path, error) from None

    def __exit__(self, *raised: object) -> None:
        """Close it. A run that was made here, and in which nothing was run before an error came, is removed."""
        self._removed = self._made if raised[0] is not None and self._is_unused() else ()
        self.close()

    def close(self) -> None:
        """Close the file as one piece, and let others write."""
        with suppress(sqlite3.Error, UserError):
            if self._session:
                self._note_in_session("ended", _now())
        with suppress(sqlite3.Error, UserError):
            self._file.execute("PRAGMA journal_mode=DELETE")  # one plain file again, unless somebody is reading it
        super().close()
        _remove(self._removed[:1])
        if self._lock is not None:
            unlock(self.path, self._lock)
            self._lock = None
        _remove(self._removed[1:])

    def _write_checksums(self) -> None:
        """Have what is written from now on covered by checksums, unless the run is of a version that had none."""
        ((version,),) = self.ask("PRAGMA user_version")
        self.has_checksums = version == FORMAT
        if self.has_checksums:
            write_checksums(self._file)

    def _is_unused(self) -> bool:
        with suppress(UserError):
            return not self.ask(
                "SELECT 1 FROM attempts UNION SELECT 1 FROM answers UNION SELECT 1 FROM sessions WHERE stopped_by > ''"
            )
        return False

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of a step, or nothing of it."""
        with database_errors_named(self.path):
            try:
                with self._file:
                    yield self._file
            except sqlite3.OperationalError as error:
                raise _cannot_write(self.path, error) from None

    def extend(self, plan: Plan) -> Planned:
        """Add the plan's consultations that the run does not have yet.

        Raises:
            UserError: A record has changed since the run began, the plan is too large, or its streams have other cases.
        """
        todo: list[int] = []
        known = 0
        cases: list[str] = []

        def cells() -> Iterator[Cell]:
            for count, record in enumerate(plan.records, 1):
                if count * plan.each > LARGEST_PLAN:
                    raise plan.too_large
                self._add_record(file, record)
                cases.append(record.id)
                yield from plan.cells(record)
            yield from plan.held_again(cases)

        before = self._stream_sizes(plan)
        with self._transaction() as file:
            for cell in cells():
                name = cell_values(cell)
                _insert(file, "OR IGNORE INTO cells", CELL, name)
                number, state = file.execute(
                    f"SELECT number, state FROM cells WHERE ({_CELL}) = ({_marks(name)})", name
                ).fetchone()
                if state == CellState.TODO:
                    todo.append(number)
                else:
                    known += 1
            if plan.experience:
                self._check_streams(plan, len(cases), before)
        return Planned(todo, known)

    def _check_streams(self, plan: Plan, cases: int, before: set[int]) -> None:
        """Refuse a plan that gives a stream other cases than it had: its lessons depend on them."""
        if plan.settings.transfer >= cases:
            raise UserError(
                f"--transfer {plan.settings.transfer} leaves no case to learn from: a stream has {cases}",
                "give a smaller --transfer, or more records",
            )
        if before | self._stream_sizes(plan) != {cases}:
            raise UserError(
                f"the streams of {self.path} have other cases than this plan, and lessons depend on them",
                "give the same records as before, or another --out",
            )

    def _stream_sizes(self, plan: Plan) -> set[int]:
        """How many cases the run has of the plan's columns, trial by trial."""
        kinds = (cell_values(Cell("", column, 0))[1:-1] for column in plan.columns if plan.experience)
        sql = f"SELECT count(*) FROM cells WHERE ({', '.join(COLUMN)}) = ({_marks(COLUMN)}) GROUP BY trial"
        return {count for kind in kinds for (count,) in self.ask(sql, kind)}

    def next_trial(self, case: str, column: Column) -> int:
        """The number after the last trial of this kind."""
        *kind, _ = cell_values(Cell(case, column, 0))
        fields = ", ".join(CELL[:-1])
        sql = f"SELECT coalesce(max(trial), 0) + 1 FROM cells WHERE ({fields}) = ({_marks(kind)})"
        return int(self.ask(sql, kind)[0][0])

    def add_fork(self, record: PatientRecord, cell: Cell, fork: Fork) -> int:
        """Add one consultation to the run together with where it comes from; its number."""
        with self._transaction() as file:
            self._add_record(file, record)
            number = _insert(file, "INTO cells", CELL, cell_values(cell))
            _insert(file, "INTO forks", (), (number, fork.run, *cell_values(fork.parent), fork.turn))
        return number

    def _add_record(self, file: sqlite3.Connection, record: PatientRecord) -> None:
        body = record.model_dump_json(exclude_none=True).encode()
        digest = hashlib.sha256(body).hexdigest()
        known = file.execute("SELECT hash FROM records WHERE id = ?", (record.id,)).fetchone()
        if known is None:
            row = (record.id, record.patient, record.language.value, record.specialty, digest, zlib.compress(body))
            _insert(file, "INTO records", (), row)
        elif known[0] != digest:
            raise UserError(
                f"the record {record.id!r} is not what it was when the run {self.path} began",
                "give another --out, or the records as they were",
            )

    def begin(self, detail: dict[str, Any]) -> None:
        """Note that the run is started or resumed, and what a kill has left half done."""
        with self._transaction() as file:
            self._session = _insert(file, "INTO sessions", ("began", "detail"), (_now(), _json(detail)))
            paid = "(SELECT coalesce(sum(attempts.calls), 0) FROM attempts WHERE attempts.cell = cells.number)"
            left = file.execute(f"SELECT number FROM cells WHERE state = 'todo' AND calls > {paid}").fetchall()
            for (number,) in left:
                self._add_attempt(file, number, "interrupted", "the process ended")
        self._began, self._detail = time.monotonic(), detail

    def note(self, more: dict[str, Any]) -> None:
        """Add to what is known of this session."""
        self._detail = {**self._detail, **more}
        self._note_in_session("detail", _json(self._detail))

    def kept(self, number: int) -> tuple[tuple[str, str], ...]:
        """Return what models already answered in a consultation that has not ended; damaged answers are left out."""
        found = self.ask("SELECT * FROM answers WHERE cell = ? ORDER BY id", (number,))
        sound = [row for row in found if is_sound_answer(dict(row))]
        if len(sound) < len(found):
            left_out = len(found) - len(sound)
            warn(f"{left_out} kept answer(s) of {self.name_of(number)} are damaged and left out: they are asked again")
        return tuple((row["key"], row["body"]) for row in sound)

    def keep(self, answers: Iterable[AnswerRow]) -> None:
        """Keep answers."""
        with self._transaction() as file:
            for row in answers:
                values = {"cell": row.number, "key": row.key, "body": row.body}
                if self.has_checksums:
                    values["checksum"] = row_checksum(row.number, row.key, row.body)
                _insert(file, "INTO answers", values, values.values())
                file.execute(
                    "UPDATE cells SET calls = calls + ?, tokens = tokens + ?, cost = cost + ? WHERE number = ?",
                    (row.calls, row.tokens, row.cost or 0.0, row.number),
                )

    def finish(self, number: int, transcript: Transcript, scored: StoredScore | None = None) -> ResultRow:
        """Keep a consultation that has ended, all of it or nothing: transcript, figures, score, attempt.

        A cell ends once. One that is kept without a score is scored when the run is resumed.
        """
        figures = ResultRow.of(transcript)
        body = zlib.compress(transcript.model_dump_json(exclude_none=True).encode("utf-8", "surrogatepass"))
        state = CellState.DONE if transcript.ending.is_answer else CellState.FAILED
        with self._transaction() as file:
            change = "UPDATE cells SET state = ? WHERE number = ? AND state = 'todo'"
            if not file.execute(change, (state.value, number)).rowcount:
                raise AssertionError(f"cell {number} has ended before")
            values = (getattr(figures, name) for name in ResultRow.names())
            _insert(file, "INTO results", (), (number, *values, _now()))
            _insert(file, "INTO transcripts", (), (number, body, checksum(body)))
            search_index.keep(file, number, transcript)
            if isinstance(used := transcript.header.prompts, dict):
                file.executemany("INSERT OR IGNORE INTO prompts VALUES (?, ?)", used.items())
            if state is CellState.DONE:
                file.execute("DELETE FROM answers WHERE cell = ?", (number,))
            self._add_attempt(file, number, transcript.ending.value, figures.message)
            if scored is not None:
                _insert_score(file, number, scored)
        return figures

    def scored(self, number: int, scored: StoredScore) -> None:
        """Keep the score of a consultation that ended before; the same judge's earlier one is replaced."""
        with self._transaction() as file:
            _insert_score(file, number, scored)

    def patient_judged(self, number: int, judge: str, body: dict[str, Any], tokens: int, cost: float | None) -> None:
        """Store a model's verdicts on a consultation's replies; its earlier ones are replaced, nobody else's."""
        with self._transaction() as file:
            _insert(file, "OR REPLACE INTO patient_verdicts", (), (number, judge, _json(body), tokens, cost, _now()))

    def judge_examined(self, judge: str, trial: dict[str, Any]) -> None:
        """Store how a judge, of conclusions or of replies, did when it was examined."""
        with self._transaction() as file:
            _insert(file, "OR REPLACE INTO patient_judges", (), (judge, _json(trial)))

    def interrupted(self, number: int, reason: str) -> None:
        """Note an attempt that was stopped before its end; the consultation is still to be done."""
        with self._transaction() as file:
            self._add_attempt(file, number, "interrupted", reason)

    def retry(self) -> Planned:
        """Put failures and damaged consultations back on the list, with the answers they had, and all not run yet.

        Forks are left as they are: their first turns were another consultation's, and only forking again makes them.
        """
        failed = "SELECT number FROM cells WHERE state = 'failed' AND number NOT IN (SELECT cell FROM forks)"
        unreadable = damaged_transcripts(self)
        with self._transaction() as file:
            file.executemany("UPDATE cells SET state = 'failed' WHERE number = ?", [(number,) for number in unreadable])
            for table in ("results", "transcripts", "verdicts", "measures", "patient_verdicts"):
                file.execute(f"DELETE FROM {table} WHERE cell IN ({failed})")
            file.execute(f"DELETE FROM said WHERE rowid IN ({failed})")
            file.execute(f"UPDATE cells SET state = 'todo' WHERE number IN ({failed})")
        todo = [number for (number,) in self.ask("SELECT number FROM cells WHERE state = 'todo' ORDER BY number")]
        return Planned(todo, self.status().done)

    def stopped(self, reason: str) -> None:
        """Record why this session ends before the plan does."""
        self._note_in_session("stopped_by", reason)

    def _note_in_session(self, field: str, value: str) -> None:
        with self._transaction() as file:
            file.execute(f"UPDATE sessions SET {field} = ? WHERE id = ?", (value, self._session))
            self._count_time(file)

    def _count_time(self, file: sqlite3.Connection) -> None:
        spent = time.monotonic() - self._began
        file.execute("UPDATE sessions SET seconds = ? WHERE id = ?", (spent, self._session))

    def _add_attempt(self, file: sqlite3.Connection, number: int, ending: str, message: str | None) -> None:
        """Add an attempt with what it cost: all that was paid for the consultation, less its earlier attempts."""
        file.execute(
            "INSERT INTO attempts (cell, session, ending, message, calls, tokens, cost, at)"
            " SELECT number, ?, ?, ?, calls - (SELECT coalesce(sum(calls), 0) FROM attempts WHERE cell = number),"
            " tokens - (SELECT CAST(total(tokens) AS INTEGER) FROM attempts WHERE cell = number),"
            " cost - (SELECT coalesce(sum(cost), 0) FROM attempts WHERE cell = number), ? FROM cells WHERE number = ?",
            (self._session, ending, message, _now(), number),
        )
        self._count_time(file)


def _insert(file: sqlite3.Connection, into: str, columns: Iterable[str], values: Collection[Any]) -> int:
    """Insert a row, into all columns when none are named; its row id."""
    named = f"({', '.join(columns)})" if columns else ""
    return file.execute(f"INSERT {into} {named} VALUES ({_marks(values)})", tuple(values)).lastrowid or 0


def _marks(values: Collection[Any]) -> str:
    return ", ".join("?" * len(values))


def _insert_score(file: sqlite3.Connection, number: int, scored: StoredScore) -> None:
    for one in scored.verdicts:
        row = (number, one.kind, scored.judge, one.verdict, one.rung, one.because, one.rank, one.tokens, _now())
        _insert(file, "OR REPLACE INTO verdicts", (), row)
    if scored.measures is not None:
        _insert(file, "OR REPLACE INTO measures", (), (number, scored.version, _json(scored.measures)))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _remove(paths: Iterable[Path]) -> None:
    """Remove a file, and folders that are empty."""
    for path in paths:
        with suppress(OSError):
            path.rmdir() if path.is_dir() else path.unlink()


def _check(path: Path, about: dict[str, Any], *, same_prompts: bool) -> None:
    """Refuse what is not a run, is damaged, or was made with other settings: it would count wrongly."""
    with RunFile.open(path, verified=False) as run:
        require_sound(run)
        old, new = _flat(_without_prompts(run.about())), _flat(_without_prompts(about))
        changed = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
        if changed:
            told = ", ".join(f"{key}: {old.get(key)!r} → {new.get(key)!r}" for key in changed)
            raise UserError(
                f"the run {path} was made with other settings ({told})",
                "give another --out or the same settings, or move it away",
            )
        if same_prompts:
            _check_prompts(run)


def _without_prompts(about: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in about.items() if name != "prompts"}


def _check_prompts(run: RunFile) -> None:
    """Refuse a run whose consultations used prompts that have other words now."""
    remedy = "give another --out, or the prompts as they were"
    if changed := run.changed_prompts():
        language, _, name = changed[0].partition("/")
        if name == "*":
            raise UserError(
                f"a prompt of {language} has changed since the run {run.path} began, which is of an earlier version and"
                " keeps one hash over all prompts of a language",
                remedy,
            )
        what = f"the prompt {changed[0]} has" if len(changed) == 1 else f"the prompts {', '.join(changed)} have"
        raise UserError(f"{what} changed since the run {run.path} began", remedy)


def create_run_file(path: Path, about: dict[str, Any]) -> None:
    """Make an empty run, whole or not at all: who looks meanwhile finds none, and not half of one."""
    made = path.with_name(f"{path.name}.new")
    made.unlink(missing_ok=True)
    try:
        private_file(made)  # SQLite gives its log the same rights
        with closing(sqlite3.connect(made)) as file, file:
            file.execute("BEGIN IMMEDIATE")
            file.execute(f"PRAGMA application_id={MARK}")
            file.execute(f"PRAGMA user_version={FORMAT}")
            for table in (*TABLES, PROMPTS, row_checksums.TABLE, search_index.TABLE):
                file.execute(table)
            write_checksums(file)
            file.executemany("INSERT INTO about VALUES (?, ?)", [(name, _json(value)) for name, value in about.items()])
        made.replace(path)
    except BaseException:
        _remove([made])
        raise


def _flat(data: dict[str, Any], above: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in data.items():
        flat |= _flat(value, f"{above}{name}.") if isinstance(value, dict) else {f"{above}{name}": value}
    return flat


def _cannot_write(path: Path, error: Exception) -> StorageError:
    reason = getattr(error, "strerror", None) or str(error)
    return StorageError(
        f"the run {path} cannot be written ({reason})",
        f"free disk space or give another --out; what was saved of the run {run_name(path)} is kept: re-run the same"
        " command with it to resume",
    )
