"""Read a run file: its plan, how far it is, its transcripts, verdicts and failures."""

# ruff: noqa: S608 -- statements are made of our own words; values of others are bound

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from osler.errors import UserError
from osler.runs.events import Ending
from osler.runs.plan import COLUMN, Column, Selector
from osler.runs.scored import CellState, Failure, StoredVerdict
from osler.runs.store.connection import DamagedRunError, checksum, damaged
from osler.runs.store.plan_reader import SELECTORS, PlanReader
from osler.runs.store.row_checksums import row_checksum
from osler.runs.store.run_names import FORKS, SUFFIX
from osler.runs.store.tables import CELL
from osler.runs.transcript import Transcript
from osler.runs.transcript_rows import ResultRow

_CELL = ", ".join(CELL)
_NUMBERS = "SELECT number FROM cells WHERE"
_UNJUDGED = (
    "(state = 'done' AND NOT EXISTS (SELECT 1 FROM verdicts WHERE cell = number AND judge = ?))"
)
_ENDED = """
SELECT number, body, transcripts.checksum, (
    SELECT c.checksum FROM checksums c WHERE c.cell = number AND c.part = 'transcripts'
) AS row_checksum
FROM cells LEFT JOIN transcripts ON cell = number
WHERE state != 'todo'
"""
"""The transcripts of what has ended, with the checksums of their rows."""
# Tokens by `total`, which does not overflow. Consultations that have ended tell whether their price
# is known; of one under way, answers that cost nothing are taken for unpriced.
_STATUS = """
SELECT
    coalesce(sum(state = 'todo'), 0) AS todo,
    coalesce(sum(state = 'done'), 0) AS done,
    coalesce(sum(state = 'failed'), 0) AS failed,
    (SELECT count(*) FROM attempts) AS attempts,
    coalesce(sum(cells.calls), 0) AS calls,
    CAST(total(tokens) AS INTEGER) AS tokens,
    CASE
        WHEN sum(
            cells.calls > 0
            AND CASE WHEN cell IS NULL THEN cells.cost = 0 ELSE results.cost IS NULL END
        ) THEN NULL
        ELSE total(cells.cost)
    END AS cost,
    total(cells.cost) AS cost_known,
    (SELECT total(seconds) FROM sessions) AS seconds,
    coalesce(sum(state = 'todo' AND number IN (SELECT cell FROM answers)), 0) AS begun
FROM cells LEFT JOIN results ON cell = number
"""


def forks_path(run: Path) -> Path:
    """The run of all forks of a run, beside it; forks of forks stay among themselves."""
    if run.stem.endswith(FORKS):
        return run
    return run.with_name(f"{run.stem}{FORKS}{SUFFIX}")


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


class Attempt(NamedTuple):
    """One attempt at a consultation."""

    ending: str
    message: str | None
    tokens: int


