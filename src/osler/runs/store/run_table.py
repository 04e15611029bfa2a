"""The table of a run's consultations: searched, filtered, sorted, and read a page at a time."""

# ruff: noqa: S608 -- statements are made of our own words; values of others are bound

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from osler.errors import UserError
from osler.runs.plan import COLUMN
from osler.runs.scored import CellState
from osler.runs.store import search_index
from osler.runs.store.reader import RunFile

MOST = 500
"""Rows of one page."""
Text = Annotated[str, Field(max_length=500)]

_TABLES = """ FROM cells
    LEFT JOIN records ON records.id = cells.record
    LEFT JOIN results ON results.cell = cells.number
    LEFT JOIN verdicts d ON d.cell = cells.number AND d.kind = 'diagnosis' AND d.judge = :judge
    LEFT JOIN verdicts t ON t.cell = cells.number AND t.kind = 'treatment' AND t.judge = :judge
    LEFT JOIN measures ON measures.cell = cells.number
    LEFT JOIN explanations x
        ON x.cell = cells.number AND x.judge = :judge AND x.verdict = d.verdict"""
"""All tables of a row. SQLite drops the left joins that a query does not use, unless it
aggregates."""


@dataclass(frozen=True)
class TableRow:
    """One consultation of the plan, whether it has ended or not."""

    cell: int
    """Its number."""
    case: str
    patient: str
    language: str
    specialty: str | None
    backbone: str
    strategy: str
    memory: str
    variants: str
    """As JSON."""
    trial: int
    state: str
    ending: str | None
    diagnosis_verdict: str | None
    """`unjudged` for an answer without a verdict yet: it is neither wrong nor a failure."""
    treatment_verdict: str | None
    cause: str | None
    turns: int | None
    repeats: int | None
    tokens: int | None
    seconds: float | None
    cost: float | None
    failure: str | None
    memory_failures: int | None


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
    "diagnosis_verdict": "coalesce(d.verdict, CASE cells.state WHEN 'done' THEN 'unjudged' END)",
    "treatment_verdict": "t.verdict",
    "cause": "x.cause",
    "turns": "results.turns",
    "repeats": "results.repeats",
    "tokens": "results.tokens_in + results.tokens_out",
    "seconds": "results.seconds",
    "cost": "results.cost",
    "failure": "results.failure",
    "memory_failures": (
        "CASE WHEN json_valid(measures.body) THEN json_extract(measures.body,"
        " '$.memory_failures') END"
    ),
}
"""How each field of a `TableRow` is read; rows can be sorted by all of them."""
FILTERS = {
    **{name: COLUMNS[name] for name in ("specialty", "language", *COLUMN, "ending", "state")},
    "diagnosis": COLUMNS["diagnosis_verdict"],
    "treatment": COLUMNS["treatment_verdict"],
    "cause": COLUMNS["cause"],
}
"""Columns that must be one of the values given."""
SORTS = {**COLUMNS, **FILTERS}


class TableQuery(BaseModel):
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


@dataclass(frozen=True)
class TablePage:
    """Some rows of the table."""

    total: int
    """How many rows fit in all."""
    rows: list[TableRow]
    snippets: dict[int, str]
    """Where the search hit, by consultation."""


