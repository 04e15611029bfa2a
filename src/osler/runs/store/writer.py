"""Write what comes of a run: kept answers, consultations that have ended, verdicts and measures.

One writer at a time, every step atomic. Resuming starts in `create_or_resume`.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from osler.errors import warn
from osler.models.completion import AnswerSource
from osler.runs.scored import CellState, StoredVerdict
from osler.runs.store import search_index
from osler.runs.store.connection import checksum
from osler.runs.store.plan_writer import PlanWriter
from osler.runs.store.row_checksums import is_sound_answer, row_checksum
from osler.runs.store.statements import as_json, insert, now
from osler.runs.transcript import Transcript
from osler.runs.transcript_rows import ResultRow

if TYPE_CHECKING:
    from osler.models.completion import Completion


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
    """An answer as it is stored, with what was spent on it.

    Nothing was spent if another consultation had paid for it.
    """

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


class RunWriter(PlanWriter):
    """A run, open for writing. A second one for the same file is refused while this is open."""

    def stored_answers(self, number: int) -> tuple[tuple[str, str], ...]:
        """Return what models already answered in a consultation that has not ended.

        Damaged answers are left out.
        """
        rows = self.ask("SELECT * FROM answers WHERE cell = ? ORDER BY id", (number,))
        sound = [row for row in rows if is_sound_answer(dict(row))]
        left_out = len(rows) - len(sound)
        if left_out:
            warn(
                f"{left_out} kept answer(s) of {self.name_of(number)} are damaged and left out:"
                " they are asked again"
            )
        return tuple((row["key"], row["body"]) for row in sound)

    def store_answers(self, answers: Iterable[AnswerRow]) -> None:
        """Keep answers."""
        with self._transaction() as file:
            for row in answers:
                content = (row.number, row.key, row.body)
                columns = ("cell", "key", "body", "checksum")
                insert(file, "INTO answers", columns, (*content, row_checksum(*content)))
                file.execute(
                    "UPDATE cells SET calls = calls + ?, tokens = tokens + ?, cost = cost + ? WHERE"
                    " number = ?",
                    (row.calls, row.tokens, row.cost or 0.0, row.number),
                )

    def finish(
        self, number: int, transcript: Transcript, scored: StoredScore | None = None
    ) -> ResultRow:
        """Keep a consultation that has ended, all of it or nothing.

        That is its transcript, its figures, its score and the attempt.

        A cell ends once. One that is kept without a score is scored when the run is resumed.
        """
        figures = ResultRow.of(transcript)
        body = zlib.compress(
            transcript.model_dump_json(exclude_none=True).encode("utf-8", "surrogatepass")
        )
        state = CellState.DONE if transcript.ending.is_answer else CellState.FAILED
        with self._transaction() as file:
            change = "UPDATE cells SET state = ? WHERE number = ? AND state = 'todo'"
            if not file.execute(change, (state.value, number)).rowcount:
                raise AssertionError(f"cell {number} has ended before")
            values = (getattr(figures, name) for name in ResultRow.names())
            insert(file, "INTO results", (), (number, *values, now()))
            insert(file, "INTO transcripts", (), (number, body, checksum(body)))
            search_index.keep(file, number, transcript)
            prompts = transcript.header.prompts
            file.executemany("INSERT OR IGNORE INTO prompts VALUES (?, ?)", prompts.items())
            if state is CellState.DONE:
                file.execute("DELETE FROM answers WHERE cell = ?", (number,))
            reason = figures.failed.line if figures.failed else None
            self._add_attempt(file, number, transcript.ending.value, reason)
            if scored is not None:
                _insert_score(file, number, scored)
        return figures

    def store_score(self, number: int, scored: StoredScore) -> None:
        """Keep the score of a consultation that ended before.

        The same judge's earlier one is replaced.
        """
        with self._transaction() as file:
            _insert_score(file, number, scored)

    def store_reading(
        self, number: int, judge: str, body: dict[str, Any], tokens: int, cost: float | None
    ) -> None:
        """Store a model's verdicts on a consultation's replies.

        Its earlier ones are replaced, nobody else's.
        """
        with self._transaction() as file:
            insert(
                file,
                "OR REPLACE INTO patient_verdicts",
                (),
                (number, judge, as_json(body), tokens, cost, now()),
            )

    def store_examination(self, judge: str, trial: dict[str, Any]) -> None:
        """Store how a judge, of conclusions or of replies, did when it was examined."""
        with self._transaction() as file:
            insert(file, "OR REPLACE INTO patient_judges", (), (judge, as_json(trial)))


def _insert_score(file: sqlite3.Connection, number: int, scored: StoredScore) -> None:
    for verdict in scored.verdicts:
        row = (
            number,
            verdict.kind,
            scored.judge,
            verdict.verdict,
            verdict.rung,
            verdict.because,
            verdict.rank,
            verdict.tokens,
            now(),
        )
        insert(file, "OR REPLACE INTO verdicts", (), row)
    if scored.measures is not None:
        insert(
            file, "OR REPLACE INTO measures", (), (number, scored.version, as_json(scored.measures))
        )
