"""The table of consultations: filtered, sorted and cut into pages by SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from osler.runs.plan import COLUMN
from osler.runs.store import RunFile, search_index

MOST = 500
"""Rows of one page."""
Text = Annotated[str, Field(max_length=500)]

_TABLES = """ FROM cells
    LEFT JOIN records ON records.id = cells.record
    LEFT JOIN results ON results.cell = cells.number
    LEFT JOIN verdicts d ON d.cell = cells.number AND d.kind = 'diagnosis' AND d.judge = :judge
    LEFT JOIN verdicts t ON t.cell = cells.number AND t.kind = 'treatment' AND t.judge = :judge
    LEFT JOIN measures ON measures.cell = cells.number"""
"""All tables of a row. SQLite drops the left joins that a query does not use, except where it aggregates."""
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
}
"""Columns that must be one of the values given."""
SORTS = {**COLUMNS, **FILTERS}


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

    @field_validator("sort")
    @classmethod
    def _is_a_column(cls, name: str) -> str:
        if name not in SORTS:
            raise ValueError(f"sort by one of {', '.join(SORTS)}")
        return name


def table_page(file: RunFile, query: Query) -> dict[str, Any]:
    """The rows that fit, from the offset on, and how many there are in all."""
    where, values = _where(query)
    order = f"ORDER BY {SORTS[query.sort]} {'DESC' if query.desc else 'ASC'} NULLS LAST, cells.number"
    columns = ", ".join(f'{column} AS "{name}"' for name, column in COLUMNS.items())
    # A window is no aggregate, so that joins for nothing are dropped: they take most of the time.
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
    """For consultations that were forked from another one, which that was and from which turn on."""
    return {cell: {"run": fork.run, "case": fork.parent.case, "turn": fork.turn} for cell, fork in file.forks().items()}


def _snippets(file: RunFile, search: str, cells: list[int]) -> dict[int, str]:
    """Where the search hit, for the rows of one page alone: it takes reading what was said."""
    if not search or not cells:
        return {}
    values: dict[str, Any] = {}
    places = _named(values, "cell", cells)
    found = file.ask(f"SELECT rowid, text FROM said WHERE rowid IN ({places})", values)  # noqa: S608 -- our own words
    return {cell: search_index.snippet(text, search) for cell, text in found}


def _where(query: Query) -> tuple[str, dict[str, Any]]:
    """Conditions of our own words, with all that a person wrote as values."""
    values: dict[str, Any] = {"judge": query.judge}
    conditions = [f"{FILTERS[name]} IN ({_named(values, name, wanted)})" for name, wanted in query.among.items()]
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
    """Placeholders for some values, which are added to the others under these names."""
    names = [f"{name}_{place}" for place, _ in enumerate(wanted)]
    values.update(zip(names, wanted, strict=True))
    return ", ".join(f":{one}" for one in names)
