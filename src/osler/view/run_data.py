"""What the page shows of a run, as plain data: its line in the list, its table, and who made what."""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from osler.errors import UserError
from osler.eval.ladder import LADDER
from osler.eval.runs import Run
from osler.runs.makers import Makers
from osler.runs.plan import COLUMN, Column, told_variants
from osler.runs.short_names import backbone_name, backbone_names, memory_names
from osler.runs.store import RunFile, search_index
from osler.runs.store.explanations import explanations
from osler.view.run_list import ListedRun

_LIVE_SECONDS = 300.0
"""Seconds without a write after which a run that was never closed counts as dead."""

MOST = 500
"""Rows of one page."""
Text = Annotated[str, Field(max_length=500)]

_TABLES = """ FROM cells
    LEFT JOIN records ON records.id = cells.record
    LEFT JOIN results ON results.cell = cells.number
    LEFT JOIN verdicts d ON d.cell = cells.number AND d.kind = 'diagnosis' AND d.judge = :judge
    LEFT JOIN verdicts t ON t.cell = cells.number AND t.kind = 'treatment' AND t.judge = :judge
    LEFT JOIN measures ON measures.cell = cells.number
    LEFT JOIN explanations x ON x.cell = cells.number AND x.judge = :judge AND x.verdict = d.verdict"""
"""All tables of a row. SQLite drops the left joins that a query does not use, unless it aggregates."""
COLUMNS = {
    "cell": "cells.number",
    "case": "cells.record",
    "patient": "records.patient",
    "language": "records.language",
    "specialty": "records.specialty",
    **{name: f"cells.{name}" for name in COLUMN},
    "trial": "cells.trial",
    "state": "cells.state",
    "ending": "results.ending",
    # An answer without a verdict yet must be taken neither for wrong nor for a failure.
    "diagnosis_verdict": "coalesce(d.verdict, CASE cells.state WHEN 'done' THEN 'unjudged' END)",
    "treatment_verdict": "t.verdict",
    "cause": "x.cause",
    "turns": "results.turns",
    "repeats": "results.repeats",
    "tokens": "results.tokens_in + results.tokens_out",
    "seconds": "results.seconds",
    "cost": "results.cost",
    "failure": "results.failure",
    "memory_failures": "CASE WHEN json_valid(measures.body) THEN json_extract(measures.body, '$.memory_failures') END",
}
"""What a row tells, and what it can be sorted by."""
FILTERS = {
    **{name: COLUMNS[name] for name in ("specialty", "language", *COLUMN, "ending", "state")},
    "diagnosis": COLUMNS["diagnosis_verdict"],
    "treatment": COLUMNS["treatment_verdict"],
    "cause": COLUMNS["cause"],
}
"""Columns that must be one of the values given."""
SORTS = {**COLUMNS, **FILTERS}


def run(shown: ListedRun) -> dict[str, Any]:
    """One line of the list of runs."""
    with shown.open() as file:
        about, status = file.about(), file.status()
        backbones, strategies, memories, variants = (_distinct(file, "cells", name) for name in COLUMN)
        settings, judge = about["settings"], judge_of(file)
        seats = [settings[name] for name in ("patient_backbone", "ram_backbone", "memory_backbone") if settings[name]]
        names = {spec: backbone_name(spec) for spec in seats} | backbone_names(backbones) | memory_names(memories)
        names |= {column.as_row()["variants"]: ", ".join(told_variants(column.variants)) for column in file.columns()}
        open_session = file.ask("SELECT 1 FROM sessions WHERE ended IS NULL AND id = (SELECT max(id) FROM sessions)")
        return {
            "key": shown.key,
            "name": shown.name,
            **{name: getattr(status, name) for name in ("total", "done", "failed", "todo", "tokens", "cost")},
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
            "judge": judge,
            "causes": sorted({one.cause for one in explanations(file, judge).values()}),
        }


def judge_of(file: RunFile) -> str:
    """Return the default judge: the run's own, or the ladder, which is quick to see, or else the first judge."""
    by_ladder = file.ask("SELECT 1 FROM verdicts WHERE judge = :judge LIMIT 1", {"judge": LADDER})
    return LADDER if by_ladder and file.own_judge() is None else Run(file).judge()


