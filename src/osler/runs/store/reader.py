"""Read a run file."""

# ruff: noqa: S608 -- statements are made of our own words; values of others are bound

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from osler.errors import UserError, warn
from osler.language import Language
from osler.prompts import changed_prompts, prompts_hash
from osler.records.schema import PatientRecord
from osler.runs.plan import COLUMN, Cell, Column, Selector, Settings, told_variants
from osler.runs.store import row_checksums, search_index
from osler.runs.store.connection import (
    DamagedRunError,
    checksum,
    connect_for_reading,
    damaged,
    database_errors_named,
    has_log,
    log_of,
    remedy,
)
from osler.runs.store.row_checksums import CHECKED, WrongRows, row_checksum, wrong_rows
from osler.runs.store.run_names import FORKS, SUFFIX, run_name, run_path
from osler.runs.store.tables import (
    CELL,
    EXPLANATIONS,
    FORMAT,
    MARK,
    TABLES,
    TABLES_WITHOUT_CHECKSUMS,
    WITHOUT_CHECKSUMS,
    cell_of,
    is_sound,
)
from osler.runs.store.verification import Verification
from osler.runs.transcript import Transcript

_CELL = ", ".join(CELL)
_LAYOUT = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
_NUMBERS = "SELECT number FROM cells WHERE"
_UNJUDGED = "(state = 'done' AND NOT EXISTS (SELECT 1 FROM verdicts WHERE cell = number AND judge = ?))"
_SELECTORS = "--memory, --strategy, --backbone, --variant or --trial"
_NAMED = 5
"""Damaged consultations that a warning names."""


class CellState(StrEnum):
    """The state of a consultation of the plan."""

    TODO = "todo"
    DONE = "done"
    FAILED = "failed"


def forks_path(run: Path) -> Path:
    """The run of all forks of a run, beside it; forks of forks stay among themselves."""
    return run if run.stem.endswith(FORKS) else run.with_name(f"{run.stem}{FORKS}{SUFFIX}")


@dataclass(frozen=True)
class RunStatus:
    """How far a run is."""

    todo: int
    done: int
    failed: int
    attempts: int
    calls: int
    tokens: int
    cost: float | None
    """Cost of all answers, in USD; None as soon as one of them has no known price."""
    cost_known: float
    """Cost of the answers whose price is known."""
    seconds: float
    begun: int = 0
    """How many of those to do were begun: the answers that they were given are kept."""

    @property
    def total(self) -> int:
        """All consultations of the plan."""
        return self.todo + self.done + self.failed


@dataclass(frozen=True)
class Fork:
    """Origin of a consultation that continued from the first turns of another one."""

    run: str
    """The name of the parent's run."""
    parent: Cell
    turn: int
    """The last turn that it shares with its parent."""


@dataclass(frozen=True)
class StoredVerdict:
    """A judge's verdict on one part of an ending."""

    kind: str
    """`diagnosis` or `treatment`."""
    verdict: str
    rung: str
    """The step of its reasoning that decided."""
    because: str
    rank: int | None = None
    """Rank of the first right diagnosis among those that the doctor named, its own first."""
    tokens: int | None = None


