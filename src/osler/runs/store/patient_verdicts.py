"""What models said of a run's replies, and what is exact in them, as the run stores it."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter, ValidationError

from osler.runs.reply_faults import FaultyReply, PatientReading, ReplyFaults
from osler.runs.store.connection import damaged
from osler.runs.store.reader import RunFile

_FAULTY = TypeAdapter(tuple[FaultyReply, ...])


def patient_judges(file: RunFile) -> list[str]:
    """Return the models that read replies of a run; the one that did so last is the last."""
    rows = file.ask("SELECT judge FROM patient_verdicts GROUP BY judge ORDER BY max(at), judge")
    return [judge for (judge,) in rows]


def patient_readings(
    file: RunFile, judge: str, number: int | None = None
) -> dict[int, PatientReading]:
    """Return what a model said of replies, by consultation: of all, or of the one named."""
    rows = file.ask(
        "SELECT cell, body FROM patient_verdicts WHERE judge = ?1 AND (?2 IS NULL OR cell = ?2)",
        (judge, number),
    )
    return {cell: _reading(file, cell, body) for cell, body in rows}


def _reading(file: RunFile, number: int, body: str) -> PatientReading:
    try:
        return PatientReading.model_validate_json(body)
    except ValidationError:
        what = f"what was said of the replies of {file.name_of(number)}"
        raise damaged(file.path, what) from None


def exact_faults(file: RunFile, number: int) -> dict[int, ReplyFaults]:
    """Return what is exactly wrong with the replies of one consultation, by turn."""
    rows = file.ask("SELECT body FROM measures WHERE cell = ?", (number,))
    try:
        measures = json.loads(rows[0]["body"]) if rows else {}
        faulty = _FAULTY.validate_python(measures.get("faulty_replies", ()))
    except (AttributeError, LookupError, TypeError, ValueError):
        raise damaged(file.path, f"what was measured of {file.name_of(number)}") from None
    return {reply.turn: reply.faults for reply in faulty}


def judge_trial(file: RunFile, judge: str) -> dict[str, Any]:
    """Return how a judge did when it was examined, as it was stored; empty if it never was."""
    rows = file.ask("SELECT trial FROM patient_judges WHERE judge = ?", (judge,))
    trial: dict[str, Any] = json.loads(rows[0]["trial"]) if rows else {}
    return trial


def count_replies(file: RunFile) -> int:
    """Count the replies of all consultations that ended with an answer."""
    ((count,),) = file.ask(
        "SELECT coalesce(sum(replies), 0) FROM results JOIN cells ON number = cell"
        " WHERE state = 'done'"
    )
    return int(count)
