"""The table of consultations: filtered, sorted and cut into pages where the data is."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from osler.errors import UserError
from osler.runs.plan import COLUMN
from osler.runs.store import RunFile, search_index

MOST = 500
"""Rows of one page."""
_LONGEST = 500
"""Characters of a search, and of any other filter."""

_JOINS = {
    "records": "JOIN records ON records.id = cells.record",
    "results": "LEFT JOIN results ON results.cell = cells.number",
    "d": "LEFT JOIN verdicts d ON d.cell = cells.number AND d.kind = 'diagnosis' AND d.judge = :judge",
    "t": "LEFT JOIN verdicts t ON t.cell = cells.number AND t.kind = 'treatment' AND t.judge = :judge",
    "measures": "LEFT JOIN measures ON measures.cell = cells.number",
}
UNJUDGED = "unjudged"
"""Stands for the verdict of an answer that has none yet, so that it is taken neither for wrong nor for a failure."""
_DIAGNOSIS = f"coalesce(d.verdict, CASE cells.state WHEN 'done' THEN '{UNJUDGED}' END)"
_MEASURE = "CASE WHEN json_valid(measures.body) THEN json_extract(measures.body, '$.{}') END"
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
    "diagnosis_verdict": _DIAGNOSIS,
    "treatment_verdict": "t.verdict",
    "turns": "results.turns",
    "repeats": "results.repeats",
    "tokens": "results.tokens_in + results.tokens_out",
    "seconds": "results.seconds",
    "cost": "results.cost",
    "failure": "results.failure",
    "memory_failures": _MEASURE.format("memory_failures"),
}
"""What a row tells, and what it can be sorted by."""
FILTERS = {
    "specialty": "records.specialty",
    "language": "records.language",
    **{name: f"cells.{name}" for name in COLUMN},
    "diagnosis": _DIAGNOSIS,
    "treatment": "t.verdict",
    "ending": "results.ending",
    "state": "cells.state",
}
"""Columns that must be one of the values given."""

SORTS = {**COLUMNS, **FILTERS}


@dataclass(frozen=True)
class Query:
    """What of the table is wanted."""

    judge: str
    search: str = ""
    patient: str = ""
    among: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sort: str = "case"
    """A column, by the name it has in a row or as a filter."""
    desc: bool = False
    offset: int = 0
    limit: int = 100

    def __post_init__(self) -> None:
        """Refuse what cannot be answered."""
        if self.sort not in SORTS:
            raise UserError("the table has no such column", f"sort by one of {', '.join(SORTS)}")
        if not 0 <= self.offset < 2**62:
            raise UserError("offset is out of range", "count from 0")
        if not 1 <= self.limit <= MOST:
            raise UserError("limit is out of range", f"ask for 1 to {MOST} rows")
        texts = [self.judge, self.search, self.patient, *(value for values in self.among.values() for value in values)]
        if any(len(text) > _LONGEST for text in texts) or len(texts) > 200:
            raise UserError("the filter is too long", f"use at most {_LONGEST} characters")


@dataclass(frozen=True)
class Page:
    """Some rows, and how many there are in all."""

    total: int
    rows: list[dict[str, Any]]
    note: str | None = None


def page(file: RunFile, query: Query) -> Page:
    """The rows that fit."""
    where, values = _where(query)
    order = f"{SORTS[query.sort]} {'DESC' if query.desc else 'ASC'} NULLS LAST, cells.number"
    (total,) = file.ask(f"SELECT count(*){_tables(where)}{where}", values)[0]
    wanted = file.ask(
        f"SELECT cells.number{_tables(where, order)}{where} ORDER BY {order} LIMIT :limit OFFSET :offset",
        {**values, "limit": query.limit, "offset": query.offset},
    )
    found = _read(file, query.judge, [number for (number,) in wanted])
    forks = forks_of(file)
    hits = _snippets(file, query.search, [row["cell"] for row in found])
    return Page(total, [{**row, "fork": forks.get(row["cell"]), "snippet": hits.get(row["cell"])} for row in found])


def _read(file: RunFile, judge: str, cells: list[int]) -> list[sqlite3.Row]:
    """Those rows, in that order."""
    columns = ", ".join(f'{column} AS "{name}"' for name, column in COLUMNS.items())
    values: dict[str, Any] = {"judge": judge}
    found = file.ask(
        f"SELECT {columns}{_tables(columns)} WHERE cells.number IN ({_named(values, 'cell', cells)})", values
    )
    by_cell = {row["cell"]: row for row in found}
    return [by_cell[cell] for cell in cells if cell in by_cell]


def forks_of(file: RunFile) -> dict[int, dict[str, Any]]:
    """For consultations that went on from another one, which that was and from which turn on."""
    return {cell: {"run": fork.run, "case": fork.parent.case, "turn": fork.turn} for cell, fork in file.forks().items()}


def _snippets(file: RunFile, search: str, cells: list[int]) -> dict[int, str]:
    """Where the search hit, for the rows of one page alone: it takes reading what was said."""
    if not search or not cells:
        return {}
    values: dict[str, Any] = {"search": search_index.phrase(search)}
    places = _named(values, "cell", cells)
    sql = f"SELECT rowid, {search_index.SNIPPET} FROM said WHERE said MATCH :search AND rowid IN ({places})"  # noqa: S608
    return {cell: search_index.snippet(text) for cell, text in file.ask(sql, values)}


def _tables(*used: str) -> str:
    """The cells, joined with what is named in these words alone: joins for nothing cost most of the time."""
    needed = [join for name, join in _JOINS.items() if re.search(rf"\b{name}\.", " ".join(used))]
    return " ".join((" FROM cells", *needed))


def _where(query: Query) -> tuple[str, dict[str, Any]]:
    """Conditions of our own words, with all that a person wrote as values."""
    values: dict[str, Any] = {"judge": query.judge}
    conditions: list[str] = []
    for name, wanted in query.among.items():
        places = _named(values, name, wanted)
        conditions.append(f"{FILTERS[name]} IN ({places})")
    if query.search:
        values["search"] = search_index.phrase(query.search)
        conditions.append(
            "cells.number IN (SELECT rowid FROM said WHERE said MATCH :search)" if values["search"] else "0"
        )
    if query.patient:
        values["patient"] = query.patient.casefold()
        conditions.append("instr(lower(records.patient || ' ' || records.id), :patient)")
    return (f" WHERE {' AND '.join(conditions)}" if conditions else ""), values


def _named(values: dict[str, Any], name: str, wanted: Sequence[object]) -> str:
    names = [f"{name}_{place}" for place, _ in enumerate(wanted)]
    values.update(zip(names, wanted, strict=True))
    return ", ".join(f":{one}" for one in names)
