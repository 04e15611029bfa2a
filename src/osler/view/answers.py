"""What every address of the page answers, as plain data: the server sends it, the export writes it down."""

from __future__ import annotations

import json
import sqlite3
import zlib
from typing import Any, NamedTuple

from pydantic import ValidationError

from osler.eval.faithfulness.patient_verdicts import counts_in, faults_in, ruler_notes
from osler.eval.ladder import LADDER
from osler.eval.runs import LoadedRun
from osler.records.schema import PatientRecord
from osler.runs.plan import COLUMN, told_variants
from osler.runs.store import CellState, RunFile
from osler.runs.store.files import DamagedRunError
from osler.runs.transcript import Transcript
from osler.short_names import backbone_name, backbone_names, memory_names
from osler.view.rows import Query, forks_of, page
from osler.view.shelf import Missing, Shown
from osler.view.story import call, story
from osler.view.truth import truth

UNREADABLE = (DamagedRunError, sqlite3.Error, zlib.error, ValidationError, ValueError, LookupError, TypeError)
"""What a damaged run file leads to, wherever it is read."""
_LIVELY = 300.0
"""Seconds without a word after which a run that was never closed counts as dead."""
Answer = dict[str, Any]


def run(shown: Shown) -> Answer:
    """One line of the list of runs."""
    with shown.open() as file:
        about, standing = file.about(), file.standing()
        backbones, strategies, memories, variants = (_distinct(file, "cells", name) for name in COLUMN)
        settings, judge = about["settings"], judge_of(file)
        seats = [settings[name] for name in ("patient_backbone", "ram_backbone", "memory_backbone") if settings[name]]
        names = {spec: backbone_name(spec) for spec in seats} | backbone_names(backbones) | memory_names(memories)
        names |= {column.as_row()["variants"]: ", ".join(told_variants(column.variants)) for column in file.columns()}
        open_session = file.ask("SELECT 1 FROM sessions WHERE ended IS NULL AND id = (SELECT max(id) FROM sessions)")
        return {
            "key": shown.key,
            "name": shown.name,
            "total": standing.total,
            "done": standing.done,
            "failed": standing.failed,
            "todo": standing.todo,
            "live": bool(open_session) and shown.changed_within(_LIVELY),
            "unjudged": len(file.unjudged(judge)),
            "patient_backbone": settings["patient_backbone"],
            "backbones": backbones,
            "strategies": [name for name in strategies if name],
            "memories": memories,
            "variants": variants,
            "names": names,
            "languages": _distinct(file, "records", "language"),
            "specialties": _distinct(file, "records", "specialty"),
            "endings": _distinct(file, "results", "ending"),
            "judges": _distinct(file, "verdicts", "judge"),
            "judge": judge,
            "tokens": standing.tokens,
            "cost": standing.cost,
            "version": about["version"],
        }


def judge_of(file: RunFile, named: str | None = None) -> str:
    """Whose verdicts are shown: the ladder's where there are any, which is told at once, or else the first judge's."""
    if named:
        return named
    by_ladder = file.ask("SELECT 1 FROM verdicts WHERE judge = :judge LIMIT 1", {"judge": LADDER})
    return LADDER if by_ladder else LoadedRun(file).judge()


def rows(file: RunFile, query: Query) -> Answer:
    """One page of the table."""
    found = page(file, query)
    told: Answer = {"total": found.total, "offset": query.offset, "rows": found.rows}
    return told if found.note is None else {**told, "note": found.note}


class Held(NamedTuple):
    """A consultation that has ended, read once for all that is told of it."""

    cell: int
    state: str
    transcript: Transcript
    record: PatientRecord


def consultation(file: RunFile, key: str, held: Held) -> Answer:
    """One consultation, without the truth."""
    measures = file.ask("SELECT body FROM measures WHERE cell = :cell", {"cell": held.cell})
    ruler, faults = faults_in(file, held.cell)
    counted = counts_in(file, held.cell, ruler)
    return {
        "run": key,
        "cell": held.cell,
        "state": held.state,
        **story(held.transcript, held.record, faults),
        "measures": {**_without_faults(json.loads(measures[0][0])), **counted} if measures else None,
        "patient_ruler": {"name": ruler, "notes": ruler_notes([file], ruler)},
        "same": _same(file, held.cell, held.record.patient),
    }


def exact_call(held: Held, number: int) -> Answer:
    """The prompt of one call, and its answer.

    Raises:
        Missing: There is no such call.
    """
    found = call(held.transcript, number)
    if found is None:
        raise Missing("there is no such call", "open the consultation again")
    return found


def revealed(file: RunFile, held: Held) -> Answer:
    """The truth and the verdicts."""
    verdicts = file.ask(
        "SELECT kind, judge, verdict, rung, because, rank FROM verdicts WHERE cell = :cell ORDER BY at, judge, kind",
        {"cell": held.cell},
    )
    return truth(held.transcript, held.record, [dict(one) for one in verdicts], faults_in(file, held.cell)[1])


def hold(file: RunFile, cell: int) -> Held:
    """A consultation that has ended, and its patient's record.

    Raises:
        Missing: There is no such consultation, or it has not ended.
    """
    found = file.ask("SELECT record, state FROM cells WHERE number = :cell", {"cell": cell})
    if not found:
        raise Missing("the run has no such consultation", "go back to the table")
    transcript = file.transcript(cell)
    if transcript is None:
        raise Missing("this consultation has not been held yet", "wait for the run to reach it")
    return Held(cell, found[0]["state"], transcript, file.record(found[0]["record"]))


def _without_faults(measures: Answer) -> Answer:
    """The counts alone: the words of a leak name the truth."""
    return {name: value for name, value in measures.items() if name != "faults"}


def _distinct(file: RunFile, table: str, column: str) -> list[str]:
    found = file.ask(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY 1")  # noqa: S608
    return [value for (value,) in found]


def _same(file: RunFile, cell: int, patient: str) -> list[Answer]:
    """Other consultations of the same person, to hold beside this one."""
    found = file.ask(
        f"SELECT cells.number AS cell, {', '.join(COLUMN)}, trial, language"  # noqa: S608 -- our own columns
        " FROM cells JOIN records ON records.id = record"
        " WHERE patient = :patient AND cells.number != :cell AND state != :todo ORDER BY cells.number LIMIT 500",
        {"patient": patient, "cell": cell, "todo": CellState.TODO.value},
    )
    forks = forks_of(file)
    return [{**row, "fork": forks.get(row["cell"])} for row in found]