def table_page(run: RunFile, query: TableQuery) -> TablePage:
    """The rows that fit, from the offset on.

    Raises:
        UserError: The table has no column of the name that it is to be sorted by.
    """
    if query.sort not in SORTS:
        raise UserError("the table has no such column", f"sort by one of {', '.join(SORTS)}")
    where, values = _where(query)
    direction = "DESC" if query.desc else "ASC"
    order = f"ORDER BY {SORTS[query.sort]} {direction} NULLS LAST, cells.number"
    columns = ", ".join(f'{column} AS "{name}"' for name, column in COLUMNS.items())
    # A window is not an aggregate, so that joins for nothing are dropped: they take most of the
    # time.
    count = run.ask(f"SELECT count(*) OVER () AS total{_TABLES}{where} LIMIT 1", values)
    # Numbers first, for the same reason: whole rows are only read for one page.
    numbers = f"SELECT cells.number{_TABLES}{where} {order} LIMIT :limit OFFSET :offset"
    page = run.ask(
        f"SELECT {columns}{_TABLES} WHERE cells.number IN ({numbers}) {order}",
        {**values, "limit": query.limit, "offset": query.offset},
    )
    rows = [TableRow(**dict(row)) for row in page]
    snippets = _snippets(run, query.search, [row.cell for row in rows])
    return TablePage(count[0]["total"] if count else 0, rows, snippets)


def _snippets(run: RunFile, search: str, numbers: list[int]) -> dict[int, str]:
    """Where the search hit, for the rows of one page alone: it takes reading what was said."""
    if not search or not numbers:
        return {}
    matched = "said MATCH :search AND rowid IN (SELECT value FROM json_each(:numbers))"
    values = {"search": search_index.phrase(search), "numbers": json.dumps(numbers)}
    hits = run.ask(f"SELECT rowid, {search_index.SNIPPET} FROM said WHERE {matched}", values)
    return {number: search_index.snippet(text) for number, text in hits}


def _where(query: TableQuery) -> tuple[str, dict[str, str]]:
    """Conditions of our own words, with all that a person wrote as values."""
    values = {"judge": query.judge}
    conditions = []
    for name, allowed in query.among.items():
        values[name] = json.dumps(allowed)
        conditions.append(f"{FILTERS[name]} IN (SELECT value FROM json_each(:{name}))")
    if query.search:
        values["search"] = search_index.phrase(query.search) or ""
        matched = "cells.number IN (SELECT rowid FROM said WHERE said MATCH :search)"
        conditions.append(matched if values["search"] else "0")
    if query.patient:
        values["patient"] = query.patient.casefold()
        conditions.append("instr(lower(records.patient || ' ' || records.id), :patient)")
    return (f" WHERE {' AND '.join(conditions)}" if conditions else ""), values


@dataclass(frozen=True)
class TableValues:
    """The values that occur in a run, to filter its table by."""

    backbones: list[str]
    strategies: list[str]
    memories: list[str]
    variants: list[str]
    """As JSON."""
    languages: list[str]
    specialties: list[str]
    endings: list[str]


def table_values(run: RunFile) -> TableValues:
    """The values that occur in a run, each list in order."""
    return TableValues(
        backbones=_distinct(run, "cells", "backbone"),
        strategies=_distinct(run, "cells", "strategy"),
        memories=_distinct(run, "cells", "memory"),
        variants=_distinct(run, "cells", "variants"),
        languages=_distinct(run, "records", "language"),
        specialties=_distinct(run, "records", "specialty"),
        endings=_distinct(run, "results", "ending"),
    )


def _distinct(run: RunFile, table: str, column: str) -> list[str]:
    rows = run.ask(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY 1")
    return [value for (value,) in rows]


@dataclass(frozen=True)
class PatientConsultation:
    """Another consultation of the same patient."""

    cell: int
    """Its number."""
    backbone: str
    strategy: str
    memory: str
    variants: str
    """As JSON."""
    trial: int
    language: str


def others_of_patient(run: RunFile, patient: str, number: int) -> list[PatientConsultation]:
    """The other consultations of a patient that have ended, the first ones of the plan."""
    rows = run.ask(
        f"SELECT cells.number AS cell, {', '.join(COLUMN)}, trial, language"
        " FROM cells JOIN records ON records.id = record"
        " WHERE patient = :patient AND cells.number != :number AND state != :todo"
        " ORDER BY cells.number LIMIT :most",
        {"patient": patient, "number": number, "todo": CellState.TODO.value, "most": MOST},
    )
    return [PatientConsultation(**dict(row)) for row in rows]