def makers(file: RunFile) -> dict[str, Any]:
    """Return who made what in every column, over the consultations with an answer; empty if rules did everything."""
    names = ", ".join(f"cells.{name}" for name in COLUMN)
    columns: dict[Column, list[Makers]] = defaultdict(list)
    for *named, body in file.ask(
        f"SELECT {names}, measures.body FROM cells JOIN measures ON measures.cell = cells.number"  # noqa: S608
        " WHERE cells.state = 'done' ORDER BY cells.number"
    ):
        with suppress(AttributeError, TypeError, ValueError):  # damaged: `osler runs check` names it
            column = Column.from_row(dict(zip(COLUMN, named, strict=True)))
            columns[column].append(Makers.read(json.loads(body)))
    counted = [(column, len(some), Makers.together(some)) for column, some in columns.items()]
    if all(found.is_by_rules_alone for _, _, found in counted):
        return {"columns": []}
    rows = [{**column.as_json(), "consultations": count, "makers": asdict(found)} for column, count, found in counted]
    return {"columns": rows}


def _distinct(file: RunFile, table: str, column: str) -> list[str]:
    found = file.ask(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY 1")  # noqa: S608
    return [value for (value,) in found]


class Query(BaseModel):
    """Which rows of the table are wanted."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    judge: Text
    search: Text = ""
    patient: Text = ""
    among: dict[str, Annotated[list[Text], Field(max_length=200)]] = {}
    """For each filter, the values that a row may have."""
    sort: str = "case"
    """A column, by the name it has in a row or as a filter."""
    desc: bool = False
    offset: int = Field(0, ge=0, lt=2**62)
    limit: int = Field(100, ge=1, le=MOST)


def table_page(file: RunFile, query: Query) -> dict[str, Any]:
    """The rows that fit, from the offset on, and how many there are in all."""
    if query.sort not in SORTS:
        raise UserError("the table has no such column", f"sort by one of {', '.join(SORTS)}")
    where, values = _where(query)
    order = f"ORDER BY {SORTS[query.sort]} {'DESC' if query.desc else 'ASC'} NULLS LAST, cells.number"
    columns = ", ".join(f'{column} AS "{name}"' for name, column in COLUMNS.items())
    # A window is not an aggregate, so that joins for nothing are dropped: they take most of the time.
    count = file.ask(f"SELECT count(*) OVER (){_TABLES}{where} LIMIT 1", values)
    # Numbers first, for the same reason: whole rows are only read for one page.
    found = file.ask(
        f"SELECT {columns}{_TABLES} WHERE cells.number IN"
        f" (SELECT cells.number{_TABLES}{where} {order} LIMIT :limit OFFSET :offset) {order}",
        {**values, "limit": query.limit, "offset": query.offset},
    )
    forks = forks_of(file)
    hits = _snippets(file, query.search, [row["cell"] for row in found])
    rows = [{**row, "fork": forks.get(row["cell"]), "snippet": hits.get(row["cell"])} for row in found]
    return {"total": count[0][0] if count else 0, "offset": query.offset, "rows": rows}


def forks_of(file: RunFile) -> dict[int, dict[str, Any]]:
    """For consultations that were forked from another one, return which that was and from which turn on."""
    return {cell: {"run": fork.run, "case": fork.parent.case, "turn": fork.turn} for cell, fork in file.forks().items()}


def _snippets(file: RunFile, search: str, cells: list[int]) -> dict[int, str]:
    """Return where the search hit, for the rows of one page alone: it takes reading what was said."""
    if not search or not cells:
        return {}
    matched = "said MATCH :search AND rowid IN (SELECT value FROM json_each(:cells))"
    values = {"search": search_index.phrase(search), "cells": json.dumps(cells)}
    found = file.ask(f"SELECT rowid, {search_index.SNIPPET} FROM said WHERE {matched}", values)  # noqa: S608 -- our own
    return {cell: search_index.snippet(text) for cell, text in found}


def _where(query: Query) -> tuple[str, dict[str, str]]:
    """Conditions of our own words, with all that a person wrote as values."""
    values = {"judge": query.judge} | {name: json.dumps(wanted) for name, wanted in query.among.items()}
    conditions = [f"{FILTERS[name]} IN (SELECT value FROM json_each(:{name}))" for name in query.among]  # noqa: S608
    if query.search:
        values["search"] = search_index.phrase(query.search) or ""
        matched = "cells.number IN (SELECT rowid FROM said WHERE said MATCH :search)"
        conditions.append(matched if values["search"] else "0")
    if query.patient:
        values["patient"] = query.patient.casefold()
        conditions.append("instr(lower(records.patient || ' ' || records.id), :patient)")
    return (f" WHERE {' AND '.join(conditions)}" if conditions else ""), values
