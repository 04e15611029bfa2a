"""Read and write why consultations were lost, and what finding that out cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from osler.models.completion import AnswerSource, Completion
from osler.runs.scored import StoredExplanation
from osler.runs.store.reader import RunFile
from osler.runs.store.writer import RunWriter

_VALID = (
    "SELECT x.* FROM explanations x JOIN transcripts t ON t.cell = x.cell AND t.checksum ="
    " x.checksum JOIN verdicts v ON v.cell = x.cell AND v.judge = x.judge AND v.kind = 'diagnosis'"
    " AND v.verdict = x.verdict WHERE x.judge = ?1 AND (?2 IS NULL OR x.cell = ?2) ORDER BY x.cell"
)


class ExplanationCost(NamedTuple):
    """What models were paid for all explanations of a run, ever."""

    calls: int
    tokens: int
    cost: float | None
    """In USD; None as soon as one call has no known price."""


def explanations(
    file: RunFile, judge: str, cell: int | None = None
) -> dict[int, StoredExplanation]:
    """Return the explanations, of all cells or of one, whose verdict and transcript still hold."""
    if file.ask("SELECT 1 FROM explanations WHERE judge = ?", (judge,)):
        # A transcript that is damaged has no explanation: say so.
        file.verify("transcripts")
    return {row["cell"]: _read(row) for row in file.ask(_VALID, (judge, cell))}


def _read(row: Any) -> StoredExplanation:
    body = json.loads(row["body"])
    return StoredExplanation(
        cause=row["cause"],
        lost_at=row["lost_at"],
        verdict=row["verdict"],
        missing=tuple(json.loads(row["missing"])),
        line=body["line"],
        settings=json.loads(row["settings"]),
        steps=tuple(body["steps"]),
    )


class ExplanationWriter(RunWriter):
    """A run, open for writing explanations. It is locked for others meanwhile."""

    def store_explanation(self, number: int, judge: str, explanation: StoredExplanation) -> None:
        """Store why a consultation was lost; an earlier explanation for this judge is replaced."""
        row = (
            number,
            judge,
            explanation.verdict,
            number,
            _json(explanation.settings),
            explanation.cause,
            explanation.lost_at,
            _json(explanation.missing),
            _json({"line": explanation.line, "steps": explanation.steps}),
            datetime.now(UTC).isoformat(),
        )
        with self._transaction() as file:
            file.execute(
                "INSERT OR REPLACE INTO explanations VALUES (?, ?, ?, (SELECT checksum FROM"
                " transcripts WHERE cell = ?), ?, ?, ?, ?, ?, ?)",
                row,
            )

    def store_explain_answer(self, number: int, role: str, key: str, answer: Completion) -> None:
        """Store a model's answer, unless another consultation shares it and has it stored."""
        if answer.source is AnswerSource.RUN:
            return
        tokens = (answer.tokens_in or 0) + (answer.tokens_out or 0)
        row = (number, role, key, answer.model_dump_json(), tokens, answer.cost)
        with self._transaction() as file:
            file.execute(
                "INSERT INTO explain_answers (cell, role, key, body, tokens, cost) VALUES (?, ?, ?,"
                " ?, ?, ?)",
                row,
            )

    def explain_answers(self, role: str, number: int | None = None) -> Iterator[tuple[str, str]]:
        """The keys of requests and the stored answers of a role, of one consultation or of all."""
        sql = (
            "SELECT key, body FROM explain_answers WHERE role = ?1 AND (?2 IS NULL OR cell = ?2)"
            " ORDER BY id"
        )
        return ((key, body) for key, body in self.ask(sql, (role, number)))

    def explanation_cost(self) -> ExplanationCost:
        """What was paid so far."""
        ((calls, tokens, unpriced, cost),) = self.ask(
            "SELECT count(*), CAST(total(tokens) AS INTEGER), total(cost IS NULL), total(cost) FROM"
            " explain_answers"
        )
        return ExplanationCost(calls, tokens, None if unpriced else cost)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
