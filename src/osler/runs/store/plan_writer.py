"""Write the plan of a run: records, consultations to be run, forks, and what is tried again."""

# ruff: noqa: S608 -- statements are made of our own words; values of others are bound

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from osler.errors import UserError
from osler.records.schema import PatientRecord
from osler.runs.plan import COLUMN, LARGEST_PLAN, Cell, Column, Plan
from osler.runs.scored import CellState
from osler.runs.store.check import damaged_transcripts
from osler.runs.store.plan_reader import Fork
from osler.runs.store.sessions import OpenRunWriter
from osler.runs.store.statements import insert, marks
from osler.runs.store.tables import CELL, cell_values

_CELL = ", ".join(CELL)


@dataclass(frozen=True)
class Planned:
    """The consultations of a plan: those to be run, by number, and how many have ended."""

    todo: list[int]
    there: int


class PlanWriter(OpenRunWriter):
    """A run whose plan can be extended."""

    def extend(self, plan: Plan) -> Planned:
        """Add the plan's consultations that the run does not have yet.

        Raises:
            UserError: A record has changed since the run began, the plan is too large, or its
                streams have other cases.
        """
        todo: list[int] = []
        known = 0
        cases: list[str] = []

        def cells(file: sqlite3.Connection) -> Iterator[Cell]:
            for count, record in enumerate(plan.records, 1):
                if count * plan.each > LARGEST_PLAN:
                    raise plan.too_large
                self._add_record(file, record)
                cases.append(record.id)
                yield from plan.cells(record)
            yield from plan.held_again(cases)

        before = self._stream_sizes(plan)
        with self._transaction() as file:
            for cell in cells(file):
                name = cell_values(cell)
                insert(file, "OR IGNORE INTO cells", CELL, name)
                number, state = file.execute(
                    f"SELECT number, state FROM cells WHERE ({_CELL}) = ({marks(name)})", name
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
                f"--transfer {plan.settings.transfer} leaves no case to learn from: a stream has"
                f" {cases}",
                "give a smaller --transfer, or more records",
            )
        if before | self._stream_sizes(plan) != {cases}:
            raise UserError(
                f"the streams of {self.path} have other cases than this plan, and lessons depend on"
                " them",
                "give the same records as before, or another --out",
            )

    def _stream_sizes(self, plan: Plan) -> set[int]:
        """How many cases the run has of the plan's columns, trial by trial."""
        kinds = (
            cell_values(Cell("", column, 0))[1:-1] for column in plan.columns if plan.experience
        )
        sql = (
            f"SELECT count(*) FROM cells WHERE ({', '.join(COLUMN)}) = ({marks(COLUMN)}) GROUP BY"
            " trial"
        )
        return {count for kind in kinds for (count,) in self.ask(sql, kind)}

    def next_trial(self, case: str, column: Column) -> int:
        """The number after the last trial of this kind."""
        *kind, _ = cell_values(Cell(case, column, 0))
        fields = ", ".join(CELL[:-1])
        sql = f"SELECT coalesce(max(trial), 0) + 1 FROM cells WHERE ({fields}) = ({marks(kind)})"
        return int(self.ask(sql, kind)[0][0])

    def add_fork(self, record: PatientRecord, cell: Cell, fork: Fork) -> int:
        """Add one consultation to the run together with where it comes from; its number."""
        with self._transaction() as file:
            self._add_record(file, record)
            number = insert(file, "INTO cells", CELL, cell_values(cell))
            insert(file, "INTO forks", (), (number, fork.run, *cell_values(fork.parent), fork.turn))
        return number

    def _add_record(self, file: sqlite3.Connection, record: PatientRecord) -> None:
        body = record.model_dump_json(exclude_none=True).encode()
        digest = hashlib.sha256(body).hexdigest()
        known = file.execute("SELECT hash FROM records WHERE id = ?", (record.id,)).fetchone()
        if known is None:
            row = (
                record.id,
                record.patient,
                record.language.value,
                record.specialty,
                digest,
                zlib.compress(body),
            )
            insert(file, "INTO records", (), row)
        elif known[0] != digest:
            raise UserError(
                f"the record {record.id!r} is not what it was when the run {self.path} began",
                "give another --out, or the records as they were",
            )

    def retry(self) -> Planned:
        """Plan failed and damaged consultations again, with the answers that they had.

        Returns these and all that have not been run yet.

        Forks are left as they are: only forking again makes their first turns.
        """
        failed = (
            "SELECT number FROM cells WHERE state = 'failed' AND number NOT IN (SELECT cell FROM"
            " forks)"
        )
        unreadable = damaged_transcripts(self)
        with self._transaction() as file:
            file.executemany(
                "UPDATE cells SET state = 'failed' WHERE number = ?",
                [(number,) for number in unreadable],
            )
            for table in ("results", "transcripts", "verdicts", "measures", "patient_verdicts"):
                file.execute(f"DELETE FROM {table} WHERE cell IN ({failed})")
            file.execute(f"DELETE FROM said WHERE rowid IN ({failed})")
            file.execute(f"UPDATE cells SET state = 'todo' WHERE number IN ({failed})")
        todo = [
            number
            for (number,) in self.ask(
                "SELECT number FROM cells WHERE state = 'todo' ORDER BY number"
            )
        ]
        return Planned(todo, self.status().done)