class RunFile(PlanReader):
    """A run, open for reading. Safe while another process writes to it."""

    def status(self) -> RunStatus:
        """Return how far it is."""
        (row,) = self.ask(_STATUS)
        return RunStatus(**dict(row))

    def is_open(self) -> bool:
        """Whether its last session has not ended: it is being written to, or was killed."""
        last = "SELECT max(id) FROM sessions"
        return bool(self.ask(f"SELECT 1 FROM sessions WHERE ended IS NULL AND id = ({last})"))

    def session_details(self) -> list[str]:
        """What each session that ran consultations was started with, and noted, as JSON.

        The sessions are in their order.
        """
        rows = self.ask(
            "SELECT detail FROM sessions WHERE id IN (SELECT session FROM attempts) ORDER BY id"
        )
        return [str(detail) for (detail,) in rows]

    def own_judge(self) -> str | None:
        """Return the judge that the run was simulated with, the newest if there were several.

        It is None if that was the rules.
        """
        for (detail,) in self.ask("SELECT detail FROM sessions ORDER BY id DESC"):
            with suppress(ValueError):
                judge = json.loads(detail).get("judge")
                if judge:
                    return str(judge)
        return None

    def judge_tokens(self) -> int:
        """Tokens that the verdicts on conclusions took, of all judges."""
        ((tokens,),) = self.ask("SELECT CAST(total(tokens) AS INTEGER) FROM verdicts")
        return int(tokens)

    def transcripts(self) -> Iterator[Transcript]:
        """All consultations that have ended, well or not, in the order of the plan.

        Damaged ones are left out.
        """
        left_out = []
        for row in self.each(f"{_ENDED} ORDER BY {_CELL}"):
            try:
                yield self._read_transcript(row)
            except DamagedRunError:
                left_out.append(row["number"])
        self.warn_of_damage(left_out)

    def transcript(self, number: int) -> Transcript | None:
        """The consultation of one cell, None if it has not ended.

        Raises a `DamagedRunError` if it cannot be read.
        """
        rows = self.ask(f"{_ENDED} AND number = ?", (number,))
        if rows:
            return self._read_transcript(rows[0])
        return None

    def _read_transcript(self, row: sqlite3.Row) -> Transcript:
        number = row["number"]
        body = row["body"]
        try:
            if body is None:
                raise ValueError("missing")
            is_sound = checksum(body) == row["checksum"]
            if not is_sound or row["row_checksum"] != row_checksum(number, row["checksum"]):
                raise ValueError("checksum")
            return Transcript.model_validate_json(zlib.decompress(body))
        except (TypeError, ValueError, zlib.error):
            raise damaged(self.path, f"the transcript of {self.name_of(number)}") from None

    def find(self, selector: Selector) -> Transcript:
        """The one consultation that is selected; a `UserError` if none is, or several are."""
        return self.find_cell(selector)[1]

    def find_cell(self, selector: Selector) -> tuple[int, Transcript]:
        """The same with the number of its cell."""
        fitting = list(self.cells(selector))
        case = selector.case
        if not fitting:
            raise UserError(
                f"the run has no such consultation of {case!r}", f"check the case, {SELECTORS}"
            )
        if len(fitting) > 1:
            first = "; ".join(str(cell) for _, cell in fitting[:6])
            raise UserError(
                f"{case!r} fits {len(fitting)} consultations ({first})", f"add {SELECTORS}"
            )
        ((number, _),) = fitting
        transcript = self.transcript(number)
        if transcript is None:
            raise UserError(
                f"the consultation of {case!r} has not been held yet", f"resume the run {self.path}"
            )
        return number, transcript

    def verdicts(self, number: int, judge: str) -> list[StoredVerdict]:
        """Return a judge's verdicts on a consultation.

        There are none if it failed, or if this judge has not judged it.
        """
        verdicts = [verdict for name, verdict in self.every_verdict(number) if name == judge]
        return sorted(verdicts, key=lambda verdict: verdict.kind)

    def every_verdict(self, number: int) -> list[tuple[str, StoredVerdict]]:
        """Return the verdicts on a consultation, each with its judge, in the order they came."""
        rows = self.ask(
            "SELECT judge, kind, verdict, rung, because, rank FROM verdicts WHERE cell = ?"
            " ORDER BY at, judge, kind",
            (number,),
        )
        return [(judge, StoredVerdict(*verdict)) for judge, *verdict in rows]

    def verdicts_of(self, judge: str) -> dict[tuple[int, str], StoredVerdict]:
        """Return all verdicts of a judge, by the consultation's number and the kind of answer."""
        rows = self.ask(
            "SELECT cell, kind, verdict, rung, because FROM verdicts WHERE judge = ?", (judge,)
        )
        return {(row["cell"], row["kind"]): StoredVerdict(*tuple(row)[1:]) for row in rows}

    def has_verdicts(self, judge: str) -> bool:
        """Whether there is any verdict of a judge."""
        return bool(self.ask("SELECT 1 FROM verdicts WHERE judge = ? LIMIT 1", (judge,)))

    def judges(self) -> dict[str, int]:
        """Return the judges whose verdicts are stored, and how many consultations each judged.

        They come in the order in which they began.
        """
        sql = (
            "SELECT judge, count(DISTINCT cell) FROM verdicts GROUP BY judge ORDER BY min(at),"
            " judge"
        )
        return {judge: count for judge, count in self.ask(sql)}

    def unjudged(self, judge: str) -> list[int]:
        """The consultations that ended with an answer and that this judge has not judged."""
        return [
            number for (number,) in self.ask(f"{_NUMBERS} {_UNJUDGED} ORDER BY number", (judge,))
        ]

    def unscored(self, judge: str) -> list[int]:
        """The consultations that ended without a verdict of this judge, or without measures."""
        unmeasured = "(state != 'todo' AND NOT EXISTS (SELECT 1 FROM measures WHERE cell = number))"
        rows = self.ask(f"{_NUMBERS} {_UNJUDGED} OR {unmeasured} ORDER BY number", (judge,))
        return [number for (number,) in rows]

    def answered(self) -> list[int]:
        """The consultations that ended with an answer."""
        rows = self.ask(f"{_NUMBERS} state = 'done' ORDER BY number")
        return [number for (number,) in rows]

    def has_succeeded(self, column: Column) -> bool:
        """Whether a consultation of that column has ended with an answer."""
        values = (CellState.DONE.value, *column.as_row().values())
        marks = ", ".join("?" * len(COLUMN))
        sql = f"SELECT 1 FROM cells WHERE state = ? AND ({', '.join(COLUMN)}) = ({marks}) LIMIT 1"
        return bool(self.ask(sql, values))

    def attempts(self, number: int) -> list[Attempt]:
        """Return every attempt at a consultation, in order."""
        rows = self.ask(
            "SELECT ending, message, tokens FROM attempts WHERE cell = ? ORDER BY id", (number,)
        )
        return [Attempt(*row) for row in rows]

    def failures(self) -> list[tuple[int, Ending, Failure | None]]:
        """Return every consultation that failed: its number, how it ended, and why."""
        names = ", ".join(f"results.{name}" for name in ResultRow.names())
        rows = self.ask(
            f"SELECT number, {names} FROM cells JOIN results ON results.cell = number"
            " WHERE state = 'failed' ORDER BY number"
        )
        failures = []
        for row in rows:
            result = ResultRow.model_construct(**{name: row[name] for name in ResultRow.names()})
            failures.append((row["number"], Ending(row["ending"]), result.failed))
        return failures