class RunFile:
    """A run, open for reading. Safe while another process writes to it."""

    def __init__(self, path: Path, file: sqlite3.Connection) -> None:
        """Take an open file; use `open`."""
        self.path, self._file = path, file
        self.has_checksums = True
        """Whether all rows have checksums; those of older versions have not."""
        self._verification: Verification | None = None
        self.record = lru_cache(maxsize=512)(self._read_record)
        """A record as it was when the run began, by its id."""

    @classmethod
    def open(cls, name: str | Path, *, verified: bool = True) -> Self:
        """Open an existing run. Damaged rows are left out, with one warning, unless it is not to be verified.

        Raises:
            UserError: There is none, or the file is not a run of this version.
        """
        path = run_path(name)
        if not os.path.isfile(path):  # also of a name that no file can have
            raise UserError(f"there is no run {path}", "`osler runs list` shows what there is")
        try:
            with database_errors_named(path):
                file = connect_for_reading(path)
        except OSError as error:
            raise UserError(f"{path} cannot be read ({error.strerror})", "check its permissions") from None
        with ExitStack() as undo:
            run = cls(path, file)
            undo.callback(run.close)
            run._check_format()
            if verified and run.has_checksums:
                run._verification = Verification(path, file)
            run._warn_of_a_missing_log()
            run._add_missing_tables()
            undo.pop_all()
        return run

    def _check_format(self) -> None:
        """Refuse what is not a run, or one of another version."""
        ((mark,), (version,)) = (self.ask(f"PRAGMA {name}")[0] for name in ("application_id", "user_version"))
        if mark != MARK:
            raise UserError(f"{self.path} is not a run", "give a file that `osler simulate` wrote")
        if version not in (WITHOUT_CHECKSUMS, FORMAT):
            raise UserError(
                f"{self.path} is a run of format {version}, and this version of Osler reads format {FORMAT}",
                "use the version that wrote it, or re-run it with another --out",
            )
        self.has_checksums = version == FORMAT
        if missing := _layout(self.has_checksums) - {tuple(row) for row in self.ask(_LAYOUT)}:
            raise damaged(self.path, f"its table {min(missing)[0]}")

    def _warn_of_a_missing_log(self) -> None:
        """Warn when a run was not closed and its log is gone, as after copying the file alone."""
        ((mode,),) = self.ask("PRAGMA journal_mode")
        if mode != "wal" or has_log(self.path):
            return
        last = self.ask("SELECT ended FROM sessions ORDER BY id DESC LIMIT 1")
        if not last or last[0]["ended"] is None:
            warn(
                f"{self.path} was not closed, and its log {log_of(self.path).name} is not beside it, so what was"
                f" written last is missing; copy both files, or resume the run with --out {run_name(self.path)}"
            )

    def _add_missing_tables(self) -> None:
        """Give a run that was never explained empty tables of explanations, for this connection alone."""
        if not self.ask("SELECT 1 FROM sqlite_master WHERE name = 'explanations'"):
            with database_errors_named(self.path):
                self._file.execute("PRAGMA temp_store=MEMORY")
                self._file.execute(EXPLANATIONS[0].replace("CREATE TABLE", "CREATE TEMP TABLE"))

    def __enter__(self) -> Self:
        """Use it in a with block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def ask(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[sqlite3.Row]:
        """The rows of any question to the tables; what a person wrote belongs into the values."""
        return list(self._each(sql, values))

    def _each(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> Iterator[sqlite3.Row]:
        """The same rows one by one, as there may be many."""
        with database_errors_named(self.path):
            if self._verification is not None:
                self._verification.before(sql)
            yield from self._file.execute(sql, values)

    def verify(self, table: str) -> None:
        """Compare a table with its checksums now, and warn if rows of it are wrong."""
        with database_errors_named(self.path):
            if self._verification is not None:
                self._verification.verify(table)

    def wrong_rows(self, table: str) -> WrongRows:
        """Return the rows of a table that do not fit their checksums; none if the run has no checksums."""
        with database_errors_named(self.path):
            return wrong_rows(self._file, CHECKED[table]) if self.has_checksums else WrongRows()

    def rows(self, columns: str, where: str = "1", order: str = "cells.number") -> Iterator[sqlite3.Row]:
        """Columns of cells, records and results, as they are joined; for tables over the whole run."""
        return self._each(
            f"SELECT {columns} FROM cells JOIN records ON records.id = cells.record"
            f" LEFT JOIN results ON results.cell = cells.number WHERE {where} ORDER BY {order}"
        )

    def about(self) -> dict[str, Any]:
        """Settings, versions, and whatever else the run was made with."""
        try:
            found = {name: json.loads(value) for name, value in self.ask("SELECT name, value FROM about")}
        except ValueError:
            raise damaged(self.path, "its settings cannot be read") from None
        if not isinstance(found.get("settings"), dict):
            raise damaged(self.path, "its settings are missing or cannot be read")
        return found

    @property
    def settings(self) -> Settings:
        """What all its consultations share."""
        try:
            return Settings.from_json(self.about()["settings"])
        except (LookupError, TypeError, AttributeError, ValueError):
            raise damaged(self.path, "its settings are missing or cannot be read") from None

    def prompts(self) -> dict[str, str]:
        """Return the prompt templates that its consultations used, and the hash of each."""
        if not self.ask("SELECT 1 FROM sqlite_master WHERE name = 'prompts'"):
            return {}
        return {name: known for name, known in self.ask("SELECT name, hash FROM prompts ORDER BY name")}

    def changed_prompts(self) -> list[str]:
        """Return the names of those that have other words now.

        A run of an earlier version keeps one hash over all prompts of a language; `en/*` then stands for any of them.
        """
        whole = self.about().get("prompts", {})
        languages = [Language(language) for (language,) in self.ask("SELECT DISTINCT language FROM records ORDER BY 1")]
        unsure = [one for one in languages if one.value in whole and whole[one.value] != prompts_hash(one)]
        return [*(f"{one.value}/*" for one in unsure), *changed_prompts(self.prompts())]

    def session_details(self) -> list[str]:
        """What each session that ran a consultation was started with, and noted, as JSON; in their order."""
        found = self.ask("SELECT detail FROM sessions WHERE id IN (SELECT session FROM attempts) ORDER BY id")
        return [str(detail) for (detail,) in found]

    def own_judge(self) -> str | None:
        """Return the judge that the run was simulated with, the newest if there were several; None for the rules."""
        for (detail,) in self.ask("SELECT detail FROM sessions ORDER BY id DESC"):
            with suppress(ValueError):
                if judge := json.loads(detail).get("judge"):
                    return str(judge)
        return None

    def status(self) -> RunStatus:
        """Return how far it is."""
        # Tokens by `total`, which does not overflow. Consultations that have ended tell whether their price is known;
        # of one under way, answers that cost nothing are taken for unpriced.
        unpriced = "CASE WHEN cell IS NULL THEN cells.cost = 0 ELSE results.cost IS NULL END"
        (found,) = self.ask(
            "SELECT coalesce(sum(state = 'todo'), 0) AS todo, coalesce(sum(state = 'done'), 0) AS done,"
            " coalesce(sum(state = 'failed'), 0) AS failed, (SELECT count(*) FROM attempts) AS attempts,"
            " coalesce(sum(cells.calls), 0) AS calls, CAST(total(tokens) AS INTEGER) AS tokens,"
            f" CASE WHEN sum(cells.calls > 0 AND {unpriced}) THEN NULL ELSE total(cells.cost) END AS cost,"
            " total(cells.cost) AS cost_known, (SELECT total(seconds) FROM sessions) AS seconds,"
            " coalesce(sum(state = 'todo' AND number IN (SELECT cell FROM answers)), 0) AS begun"
            " FROM cells LEFT JOIN results ON cell = number"
        )
        return RunStatus(**dict(found))

    def _read_record(self, case: str) -> PatientRecord:
        try:
            ((body, digest),) = self.ask("SELECT body, hash FROM records WHERE id = ?", (case,))
            content = zlib.decompress(body)
            if hashlib.sha256(content).hexdigest() != digest:
                raise ValueError("hash")
            return PatientRecord.model_validate_json(content)
        except (TypeError, ValueError, zlib.error):
            raise damaged(self.path, f"the record {case!r}") from None

    def transcripts(self) -> Iterator[Transcript]:
        """All consultations that have ended, well or not, in the order of the plan; damaged ones are left out."""
        left_out = []
        for row in self._each(f"{self._ended} ORDER BY {_CELL}"):
            try:
                yield self._read_transcript(row)
            except DamagedRunError:
                left_out.append(row["number"])
        self._warn_of(left_out)

    def transcript(self, number: int) -> Transcript | None:
        """The consultation of one cell; None if it has not ended, a `DamagedRunError` if it cannot be read."""
        found = self.ask(f"{self._ended} AND number = ?", (number,))
        return self._read_transcript(found[0]) if found else None

    @property
    def _ended(self) -> str:
        """The transcripts of what has ended, with the checksums of their rows."""
        own = "(SELECT c.checksum FROM checksums c WHERE c.cell = number AND c.part = 'transcripts')"
        return (
            f"SELECT number, body, transcripts.checksum, {own if self.has_checksums else 'NULL'} AS row_checksum"
            " FROM cells LEFT JOIN transcripts ON cell = number WHERE state != 'todo'"
        )

    def _read_transcript(self, row: sqlite3.Row) -> Transcript:
        number, body, stored, of_row = row
        try:
            if body is None:
                raise ValueError("missing")
            if checksum(body) != stored or (self.has_checksums and of_row != row_checksum(number, stored)):
                raise ValueError("checksum")
            return Transcript.model_validate_json(zlib.decompress(body))
        except (TypeError, ValueError, zlib.error):
            raise damaged(self.path, f"the transcript of {self.name_of(number)}") from None

    def name_of(self, number: int) -> str:
        """A consultation as messages name it."""
        try:
            return str(self.cell(number))
        except (UserError, LookupError):
            return f"consultation {number}"

    def _warn_of(self, left_out: list[int]) -> None:
        if left_out:
            named = "; ".join(self.name_of(number) for number in left_out[:_NAMED])
            more = f" and {len(left_out) - _NAMED} more" if len(left_out) > _NAMED else ""
            warn(
                f"{len(left_out)} consultation(s) of {self.path} are damaged and left out ({named}{more});"
                f" {remedy(self.path)}"
            )

    def find(self, selector: Selector) -> Transcript:
        """The one consultation that is selected; a `UserError` if none is, or several are."""
        return self.find_cell(selector)[1]

    def find_cell(self, selector: Selector) -> tuple[int, Transcript]:
        """The same with the number of its cell."""
        fitting, case = list(self.cells(selector)), selector.case
        if not fitting:
            raise UserError(f"the run has no such consultation of {case!r}", f"check the case, {_SELECTORS}")
        if len(fitting) > 1:
            told = "; ".join(str(cell) for _, cell in fitting[:6])
            raise UserError(f"{case!r} fits {len(fitting)} consultations ({told})", f"add {_SELECTORS}")
        ((number, _),) = fitting
        transcript = self.transcript(number)
        if transcript is None:
            raise UserError(f"the consultation of {case!r} has not been held yet", f"resume the run {self.path}")
        return number, transcript

    def find_ended(self, selector: Selector) -> list[int]:
        """The numbers of all consultations that have ended and are selected; a `UserError` if there is none."""
        numbers = [number for number, _ in self.cells(selector, ended=True)]
        if not numbers:
            what = f"of {selector.case!r}" if selector.case is not None else "of that kind"
            raise UserError(f"{self.path} has no consultation {what} that has ended", f"check the case, {_SELECTORS}")
        return numbers

    def verdicts(self, number: int, judge: str) -> list[StoredVerdict]:
        """Return a judge's verdicts on a consultation; empty if it failed, or this judge has not judged it."""
        found = self.ask(
            "SELECT kind, verdict, rung, because, rank FROM verdicts WHERE cell = ? AND judge = ? ORDER BY kind",
            (number, judge),
        )
        return [StoredVerdict(*row) for row in found]

    def judges(self) -> dict[str, int]:
        """Return the judges whose verdicts are stored, in order, and how many consultations each judged."""
        sql = "SELECT judge, count(DISTINCT cell) FROM verdicts GROUP BY judge ORDER BY min(at), judge"
        return {judge: count for judge, count in self.ask(sql)}

    def unjudged(self, judge: str) -> list[int]:
        """The consultations that ended with an answer and that this judge has not judged."""
        return [number for (number,) in self.ask(f"{_NUMBERS} {_UNJUDGED} ORDER BY number", (judge,))]

    def unscored(self, judge: str) -> list[int]:
        """The consultations that have ended and were kept without a verdict of this judge, or without measures."""
        unmeasured = "(state != 'todo' AND NOT EXISTS (SELECT 1 FROM measures WHERE cell = number))"
        found = self.ask(f"{_NUMBERS} {_UNJUDGED} OR {unmeasured} ORDER BY number", (judge,))
        return [number for (number,) in found]

    def scores(self, judge: str) -> Iterator[sqlite3.Row]:
        """Return one row per consultation that has ended: what it was, its results, and what this judge said.

        Rows that cannot be right are left out, with a warning.
        """
        left_out = []
        for row in self._each(
            "SELECT cells.number, cells.record, patient, language, specialty, cells.backbone, cells.strategy,"
            " cells.memory, cells.variants, cells.trial, cells.state, results.*, cells.tokens AS tokens_paid,"
            " CASE WHEN results.cost IS NULL THEN NULL ELSE cells.cost END AS cost_paid,"
            " d.verdict AS diagnosis_verdict, d.rung AS diagnosis_rung, d.because AS diagnosis_because,"
            " d.rank AS diagnosis_rank, t.verdict AS treatment_verdict, t.rung AS treatment_rung,"
            " t.because AS treatment_because, measures.body AS measures"
            " FROM cells JOIN records ON records.id = cells.record JOIN results ON results.cell = cells.number"
            " LEFT JOIN verdicts d ON d.cell = cells.number AND d.kind = 'diagnosis' AND d.judge = ?1"
            " LEFT JOIN verdicts t ON t.cell = cells.number AND t.kind = 'treatment' AND t.judge = ?1"
            " LEFT JOIN measures ON measures.cell = cells.number ORDER BY cells.number",
            (judge,),
        ):
            if is_sound(row):
                yield row
            else:
                left_out.append(row["number"])
        self._warn_of(left_out)

    def cell(self, number: int) -> Cell:
        """The consultation of the plan with that number."""
        found = self.ask(f"SELECT {_CELL} FROM cells WHERE number = ?", (number,))
        if not found:
            raise LookupError(number)
        return self._cell(found[0])

    def cells(self, selector: Selector, *, ended: bool = False) -> Iterator[tuple[int, Cell]]:
        """The consultations of the plan that are selected, or those of them that have ended, by number."""
        chosen = (f"(:{name} IS NULL OR :{name} = {name})" for name in ("backbone", "strategy", "memory", "trial"))
        sql = (
            f"SELECT number, {_CELL} FROM cells JOIN records ON id = record WHERE {' AND '.join(chosen)}"
            " AND (:case IS NULL OR :case IN (id, patient)) AND (NOT :ended OR state != 'todo') ORDER BY number"
        )
        for number, *row in self._each(sql, {**asdict(selector), "ended": ended}):
            cell = self._cell(row)
            if selector.variants in (None, " ".join(told_variants(cell.column.variants))):
                yield number, cell

    def has_succeeded(self, column: Column) -> bool:
        """Whether a consultation of that column has ended with an answer."""
        values = (CellState.DONE.value, *column.as_row().values())
        marks = ", ".join("?" * len(COLUMN))
        sql = f"SELECT 1 FROM cells WHERE state = ? AND ({', '.join(COLUMN)}) = ({marks}) LIMIT 1"
        return bool(self.ask(sql, values))

    def columns(self) -> list[Column]:
        """The columns of the plan, in the order they came."""
        fields = ", ".join(COLUMN)
        found = self.ask(f"SELECT {fields} FROM cells GROUP BY {fields} ORDER BY min(number)")
        return [self._cell(("", *row, 1)).column for row in found]

    def _cell(self, row: Iterable[Any]) -> Cell:
        try:
            return cell_of(row)
        except (TypeError, ValueError):
            raise damaged(self.path, "its plan cannot be read") from None

    def forks(self) -> dict[int, Fork]:
        """The consultations that are forks, by their cells, and what each was forked from."""
        parents = ", ".join(f"parent_{name}" for name in CELL)
        found = self.ask(f"SELECT cell, parent_run_name, turn, {parents} FROM forks")
        return {cell: Fork(run, self._cell(parent), turn) for cell, run, turn, *parent in found}

    def attempts(self, number: int) -> list[sqlite3.Row]:
        """Return how every attempt at a cell ended: the ending, the message, the tokens."""
        return self.ask("SELECT ending, message, tokens FROM attempts WHERE cell = ? ORDER BY id", (number,))


@lru_cache(maxsize=2)
def _layout(has_checksums: bool) -> frozenset[tuple[str, str]]:
    """The tables that every run has, by name, and how they were made."""
    with closing(sqlite3.connect(":memory:")) as file:
        tables = (*TABLES, row_checksums.TABLE) if has_checksums else TABLES_WITHOUT_CHECKSUMS
        for table in (*tables, search_index.TABLE):
            file.execute(table)
        return frozenset(file.execute(_LAYOUT))
