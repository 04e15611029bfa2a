"""What every address of the page answers, as plain data: the server sends it, the export writes it down."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from osler.eval.faithfulness.patient_verdicts import counts_in, faults_in, ruler_notes
from osler.eval.ladder import LADDER
from osler.eval.runs import Run
from osler.records.schema import PatientRecord
from osler.runs.plan import COLUMN, told_variants
from osler.runs.short_names import backbone_name, backbone_names, memory_names
from osler.runs.store import CellState, RunFile
from osler.runs.transcript import Transcript
from osler.view.consultation_data import call, consultation_data
from osler.view.responses import NotFound
from osler.view.run_list import ListedRun
from osler.view.table_query import Query, forks_of, page
from osler.view.truth import truth

_LIVE_SECONDS = 300.0
"""Seconds without a word after which a run that was never closed counts as dead."""
Answer = dict[str, Any]


def run(shown: ListedRun) -> Answer:
    """One line of the list of runs."""
    with shown.open() as file:
        about, standing = file.about(), file.status()
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
            "live": bool(open_session) and shown.changed_within(_LIVE_SECONDS),
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
    return LADDER if by_ladder else Run(file).judge()


def rows(file: RunFile, query: Query) -> Answer:
    """One page of the table."""
    found = page(file, query)
    told: Answer = {"total": found.total, "offset": query.offset, "rows": found.rows}
    return told if found.note is None else {**told, "note": found.note}


class EndedConsultation(NamedTuple):
    """A consultation that has ended, read once for all that is told of it."""

    cell: int
    state: str
    transcript: Transcript
    record: PatientRecord


def consultation(file: RunFile, key: str, ended: EndedConsultation) -> Answer:
    """One consultation, without the truth."""
    measures = file.ask("SELECT body FROM measures WHERE cell = :cell", {"cell": ended.cell})
    ruler, faults = faults_in(file, ended.cell)
    counted = counts_in(file, ended.cell, ruler)
    return {
        "run": key,
        "cell": ended.cell,
        "state": ended.state,
        **consultation_data(ended.transcript, ended.record, faults),
        "measures": {**_without_faults(json.loads(measures[0][0])), **counted} if measures else None,
        "patient_ruler": {"name": ruler, "notes": ruler_notes([file], ruler)},
        "same": _same(file, ended.cell, ended.record.patient),
    }


def exact_call(ended: EndedConsultation, number: int) -> Answer:
    """The prompt of one call, and its answer.

    Raises:
        NotFound: There is no such call.
    """
    found = call(ended.transcript, number)
    if found is None:
        raise NotFound("there is no such call", "open the consultation again")
    return found


def revealed(file: RunFile, ended: EndedConsultation) -> Answer:
    """The truth and the verdicts."""
    verdicts = file.ask(
        "SELECT kind, judge, verdict, rung, because, rank FROM verdicts WHERE cell = :cell ORDER BY at, judge, kind",
        {"cell": ended.cell},
    )
    return truth(ended.transcript, ended.record, [dict(one) for one in verdicts], faults_in(file, ended.cell)[1])


def ended(file: RunFile, cell: int) -> EndedConsultation:
    """A consultation that has ended, and its patient's record.

    Raises:
        NotFound: There is no such consultation, or it has not ended.
    """
    found = file.ask("SELECT record, state FROM cells WHERE number = :cell", {"cell": cell})
    if not found:
        raise NotFound("the run has no such consultation", "go back to the table")
    transcript = file.transcript(cell)
    if transcript is None:
        raise NotFound("this consultation has not been held yet", "wait for the run to reach it")
    return EndedConsultation(cell, found[0]["state"], transcript, file.record(found[0]["record"]))


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
