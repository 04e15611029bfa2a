"""Read what a run was planned with: its settings, prompts, records and consultations."""

# ruff: noqa: S608 -- statements are made of our own words; values of others are bound

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from osler.errors import UserError, warn
from osler.language import Language
from osler.prompts import changed_prompts
from osler.records.schema import PatientRecord
from osler.runs.plan import COLUMN, Cell, Column, Selector, told_variants
from osler.runs.scored import CellState
from osler.runs.store.connection import damaged, remedy
from osler.runs.store.open_run import OpenRun
from osler.runs.store.tables import CELL, cell_of
from osler.settings.run_settings import RunSettings

_CELL = ", ".join(CELL)
SELECTORS = "--memory, --strategy, --backbone, --variant or --trial"
_NAMED = 5
"""Damaged consultations that a warning names."""


@dataclass(frozen=True)
class Fork:
    """Origin of a consultation that continued from the first turns of another one."""

    run: str
    """The name of the parent's run."""
    parent: Cell
    turn: int
    """The last turn that it shares with its parent."""


class PlanReader(OpenRun):
    """A run, as far as its plan goes."""

    def __init__(self, path: Path, file: sqlite3.Connection) -> None:
        """Take an open file; use `open`."""
        super().__init__(path, file)
        self._records = lru_cache(maxsize=512)(self._read_record)

    def about(self) -> dict[str, Any]:
        """Settings, versions, and whatever else the run was made with."""
        rows = self.ask("SELECT name, value FROM about")
        try:
            about = {row["name"]: json.loads(row["value"]) for row in rows}
        except ValueError:
            raise damaged(self.path, "its settings cannot be read") from None
        if not isinstance(about.get("settings"), dict):
            raise damaged(self.path, "its settings are missing or cannot be read")
        return about

    @property
    def settings(self) -> RunSettings:
        """What all its consultations share."""
        try:
            return RunSettings.from_json(self.about()["settings"])
        except (LookupError, TypeError, AttributeError, ValueError):
            raise damaged(self.path, "its settings are missing or cannot be read") from None

    def prompts(self) -> dict[str, str]:
        """Return the prompt templates that its consultations used, and the hash of each."""
        rows = self.ask("SELECT name, hash FROM prompts ORDER BY name")
        return {row["name"]: row["hash"] for row in rows}

    def changed_prompts(self) -> list[str]:
        """Return the names of those that have other words now."""
        return changed_prompts(self.prompts(), self.settings.prompts)

    def record(self, case: str) -> PatientRecord:
        """A record as it was when the run began, by its id."""
        return self._records(case)

    def _read_record(self, case: str) -> PatientRecord:
        try:
            ((body, digest),) = self.ask("SELECT body, hash FROM records WHERE id = ?", (case,))
            content = zlib.decompress(body)
            if hashlib.sha256(content).hexdigest() != digest:
                raise ValueError("hash")
            return PatientRecord.model_validate_json(content)
        except (TypeError, ValueError, zlib.error):
            raise damaged(self.path, f"the record {case!r}") from None

    def cell(self, number: int) -> Cell:
        """The consultation of the plan with that number; a LookupError if there is none."""
        rows = self.ask(f"SELECT {_CELL} FROM cells WHERE number = ?", (number,))
        if not rows:
            raise LookupError(number)
        return self._cell(rows[0])

    def state(self, number: int) -> CellState | None:
        """The state of a consultation; None if the plan has none of that number."""
        rows = self.ask("SELECT state FROM cells WHERE number = ?", (number,))
        if rows:
            return CellState(rows[0]["state"])
        return None

    def cells(self, selector: Selector, *, ended: bool = False) -> Iterator[tuple[int, Cell]]:
        """The consultations of the plan that are selected, by number.

        With `ended`, they are only those that have ended.
        """
        chosen = (
            f"(:{name} IS NULL OR :{name} = {name})"
            for name in ("backbone", "strategy", "memory", "trial")
        )
        sql = (
            f"SELECT number, {_CELL} FROM cells JOIN records ON id = record WHERE"
            f" {' AND '.join(chosen)} AND (:case IS NULL OR :case IN (id, patient)) AND (NOT :ended"
            " OR state != 'todo') ORDER BY number"
        )
        for row in self.each(sql, {**asdict(selector), "ended": ended}):
            cell = self._cell(row)
            if selector.variants in (None, " ".join(told_variants(cell.column.variants))):
                yield row["number"], cell

    def find_ended(self, selector: Selector) -> list[int]:
        """The numbers of all consultations that have ended and are selected.

        A `UserError` if there is none.
        """
        numbers = [number for number, _ in self.cells(selector, ended=True)]
        if not numbers:
            what = f"of {selector.case!r}" if selector.case is not None else "of that kind"
            raise UserError(
                f"{self.path} has no consultation {what} that has ended",
                f"check the case, {SELECTORS}",
            )
        return numbers

    def columns(self) -> list[Column]:
        """The columns of the plan, in the order they came."""
        fields = ", ".join(COLUMN)
        rows = self.ask(
            f"SELECT '' AS record, {fields}, 1 AS trial FROM cells"
            f" GROUP BY {fields} ORDER BY min(number)"
        )
        return [self._cell(row).column for row in rows]

    def languages(self) -> list[Language]:
        """The languages of its records."""
        rows = self.ask("SELECT DISTINCT language FROM records ORDER BY language")
        return [Language(language) for (language,) in rows]

    def patients(self) -> list[str]:
        """The patient of every consultation of the plan, in order."""
        rows = self.ask(
            "SELECT patient FROM cells JOIN records ON id = record ORDER BY cells.number"
        )
        return [patient for (patient,) in rows]

    def record_hashes(self) -> dict[str, str]:
        """The hash of every record's content, by its id."""
        return {row["id"]: row["hash"] for row in self.ask("SELECT id, hash FROM records")}

    def _cell(self, row: sqlite3.Row) -> Cell:
        try:
            return cell_of(row)
        except (TypeError, ValueError):
            raise damaged(self.path, "its plan cannot be read") from None

    def forks(self) -> dict[int, Fork]:
        """The consultations that are forks, by their cells, and what each was forked from."""
        parent = ", ".join(f"parent_{name} AS {name}" for name in CELL)
        rows = self.ask(f"SELECT cell, parent_run_name, turn, {parent} FROM forks")
        return {
            row["cell"]: Fork(row["parent_run_name"], self._cell(row), row["turn"]) for row in rows
        }

    def name_of(self, number: int) -> str:
        """A consultation as messages name it."""
        try:
            return str(self.cell(number))
        except (UserError, LookupError):
            return f"consultation {number}"

    def warn_of_damage(self, left_out: Sequence[int]) -> None:
        """Warn of consultations that were left out because they are damaged, if there are any."""
        if left_out:
            named = "; ".join(self.name_of(number) for number in left_out[:_NAMED])
            more = f" and {len(left_out) - _NAMED} more" if len(left_out) > _NAMED else ""
            warn(
                f"{len(left_out)} consultation(s) of {self.path} are damaged and left out"
                f" ({named}{more}); {remedy(self.path)}"
            )
